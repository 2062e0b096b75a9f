// Registers of a wave at its first instruction. Internal to the emulator.
// Source: LLVM 22 AMDGPUUsage, "Initial Kernel Execution State".
#pragma once

#include "isa/emulator.h"

namespace wavecast::isa {

// Fills `wave`, whose register file is allocated and large enough, as wave `index` of work-group
// `work_group`.
void start_wave(Wavefront& wave, const LoadedKernel& loaded, Dim3 work_group, uint32_t index,
                const Memory& memory);

}  // namespace wavecast::isa
