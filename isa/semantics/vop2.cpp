// Semantics of VOP2.
#include "isa/semantics/semantics.h"

namespace wavecast::isa {

std::span<const SemanticsRow> vop2_rows() { return {}; }

}  // namespace wavecast::isa
