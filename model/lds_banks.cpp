// Counts distinct dwords per bank and phase. A conflict-free affine access is recognised without looking at
// lanes.
#include "model/lds_banks.h"

#include <algorithm>
#include <array>
#include <bit>

#include "model/coalescer.h"

namespace wavecast::model {
namespace {

constexpr uint64_t kBankBytes = 4;  // structural: an LDS bank is one dword wide
constexpr int kLanes = 64;

struct LaneDwords {
  std::array<uint64_t, kLanes> first{};  // first dword of each lane
  uint64_t lanes = 0;
  uint64_t dwords = 1;  // per lane
};

LaneDwords dwords_of(const isa::WaveTrace& trace, const isa::MemoryAccess& access, int64_t offset) {
  LaneDwords result;
  result.lanes = access.lanes;
  result.dwords = std::max<uint64_t>(1, (access.bytes + kBankBytes - 1) / kBankBytes);
  uint32_t rank = 0;
  for (uint64_t rest = access.lanes; rest != 0; rest &= rest - 1, ++rank) {
    const int lane = std::countr_zero(rest);
    result.first[lane] = (lane_address(trace, access, lane, rank) + offset) / kBankBytes;
  }
  return result;
}

// Most distinct dwords on one bank among the active lanes of a phase; 0 if none is active.
uint32_t worst_bank(const LaneDwords& lanes, const std::vector<int>& phase, uint64_t banks) {
  std::array<uint64_t, kLanes * 4> touched;
  size_t count = 0;
  for (int lane : phase)
    if (lanes.lanes >> lane & 1)
      for (uint64_t dword = 0; dword < lanes.dwords; ++dword) touched[count++] = lanes.first[lane] + dword;
  if (count == 0) return 0;
  std::sort(touched.begin(), touched.begin() + count);
  count = std::unique(touched.begin(), touched.begin() + count) - touched.begin();
  std::array<uint16_t, 64> per_bank{};
  uint16_t worst = 0;
  for (size_t i = 0; i < count; ++i)
    worst = std::max(worst, ++per_bank[touched[i] % banks % per_bank.size()]);
  return worst;
}

void add_access(const LaneDwords& lanes, const hardware::LdsWidthTiming& width, LdsCost& cost) {
  const auto banks = static_cast<uint64_t>(width.banks.value());
  for (const auto& phase : width.phases) {
    const uint32_t worst = worst_bank(lanes, phase, banks);
    if (worst == 0) continue;
    ++cost.phases;
    cost.conflicts += worst - 1;
  }
}

}  // namespace

LdsCost lds_cost(const isa::WaveTrace& trace, const isa::MemoryAccess& access,
                 const hardware::LdsWidthTiming& width) {
  LdsCost cost;
  // Only powers of two: three-dword lanes in a phase of separate lane groups do collide.
  const bool packed = access.affine && access.lanes == ~uint64_t{0} && access.stride == access.bytes &&
                      access.bytes >= kBankBytes && std::has_single_bit(access.bytes) &&
                      access.base % access.bytes == 0;
  const bool broadcast = access.affine && access.stride == 0 && access.lanes == ~uint64_t{0};
  if ((packed || broadcast) && !access.second_offset_valid) {
    cost.phases = static_cast<uint32_t>(width.phases.size());
    return cost;
  }
  add_access(dwords_of(trace, access, 0), width, cost);
  if (access.second_offset_valid) add_access(dwords_of(trace, access, access.second_offset), width, cost);
  return cost;
}

}  // namespace wavecast::model
