// Semantics of LDS reads, writes, lane permutations and transposing reads; atomics are in ds_atomics.cpp.
// Leaves out: GDS, global wave sync and bank conflicts (model/). Addresses may be unaligned, as HSA
// configures the hardware; addresses beyond the work-group's LDS are faults, where hardware reads zero and
// drops writes. Source: AMD CDNA3 and CDNA4 ISA, "Data Share" chapters; LLVM 22 SIDefines.h (swizzle
// encodings).
#include "isa/semantics/ds.h"

#include <cstring>
#include <vector>

#include "isa/semantics/semantics.h"

namespace wavecast::isa {
namespace ds {

bool addresses(Wavefront& wave, const Instruction& instruction, ExecutionContext& context, uint32_t offset,
               LaneAddresses& out) {
  if (instruction.gds) {
    context.fault(-1, "accesses the global data share (GDS), which is not modelled",
                  "use LDS or global memory");
    return false;
  }
  out.lanes = wave.exec();
  if (!out.lanes) return false;
  const VectorRegister& vaddr = wave.vector(instruction.src[0]);
  // 32-bit sum: a negative register plus an offset wraps into range.
  for (int lane = 0; lane < kLanes; ++lane)
    out.address[lane] = static_cast<uint32_t>(vaddr.lane[lane] + offset);
  out.fill_inactive();
  return true;
}

}  // namespace ds

namespace {

// Bytes that the offsets of *2st64 forms count: 64 elements.
constexpr uint32_t kStride64 = 64;

template <DataKind kKind>
void read(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneAddresses addresses;
  LanePointers pointers;
  if (!ds::addresses(wave, instruction, context, static_cast<uint32_t>(instruction.immediate), addresses))
    return;
  if (!resolve_lds(context, addresses, bytes_of(kKind), pointers)) return;
  record_access(context, addresses, bytes_of(kKind), AddressSpace::lds);
  load_lanes(wave, instruction.vdst, kKind, pointers);
}

template <DataKind kKind>
void write(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneAddresses addresses;
  LanePointers pointers;
  if (!ds::addresses(wave, instruction, context, static_cast<uint32_t>(instruction.immediate), addresses))
    return;
  if (!resolve_lds(context, addresses, bytes_of(kKind), pointers)) return;
  record_access(context, addresses, bytes_of(kKind), AddressSpace::lds);
  store_lanes(wave, instruction.src[1], kKind, pointers);
}

template <DataKind kKind, uint32_t kScale>
void read2(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  ds::TwoAddresses two;
  if (!ds::two_addresses(wave, instruction, context, bytes_of(kKind), bytes_of(kKind) * kScale, two)) return;
  load_lanes(wave, instruction.vdst, kKind, two.first);
  load_lanes(wave, static_cast<uint16_t>(instruction.vdst + dwords_of(kKind)), kKind, two.second);
}

template <DataKind kKind, uint32_t kScale>
void write2(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  ds::TwoAddresses two;
  if (!ds::two_addresses(wave, instruction, context, bytes_of(kKind), bytes_of(kKind) * kScale, two)) return;
  store_lanes(wave, instruction.src[1], kKind, two.first);
  store_lanes(wave, instruction.src[2], kKind, two.second);
}

// Address = M0 + offset + 4 * lane; no address register.
bool lane_id_addresses(Wavefront& wave, const Instruction& instruction, ExecutionContext& context,
                       LaneAddresses& addresses, LanePointers& pointers) {
  addresses.lanes = wave.exec();
  if (!addresses.lanes) return false;
  const uint32_t base =
      (wave.scalar[operand_code::kM0] & 0xffff) + static_cast<uint32_t>(instruction.immediate);
  for (int lane = 0; lane < kLanes; ++lane) addresses.address[lane] = base + static_cast<uint32_t>(lane) * 4;
  addresses.fill_inactive();
  if (!resolve_lds(context, addresses, 4, pointers)) return false;
  record_access(context, addresses, 4, AddressSpace::lds);
  return true;
}

void read_addtid(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneAddresses addresses;
  LanePointers pointers;
  if (lane_id_addresses(wave, instruction, context, addresses, pointers))
    load_lanes(wave, instruction.vdst, DataKind::b32, pointers);
}

void write_addtid(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  // LLVM has the data as the first operand, as there is no address.
  const uint16_t data = instruction.src[1] != operand_code::kNone ? instruction.src[1] : instruction.src[0];
  LaneAddresses addresses;
  LanePointers pointers;
  if (lane_id_addresses(wave, instruction, context, addresses, pointers))
    store_lanes(wave, data, DataKind::b32, pointers);
}

// Writes `value` to the destination's active lanes.
void write_active(Wavefront& wave, const Instruction& instruction, const VectorRegister& value) {
  VectorRegister& to = wave.vector(instruction.vdst);
  for_each_lane(wave.exec(), [&](int lane) { to.lane[lane] = value.lane[lane]; });
}

// Push: each active lane sends its data to the lane of its address; the highest sender wins, unsent lanes get
// 0.
void permute(Wavefront& wave, const Instruction& instruction, ExecutionContext&) {
  const VectorRegister address = wave.vector(instruction.src[0]);
  const VectorRegister data = wave.vector(instruction.src[1]);
  VectorRegister result{};
  for_each_lane(wave.exec(), [&](int lane) {
    result.lane[(address.lane[lane] + static_cast<uint32_t>(instruction.immediate)) / 4 % kLanes] =
        data.lane[lane];
  });
  write_active(wave, instruction, result);
}

// Pull: each active lane reads the lane of its address; inactive sources give 0.
void bpermute(Wavefront& wave, const Instruction& instruction, ExecutionContext&) {
  const VectorRegister address = wave.vector(instruction.src[0]);
  const VectorRegister data = wave.vector(instruction.src[1]);
  const uint64_t exec = wave.exec();
  VectorRegister result;
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t source = (address.lane[lane] + static_cast<uint32_t>(instruction.immediate)) / 4 % kLanes;
    result.lane[lane] = exec >> source & 1 ? data.lane[source] : 0;
  }
  write_active(wave, instruction, result);
}

// The lane that `lane` reads in ds_swizzle_b32. Modes by the top bits of the offset, as in the ISA document.
uint32_t swizzle_source(uint32_t offset, uint32_t lane) {
  const uint32_t within = lane & 31;
  uint32_t source = within;
  if (offset >= 0xe000) {  // FFT: bit-reversed lanes under a mask
    const uint32_t mask = offset & 31;
    uint32_t reversed = 0;
    for (uint32_t bit = 0; bit < 5; ++bit) reversed |= (within >> bit & 1) << (4 - bit);
    source = reversed >> std::popcount(mask) | (within & mask);
  } else if (offset >= 0xc000) {  // rotation inside groups selected by the mask
    const uint32_t mask = offset & 31;
    const uint32_t distance = offset >> 5 & 31;
    const uint32_t rotated = offset >> 10 & 1 ? within - distance : within + distance;
    source = (within & mask) | (rotated & 31 & ~mask);
  } else if (offset >= 0x8000) {  // any lane of the quad
    source = (within & ~3u) | (offset >> (within & 3) * 2 & 3);
  } else {  // and, or, xor on the lane number within 32
    source = ((within & (offset & 31)) | (offset >> 5 & 31)) ^ (offset >> 10 & 31);
  }
  return (lane & 32) | source;
}

void swizzle(Wavefront& wave, const Instruction& instruction, ExecutionContext&) {
  // There is no LDS address: the first operand is the data.
  const VectorRegister data = wave.vector(instruction.src[0]);
  const uint64_t exec = wave.exec();
  const uint32_t offset = static_cast<uint32_t>(instruction.immediate) & 0xffff;
  VectorRegister result;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t source = swizzle_source(offset, lane);
    result.lane[lane] = exec >> source & 1 ? data.lane[source] : 0;
  }
  write_active(wave, instruction, result);
}

