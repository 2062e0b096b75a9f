// What LDS, buffer and flat instructions share: addresses of 64 lanes, their checked host pointers, moves
// between memory and VGPRs, atomics, and the record of addresses. Leaves out: caches, coherence and time.
// Source: AMD CDNA3 ISA, "Vector Memory" and "Data Share" chapters; LLVM 22 AMDGPUUsage for the address
// spaces.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "isa/execution_context.h"
#include "isa/instruction.h"
#include "isa/semantics/memory_access.h"
#include "isa/wavefront.h"

namespace wavecast::isa {

inline constexpr uint64_t kAllLanes = ~uint64_t{0};

// Calls `function(lane)` for each lane of a mask, lowest first.
template <class Function>
inline void for_each_lane(uint64_t lanes, Function&& function) {
  for (; lanes; lanes &= lanes - 1) function(std::countr_zero(lanes));
}

// The addresses of one access. Lanes outside `lanes` hold the address of some active lane, so that loops over
// all 64 entries touch nothing else.
struct alignas(64) LaneAddresses {
  std::array<uint64_t, kLanes> address;
  uint64_t lanes = 0;
  // Copies the first active lane's address to inactive lanes. `lanes` must not be empty.
  void fill_inactive();
};

// Checked host pointers of one access. The dword `k` of a lane lies `k * dword_step` bytes after its pointer
// (4, or the distance of dwords in swizzled scratch). `contiguous`: all lanes, each right after the one
// before.
struct alignas(64) LanePointers {
  std::array<std::byte*, kLanes> pointer;
  uint64_t lanes = 0;
  uint32_t dword_step = 4;
  bool contiguous = false;
};

// What a lane moves between memory and registers.
enum class DataKind : uint8_t {
  u8,
  i8,
  u16,
  i16,
  u8_low,
  i8_low,
  b16_low,
  u8_high,
  i8_high,
  b16_high,
  b32,
  b64,
  b96,
  b128
};
constexpr uint32_t bytes_of(DataKind kind) {
  constexpr uint8_t kBytes[] = {1, 1, 2, 2, 1, 1, 2, 1, 1, 2, 4, 8, 12, 16};
  return kBytes[static_cast<int>(kind)];
}
constexpr uint32_t dwords_of(DataKind kind) { return (bytes_of(kind) + 3) / 4; }

// Pointers to `bytes` at each global address. A lane outside a region, or a write to a read-only one, is a
// fault.
bool resolve_global(ExecutionContext& context, const LaneAddresses& addresses, uint32_t bytes, bool write,
                    LanePointers& pointers);
// The same for byte offsets in the work-group's LDS.
bool resolve_lds(ExecutionContext& context, const LaneAddresses& addresses, uint32_t bytes,
                 LanePointers& pointers);

// Scratch of one lane: private dword d of lane l lies at base + d * 256 + l * 4.
constexpr uint64_t scratch_address(uint64_t base, uint32_t offset, int lane) {
  return base + uint64_t{offset / 4} * (kLanes * 4) + static_cast<uint64_t>(lane) * 4 + offset % 4;
}

// Registers <- memory. `destination` is a VGPR/AGPR code; lanes outside `pointers.lanes` keep their value.
void load_lanes(Wavefront& wave, uint16_t destination, DataKind kind, const LanePointers& pointers);
// Memory <- registers; with equal addresses the highest lane wins.
void store_lanes(Wavefront& wave, uint16_t source, DataKind kind, const LanePointers& pointers);
// Writes zero as load_lanes would write a loaded zero (out-of-bounds lanes of buffers).
void zero_lanes(Wavefront& wave, uint16_t destination, DataKind kind, uint64_t lanes);

// Memory -> memory, narrow data widened to dwords as a load would (loads to LDS). Both sides have the same
// lanes.
void copy_lanes(DataKind kind, const LanePointers& from, const LanePointers& to);

// New memory value from the old one, the data operand and the comparison operand, in the low 32 or 64 bits.
using AtomicOperation = uint64_t (*)(uint64_t memory, uint64_t data, uint64_t compare);
struct AtomicKind {
  uint8_t bytes = 4;  // 4 or 8
  AtomicOperation operation = nullptr;
};
// Lane by lane, lowest first. `data` and `compare` are VGPR/AGPR codes (compare may be kNone); the old value
// goes to `destination` unless it is kNone. All operands are read before any result is written. Misaligned
// lanes fault.
void atomic_lanes(ExecutionContext& context, Wavefront& wave, AtomicKind kind, uint16_t destination,
                  uint16_t data, uint16_t compare, const LaneAddresses& addresses,
                  const LanePointers& pointers);

// Appends an access to the trace, if there is one.
inline void record_access(ExecutionContext& context, const LaneAddresses& addresses, uint32_t bytes,
                          AddressSpace space) {
  if (context.trace)
    record_vector_access(context, space, addresses.lanes, addresses.address, static_cast<uint16_t>(bytes));
}

// Marks what is recorded during its life as one instruction's accesses (MemoryAccess::more).
class AccessGroup {
 public:
  explicit AccessGroup(ExecutionContext& context)
      : trace_(context.trace), first_(trace_ ? trace_->accesses.size() : 0) {}
  ~AccessGroup() {
    if (trace_ && trace_->accesses.size() > first_ + 1)
      trace_->accesses[first_].more = static_cast<uint8_t>(trace_->accesses.size() - first_ - 1);
  }
  AccessGroup(const AccessGroup&) = delete;
  AccessGroup& operator=(const AccessGroup&) = delete;

 private:
  WaveTrace* trace_;
  size_t first_;
};

}  // namespace wavecast::isa
