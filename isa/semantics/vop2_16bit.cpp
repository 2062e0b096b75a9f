// Semantics of VOP2 on 16-bit operands and of the accumulating packed and dot forms in VOP2. Results of
// GFX9's 16-bit VOP2 instructions zero the upper half of the register (LLVM 22,
// GCNSubtarget::zeroesHigh16BitsOfDest). Source: AMD CDNA3 ISA document, "VOP2 Instructions".
#include "isa/semantics/dot_products.h"
#include "isa/semantics/lane_arithmetic.h"
#include "isa/semantics/vector_rows.h"

namespace wavecast::isa {

namespace {

using enum InstructionClass;
using lane::narrow;

constexpr auto add_u16 = [](const LaneState& s, uint16_t a, uint16_t b) {
  return narrow<uint16_t>(s, a + b);
};
constexpr auto sub_u16 = [](const LaneState& s, uint16_t a, uint16_t b) {
  return narrow<uint16_t>(s, a - b);
};
constexpr auto subrev_u16 = [](const LaneState& s, uint16_t a, uint16_t b) {
  return narrow<uint16_t>(s, b - a);
};

// The exponent is a signed 16-bit integer; the product with a power of two is exact in f32 and rounded once.
float ldexp_f16(float v, int16_t exponent) {
  const int bounded = exponent < -60 ? -60 : exponent > 60 ? 60 : exponent;
  return v * std::bit_cast<float>(static_cast<uint32_t>(bounded + 127) << 23);
}
constexpr auto soft_ldexp_f16 = [](Rounding r, uint64_t v, uint64_t exponent) {
  const int scale = static_cast<int16_t>(exponent);
  return soft_convert(kIeee16, kIeee16, v, r, scale < -60 ? -60 : scale > 60 ? 60 : scale);
};

constexpr SemanticsRow kRows[] = {
    {"v_add_f16", valu, vector<F16(F16, F16), lane::add, lane::soft_add<kIeee16>>},
    {"v_sub_f16", valu, vector<F16(F16, F16), lane::subtract, lane::soft_subtract<kIeee16>>},
    {"v_subrev_f16", valu,
     vector<F16(F16, F16), lane::subtract_reversed, lane::soft_subtract_reversed<kIeee16>>},
    {"v_mul_f16", valu, vector<F16(F16, F16), lane::multiply, lane::soft_multiply<kIeee16>>},
    {"v_mac_f16", valu, accumulate<F16(F16, F16, F16), lane::unfused_f16, lane::soft_unfused<kIeee16>>},
    {"v_ldexp_f16", valu, vector<F16(F16, I16), ldexp_f16, soft_ldexp_f16>},
    {"v_max_f16", valu, vector<R16(R16, R16), lane::float_max>},
    {"v_min_f16", valu, vector<R16(R16, R16), lane::float_min>},
    {"v_add_u16", valu, vector<U16(U16, U16), add_u16>},
    {"v_sub_u16", valu, vector<U16(U16, U16), sub_u16>},
    {"v_subrev_u16", valu, vector<U16(U16, U16), subrev_u16>},
    {"v_mul_lo_u16", valu,
     vector<U16(U16, U16), [](uint16_t a, uint16_t b) { return static_cast<uint16_t>(uint32_t{a} * b); }>},
    {"v_lshlrev_b16", valu,
     vector<U16(U16, U16), [](uint16_t a, uint16_t b) { return static_cast<uint16_t>(b << (a & 15)); }>},
    {"v_lshrrev_b16", valu,
     vector<U16(U16, U16), [](uint16_t a, uint16_t b) { return static_cast<uint16_t>(b >> (a & 15)); }>},
    {"v_ashrrev_i16", valu,
     vector<I16(U16, I16), [](uint16_t a, int16_t b) { return static_cast<int16_t>(b >> (a & 15)); }>},
    {"v_max_u16", valu, vector<U16(U16, U16), lane::maximum>},
    {"v_max_i16", valu, vector<I16(I16, I16), lane::maximum>},
    {"v_min_u16", valu, vector<U16(U16, U16), lane::minimum>},
    {"v_min_i16", valu, vector<I16(I16, I16), lane::minimum>},
    {"v_pk_fmac_f16", valu,
     accumulate<PF16(PF16, PF16, PF16), lane::packed_f16<lane::fused_f16>,
                lane::soft_packed_f16<lane::soft_fused<kIeee16>>>},
    {"v_dot2c_f32_f16", valu_dot, accumulate<F32(PF16, PF16, F32), lane::dot2_f32_f16>},
    {"v_dot2c_f32_bf16", valu_dot, accumulate<F32(P16, P16, F32), lane::dot2c_f32_bf16>},
    {"v_dot2c_i32_i16", valu_dot, accumulate<U32(U32, U32, U32), lane::dot_i32<16>>},
    {"v_dot4c_i32_i8", valu_dot, accumulate<U32(U32, U32, U32), lane::dot_i32<8>>},
    {"v_dot8c_i32_i4", valu_dot, accumulate<U32(U32, U32, U32), lane::dot_i32<4>>},
};

}  // namespace

std::span<const SemanticsRow> vop2_16bit_rows() { return kRows; }

}  // namespace wavecast::isa
