// Recognises addresses of the form base + lane * stride, so that the usual access costs 40 bytes of trace,
// not 512.
#include "isa/semantics/memory_access.h"

#include <bit>

namespace wavecast::isa {

namespace {

constexpr int kLaneCount = 64;

// Fills base, stride and affine. Two lanes decide the stride, the rest must agree.
template <class Address>
bool detect_affine(MemoryAccess& access, uint64_t lanes, std::span<const Address, kLaneCount> addresses) {
  const int first = std::countr_zero(lanes);
  const uint64_t first_address = addresses[first];
  const uint64_t others = lanes & (lanes - 1);
  int64_t stride = 0;
  if (others != 0) {
    const int second = std::countr_zero(others);
    const auto distance = static_cast<int64_t>(addresses[second] - first_address);
    stride = distance / (second - first);
    if (stride * (second - first) != distance || stride != static_cast<int32_t>(stride)) return false;
  }
  const uint64_t base = first_address - static_cast<uint64_t>(stride) * first;
  uint64_t mismatch = 0;
  for (int i = 0; i < kLaneCount; ++i) {
    const uint64_t expected = base + static_cast<uint64_t>(stride) * static_cast<uint64_t>(i);
    mismatch |= uint64_t{addresses[i] != expected} << i;
  }
  if ((mismatch & lanes) != 0) return false;
  access.base = base;
  access.stride = static_cast<int32_t>(stride);
  return true;
}

template <class Address>
MemoryAccess* record(ExecutionContext& context, AddressSpace space, uint64_t lanes,
                     std::span<const Address, kLaneCount> addresses, uint16_t bytes) {
  if (context.trace == nullptr || lanes == 0) return nullptr;
  WaveTrace& trace = *context.trace;
  MemoryAccess& access = trace.accesses.emplace_back();
  access.lanes = lanes;
  access.bytes = bytes;
  access.space = space;
  access.affine = detect_affine(access, lanes, addresses);
  if (access.affine) return &access;
  access.base = 0;
  access.first = static_cast<uint32_t>(trace.addresses.size());
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1)
    trace.addresses.push_back(addresses[std::countr_zero(rest)]);
  return &access;
}

}  // namespace

void record_vector_access(ExecutionContext& context, AddressSpace space, uint64_t lanes,
                          std::span<const uint64_t, 64> addresses, uint16_t bytes) {
  record(context, space, lanes, addresses, bytes);
}

void record_lds_access(ExecutionContext& context, uint64_t lanes, std::span<const uint32_t, 64> offsets,
                       uint16_t bytes) {
  record(context, AddressSpace::lds, lanes, offsets, bytes);
}

void record_lds_pair_access(ExecutionContext& context, uint64_t lanes, std::span<const uint32_t, 64> offsets,
                            uint16_t bytes, int32_t second_offset) {
  MemoryAccess* access = record(context, AddressSpace::lds, lanes, offsets, bytes);
  if (access == nullptr) return;
  access->second_offset_valid = 1;
  access->second_offset = second_offset;
}

void record_scalar_access(ExecutionContext& context, uint64_t address, uint16_t bytes) {
  if (context.trace == nullptr) return;
  MemoryAccess& access = context.trace->accesses.emplace_back();
  access.lanes = 1;
  access.base = address;
  access.bytes = bytes;
  access.space = AddressSpace::scalar;
}

}  // namespace wavecast::isa