// A counter in LDS at M0 + offset moves by the number of active lanes; all lanes get the old value.
template <bool kAppend>
void append_consume(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  if (instruction.gds) {
    context.fault(-1, "accesses the global data share (GDS), which is not modelled",
                  "use LDS or global memory");
    return;
  }
  const uint64_t exec = wave.exec();
  if (!exec) return;
  // LLVM 22 puts the LDS address into M0 as it is.
  LaneAddresses counter;
  counter.lanes = 1;
  counter.address.fill((wave.scalar[operand_code::kM0] & 0xffff) +
                       static_cast<uint32_t>(instruction.immediate));
  LanePointers pointers;
  if (!resolve_lds(context, counter, 4, pointers)) return;
  record_access(context, counter, 4, AddressSpace::lds);
  uint32_t old;
  std::memcpy(&old, pointers.pointer[0], 4);
  const uint32_t active = static_cast<uint32_t>(std::popcount(exec));
  const uint32_t next = kAppend ? old + active : old - active;
  std::memcpy(pointers.pointer[0], &next, 4);
  VectorRegister& to = wave.vector(instruction.vdst);
  for_each_lane(exec, [&](int lane) { to.lane[lane] = old; });
}

// Transposing reads (gfx950): 16 lanes together read 16 columns of kBits-wide elements, row by row in lane
// order; lane c of the 16 receives column c. A row of 16 elements is 2 * kBits bytes.
template <DataKind kKind, uint32_t kBits>
void read_transposed(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  constexpr uint32_t kGroup = 16, kBytes = bytes_of(kKind), kElements = kBytes * 8 / kBits;
  LaneAddresses addresses;
  LanePointers pointers;
  if (!ds::addresses(wave, instruction, context, static_cast<uint32_t>(instruction.immediate), addresses))
    return;
  if (!resolve_lds(context, addresses, kBytes, pointers)) return;
  record_access(context, addresses, kBytes, AddressSpace::lds);
  const auto element = [](const uint32_t* dwords, uint32_t index) {
    const uint32_t bit = index * kBits;
    uint64_t window = dwords[bit / 32];
    if (bit / 32 + 1 < kBytes / 4) window |= uint64_t{dwords[bit / 32 + 1]} << 32;
    return static_cast<uint32_t>(window >> bit % 32) & static_cast<uint32_t>((uint64_t{1} << kBits) - 1);
  };
  std::array<std::array<uint32_t, kBytes / 4>, kLanes> loaded{}, result{};
  for_each_lane(addresses.lanes,
                [&](int lane) { std::memcpy(loaded[lane].data(), pointers.pointer[lane], kBytes); });
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t column = lane % kGroup;
    for (uint32_t row = 0; row < kElements; ++row) {
      const uint32_t flat = row * kGroup + column;  // position among the group's elements
      const uint32_t value = element(loaded[lane - column + flat / kElements].data(), flat % kElements);
      const uint32_t bit = row * kBits;
      result[lane][bit / 32] |= value << bit % 32;
      if (bit % 32 + kBits > 32) result[lane][bit / 32 + 1] |= value >> (32 - bit % 32);
    }
  }
  for (uint32_t k = 0; k < kBytes / 4; ++k) {
    VectorRegister& to = wave.vector(static_cast<uint16_t>(instruction.vdst + k));
    for_each_lane(addresses.lanes, [&](int lane) { to.lane[lane] = result[lane][k]; });
  }
}

