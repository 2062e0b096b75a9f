// Semantics of VOP2 on 32-bit and 64-bit operands (with the 16-bit part concatenated), including carry
// arithmetic and the literal forms v_fmamk/v_fmaak. Source: AMD CDNA3 and CDNA4 ISA documents, "VOP2
// Instructions".
#include "isa/semantics/lane_arithmetic.h"
#include "isa/semantics/vector_rows.h"

namespace wavecast::isa {

namespace {

using enum InstructionClass;
using lane::narrow;

// D = mask ? S1 : S0.
void cndmask(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneOperation operation(wave, instruction, context);
  LaneBuffer buffers[2], result;
  const uint32_t* a = operation.source(Format::m32, 0, buffers[0]);
  const uint32_t* b = operation.source(Format::m32, 1, buffers[1]);
  alignas(64) uint32_t mask[kLanes];
  expand_lane_mask(operation.carry_in(2), mask);
  for (int i = 0; i < kLanes; ++i) result.lane[i] = (b[i] & mask[i]) | (a[i] & ~mask[i]);
  operation.write(Format::m32, result, false);
}

// Add and subtract with carry out, and with carry in if kCarryIn; `clamp` saturates.
enum class Carry { add, subtract, subtract_reversed };
template <Carry kKind, bool kCarryIn>
void carry_arithmetic(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneOperation operation(wave, instruction, context);
  LaneBuffer buffers[2], result;
  const uint32_t* p0 = operation.source(Format::b32, 0, buffers[0]);
  const uint32_t* p1 = operation.source(Format::b32, 1, buffers[1]);
  const uint32_t* a = kKind == Carry::subtract_reversed ? p1 : p0;
  const uint32_t* b = kKind == Carry::subtract_reversed ? p0 : p1;
  alignas(64) uint32_t carry[kLanes];
  expand_lane_mask(kCarryIn ? operation.carry_in(2) : 0, carry);
  const bool clamp = instruction.clamp;
  alignas(64) uint32_t carry_out[kLanes];
  for (int i = 0; i < kLanes; ++i) {
    const uint32_t x = a[i], y = b[i], in = carry[i] & 1;
    if constexpr (kKind == Carry::add) {
      const uint32_t partial = x + y, sum = partial + in;
      carry_out[i] = partial < x || sum < partial ? ~0u : 0u;
      result.lane[i] = clamp ? sum | carry_out[i] : sum;
    } else {
      const uint32_t partial = x - y, difference = partial - in;
      carry_out[i] = x < y || partial < in ? ~0u : 0u;
      result.lane[i] = clamp ? difference & ~carry_out[i] : difference;
    }
  }
  operation.write(Format::b32, result, false);
  operation.write_mask(to_lane_mask(carry_out));
}

// The literal may stand in the second or third operand place (v_fmamk: S0 * K + S1, v_fmaak: S0 * S1 + K);
// the other one is the VGPR.
template <bool kFused, bool kLiteralAdds, Format kFormat>
void multiply_add_literal(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneOperation operation(wave, instruction, context);
  LaneBuffer buffers[3], result;
  const int vector_slot =
      instruction.src[1] >= operand_code::kFirstVgpr && instruction.src[1] != operand_code::kNone ? 1 : 2;
  const uint32_t* a = operation.source(kFormat, 0, buffers[0]);
  const uint32_t* v = operation.source(kFormat, 1, instruction.src[vector_slot], buffers[1]);
  const uint32_t* k = operation.source(kFormat, 2, operand_code::kLiteral, buffers[2]);
  const uint32_t* b = kLiteralAdds ? v : k;
  const uint32_t* c = kLiteralAdds ? k : v;
  const Rounding rounding = operation.rounding(kFormat);
  if constexpr (kFormat == Format::f16) {
    for (int i = 0; i < kLanes; ++i)
      F16::put_raw(result.lane, i,
                   lane::soft_unfused<kIeee16>(rounding, F16::raw(a, i), F16::raw(b, i), F16::raw(c, i)));
  } else if (rounding != Rounding::nearest_even) {
    const auto exact = kFused ? +lane::soft_fused<kIeee32> : +lane::soft_unfused<kIeee32>;
    for (int i = 0; i < kLanes; ++i) F32::put_raw(result.lane, i, exact(rounding, a[i], b[i], c[i]));
  } else {
    for (int i = 0; i < kLanes; ++i) {
      const float x = F32::get(a, i), y = F32::get(b, i), z = F32::get(c, i);
      F32::put(result.lane, i, kFused ? std::fma(x, y, z) : x * y + z);
    }
  }
  operation.write(kFormat, result, false);
}

// Zero times anything is zero, even infinity and NaN (DirectX 9).
float multiply_legacy(float a, float b) { return a == 0.0f || b == 0.0f ? 0.0f : a * b; }

constexpr auto add_u32 = [](const LaneState& s, uint32_t a, uint32_t b) {
  const uint32_t sum = a + b;
  return s.clamp && sum < a ? ~0u : sum;
};
constexpr auto sub_u32 = [](const LaneState& s, uint32_t a, uint32_t b) {
  return s.clamp && a < b ? 0u : a - b;
};
constexpr auto subrev_u32 = [](const LaneState& s, uint32_t a, uint32_t b) { return sub_u32(s, b, a); };

constexpr auto mul_i24 = [](uint32_t a, uint32_t b) {
  return static_cast<uint32_t>(lane::signed24(a)) * static_cast<uint32_t>(lane::signed24(b));
};
constexpr auto mul_u24 = [](uint32_t a, uint32_t b) { return lane::unsigned24(a) * lane::unsigned24(b); };
constexpr auto mul_hi_i24 = [](uint32_t a, uint32_t b) {
  return static_cast<uint32_t>(static_cast<uint64_t>(int64_t{lane::signed24(a)} * lane::signed24(b)) >> 32);
};
constexpr auto mul_hi_u24 = [](uint32_t a, uint32_t b) {
  return static_cast<uint32_t>(uint64_t{lane::unsigned24(a)} * lane::unsigned24(b) >> 32);
};

constexpr SemanticsRow kRows[] = {
    {"v_cndmask_b32", valu, cndmask},
    {"v_add_f32", valu, vector<F32(F32, F32), lane::add, lane::soft_add<kIeee32>>},
    {"v_sub_f32", valu, vector<F32(F32, F32), lane::subtract, lane::soft_subtract<kIeee32>>},
    {"v_subrev_f32", valu,
     vector<F32(F32, F32), lane::subtract_reversed, lane::soft_subtract_reversed<kIeee32>>},
    {"v_mul_f32", valu, vector<F32(F32, F32), lane::multiply, lane::soft_multiply<kIeee32>>},
    {"v_mul_legacy_f32", valu, vector<F32(F32, F32), multiply_legacy>},
    {"v_fmac_f32", valu, accumulate<F32(F32, F32, F32), lane::fused, lane::soft_fused<kIeee32>>},
    {"v_mac_f32", valu, accumulate<F32(F32, F32, F32), lane::unfused, lane::soft_unfused<kIeee32>>},
    {"v_fmac_f64", valu_f64, accumulate<F64(F64, F64, F64), lane::fused, lane::soft_fused<kIeee64>>},
    {"v_fmamk_f32", valu, multiply_add_literal<true, false, Format::f32>},
    {"v_fmaak_f32", valu, multiply_add_literal<true, true, Format::f32>},
    {"v_madmk_f32", valu, multiply_add_literal<false, false, Format::f32>},
    {"v_madak_f32", valu, multiply_add_literal<false, true, Format::f32>},
    {"v_madmk_f16", valu, multiply_add_literal<false, false, Format::f16>},
    {"v_madak_f16", valu, multiply_add_literal<false, true, Format::f16>},
    {"v_min_f32", valu, vector<R32(R32, R32), lane::float_min>},
    {"v_max_f32", valu, vector<R32(R32, R32), lane::float_max>},
    {"v_mul_i32_i24", valu, vector<U32(U32, U32), mul_i24>},
    {"v_mul_hi_i32_i24", valu, vector<U32(U32, U32), mul_hi_i24>},
    {"v_mul_u32_u24", valu, vector<U32(U32, U32), mul_u24>},
    {"v_mul_hi_u32_u24", valu, vector<U32(U32, U32), mul_hi_u24>},
    {"v_min_i32", valu, vector<I32(I32, I32), lane::minimum>},
    {"v_max_i32", valu, vector<I32(I32, I32), lane::maximum>},
    {"v_min_u32", valu, vector<U32(U32, U32), lane::minimum>},
    {"v_max_u32", valu, vector<U32(U32, U32), lane::maximum>},
    {"v_lshrrev_b32", valu, vector<U32(U32, U32), [](uint32_t a, uint32_t b) { return (b >> (a & 31)); }>},
    {"v_ashrrev_i32", valu, vector<I32(U32, I32), [](uint32_t a, int32_t b) { return (b >> (a & 31)); }>},
    {"v_lshlrev_b32", valu, vector<U32(U32, U32), [](uint32_t a, uint32_t b) { return b << (a & 31); }>},
    {"v_and_b32", valu, vector<U32(U32, U32), [](uint32_t a, uint32_t b) { return a & b; }>},
    {"v_or_b32", valu, vector<U32(U32, U32), [](uint32_t a, uint32_t b) { return a | b; }>},
    {"v_xor_b32", valu, vector<U32(U32, U32), [](uint32_t a, uint32_t b) { return a ^ b; }>},
    {"v_xnor_b32", valu, vector<U32(U32, U32), [](uint32_t a, uint32_t b) { return ~(a ^ b); }>},
    {"v_add_u32", valu, vector<U32(U32, U32), add_u32>},
    {"v_sub_u32", valu, vector<U32(U32, U32), sub_u32>},
    {"v_subrev_u32", valu, vector<U32(U32, U32), subrev_u32>},
    {"v_add_co_u32", valu, carry_arithmetic<Carry::add, false>},
    {"v_sub_co_u32", valu, carry_arithmetic<Carry::subtract, false>},
    {"v_subrev_co_u32", valu, carry_arithmetic<Carry::subtract_reversed, false>},
    {"v_addc_co_u32", valu, carry_arithmetic<Carry::add, true>},
    {"v_subb_co_u32", valu, carry_arithmetic<Carry::subtract, true>},
    {"v_subbrev_co_u32", valu, carry_arithmetic<Carry::subtract_reversed, true>},
};

}  // namespace

std::span<const SemanticsRow> vop2_basic_rows() { return kRows; }

std::span<const SemanticsRow> vop2_rows() {
  static const auto rows = concatenate({vop2_basic_rows(), vop2_16bit_rows()});
  return rows;
}

}  // namespace wavecast::isa
