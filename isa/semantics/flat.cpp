// Semantics of FLAT, GLOBAL and SCRATCH.
#include "isa/semantics/semantics.h"

namespace wavecast::isa {

std::span<const SemanticsRow> flat_rows() { return {}; }

}  // namespace wavecast::isa
