// Modes that change what a vector instruction does: VGPR indexing (M0 shifts operands) and VSKIP (passed
// over). Internal to the emulator. Source: AMD CDNA3 ISA, "VGPR Indexing", "MODE Register".
#pragma once

#include "isa/execution_context.h"
#include "isa/wavefront.h"

namespace wavecast::isa {

inline constexpr uint32_t kModeGprIndexing = 1u << 27, kModeVectorSkip = 1u << 28;  // bits of MODE

// Executes `instruction` with its VGPR operands moved by M0[7:0] as M0[15:12] enables it (source 0-2,
// destination), or not at all if it is a vector instruction under VSKIP.
void execute_in_special_mode(Wavefront& wave, const Instruction& instruction, ExecutionContext& context);

}  // namespace wavecast::isa
