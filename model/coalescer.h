// What one vector memory instruction asks of the vector L1: cache lines, write segments and address cycles.
// Models the address unit (TA), which takes lanes in quads and merges equal lines inside a quad, and the tag
// lookup, which sees each distinct line of the instruction. Source: rocprofiler-compute pipeline description
// (TA/TCP), where a fully coalesced wave makes 16 cache accesses and a scattered one 64. Leaves out: merging
// across instructions.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/wave_trace.h"

namespace wavecast::model {

// A 64-byte piece of memory that a store or atomic sends to L2; `full` if every byte is written.
struct WriteSegment {
  uint64_t address = 0;  // multiple of 64
  bool full = false;
};

inline constexpr uint64_t kWriteSegmentBytes =
    64;  // structural: writes and atomics travel to L2 in 64-byte requests

struct CoalescedAccess {
  std::vector<uint64_t> lines;         // distinct line numbers (address / line_bytes), in lane order
  std::vector<WriteSegment> segments;  // for stores and atomics: distinct, in lane order
  uint32_t quad_accesses = 0;          // TCP_TOTAL_CACHE_ACCESSES
  uint32_t active_lanes = 0;
  uint64_t bytes = 0;  // active lanes x width
};

// Writes the result into `out` (reused by the caller to avoid allocation).
void coalesce(const isa::WaveTrace& trace, const isa::MemoryAccess& access, uint64_t line_bytes, bool writes,
              CoalescedAccess& out);

// Address of the rank-th active lane `lane`.
inline uint64_t lane_address(const isa::WaveTrace& trace, const isa::MemoryAccess& access, int lane,
                             uint32_t rank) {
  return access.affine ? access.base + static_cast<int64_t>(lane) * access.stride
                       : trace.addresses[access.first + rank];
}

}  // namespace wavecast::model
