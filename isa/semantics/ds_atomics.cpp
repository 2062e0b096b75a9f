// Semantics of LDS atomics, with and without return, and of the forms that take their operand from LDS
// (src2). Leaves out: ds_condxchg32 (classified, not executed). Source: AMD CDNA3 ISA, opcode descriptions of
// DS.
#include <cstring>

#include "isa/semantics/atomics.h"
#include "isa/semantics/ds.h"

namespace wavecast::isa {
namespace {

// Which registers hold the operands of an operation.
enum class Operands : uint8_t {
  data,            // data0
  compare_first,   // data0 compares, data1 is the new value (cmpst)
  mask_first,      // data0 masks, data1 is the data (mskor)
  data_then_extra  // data0 is the data, data1 a second operand (wrap)
};

template <int kBytes, AtomicOperation kOperation, Operands kOperands, bool kReturns>
void atomic(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneAddresses addresses;
  LanePointers pointers;
  if (!ds::addresses(wave, instruction, context, static_cast<uint32_t>(instruction.immediate), addresses))
    return;
  if (!resolve_lds(context, addresses, kBytes, pointers)) return;
  record_access(context, addresses, kBytes, AddressSpace::lds);
  constexpr bool kSwapped = kOperands == Operands::compare_first || kOperands == Operands::mask_first;
  const uint16_t data = kSwapped ? instruction.src[2] : instruction.src[1];
  const uint16_t extra = kOperands == Operands::data ? operand_code::kNone
                         : kSwapped                  ? instruction.src[1]
                                                     : instruction.src[2];
  atomic_lanes(context, wave, AtomicKind{kBytes, kOperation},
               kReturns ? instruction.vdst : operand_code::kNone, data, extra, addresses, pointers);
}

template <int kBytes, uint32_t kScale>
void exchange2(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  ds::TwoAddresses two;
  if (!ds::two_addresses(wave, instruction, context, kBytes, kBytes * kScale, two)) return;
  // The second data operand is read before the first result may overwrite it.
  constexpr uint16_t kDwords = kBytes / 4;
  std::array<VectorRegister, kDwords> second;
  for (uint16_t k = 0; k < kDwords; ++k)
    second[k] = wave.vector(static_cast<uint16_t>(instruction.src[2] + k));
  const AtomicKind kind{kBytes, atomics::swap};
  atomic_lanes(context, wave, kind, instruction.vdst, instruction.src[1], operand_code::kNone,
               two.first_addresses, two.first);
  if (context.faulted) return;
  std::array<std::array<uint32_t, kDwords>, kLanes> old;
  for_each_lane(two.second.lanes, [&](int lane) {
    std::memcpy(old[lane].data(), two.second.pointer[lane], kBytes);
    for (uint16_t k = 0; k < kDwords; ++k)
      std::memcpy(two.second.pointer[lane] + k * 4, &second[k].lane[lane], 4);
  });
  for (uint16_t k = 0; k < kDwords; ++k) {
    VectorRegister& to = wave.vector(static_cast<uint16_t>(instruction.vdst + kDwords + k));
    for_each_lane(two.second.lanes, [&](int lane) { to.lane[lane] = old[lane][k]; });
  }
}

// memory[A] = operation(memory[A], memory[B]); B lies a signed number of dwords after A, from the offset
// field.
template <int kBytes, AtomicOperation kOperation>
void atomic_src2(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneAddresses target, source;
  LanePointers to, from;
  if (!ds::addresses(wave, instruction, context, 0, target)) return;
  const uint32_t field = static_cast<uint32_t>(instruction.immediate) & 0xffff;
  source = target;
  for (uint64_t& address : source.address) {
    // Bit 15 set: the distance is bits 31:17 of the address, else the sign-extended low 15 bits of the field.
    const uint32_t a = static_cast<uint32_t>(address);
    const uint32_t from_field = (field & 0x7fff) | (field & 0x4000 ? 0xffff8000 : 0);
    const uint32_t from_address = static_cast<uint32_t>(static_cast<int32_t>(a) >> 17);
    address = (a & 0x1ffff) + 4 * (field & 0x8000 ? from_address : from_field);
    address = static_cast<uint32_t>(address);
  }
  for (uint64_t& address : target.address) address &= 0x1ffff;
  if (!resolve_lds(context, target, kBytes, to) || !resolve_lds(context, source, kBytes, from)) return;
  const int first = std::countr_zero(target.lanes);
  ds::record_pair(context, target, kBytes,
                  static_cast<int32_t>(source.address[first] - target.address[first]));
  for_each_lane(target.lanes, [&](int lane) {
    uint64_t memory = 0, data = 0;
    std::memcpy(&memory, to.pointer[lane], kBytes);
    std::memcpy(&data, from.pointer[lane], kBytes);
    const uint64_t result = kOperation(memory, data, 0);
    std::memcpy(to.pointer[lane], &result, kBytes);
  });
}

constexpr auto kAtomic = InstructionClass::lds_atomic;

// clang-format off
#define WAVECAST_ATOMIC(name, type, bytes, operation, operands) \
  {"ds_" name "_" type, kAtomic, atomic<bytes, atomics::operation, Operands::operands, false>, {bytes, false, false, true}}, \
  {"ds_" name "_rtn_" type, kAtomic, atomic<bytes, atomics::operation, Operands::operands, true>, {bytes, false, false, true}}
#define WAVECAST_WITH_SRC2(name, type, bytes, operation) \
  WAVECAST_ATOMIC(name, type, bytes, operation, data), \
  {"ds_" name "_src2_" type, kAtomic, atomic_src2<bytes, atomics::operation>, {bytes, false, false, true}}

constexpr SemanticsRow kRows[] = {
  WAVECAST_WITH_SRC2("add", "u32", 4, add32), WAVECAST_WITH_SRC2("add", "u64", 8, add64),
  WAVECAST_WITH_SRC2("sub", "u32", 4, sub32), WAVECAST_WITH_SRC2("sub", "u64", 8, sub64),
  WAVECAST_WITH_SRC2("rsub", "u32", 4, rsub32), WAVECAST_WITH_SRC2("rsub", "u64", 8, rsub64),
  WAVECAST_WITH_SRC2("inc", "u32", 4, inc32), WAVECAST_WITH_SRC2("inc", "u64", 8, inc64),
  WAVECAST_WITH_SRC2("dec", "u32", 4, dec32), WAVECAST_WITH_SRC2("dec", "u64", 8, dec64),
  WAVECAST_WITH_SRC2("min", "i32", 4, smin32), WAVECAST_WITH_SRC2("min", "i64", 8, smin64),
  WAVECAST_WITH_SRC2("max", "i32", 4, smax32), WAVECAST_WITH_SRC2("max", "i64", 8, smax64),
  WAVECAST_WITH_SRC2("min", "u32", 4, umin32), WAVECAST_WITH_SRC2("min", "u64", 8, umin64),
  WAVECAST_WITH_SRC2("max", "u32", 4, umax32), WAVECAST_WITH_SRC2("max", "u64", 8, umax64),
  WAVECAST_WITH_SRC2("and", "b32", 4, bit_and), WAVECAST_WITH_SRC2("and", "b64", 8, bit_and),
  WAVECAST_WITH_SRC2("or", "b32", 4, bit_or), WAVECAST_WITH_SRC2("or", "b64", 8, bit_or),
  WAVECAST_WITH_SRC2("xor", "b32", 4, bit_xor), WAVECAST_WITH_SRC2("xor", "b64", 8, bit_xor),
  WAVECAST_WITH_SRC2("add", "f32", 4, add_f32), WAVECAST_ATOMIC("add", "f64", 8, add_f64, data),
  WAVECAST_WITH_SRC2("min", "f32", 4, min_f32), WAVECAST_WITH_SRC2("min", "f64", 8, min_f64),
  WAVECAST_WITH_SRC2("max", "f32", 4, max_f32), WAVECAST_WITH_SRC2("max", "f64", 8, max_f64),
  {"ds_write_src2_b32", kAtomic, atomic_src2<4, atomics::swap>, {4, false, false, true}},
  {"ds_write_src2_b64", kAtomic, atomic_src2<8, atomics::swap>, {8, false, false, true}},
  WAVECAST_ATOMIC("mskor", "b32", 4, masked_or, mask_first), WAVECAST_ATOMIC("mskor", "b64", 8, masked_or, mask_first),
  WAVECAST_ATOMIC("cmpst", "b32", 4, compare_swap, compare_first), WAVECAST_ATOMIC("cmpst", "b64", 8, compare_swap, compare_first),
  WAVECAST_ATOMIC("cmpst", "f32", 4, compare_swap_f32, compare_first), WAVECAST_ATOMIC("cmpst", "f64", 8, compare_swap_f64, compare_first),
  WAVECAST_ATOMIC("pk_add", "f16", 4, pk_add_f16, data), WAVECAST_ATOMIC("pk_add", "bf16", 4, pk_add_bf16, data),
  {"ds_wrxchg_rtn_b32", kAtomic, atomic<4, atomics::swap, Operands::data, true>, {4, false, false, true}},
  {"ds_wrxchg_rtn_b64", kAtomic, atomic<8, atomics::swap, Operands::data, true>, {8, false, false, true}},
  {"ds_wrxchg2_rtn_b32", kAtomic, exchange2<4, 1>, {4, false, false, true}},
  {"ds_wrxchg2_rtn_b64", kAtomic, exchange2<8, 1>, {8, false, false, true}},
  {"ds_wrxchg2st64_rtn_b32", kAtomic, exchange2<4, 64>, {4, false, false, true}},
  {"ds_wrxchg2st64_rtn_b64", kAtomic, exchange2<8, 64>, {8, false, false, true}},
  {"ds_wrap_rtn_b32", kAtomic, atomic<4, atomics::wrap32, Operands::data_then_extra, true>, {4, false, false, true}},
  // Two conditional exchanges whose rules the public ISA documents leave open.
  {"ds_condxchg32_rtn_b64", kAtomic, nullptr, {8, false, false, true}},
};
// clang-format on

}  // namespace

namespace ds {
std::span<const SemanticsRow> atomic_rows() { return kRows; }
}  // namespace ds

}  // namespace wavecast::isa
