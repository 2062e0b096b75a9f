// Semantics of untyped MUBUF instructions: loads, stores, atomics, loads to LDS and cache maintenance.
// Leaves out: TFE, MTYPE and the effect of cache maintenance (memory is coherent here).
// Source: AMD CDNA3 ISA, "Vector Memory Buffer Instructions".
#include "isa/semantics/buffer.h"

#include <cstring>
#include <vector>

#include "isa/semantics/atomics.h"
#include "isa/semantics/scalar_operands.h"

namespace wavecast::isa {
namespace buffer {

namespace {
// GFX9 swizzles dwords; the element size field of earlier generations is gone.
constexpr uint32_t kSwizzleElementBytes = 4;
}  // namespace

Resource decode_resource(const Wavefront& wave, uint16_t first_sgpr) {
  const uint32_t* word = wave.scalar.data() + first_sgpr;
  Resource resource;
  resource.base = word[0] | uint64_t{word[1] & 0xffff} << 32;
  resource.stride = word[1] >> 16 & 0x3fff;
  resource.swizzle = word[1] >> 31 & 1;
  resource.num_records = word[2];
  for (uint32_t i = 0; i < 4; ++i) resource.select[i] = static_cast<uint8_t>(word[3] >> 3 * i & 7);
  resource.number_format = static_cast<uint8_t>(word[3] >> 12 & 7);
  resource.data_format = static_cast<uint8_t>(word[3] >> 15 & 0xf);
  resource.index_stride = 8u << (word[3] >> 21 & 3);
  resource.add_lane = word[3] >> 23 & 1;
  // With lane addressing the format field extends the stride to 18 bits.
  if (resource.add_lane) resource.stride |= uint32_t{resource.data_format} << 14;
  return resource;
}

Access make_access(Wavefront& wave, const Instruction& instruction) {
  Access access;
  access.resource = decode_resource(wave, instruction.src[2]);
  access.lanes = wave.exec();
  access.scalar_offset = read_scalar32(wave, instruction, instruction.src[3]);
  access.structured = access.resource.stride != 0 && (instruction.idxen || access.resource.add_lane);
  const uint32_t offset = static_cast<uint32_t>(instruction.offset);
  uint16_t vaddr = instruction.src[0];
  if (instruction.idxen) access.index = wave.vector(vaddr++).lane;
  if (instruction.offen) {
    const VectorRegister& offsets = wave.vector(vaddr);
    for (int lane = 0; lane < kLanes; ++lane) access.offset[lane] = offsets.lane[lane];
  }
  for (uint32_t& lane_offset : access.offset) lane_offset += offset;
  if (access.resource.add_lane)
    for (int lane = 0; lane < kLanes; ++lane) access.index[lane] += static_cast<uint32_t>(lane);
  return access;
}

void addresses(const Access& access, uint32_t extra, uint32_t bytes, LaneAddresses& out) {
  const Resource& resource = access.resource;
  const uint64_t origin = resource.base + access.scalar_offset;
  uint64_t in_bounds = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint64_t index = access.index[lane], offset = uint64_t{access.offset[lane]} + extra;
    uint64_t position = index * resource.stride + offset;
    if (resource.swizzle) {
      const uint64_t row = index / resource.index_stride, column = index % resource.index_stride;
      const uint64_t element = offset / kSwizzleElementBytes * kSwizzleElementBytes;
      position = (row * resource.stride + element) * resource.index_stride + column * kSwizzleElementBytes +
                 offset % kSwizzleElementBytes;
    }
    const bool inside = access.structured ? index < resource.num_records &&
                                                (!resource.swizzle || offset + bytes <= resource.stride)
                                          : position + bytes <= resource.num_records;
    out.address[lane] = origin + position;
    in_bounds |= uint64_t{inside} << lane;
  }
  out.lanes = access.lanes & in_bounds;
  if (out.lanes) out.fill_inactive();
}

}  // namespace buffer

