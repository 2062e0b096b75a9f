// Semantics of SMEM.
#include "isa/semantics/semantics.h"

namespace wavecast::isa {

std::span<const SemanticsRow> scalar_memory_rows() { return {}; }

}  // namespace wavecast::isa
