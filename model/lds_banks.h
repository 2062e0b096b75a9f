// Bank conflicts and port time of one LDS instruction: lanes are served in phases; inside a phase the bank
// with the most distinct dwords decides. Equal dwords are broadcast. Source: hardware/timing/*.yaml (phases
// measured on MI300X and MI350X); reproduces the published conflict counters exactly. Leaves out: reordering
// between waves.
#pragma once

#include <cstdint>

#include "hardware/instruction_timing.h"
#include "isa/wave_trace.h"

namespace wavecast::model {

struct LdsCost {
  uint32_t phases = 0;     // phases with at least one active lane
  uint32_t conflicts = 0;  // SQ_LDS_BANK_CONFLICT: sum over phases of (most distinct dwords on one bank - 1)
};

// Cost of the access under the phase table of its width. Two-address forms cost the sum of their two
// accesses.
LdsCost lds_cost(const isa::WaveTrace& trace, const isa::MemoryAccess& access,
                 const hardware::LdsWidthTiming& width);

}  // namespace wavecast::model
