// Semantics of SOPP: branches, barriers, waits, messages.
#include "isa/semantics/semantics.h"

namespace wavecast::isa {

std::span<const SemanticsRow> program_control_rows() { return {}; }

}  // namespace wavecast::isa
