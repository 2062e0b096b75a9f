// Basic blocks and natural loops of decoded instructions. Internal to decode_program.
// Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm". Leaves out: irreducible loops,
// indirect jumps.
#pragma once

#include <span>

#include "isa/program.h"

namespace wavecast::isa {

// Fills program.blocks and program.loops. `entries` are instruction indices where kernels begin.
void find_control_flow(Program& program, std::span<const uint32_t> entries);

}  // namespace wavecast::isa
