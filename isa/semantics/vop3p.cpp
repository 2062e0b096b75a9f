// Semantics of the packed VOP3P instructions on 16-bit pairs and f32 pairs, with the dot and mix part
// concatenated. op_sel, op_sel_hi, neg and neg_hi are applied by the operand reader. Source: AMD CDNA3 and
// CDNA4 ISA documents.
#include "isa/semantics/dot_products.h"
#include "isa/semantics/lane_arithmetic.h"
#include "isa/semantics/vector_rows.h"

namespace wavecast::isa {

namespace {

using enum InstructionClass;
using lane::narrow;
using lane::packed_16;
using lane::packed_f16;
using lane::soft_packed_f16;

constexpr auto mad = [](const LaneState& s, auto a, auto b, auto c) {
  return narrow<decltype(a)>(s, int64_t{a} * b + c);
};
constexpr auto add = [](const LaneState& s, auto a, auto b) { return narrow<decltype(a)>(s, a + b); };
constexpr auto subtract = [](const LaneState& s, auto a, auto b) { return narrow<decltype(a)>(s, a - b); };
constexpr auto multiply_low = [](const LaneState&, uint16_t a, uint16_t b) { return uint32_t{a} * b; };
constexpr auto shift_left = [](const LaneState&, uint16_t a, uint16_t b) { return b << (a & 15); };
constexpr auto shift_right = [](const LaneState&, auto a, auto b) { return b >> (a & 15); };
constexpr auto minimum = [](const LaneState&, auto a, auto b) { return a < b ? a : b; };
constexpr auto maximum = [](const LaneState&, auto a, auto b) { return a > b ? a : b; };
template <bool kMaximum>
constexpr auto minimum3_2019 =
    [](const LaneState&, auto a, auto b, auto c) { return lane::float_extreme3_2019<kMaximum>(a, b, c); };

// Two f32 operations per lane; sources are register pairs.
template <auto F, auto Soft, int kSources>
void packed_f32(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneOperation operation(wave, instruction, context);
  LaneBuffer buffers[3], result;
  const uint32_t* p[3] = {};
  for (int slot = 0; slot < kSources; ++slot)
    p[slot] = operation.packed_source(Format::pk_f32, slot, buffers[slot]);
  const Rounding rounding = operation.rounding(Format::pk_f32);
  if (rounding != Rounding::nearest_even) {
    for (int i = 0; i < 2 * kLanes; ++i) {
      if constexpr (kSources == 3)
        F32::put_raw(result.lane, i, Soft(rounding, p[0][i], p[1][i], p[2][i]));
      else
        F32::put_raw(result.lane, i, Soft(rounding, p[0][i], p[1][i]));
    }
  } else {
    for (int i = 0; i < 2 * kLanes; ++i) {
      if constexpr (kSources == 3)
        F32::put(result.lane, i, F(F32::get(p[0], i), F32::get(p[1], i), F32::get(p[2], i)));
      else
        F32::put(result.lane, i, F(F32::get(p[0], i), F32::get(p[1], i)));
    }
  }
  operation.write(Format::pk_f32, result, false);
}

// D.low = S0 half op_sel[0], D.high = S1 half op_sel[1].
void pk_mov_b32(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneOperation operation(wave, instruction, context);
  LaneBuffer result;
  for (int slot = 0; slot < 2; ++slot) {
    const uint16_t code = instruction.src[slot];
    const int half = instruction.op_sel >> slot & 1;
    uint32_t* out = result.lane + slot * kLanes;
    if (code >= operand_code::kFirstVgpr) {
      const auto& row = wave.vector(static_cast<uint16_t>(code + half)).lane;
      for (int i = 0; i < kLanes; ++i) out[i] = row[i];
    } else {
      const uint64_t value = scalar_operand(wave, instruction, context, code, Format::pk_f32);
      for (int i = 0; i < kLanes; ++i) out[i] = static_cast<uint32_t>(value >> (32 * half));
    }
  }
  operation.store(instruction.vdst, 2, result.lane, operation.active());
}

constexpr SemanticsRow kRows[] = {
    {"v_pk_mad_i16", valu, vector<P16(P16, P16, P16), packed_16<int16_t, mad>>},
    {"v_pk_mad_u16", valu, vector<P16(P16, P16, P16), packed_16<uint16_t, mad>>},
    {"v_pk_mul_lo_u16", valu, vector<P16(P16, P16), packed_16<uint16_t, multiply_low>>},
    {"v_pk_add_i16", valu, vector<P16(P16, P16), packed_16<int16_t, add>>},
    {"v_pk_sub_i16", valu, vector<P16(P16, P16), packed_16<int16_t, subtract>>},
    {"v_pk_add_u16", valu, vector<P16(P16, P16), packed_16<uint16_t, add>>},
    {"v_pk_sub_u16", valu, vector<P16(P16, P16), packed_16<uint16_t, subtract>>},
    {"v_pk_lshlrev_b16", valu, vector<P16(P16, P16), packed_16<uint16_t, shift_left>>},
    {"v_pk_lshrrev_b16", valu, vector<P16(P16, P16), packed_16<uint16_t, shift_right>>},
    {"v_pk_ashrrev_i16", valu, vector<P16(P16, P16), packed_16<int16_t, shift_right>>},
    {"v_pk_max_i16", valu, vector<P16(P16, P16), packed_16<int16_t, maximum>>},
    {"v_pk_min_i16", valu, vector<P16(P16, P16), packed_16<int16_t, minimum>>},
    {"v_pk_max_u16", valu, vector<P16(P16, P16), packed_16<uint16_t, maximum>>},
    {"v_pk_min_u16", valu, vector<P16(P16, P16), packed_16<uint16_t, minimum>>},
    {"v_pk_fma_f16", valu,
     vector<PF16(PF16, PF16, PF16), packed_f16<lane::fused_f16>, soft_packed_f16<lane::soft_fused<kIeee16>>>},
    {"v_pk_add_f16", valu,
     vector<PF16(PF16, PF16), packed_f16<lane::add>, soft_packed_f16<lane::soft_add<kIeee16>>>},
    {"v_pk_mul_f16", valu,
     vector<PF16(PF16, PF16), packed_f16<lane::multiply>, soft_packed_f16<lane::soft_multiply<kIeee16>>>},
    {"v_pk_min_f16", valu, vector<PF16(PF16, PF16), packed_16<uint16_t, lane::float_min>>},
    {"v_pk_max_f16", valu, vector<PF16(PF16, PF16), packed_16<uint16_t, lane::float_max>>},
    {"v_pk_minimum3_f16", valu, vector<PF16(PF16, PF16, PF16), packed_16<uint16_t, minimum3_2019<false>>>},
    {"v_pk_maximum3_f16", valu, vector<PF16(PF16, PF16, PF16), packed_16<uint16_t, minimum3_2019<true>>>},
    {"v_pk_fma_f32", valu_packed_f32, packed_f32<lane::fused, lane::soft_fused<kIeee32>, 3>},
    {"v_pk_mul_f32", valu_packed_f32, packed_f32<lane::multiply, lane::soft_multiply<kIeee32>, 2>},
    {"v_pk_add_f32", valu_packed_f32, packed_f32<lane::add, lane::soft_add<kIeee32>, 2>},
    {"v_pk_mov_b32", valu_packed_f32, pk_mov_b32},
};

}  // namespace

std::span<const SemanticsRow> vop3p_packed_rows() { return kRows; }

std::span<const SemanticsRow> vop3p_rows() {
  static const auto rows = concatenate({vop3p_packed_rows(), vop3p_dot_rows()});
  return rows;
}

}  // namespace wavecast::isa
