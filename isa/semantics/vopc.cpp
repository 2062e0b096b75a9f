// Semantics of VOPC.
#include "isa/semantics/semantics.h"

namespace wavecast::isa {

std::span<const SemanticsRow> vopc_rows() { return {}; }

}  // namespace wavecast::isa
