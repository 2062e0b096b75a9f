#include "isa/semantics/vector_rows.h"
namespace wavecast::isa {
std::span<const SemanticsRow> vop3_scaled_rows() { return {}; }
}
