// Semantics of MUBUF and MTBUF.
#include "isa/semantics/semantics.h"

namespace wavecast::isa {

std::span<const SemanticsRow> buffer_rows() { return {}; }

}  // namespace wavecast::isa