void nothing(Wavefront&, const Instruction&, ExecutionContext&) {}

constexpr auto kRead = InstructionClass::lds_read, kWrite = InstructionClass::lds_write;
constexpr auto kCross = InstructionClass::lds_cross_lane, kGds = InstructionClass::gds;

// clang-format off
constexpr SemanticsRow kRows[] = {
  {"ds_read_u8", kRead, read<DataKind::u8>, {1, true}},
  {"ds_read_i8", kRead, read<DataKind::i8>, {1, true}},
  {"ds_read_u16", kRead, read<DataKind::u16>, {2, true}},
  {"ds_read_i16", kRead, read<DataKind::i16>, {2, true}},
  {"ds_read_u8_d16", kRead, read<DataKind::u8_low>, {1, true}},
  {"ds_read_u8_d16_hi", kRead, read<DataKind::u8_high>, {1, true}},
  {"ds_read_i8_d16", kRead, read<DataKind::i8_low>, {1, true}},
  {"ds_read_i8_d16_hi", kRead, read<DataKind::i8_high>, {1, true}},
  {"ds_read_u16_d16", kRead, read<DataKind::b16_low>, {2, true}},
  {"ds_read_u16_d16_hi", kRead, read<DataKind::b16_high>, {2, true}},
  {"ds_read_b32", kRead, read<DataKind::b32>, {4, true}},
  {"ds_read_b64", kRead, read<DataKind::b64>, {8, true}},
  {"ds_read_b96", kRead, read<DataKind::b96>, {12, true}},
  {"ds_read_b128", kRead, read<DataKind::b128>, {16, true}},
  {"ds_read2_b32", kRead, read2<DataKind::b32, 1>, {4, true}},
  {"ds_read2_b64", kRead, read2<DataKind::b64, 1>, {8, true}},
  {"ds_read2st64_b32", kRead, read2<DataKind::b32, kStride64>, {4, true}},
  {"ds_read2st64_b64", kRead, read2<DataKind::b64, kStride64>, {8, true}},
  {"ds_read_addtid_b32", kRead, read_addtid, {4, true}},
  {"ds_read_b64_tr_b4", kRead, read_transposed<DataKind::b64, 4>, {8, true}},
  {"ds_read_b96_tr_b6", kRead, read_transposed<DataKind::b96, 6>, {12, true}},
  {"ds_read_b64_tr_b8", kRead, read_transposed<DataKind::b64, 8>, {8, true}},
  {"ds_read_b64_tr_b16", kRead, read_transposed<DataKind::b64, 16>, {8, true}},
  {"ds_write_b8", kWrite, write<DataKind::u8>, {1, false, true}},
  {"ds_write_b8_d16_hi", kWrite, write<DataKind::u8_high>, {1, false, true}},
  {"ds_write_b16", kWrite, write<DataKind::u16>, {2, false, true}},
  {"ds_write_b16_d16_hi", kWrite, write<DataKind::b16_high>, {2, false, true}},
  {"ds_write_b32", kWrite, write<DataKind::b32>, {4, false, true}},
  {"ds_write_b64", kWrite, write<DataKind::b64>, {8, false, true}},
  {"ds_write_b96", kWrite, write<DataKind::b96>, {12, false, true}},
  {"ds_write_b128", kWrite, write<DataKind::b128>, {16, false, true}},
  {"ds_write2_b32", kWrite, write2<DataKind::b32, 1>, {4, false, true}},
  {"ds_write2_b64", kWrite, write2<DataKind::b64, 1>, {8, false, true}},
  {"ds_write2st64_b32", kWrite, write2<DataKind::b32, kStride64>, {4, false, true}},
  {"ds_write2st64_b64", kWrite, write2<DataKind::b64, kStride64>, {8, false, true}},
  {"ds_write_addtid_b32", kWrite, write_addtid, {4, false, true}},
  {"ds_permute_b32", kCross, permute},
  {"ds_bpermute_b32", kCross, bpermute},
  {"ds_swizzle_b32", kCross, swizzle},
  {"ds_append", InstructionClass::lds_atomic, append_consume<true>, {4, false, false, true}},
  {"ds_consume", InstructionClass::lds_atomic, append_consume<false>, {4, false, false, true}},
  {"ds_nop", kCross, nothing},
  // Global wave sync and ordered append coordinate work-groups of the whole device, which are emulated one by one.
  {"ds_gws_init", kGds, nullptr},
  {"ds_gws_barrier", kGds, nullptr},
  {"ds_gws_sema_br", kGds, nullptr},
  {"ds_gws_sema_p", kGds, nullptr},
  {"ds_gws_sema_v", kGds, nullptr},
  {"ds_gws_sema_release_all", kGds, nullptr},
  {"ds_ordered_count", kGds, nullptr},
};
// clang-format on

}  // namespace

