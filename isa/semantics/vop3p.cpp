// Semantics of VOP3P: packed and dot instructions.
#include "isa/semantics/semantics.h"

namespace wavecast::isa {

std::span<const SemanticsRow> vop3p_rows() { return {}; }

}  // namespace wavecast::isa
