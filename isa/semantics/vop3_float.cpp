// Semantics of VOP3-only float instructions on f32 and f64: fused and unfused multiply-add, f64 arithmetic,
// minimum, maximum and median of three, ldexp, cube map helpers. Source: AMD CDNA3 and CDNA4 ISA documents,
// "VOP3 Instructions".
#include <cmath>

#include "isa/semantics/lane_arithmetic.h"
#include "isa/semantics/vector_rows.h"

namespace wavecast::isa {

namespace {

using enum InstructionClass;

// The source times a power of two is exact in double, so the conversion is the only rounding.
float ldexp_f32(float v, int32_t exponent) {
  const int32_t bounded = exponent < -400 ? -400 : exponent > 400 ? 400 : exponent;
  const double scale = std::bit_cast<double>(static_cast<uint64_t>(bounded + 1023) << 52);
  return static_cast<float>(static_cast<double>(v) * scale);
}
// 2^-1022 comes last: only that product can be denormal, so only it rounds.
double ldexp_f64(double v, int32_t exponent) {
  const int32_t bounded = exponent < -2200 ? -2200 : exponent > 2200 ? 2200 : exponent;
  const auto step = [](int32_t e) { return e < -1022 ? -1022 : e > 1023 ? 1023 : e; };
  const auto power = [](int32_t e) {
    return std::bit_cast<double>(static_cast<uint64_t>(static_cast<int64_t>(e) + 1023) << 52);
  };
  const int32_t last = step(bounded), middle = step(bounded - last), first = step(bounded - last - middle);
  return v * power(first) * power(middle) * power(last);
}
template <const IeeeFormat& F>
constexpr auto soft_ldexp = [](Rounding r, uint64_t v, uint64_t exponent) {
  const int scale = static_cast<int32_t>(exponent);
  return soft_convert(F, F, v, r, scale < -2200 ? -2200 : scale > 2200 ? 2200 : scale);
};

float mad_legacy(float a, float b, float c) { return (a == 0.0f || b == 0.0f ? 0.0f : a * b) + c; }

// Cube map: the face of the largest coordinate (z before y before x), its S and T coordinate and twice its
// major axis.
bool z_major(float x, float y, float z) {
  return std::fabs(z) >= std::fabs(x) && std::fabs(z) >= std::fabs(y);
}
bool y_major(float x, float y) { return std::fabs(y) >= std::fabs(x); }
float cube_id(float x, float y, float z) {
  return z_major(x, y, z) ? (z < 0 ? 5.0f : 4.0f)
         : y_major(x, y)  ? (y < 0 ? 3.0f : 2.0f)
         : x < 0          ? 1.0f
                          : 0.0f;
}
float cube_sc(float x, float y, float z) {
  return z_major(x, y, z) ? (z < 0 ? -x : x) : y_major(x, y) ? x : x < 0 ? z : -z;
}
float cube_tc(float x, float y, float z) {
  return z_major(x, y, z) ? -y : y_major(x, y) ? (y < 0 ? -z : z) : -y;
}
float cube_ma(float x, float y, float z) { return 2.0f * (z_major(x, y, z) ? z : y_major(x, y) ? y : x); }

constexpr SemanticsRow kRows[] = {
    {"v_fma_f32", valu, vector<F32(F32, F32, F32), lane::fused, lane::soft_fused<kIeee32>>},
    {"v_mad_f32", valu, vector<F32(F32, F32, F32), lane::unfused, lane::soft_unfused<kIeee32>>},
    {"v_mad_legacy_f32", valu, vector<F32(F32, F32, F32), mad_legacy>},
    {"v_fma_f64", valu_f64, vector<F64(F64, F64, F64), lane::fused, lane::soft_fused<kIeee64>>},
    {"v_add_f64", valu_f64, vector<F64(F64, F64), lane::add, lane::soft_add<kIeee64>>},
    {"v_mul_f64", valu_f64, vector<F64(F64, F64), lane::multiply, lane::soft_multiply<kIeee64>>},
    {"v_min_f64", valu_f64, vector<R64(R64, R64), lane::float_min>},
    {"v_max_f64", valu_f64, vector<R64(R64, R64), lane::float_max>},
    {"v_ldexp_f32", valu, vector<F32(F32, I32), ldexp_f32, soft_ldexp<kIeee32>>},
    {"v_ldexp_f64", valu_f64, vector<F64(F64, I32), ldexp_f64, soft_ldexp<kIeee64>>},
    {"v_min3_f32", valu, vector<R32(R32, R32, R32), lane::float_min>},
    {"v_max3_f32", valu, vector<R32(R32, R32, R32), lane::float_max>},
    {"v_med3_f32", valu, vector<R32(R32, R32, R32), lane::float_med3>},
    {"v_minimum3_f32", valu, vector<R32(R32, R32, R32), lane::float_extreme3_2019<false>>},
    {"v_maximum3_f32", valu, vector<R32(R32, R32, R32), lane::float_extreme3_2019<true>>},
    {"v_cubeid_f32", valu, vector<F32(F32, F32, F32), cube_id>},
    {"v_cubesc_f32", valu, vector<F32(F32, F32, F32), cube_sc>},
    {"v_cubetc_f32", valu, vector<F32(F32, F32, F32), cube_tc>},
    {"v_cubema_f32", valu, vector<F32(F32, F32, F32), cube_ma>},
};

}  // namespace

std::span<const SemanticsRow> vop3_float_rows() { return kRows; }

}  // namespace wavecast::isa
