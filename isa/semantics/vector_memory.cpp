// Shared by LDS, buffer and flat instructions; see the header.
#include "isa/semantics/vector_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace wavecast::isa {
namespace {

template <class T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void write(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

bool contiguous(const LaneAddresses& addresses, uint32_t bytes) {
  if (addresses.lanes != kAllLanes) return false;
  uint64_t difference = 0;
  for (int lane = 0; lane < kLanes; ++lane)
    difference |= addresses.address[lane] ^ (addresses.address[0] + static_cast<uint64_t>(lane) * bytes);
  return difference == 0;
}

bool writable(const ExecutionContext& context, bool write) {
  return !write || context.memory.regions()[context.memory_hint].writable;
}

void fault_read_only(ExecutionContext& context, int lane, uint64_t address) {
  context.fault(lane,
                fmt::format("writes to {:#x} in read-only memory '{}'", address,
                            context.memory.regions()[context.memory_hint].name),
                "check the kernel's arguments: a writable buffer is expected there");
}

// Lanes in several regions, or a bad one: one look-up per lane.
bool resolve_one_by_one(ExecutionContext& context, const LaneAddresses& addresses, uint32_t bytes, bool write,
                        LanePointers& pointers) {
  const int first = std::countr_zero(addresses.lanes);
  for (uint64_t lanes = addresses.lanes; lanes; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    const uint64_t address = addresses.address[lane];
    std::byte* host = context.memory.find(address, bytes, context.memory_hint);
    if (!host) {
      context.fault(lane,
                    fmt::format("{} {} bytes outside memory: {}", write ? "writes" : "reads", bytes,
                                context.memory.describe(address)),
                    "check the sizes of the buffers and the grid against what the kernel expects");
      return false;
    }
    if (!writable(context, write)) {
      fault_read_only(context, lane, address);
      return false;
    }
    pointers.pointer[lane] = host;
  }
  for_each_lane(~addresses.lanes, [&](int lane) { pointers.pointer[lane] = pointers.pointer[first]; });
  return true;
}

// Loads of less than a dword: `convert(loaded, old register)` gives the new register.
template <class Loaded, class Convert>
void load_narrow(VectorRegister& to, const LanePointers& from, Convert&& convert) {
  std::array<Loaded, kLanes> loaded;
  if (from.contiguous) {
    std::memcpy(loaded.data(), from.pointer[0], sizeof loaded);
  } else {
    for (int lane = 0; lane < kLanes; ++lane) loaded[lane] = read<Loaded>(from.pointer[lane]);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t value = convert(loaded[lane], to.lane[lane]);
    to.lane[lane] = from.lanes >> lane & 1 ? value : to.lane[lane];
  }
}

template <class Stored>
void store_narrow(const VectorRegister& from, const LanePointers& to, int shift) {
  if (to.contiguous) {
    std::array<Stored, kLanes> stored;
    for (int lane = 0; lane < kLanes; ++lane) stored[lane] = static_cast<Stored>(from.lane[lane] >> shift);
    std::memcpy(to.pointer[0], stored.data(), sizeof stored);
    return;
  }
  for_each_lane(to.lanes,
                [&](int lane) { write(to.pointer[lane], static_cast<Stored>(from.lane[lane] >> shift)); });
}

template <int kDwords>
void load_dwords(Wavefront& wave, uint16_t destination, const LanePointers& from) {
  std::array<uint32_t*, kDwords> to;
  for (int k = 0; k < kDwords; ++k) to[k] = wave.vector(destination + k).lane.data();
  if (from.contiguous && from.dword_step == 4) {
    const std::byte* source = from.pointer[0];
    if constexpr (kDwords == 1) {
      std::memcpy(to[0], source, sizeof(VectorRegister));
    } else {
      // Through local arrays, so that the compiler sees that nothing overlaps and transposes in vector
      // registers.
      std::array<uint32_t, kLanes * kDwords> packed;
      std::array<std::array<uint32_t, kLanes>, kDwords> unpacked;
      std::memcpy(packed.data(), source, sizeof packed);
      for (int lane = 0; lane < kLanes; ++lane)
        for (int k = 0; k < kDwords; ++k) unpacked[k][lane] = packed[lane * kDwords + k];
      for (int k = 0; k < kDwords; ++k) std::memcpy(to[k], unpacked[k].data(), sizeof unpacked[k]);
    }
    return;
  }
  std::array<std::array<uint32_t, kLanes>, kDwords> value;
  for (int lane = 0; lane < kLanes; ++lane)
    for (int k = 0; k < kDwords; ++k)
      value[k][lane] = read<uint32_t>(from.pointer[lane] + static_cast<size_t>(k) * from.dword_step);
  for (int k = 0; k < kDwords; ++k)
    for (int lane = 0; lane < kLanes; ++lane)
      to[k][lane] = from.lanes >> lane & 1 ? value[k][lane] : to[k][lane];
}

template <int kDwords>
void store_dwords(Wavefront& wave, uint16_t source, const LanePointers& to) {
  std::array<const uint32_t*, kDwords> from;
  for (int k = 0; k < kDwords; ++k) from[k] = wave.vector(source + k).lane.data();
  if (to.contiguous && to.dword_step == 4) {
    std::byte* target = to.pointer[0];
    if constexpr (kDwords == 1) {
      std::memcpy(target, from[0], sizeof(VectorRegister));
    } else {
      std::array<uint32_t, kLanes * kDwords> packed;
      std::array<std::array<uint32_t, kLanes>, kDwords> unpacked;
      for (int k = 0; k < kDwords; ++k) std::memcpy(unpacked[k].data(), from[k], sizeof unpacked[k]);
      for (int lane = 0; lane < kLanes; ++lane)
        for (int k = 0; k < kDwords; ++k) packed[lane * kDwords + k] = unpacked[k][lane];
      std::memcpy(target, packed.data(), sizeof packed);
    }
    return;
  }
  for_each_lane(to.lanes, [&](int lane) {
    for (int k = 0; k < kDwords; ++k)
      write(to.pointer[lane] + static_cast<size_t>(k) * to.dword_step, from[k][lane]);
  });
}

}  // namespace

void LaneAddresses::fill_inactive() {
  if (lanes == kAllLanes) return;
  const uint64_t some = address[std::countr_zero(lanes)];
  for (int lane = 0; lane < kLanes; ++lane) address[lane] = lanes >> lane & 1 ? address[lane] : some;
}

bool resolve_global(ExecutionContext& context, const LaneAddresses& addresses, uint32_t bytes, bool write,
                    LanePointers& pointers) {
  pointers.lanes = addresses.lanes;
  pointers.dword_step = 4;
  pointers.contiguous = contiguous(addresses, bytes);
  uint64_t low = addresses.address[0], high = low;
  if (pointers.contiguous) {
    high = low + uint64_t{kLanes - 1} * bytes;
  } else {
    for (uint64_t address : addresses.address) {
      low = std::min(low, address);
      high = std::max(high, address);
    }
  }
  // One look-up proves the whole span; only lanes spread over regions need their own.
  std::byte* host = high - low <= ~uint64_t{bytes}
                        ? context.memory.find(low, high - low + bytes, context.memory_hint)
                        : nullptr;
  if (!host) {
    pointers.contiguous = false;
    return resolve_one_by_one(context, addresses, bytes, write, pointers);
  }
  if (!writable(context, write)) {
    const int lane = std::countr_zero(addresses.lanes);
    fault_read_only(context, lane, addresses.address[lane]);
    return false;
  }
  for (int lane = 0; lane < kLanes; ++lane) pointers.pointer[lane] = host + (addresses.address[lane] - low);
  return true;
}

bool resolve_lds(ExecutionContext& context, const LaneAddresses& addresses, uint32_t bytes,
                 LanePointers& pointers) {
  pointers.lanes = addresses.lanes;
  pointers.dword_step = 4;
  pointers.contiguous = contiguous(addresses, bytes);
  uint64_t high = 0;
  for (uint64_t address : addresses.address) high = std::max(high, address);
  const uint64_t size = context.lds.size();
  if (high + bytes > size) {
    // Hardware reads zero and drops writes there; a kernel that does it is wrong, so it is reported.
    for (uint64_t lanes = addresses.lanes; lanes; lanes &= lanes - 1) {
      const int lane = std::countr_zero(lanes);
      if (addresses.address[lane] + bytes <= size) continue;
      context.fault(
          lane,
          fmt::format("accesses {} bytes at LDS offset {:#x}, but the work-group has {} bytes of LDS", bytes,
                      addresses.address[lane], size),
          "check the dynamic LDS size of the launch (--dynamic-lds)");
      return false;
    }
  }
  for (int lane = 0; lane < kLanes; ++lane)
    pointers.pointer[lane] = context.lds.data() + addresses.address[lane];
  return true;
}

void load_lanes(Wavefront& wave, uint16_t destination, DataKind kind, const LanePointers& from) {
  VectorRegister& to = wave.vector(destination);
  const auto whole = [](auto value, uint32_t) { return static_cast<uint32_t>(value); };
  const auto low = [](auto value, uint32_t old) {
    return (old & 0xffff0000) | (static_cast<uint32_t>(value) & 0xffff);
  };
  const auto high = [](auto value, uint32_t old) {
    return (old & 0xffff) | static_cast<uint32_t>(value) << 16;
  };
  switch (kind) {
    case DataKind::u8:
      return load_narrow<uint8_t>(to, from, whole);
    case DataKind::i8:
      return load_narrow<int8_t>(to, from, whole);
    case DataKind::u16:
      return load_narrow<uint16_t>(to, from, whole);
    case DataKind::i16:
      return load_narrow<int16_t>(to, from, whole);
    case DataKind::u8_low:
      return load_narrow<uint8_t>(to, from, low);
    case DataKind::i8_low:
      return load_narrow<int8_t>(to, from, low);
    case DataKind::b16_low:
      return load_narrow<uint16_t>(to, from, low);
    case DataKind::u8_high:
      return load_narrow<uint8_t>(to, from, high);
    case DataKind::i8_high:
      return load_narrow<int8_t>(to, from, high);
    case DataKind::b16_high:
      return load_narrow<uint16_t>(to, from, high);
    case DataKind::b32:
      return load_dwords<1>(wave, destination, from);
    case DataKind::b64:
      return load_dwords<2>(wave, destination, from);
    case DataKind::b96:
      return load_dwords<3>(wave, destination, from);
    case DataKind::b128:
      return load_dwords<4>(wave, destination, from);
  }
}

void store_lanes(Wavefront& wave, uint16_t source, DataKind kind, const LanePointers& to) {
  const VectorRegister& from = wave.vector(source);
  switch (kind) {
    case DataKind::u8:
    case DataKind::i8:
    case DataKind::u8_low:
    case DataKind::i8_low:
      return store_narrow<uint8_t>(from, to, 0);
    case DataKind::u8_high:
    case DataKind::i8_high:
      return store_narrow<uint8_t>(from, to, 16);
    case DataKind::u16:
    case DataKind::i16:
    case DataKind::b16_low:
      return store_narrow<uint16_t>(from, to, 0);
    case DataKind::b16_high:
      return store_narrow<uint16_t>(from, to, 16);
    case DataKind::b32:
      return store_dwords<1>(wave, source, to);
    case DataKind::b64:
      return store_dwords<2>(wave, source, to);
    case DataKind::b96:
      return store_dwords<3>(wave, source, to);
    case DataKind::b128:
      return store_dwords<4>(wave, source, to);
  }
}

void zero_lanes(Wavefront& wave, uint16_t destination, DataKind kind, uint64_t lanes) {
  if (!lanes) return;
  alignas(16) static std::byte zero[16] = {};  // read only by load_lanes
  LanePointers pointers;
  pointers.pointer.fill(zero);
  pointers.lanes = lanes;
  load_lanes(wave, destination, kind, pointers);
}

void copy_lanes(DataKind kind, const LanePointers& from, const LanePointers& to) {
  const bool is_signed = kind == DataKind::i8 || kind == DataKind::i16;
  for_each_lane(from.lanes, [&](int lane) {
    const std::byte* source = from.pointer[lane];
    switch (bytes_of(kind)) {
      case 1:
        return write(to.pointer[lane],
                     is_signed ? static_cast<uint32_t>(read<int8_t>(source)) : read<uint8_t>(source));
      case 2:
        return write(to.pointer[lane],
                     is_signed ? static_cast<uint32_t>(read<int16_t>(source)) : read<uint16_t>(source));
    }
    for (uint32_t k = 0; k < dwords_of(kind); ++k)
      write(to.pointer[lane] + k * 4, read<uint32_t>(source + size_t{k} * from.dword_step));
  });
}

void atomic_lanes(ExecutionContext& context, Wavefront& wave, AtomicKind kind, uint16_t destination,
                  uint16_t data, uint16_t compare, const LaneAddresses& addresses,
                  const LanePointers& pointers) {
  // The least alignment hardware takes for atomics is that of their size.
  for (uint64_t lanes = pointers.lanes; lanes; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    if (addresses.address[lane] % kind.bytes == 0) continue;
    context.fault(
        lane,
        fmt::format("atomic access of {} bytes at {:#x} is misaligned", kind.bytes, addresses.address[lane]),
        "check the alignment of the buffer that the kernel updates");
    return;
  }
  const bool wide = kind.bytes == 8;
  std::array<uint64_t, kLanes> operand{}, comparand{}, old{};
  const auto gather = [&](std::array<uint64_t, kLanes>& to, uint16_t code) {
    const VectorRegister& low = wave.vector(code);
    for (int lane = 0; lane < kLanes; ++lane) to[lane] = low.lane[lane];
    if (!wide) return;
    const VectorRegister& high = wave.vector(code + 1);
    for (int lane = 0; lane < kLanes; ++lane) to[lane] |= uint64_t{high.lane[lane]} << 32;
  };
  if (data != operand_code::kNone) gather(operand, data);
  if (compare != operand_code::kNone) gather(comparand, compare);
  for_each_lane(pointers.lanes, [&](int lane) {
    std::byte* target = pointers.pointer[lane];
    if (wide) {
      old[lane] = read<uint64_t>(target);
      write(target, kind.operation(old[lane], operand[lane], comparand[lane]));
    } else {
      old[lane] = read<uint32_t>(target);
      write(target, static_cast<uint32_t>(kind.operation(old[lane], operand[lane], comparand[lane])));
    }
  });
  if (destination == operand_code::kNone) return;
  VectorRegister& low = wave.vector(destination);
  for_each_lane(pointers.lanes, [&](int lane) { low.lane[lane] = static_cast<uint32_t>(old[lane]); });
  if (!wide) return;
  VectorRegister& high = wave.vector(destination + 1);
  for_each_lane(pointers.lanes, [&](int lane) { high.lane[lane] = static_cast<uint32_t>(old[lane] >> 32); });
}

}  // namespace wavecast::isa
