// Maps LLVM's AMDGPU register numbers to the register ranges of instruction.h. Internal to the decoder.
#pragma once

#include <vector>

#include "isa/instruction.h"

namespace llvm {
class MCRegisterInfo;
}

namespace wavecast::isa {

// Indexed by LLVM register number; count 0 where a register carries no dependency (MODE, apertures,
// constants).
std::vector<RegisterRange> register_ranges(const llvm::MCRegisterInfo& registers);

}  // namespace wavecast::isa
