// Semantics of MFMA, SMFMAC and AGPR moves.
#include "isa/semantics/semantics.h"

namespace wavecast::isa {

std::span<const SemanticsRow> matrix_rows() { return {}; }

}  // namespace wavecast::isa
