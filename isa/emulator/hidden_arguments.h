// Hidden (implicit) kernel arguments as the metadata lists them. Internal to the emulator.
// Source: LLVM 22 AMDGPUUsage, "AMDHSA Code Object Kernel Argument Metadata Map".
#pragma once

#include "isa/emulator.h"

namespace wavecast::isa {

// Dimensions that the launch uses: 3 if z exceeds 1, else 2 if y does, else 1.
uint16_t grid_dimensions(const Launch& launch);

// Writes every hidden argument into the kernarg region; pointers lead to zeroed regions of their own.
Expected<void> write_hidden_arguments(LoadedKernel& loaded, const MemoryRegion& kernarg, Memory& memory);

}  // namespace wavecast::isa
