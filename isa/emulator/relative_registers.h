// VALU instructions while s_set_gpr_idx is on: M0 shifts their VGPR operands. Internal to the emulator.
// Source: AMD CDNA3 ISA, "VGPR Indexing".
#pragma once

#include "isa/execution_context.h"
#include "isa/wavefront.h"

namespace wavecast::isa {

inline constexpr uint32_t kModeGprIndexing = 1u << 27;  // GPR_IDX_EN of MODE

// Executes `instruction` with its VGPR operands moved by M0[7:0] as M0[15:12] enables it (source 0-2, destination).
void execute_with_relative_registers(Wavefront& wave, const Instruction& instruction, ExecutionContext& context);

}  // namespace wavecast::isa
