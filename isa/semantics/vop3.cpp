// Semantics of opcodes that exist only as VOP3.
#include "isa/semantics/semantics.h"

namespace wavecast::isa {

std::span<const SemanticsRow> vop3_rows() { return {}; }

}  // namespace wavecast::isa
