// Semantics of SOP1, SOP2, SOPK and SOPC.
#include "isa/semantics/semantics.h"

namespace wavecast::isa {

std::span<const SemanticsRow> scalar_alu_rows() { return {}; }

}  // namespace wavecast::isa