namespace {

using buffer::Access;

constexpr uint32_t kLdsBaseMask = 0xffff, kLdsBaseMaskGfx950 = 0x3ffff;  // of M0

// Calls `piece(first dword, kind, addresses, pointers, outside)` for the whole item, or dword by dword where
// the dwords lie apart or some are out of bounds. `outside`: active lanes that the buffer's bounds drop.
// `pointers` is valid only if addresses.lanes is not empty.
template <class Piece>
void for_each_piece(Wavefront& wave, const Instruction& instruction, ExecutionContext& context, DataKind kind,
                    bool write, Piece&& piece) {
  const Access access = buffer::make_access(wave, instruction);
  if (!access.lanes) return;
  AccessGroup group(context);
  LaneAddresses addresses;
  LanePointers pointers;
  const auto visit = [&](uint32_t first, DataKind part) {
    if (addresses.lanes) {
      if (!resolve_global(context, addresses, bytes_of(part), write, pointers)) return false;
      record_access(context, addresses, bytes_of(part), AddressSpace::global);
    }
    piece(first, part, addresses, pointers, access.lanes & ~addresses.lanes);
    return !context.faulted;
  };
  buffer::addresses(access, 0, bytes_of(kind), addresses);
  const uint32_t dwords = dwords_of(kind);
  if (dwords == 1 || (addresses.lanes == access.lanes && !access.resource.swizzle)) {
    visit(0, kind);
    return;
  }
  for (uint32_t k = 0; k < dwords; ++k) {
    buffer::addresses(access, k * 4, 4, addresses);
    if (!visit(k, DataKind::b32)) return;
  }
}

// The LDS side of a load to LDS or a store from it: M0 + offset + lane * bytes.
void lds_addresses(const Wavefront& wave, const Instruction& instruction, const ExecutionContext& context,
                   uint64_t lanes, uint32_t bytes_per_lane, uint32_t extra, LaneAddresses& out) {
  const uint32_t mask = context.generation == Generation::gfx950 ? kLdsBaseMaskGfx950 : kLdsBaseMask;
  const uint32_t base =
      (wave.scalar[operand_code::kM0] & mask) + static_cast<uint32_t>(instruction.offset) + extra;
  out.lanes = lanes;
  for (int lane = 0; lane < kLanes; ++lane)
    out.address[lane] = base + static_cast<uint32_t>(lane) * bytes_per_lane;
  out.fill_inactive();
}

void load_to_lds(Wavefront& wave, const Instruction& instruction, ExecutionContext& context, DataKind kind) {
  for_each_piece(wave, instruction, context, kind, false,
                 [&](uint32_t first, DataKind part, const LaneAddresses& from, const LanePointers& source,
                     uint64_t outside) {
                   LaneAddresses target;
                   LanePointers to;
                   lds_addresses(wave, instruction, context, from.lanes | outside, dwords_of(kind) * 4,
                                 first * 4, target);
                   if (!resolve_lds(context, target, dwords_of(part) * 4, to)) return;
                   record_access(context, target, dwords_of(part) * 4, AddressSpace::lds);
                   to.lanes = from.lanes;
                   if (from.lanes) copy_lanes(part, source, to);
                   for_each_lane(outside,
                                 [&](int lane) { std::memset(to.pointer[lane], 0, dwords_of(part) * 4); });
                 });
}

template <DataKind kKind>
void load(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  if (instruction.lds) return load_to_lds(wave, instruction, context, kKind);
  for_each_piece(wave, instruction, context, kKind, false,
                 [&](uint32_t first, DataKind part, const LaneAddresses& from, const LanePointers& pointers,
                     uint64_t outside) {
                   const uint16_t to = static_cast<uint16_t>(instruction.vdst + first);
                   if (from.lanes) load_lanes(wave, to, part, pointers);
                   zero_lanes(wave, to, part, outside);
                 });
}

template <DataKind kKind>
void store(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  for_each_piece(
      wave, instruction, context, kKind, true,
      [&](uint32_t first, DataKind part, const LaneAddresses& to, const LanePointers& pointers, uint64_t) {
        if (to.lanes) store_lanes(wave, static_cast<uint16_t>(instruction.src[1] + first), part, pointers);
      });
}

void store_from_lds(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  for_each_piece(wave, instruction, context, DataKind::b32, true,
                 [&](uint32_t, DataKind, const LaneAddresses& to, const LanePointers& pointers, uint64_t) {
                   if (!to.lanes) return;
                   LaneAddresses source;
                   LanePointers from;
                   lds_addresses(wave, instruction, context, to.lanes, 4, 0, source);
                   if (!resolve_lds(context, source, 4, from)) return;
                   record_access(context, source, 4, AddressSpace::lds);
                   copy_lanes(DataKind::b32, from, pointers);
                 });
}

void atomic_any(Wavefront& wave, const Instruction& instruction, ExecutionContext& context, AtomicKind kind,
                bool compares) {
  const Access access = buffer::make_access(wave, instruction);
  if (!access.lanes) return;
  LaneAddresses addresses;
  LanePointers pointers;
  buffer::addresses(access, 0, kind.bytes, addresses);
  const uint16_t data = instruction.src[1], dwords = kind.bytes / 4;
  const uint16_t compare = compares ? static_cast<uint16_t>(data + dwords) : operand_code::kNone;
  const uint16_t destination = instruction.returns_value ? instruction.vdst : operand_code::kNone;
  if (addresses.lanes) {
    if (!resolve_global(context, addresses, kind.bytes, true, pointers)) return;
    record_access(context, addresses, kind.bytes, AddressSpace::global);
    atomic_lanes(context, wave, kind, destination, data, compare, addresses, pointers);
  }
  if (destination != operand_code::kNone)
    zero_lanes(wave, destination, dwords == 2 ? DataKind::b64 : DataKind::b32,
               access.lanes & ~addresses.lanes);
}

template <int kBytes, AtomicOperation kOperation>
void atomic(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  constexpr bool kCompares = kOperation == atomics::compare_swap;
  atomic_any(wave, instruction, context, AtomicKind{kBytes, kOperation}, kCompares);
}

void nothing(Wavefront&, const Instruction&, ExecutionContext&) {}

constexpr auto kLoad = InstructionClass::vmem_load, kStore = InstructionClass::vmem_store;
constexpr auto kAtomic = InstructionClass::vmem_atomic, kCache = InstructionClass::vector_cache;

// clang-format off
#define WAVECAST_ATOMIC(name, bytes, operation) \
  {"buffer_atomic_" name, kAtomic, atomic<bytes, atomics::operation>, {bytes, false, false, true}}
#define WAVECAST_PAIR(name, operation) WAVECAST_ATOMIC(name, 4, operation##32), WAVECAST_ATOMIC(name "_x2", 8, operation##64)
#define WAVECAST_BITS(name, operation) WAVECAST_ATOMIC(name, 4, operation), WAVECAST_ATOMIC(name "_x2", 8, operation)

constexpr SemanticsRow kRows[] = {
  {"buffer_load_ubyte", kLoad, load<DataKind::u8>, {1, true}},
  {"buffer_load_sbyte", kLoad, load<DataKind::i8>, {1, true}},
  {"buffer_load_ushort", kLoad, load<DataKind::u16>, {2, true}},
  {"buffer_load_sshort", kLoad, load<DataKind::i16>, {2, true}},
  {"buffer_load_ubyte_d16", kLoad, load<DataKind::u8_low>, {1, true}},
  {"buffer_load_ubyte_d16_hi", kLoad, load<DataKind::u8_high>, {1, true}},
  {"buffer_load_sbyte_d16", kLoad, load<DataKind::i8_low>, {1, true}},
  {"buffer_load_sbyte_d16_hi", kLoad, load<DataKind::i8_high>, {1, true}},
  {"buffer_load_short_d16", kLoad, load<DataKind::b16_low>, {2, true}},
  {"buffer_load_short_d16_hi", kLoad, load<DataKind::b16_high>, {2, true}},
  {"buffer_load_dword", kLoad, load<DataKind::b32>, {4, true}},
  {"buffer_load_dwordx2", kLoad, load<DataKind::b64>, {8, true}},
  {"buffer_load_dwordx3", kLoad, load<DataKind::b96>, {12, true}},
  {"buffer_load_dwordx4", kLoad, load<DataKind::b128>, {16, true}},
  {"buffer_store_byte", kStore, store<DataKind::u8>, {1, false, true}},
  {"buffer_store_byte_d16_hi", kStore, store<DataKind::u8_high>, {1, false, true}},
  {"buffer_store_short", kStore, store<DataKind::u16>, {2, false, true}},
  {"buffer_store_short_d16_hi", kStore, store<DataKind::b16_high>, {2, false, true}},
  {"buffer_store_dword", kStore, store<DataKind::b32>, {4, false, true}},
  {"buffer_store_dwordx2", kStore, store<DataKind::b64>, {8, false, true}},
  {"buffer_store_dwordx3", kStore, store<DataKind::b96>, {12, false, true}},
  {"buffer_store_dwordx4", kStore, store<DataKind::b128>, {16, false, true}},
  {"buffer_store_lds_dword", kStore, store_from_lds, {4, false, true}},
  WAVECAST_PAIR("add", add), WAVECAST_PAIR("sub", sub), WAVECAST_PAIR("smin", smin), WAVECAST_PAIR("smax", smax),
  WAVECAST_PAIR("umin", umin), WAVECAST_PAIR("umax", umax), WAVECAST_PAIR("inc", inc), WAVECAST_PAIR("dec", dec),
  WAVECAST_BITS("and", bit_and), WAVECAST_BITS("or", bit_or), WAVECAST_BITS("xor", bit_xor), WAVECAST_BITS("swap", swap),
  WAVECAST_BITS("cmpswap", compare_swap),
  WAVECAST_ATOMIC("add_f32", 4, add_f32), WAVECAST_ATOMIC("add_f64", 8, add_f64),
  WAVECAST_ATOMIC("min_f64", 8, min_f64), WAVECAST_ATOMIC("max_f64", 8, max_f64),
  WAVECAST_ATOMIC("pk_add_f16", 4, pk_add_f16), WAVECAST_ATOMIC("pk_add_bf16", 4, pk_add_bf16),
  // Cache maintenance: memory is always coherent here.
  {"buffer_wbinvl1", kCache, nothing},
  {"buffer_wbinvl1_vol", kCache, nothing},
  {"buffer_wbl2", kCache, nothing},
  {"buffer_invl2", kCache, nothing},
  {"buffer_inv", kCache, nothing},
};
// clang-format on

}  // namespace

std::span<const SemanticsRow> buffer_rows() {
  static const std::vector<SemanticsRow> rows = [] {
    std::vector<SemanticsRow> all(std::begin(kRows), std::end(kRows));
    const auto formats = buffer::format_rows();
    all.insert(all.end(), formats.begin(), formats.end());
    return all;
  }();
  return rows;
}

}  // namespace wavecast::isa
