// Semantics of VOP3-only 16-bit instructions. The forms introduced with GFX9 take op_sel and keep the half of
// the destination they do not write; the "legacy" forms of GFX8 zero it. Source: AMD CDNA3 ISA document,
// "VOP3".
#include "isa/semantics/lane_arithmetic.h"
#include "isa/semantics/vector_rows.h"

namespace wavecast::isa {

namespace {

using enum InstructionClass;
using lane::narrow;

constexpr auto mad_u16 = [](const LaneState& s, uint16_t a, uint16_t b, uint16_t c) {
  return narrow<uint16_t>(s, uint64_t{a} * b + c);
};
constexpr auto mad_i16 = [](const LaneState& s, int16_t a, int16_t b, int16_t c) {
  return narrow<int16_t>(s, int64_t{a} * b + c);
};
constexpr auto add_i16 = [](const LaneState& s, int16_t a, int16_t b) { return narrow<int16_t>(s, a + b); };
constexpr auto sub_i16 = [](const LaneState& s, int16_t a, int16_t b) { return narrow<int16_t>(s, a - b); };
constexpr auto mad_u32_u16 = [](const LaneState& s, uint16_t a, uint16_t b, uint32_t c) {
  return narrow<uint32_t>(s, uint64_t{a} * b + c);
};
constexpr auto mad_i32_i16 = [](const LaneState& s, int16_t a, int16_t b, int32_t c) {
  return narrow<int32_t>(s, int64_t{a} * b + c);
};

constexpr SemanticsRow kRows[] = {
    {"v_fma_f16", valu, vector<Keep<F16>(F16, F16, F16), lane::fused_f16, lane::soft_fused<kIeee16>>},
    {"v_fma_legacy_f16", valu, vector<F16(F16, F16, F16), lane::fused_f16, lane::soft_fused<kIeee16>>},
    {"v_mad_f16", valu, vector<Keep<F16>(F16, F16, F16), lane::unfused_f16, lane::soft_unfused<kIeee16>>},
    {"v_mad_legacy_f16", valu, vector<F16(F16, F16, F16), lane::unfused_f16, lane::soft_unfused<kIeee16>>},
    {"v_mad_u16", valu, vector<Keep<U16>(U16, U16, U16), mad_u16>},
    {"v_mad_legacy_u16", valu, vector<U16(U16, U16, U16), mad_u16>},
    {"v_mad_i16", valu, vector<Keep<I16>(I16, I16, I16), mad_i16>},
    {"v_mad_legacy_i16", valu, vector<I16(I16, I16, I16), mad_i16>},
    {"v_mad_u32_u16", valu, vector<U32(U16, U16, U32), mad_u32_u16>},
    {"v_mad_i32_i16", valu, vector<I32(I16, I16, I32), mad_i32_i16>},
    {"v_min3_f16", valu, vector<Keep<R16>(R16, R16, R16), lane::float_min>},
    {"v_max3_f16", valu, vector<Keep<R16>(R16, R16, R16), lane::float_max>},
    {"v_med3_f16", valu, vector<Keep<R16>(R16, R16, R16), lane::float_med3>},
    {"v_min3_i16", valu, vector<Keep<I16>(I16, I16, I16), lane::minimum3>},
    {"v_max3_i16", valu, vector<Keep<I16>(I16, I16, I16), lane::maximum3>},
    {"v_med3_i16", valu, vector<Keep<I16>(I16, I16, I16), lane::median3>},
    {"v_min3_u16", valu, vector<Keep<U16>(U16, U16, U16), lane::minimum3>},
    {"v_max3_u16", valu, vector<Keep<U16>(U16, U16, U16), lane::maximum3>},
    {"v_med3_u16", valu, vector<Keep<U16>(U16, U16, U16), lane::median3>},
    {"v_add_i16", valu, vector<Keep<I16>(I16, I16), add_i16>},
    {"v_sub_i16", valu, vector<Keep<I16>(I16, I16), sub_i16>},
    {"v_pack_b32_f16", valu,
     vector<U32(R16, R16), [](uint16_t a, uint16_t b) { return a | static_cast<uint32_t>(b) << 16; }>},
};

}  // namespace

std::span<const SemanticsRow> vop3_16bit_rows() { return kRows; }

}  // namespace wavecast::isa
