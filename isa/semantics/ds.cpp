// Semantics of DS: LDS and GDS.
#include "isa/semantics/semantics.h"

namespace wavecast::isa {

std::span<const SemanticsRow> ds_rows() { return {}; }

}  // namespace wavecast::isa
