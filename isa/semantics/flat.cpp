// Semantics of FLAT, GLOBAL and SCRATCH instructions: address spaces by aperture, SGPR bases, swizzled
// scratch. Leaves out: caches, XNACK replay and the order in which lanes' memory operations take effect
// (lowest lane first here). Source: AMD CDNA3 ISA, "Flat Memory Instructions"; LLVM 22 AMDGPUUsage, "Address
// Spaces" and "Flat Scratch".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "isa/semantics/atomics.h"
#include "isa/semantics/semantics.h"
#include "isa/semantics/vector_memory.h"

namespace wavecast::isa {
namespace {

constexpr uint8_t kSegmentFlat = 0, kSegmentScratch = 1;  // of the encoding; 2 is global
// Bits of M0 that hold the LDS byte offset of a load to LDS: 64 KiB of LDS, 160 KiB on gfx950.
constexpr uint32_t kLdsBaseMask = 0xffff, kLdsBaseMaskGfx950 = 0x3ffff;
constexpr uint32_t kScratchDwordStep = kLanes * 4;  // bytes between consecutive private dwords of one lane

void flat_addresses(Wavefront& wave, const Instruction& instruction, LaneAddresses& addresses) {
  const VectorRegister& low = wave.vector(instruction.src[0]);
  uint64_t base = static_cast<uint64_t>(int64_t{instruction.offset});
  if (!instruction.saddr_off) {
    base += wave.scalar64(instruction.src[2]);
    for (int lane = 0; lane < kLanes; ++lane) addresses.address[lane] = base + low.lane[lane];
    return;
  }
  const VectorRegister& high = wave.vector(instruction.src[0] + 1);
  for (int lane = 0; lane < kLanes; ++lane)
    addresses.address[lane] = base + (low.lane[lane] | uint64_t{high.lane[lane]} << 32);
}

// Private offsets of a scratch instruction, in bytes; 32-bit arithmetic.
void scratch_offsets(Wavefront& wave, const Instruction& instruction, LaneAddresses& offsets) {
  uint32_t base = static_cast<uint32_t>(instruction.offset);
  if (!instruction.saddr_off) base += wave.scalar[instruction.src[2]];
  if (instruction.vaddr_off) {
    offsets.address.fill(base);
    return;
  }
  const VectorRegister& vaddr = wave.vector(instruction.src[0]);
  for (int lane = 0; lane < kLanes; ++lane)
    offsets.address[lane] = static_cast<uint32_t>(base + vaddr.lane[lane]);
}

void record_scratch(Wavefront& wave, ExecutionContext& context, const LaneAddresses& offsets,
                    uint32_t bytes) {
  if (!context.trace) return;
  LaneAddresses physical;
  physical.lanes = offsets.lanes;
  for (uint32_t done = 0; done < bytes; done += 4) {
    for (int lane = 0; lane < kLanes; ++lane)
      physical.address[lane] =
          scratch_address(wave.scratch_base, static_cast<uint32_t>(offsets.address[lane]) + done, lane);
    physical.fill_inactive();
    record_access(context, physical, std::min(4u, bytes - done), AddressSpace::global);
  }
}

// A lane's private bytes, brought together: dwords lie apart, and an access may straddle them.
template <class Move>
void access_scratch(Wavefront& wave, ExecutionContext& context, const LaneAddresses& offsets, uint32_t bytes,
                    bool write, Move&& move) {
  bool whole_dwords = true;
  for (uint64_t offset : offsets.address)
    whole_dwords &= bytes >= 4 ? offset % 4 == 0 : offset % 4 + bytes <= 4;
  LaneAddresses physical;
  physical.lanes = offsets.lanes;
  for (int lane = 0; lane < kLanes; ++lane)
    physical.address[lane] =
        scratch_address(wave.scratch_base, static_cast<uint32_t>(offsets.address[lane]) & ~3u, lane);
  physical.fill_inactive();
  LanePointers pointers;
  // The dwords of a lane span `dwords - 1` steps; an access that straddles dwords needs one more.
  const uint32_t dwords = (bytes + 3) / 4 + (whole_dwords ? 0 : 1);
  if (!resolve_global(context, physical, (dwords - 1) * kScratchDwordStep + 4, write, pointers)) return;
  record_scratch(wave, context, offsets, bytes);
  if (whole_dwords) {
    pointers.dword_step = kScratchDwordStep;
    pointers.contiguous = false;
    for_each_lane(offsets.lanes, [&](int lane) { pointers.pointer[lane] += offsets.address[lane] % 4; });
    move(offsets, pointers);
    return;
  }
  std::array<std::array<std::byte, 16>, kLanes> staged;
  const auto byte_of = [&](int lane, uint32_t index) {
    const uint32_t within = static_cast<uint32_t>(offsets.address[lane] % 4) + index;
    return pointers.pointer[lane] + size_t{within / 4} * kScratchDwordStep + within % 4;
  };
  LanePointers staging = pointers;
  staging.contiguous = false;
  for (int lane = 0; lane < kLanes; ++lane) staging.pointer[lane] = staged[lane].data();
  for_each_lane(offsets.lanes, [&](int lane) {
    for (uint32_t i = 0; i < bytes; ++i) staged[lane][i] = *byte_of(lane, i);
  });
  const int first = std::countr_zero(offsets.lanes);
  for_each_lane(~offsets.lanes, [&](int lane) { staging.pointer[lane] = staged[first].data(); });
  move(offsets, staging);
  if (!write) return;
  for_each_lane(offsets.lanes, [&](int lane) {
    for (uint32_t i = 0; i < bytes; ++i) *byte_of(lane, i) = staged[lane][i];
  });
}

template <class Move>
void access_global(ExecutionContext& context, const LaneAddresses& addresses, uint32_t bytes, bool write,
                   Move&& move) {
  LanePointers pointers;
  if (!resolve_global(context, addresses, bytes, write, pointers)) return;
  record_access(context, addresses, bytes, AddressSpace::global);
  move(addresses, pointers);
}

// Calls `move(addresses, pointers)` once for each address space that lanes touch.
template <class Move>
void access_flat(Wavefront& wave, const Instruction& instruction, ExecutionContext& context, uint32_t bytes,
                 bool write, Move&& move) {
  LaneAddresses addresses;
  addresses.lanes = wave.exec();
  if (!addresses.lanes) return;
  AccessGroup group(context);
  if (instruction.segment == kSegmentScratch) {
    scratch_offsets(wave, instruction, addresses);
    addresses.fill_inactive();
    return access_scratch(wave, context, addresses, bytes, write, move);
  }
  flat_addresses(wave, instruction, addresses);
  addresses.fill_inactive();
  if (instruction.segment != kSegmentFlat) return access_global(context, addresses, bytes, write, move);

  uint64_t shared = 0, scratch = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint64_t window = addresses.address[lane] >> 32;
    shared |= uint64_t{window == context.shared_aperture >> 32} << lane;
    scratch |= uint64_t{window == context.private_aperture >> 32} << lane;
  }
  shared &= addresses.lanes;
  scratch &= addresses.lanes & ~shared;
  const uint64_t global = addresses.lanes & ~shared & ~scratch;
  if (global) {
    LaneAddresses part = addresses;
    part.lanes = global;
    part.fill_inactive();
    access_global(context, part, bytes, write, move);
  }
  if (shared && !context.faulted) {
    LaneAddresses part;
    part.lanes = shared;
    for (int lane = 0; lane < kLanes; ++lane)
      part.address[lane] = static_cast<uint32_t>(addresses.address[lane]);
    part.fill_inactive();
    LanePointers pointers;
    if (!resolve_lds(context, part, bytes, pointers)) return;
    record_access(context, part, bytes, AddressSpace::lds);
    move(part, pointers);
  }
  if (scratch && !context.faulted) {
    LaneAddresses part;
    part.lanes = scratch;
    for (int lane = 0; lane < kLanes; ++lane)
      part.address[lane] = static_cast<uint32_t>(addresses.address[lane]);
    part.fill_inactive();
    access_scratch(wave, context, part, bytes, write, move);
  }
}

// Memory -> LDS without registers: lane l's data goes to M0 + offset + l * size, as whole dwords.
template <DataKind kKind>
void load_to_lds(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  constexpr uint32_t kLdsBytes = dwords_of(kKind) * 4;
  const uint32_t mask = context.generation == Generation::gfx950 ? kLdsBaseMaskGfx950 : kLdsBaseMask;
  const uint32_t base = (wave.scalar[operand_code::kM0] & mask) + static_cast<uint32_t>(instruction.offset);
  access_flat(wave, instruction, context, bytes_of(kKind), false,
              [&](const LaneAddresses&, const LanePointers& from) {
                LaneAddresses to;
                to.lanes = from.lanes;
                for (int lane = 0; lane < kLanes; ++lane)
                  to.address[lane] = base + static_cast<uint32_t>(lane) * kLdsBytes;
                to.fill_inactive();
                LanePointers pointers;
                if (!resolve_lds(context, to, kLdsBytes, pointers)) return;
                record_access(context, to, kLdsBytes, AddressSpace::lds);
                copy_lanes(kKind, from, pointers);
              });
}

template <DataKind kKind>
void load(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  if (instruction.lds)
    return load_to_lds<kKind>(wave, instruction, context);  // a bit of the encoding before gfx942
  access_flat(wave, instruction, context, bytes_of(kKind), false,
              [&](const LaneAddresses&, const LanePointers& pointers) {
                load_lanes(wave, instruction.vdst, kKind, pointers);
              });
}

template <DataKind kKind>
void store(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  access_flat(wave, instruction, context, bytes_of(kKind), true,
              [&](const LaneAddresses&, const LanePointers& pointers) {
                store_lanes(wave, instruction.src[1], kKind, pointers);
              });
}

void atomic_any(Wavefront& wave, const Instruction& instruction, ExecutionContext& context, AtomicKind kind,
                bool compares) {
  const uint16_t data = instruction.src[1];
  const uint16_t compare = compares ? static_cast<uint16_t>(data + kind.bytes / 4) : operand_code::kNone;
  const uint16_t destination = instruction.returns_value ? instruction.vdst : operand_code::kNone;
  access_flat(wave, instruction, context, kind.bytes, true,
              [&](const LaneAddresses& addresses, const LanePointers& pointers) {
                if (kind.bytes > 4 && pointers.dword_step != 4) {
                  context.fault(std::countr_zero(pointers.lanes),
                                "64-bit atomic on scratch, which hardware does not have",
                                "keep data that is updated atomically in global memory or LDS");
                  return;
                }
                atomic_lanes(context, wave, kind, destination, data, compare, addresses, pointers);
              });
}

template <int kBytes, AtomicOperation kOperation>
void atomic(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  constexpr bool kCompares = kOperation == atomics::compare_swap;
  atomic_any(wave, instruction, context, AtomicKind{kBytes, kOperation}, kCompares);
}

// clang-format off
#define WAVECAST_LOADS(prefix, type) \
  {prefix "_load_ubyte", type, load<DataKind::u8>, {1, true}}, \
  {prefix "_load_sbyte", type, load<DataKind::i8>, {1, true}}, \
  {prefix "_load_ushort", type, load<DataKind::u16>, {2, true}}, \
  {prefix "_load_sshort", type, load<DataKind::i16>, {2, true}}, \
  {prefix "_load_ubyte_d16", type, load<DataKind::u8_low>, {1, true}}, \
  {prefix "_load_ubyte_d16_hi", type, load<DataKind::u8_high>, {1, true}}, \
  {prefix "_load_sbyte_d16", type, load<DataKind::i8_low>, {1, true}}, \
  {prefix "_load_sbyte_d16_hi", type, load<DataKind::i8_high>, {1, true}}, \
  {prefix "_load_short_d16", type, load<DataKind::b16_low>, {2, true}}, \
  {prefix "_load_short_d16_hi", type, load<DataKind::b16_high>, {2, true}}, \
  {prefix "_load_dword", type, load<DataKind::b32>, {4, true}}, \
  {prefix "_load_dwordx2", type, load<DataKind::b64>, {8, true}}, \
  {prefix "_load_dwordx3", type, load<DataKind::b96>, {12, true}}, \
  {prefix "_load_dwordx4", type, load<DataKind::b128>, {16, true}}

#define WAVECAST_STORES(prefix, type) \
  {prefix "_store_byte", type, store<DataKind::u8>, {1, false, true}}, \
  {prefix "_store_byte_d16_hi", type, store<DataKind::u8_high>, {1, false, true}}, \
  {prefix "_store_short", type, store<DataKind::u16>, {2, false, true}}, \
  {prefix "_store_short_d16_hi", type, store<DataKind::b16_high>, {2, false, true}}, \
  {prefix "_store_dword", type, store<DataKind::b32>, {4, false, true}}, \
  {prefix "_store_dwordx2", type, store<DataKind::b64>, {8, false, true}}, \
  {prefix "_store_dwordx3", type, store<DataKind::b96>, {12, false, true}}, \
  {prefix "_store_dwordx4", type, store<DataKind::b128>, {16, false, true}}

#define WAVECAST_ATOMIC(prefix, type, name, bytes, operation) \
  {prefix "_atomic_" name, type, atomic<bytes, atomics::operation>, {bytes, false, false, true}}
#define WAVECAST_ATOMIC_PAIR(prefix, type, name, operation) \
  WAVECAST_ATOMIC(prefix, type, name, 4, operation##32), WAVECAST_ATOMIC(prefix, type, name "_x2", 8, operation##64)
#define WAVECAST_ATOMIC_BITS(prefix, type, name, operation) \
  WAVECAST_ATOMIC(prefix, type, name, 4, operation), WAVECAST_ATOMIC(prefix, type, name "_x2", 8, operation)
#define WAVECAST_ATOMICS(prefix, type) \
  WAVECAST_ATOMIC_PAIR(prefix, type, "add", add), WAVECAST_ATOMIC_PAIR(prefix, type, "sub", sub), \
  WAVECAST_ATOMIC_PAIR(prefix, type, "smin", smin), WAVECAST_ATOMIC_PAIR(prefix, type, "smax", smax), \
  WAVECAST_ATOMIC_PAIR(prefix, type, "umin", umin), WAVECAST_ATOMIC_PAIR(prefix, type, "umax", umax), \
  WAVECAST_ATOMIC_PAIR(prefix, type, "inc", inc), WAVECAST_ATOMIC_PAIR(prefix, type, "dec", dec), \
  WAVECAST_ATOMIC_BITS(prefix, type, "and", bit_and), WAVECAST_ATOMIC_BITS(prefix, type, "or", bit_or), \
  WAVECAST_ATOMIC_BITS(prefix, type, "xor", bit_xor), WAVECAST_ATOMIC_BITS(prefix, type, "swap", swap), \
  WAVECAST_ATOMIC_BITS(prefix, type, "cmpswap", compare_swap), \
  WAVECAST_ATOMIC(prefix, type, "add_f32", 4, add_f32), WAVECAST_ATOMIC(prefix, type, "add_f64", 8, add_f64), \
  WAVECAST_ATOMIC(prefix, type, "min_f64", 8, min_f64), WAVECAST_ATOMIC(prefix, type, "max_f64", 8, max_f64), \
  WAVECAST_ATOMIC(prefix, type, "pk_add_f16", 4, pk_add_f16), WAVECAST_ATOMIC(prefix, type, "pk_add_bf16", 4, pk_add_bf16)

#define WAVECAST_LOADS_TO_LDS(prefix) \
  {prefix "_load_lds_ubyte", InstructionClass::vmem_load_to_lds, load_to_lds<DataKind::u8>, {1, true}}, \
  {prefix "_load_lds_sbyte", InstructionClass::vmem_load_to_lds, load_to_lds<DataKind::i8>, {1, true}}, \
  {prefix "_load_lds_ushort", InstructionClass::vmem_load_to_lds, load_to_lds<DataKind::u16>, {2, true}}, \
  {prefix "_load_lds_sshort", InstructionClass::vmem_load_to_lds, load_to_lds<DataKind::i16>, {2, true}}, \
  {prefix "_load_lds_dword", InstructionClass::vmem_load_to_lds, load_to_lds<DataKind::b32>, {4, true}}

constexpr SemanticsRow kRows[] = {
  WAVECAST_LOADS("flat", InstructionClass::flat_load),
  WAVECAST_STORES("flat", InstructionClass::flat_store),
  WAVECAST_ATOMICS("flat", InstructionClass::flat_atomic),
  WAVECAST_LOADS("global", InstructionClass::vmem_load),
  WAVECAST_STORES("global", InstructionClass::vmem_store),
  WAVECAST_ATOMICS("global", InstructionClass::vmem_atomic),
  WAVECAST_LOADS_TO_LDS("global"),
  {"global_load_lds_dwordx3", InstructionClass::vmem_load_to_lds, load_to_lds<DataKind::b96>, {12, true}},  // gfx950
  {"global_load_lds_dwordx4", InstructionClass::vmem_load_to_lds, load_to_lds<DataKind::b128>, {16, true}},  // gfx950
  WAVECAST_LOADS("scratch", InstructionClass::vmem_load),
  WAVECAST_STORES("scratch", InstructionClass::vmem_store),
  WAVECAST_LOADS_TO_LDS("scratch"),
};
// clang-format on

}  // namespace

std::span<const SemanticsRow> flat_rows() { return kRows; }

}  // namespace wavecast::isa
