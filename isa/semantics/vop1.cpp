// Semantics of VOP1.
#include "isa/semantics/semantics.h"

namespace wavecast::isa {

std::span<const SemanticsRow> vop1_rows() { return {}; }

}  // namespace wavecast::isa