namespace ds {

void record_pair(ExecutionContext& context, const LaneAddresses& addresses, uint32_t bytes,
                 int32_t second_offset) {
  if (!context.trace) return;
  record_access(context, addresses, bytes, AddressSpace::lds);
  context.trace->accesses.back().second_offset_valid = 1;
  context.trace->accesses.back().second_offset = second_offset;
}

bool two_addresses(Wavefront& wave, const Instruction& instruction, ExecutionContext& context, uint32_t bytes,
                   uint32_t scale, TwoAddresses& two) {
  // The two 8-bit offsets count elements (or 64 elements).
  const uint32_t first = static_cast<uint32_t>(instruction.immediate & 0xff) * scale;
  const uint32_t second = static_cast<uint32_t>(instruction.immediate >> 8 & 0xff) * scale;
  if (!addresses(wave, instruction, context, first, two.first_addresses)) return false;
  if (!addresses(wave, instruction, context, second, two.second_addresses)) return false;
  if (!resolve_lds(context, two.first_addresses, bytes, two.first)) return false;
  if (!resolve_lds(context, two.second_addresses, bytes, two.second)) return false;
  record_pair(context, two.first_addresses, bytes, static_cast<int32_t>(second - first));
  return true;
}

}  // namespace ds

std::span<const SemanticsRow> ds_rows() {
  static const std::vector<SemanticsRow> rows = [] {
    std::vector<SemanticsRow> all(std::begin(kRows), std::end(kRows));
    const auto atomics = ds::atomic_rows();
    all.insert(all.end(), atomics.begin(), atomics.end());
    return all;
  }();
  return rows;
}

}  // namespace wavecast::isa
