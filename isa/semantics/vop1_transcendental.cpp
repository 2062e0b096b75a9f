// Semantics of the transcendental VOP1 instructions: reciprocal, square roots, exponential, logarithm, sine,
// cosine. f32 forms treat denormal sources as zero and flush denormal results whatever MODE says (LLVM's
// lowering relies on it); f16 and f64 forms follow MODE. Results are correctly rounded where transcendental.h
// says so; the documented accuracy of the hardware is 1 ULP (f64: about 2^-29 relative), so its last bits can
// differ from these. Sources: AMD CDNA3 ISA document, "VOP1 Instructions"; LLVM 22 AMDGPU lowering of fdiv,
// fsqrt, exp and log.
#include <cmath>

#include "isa/semantics/lane_arithmetic.h"
#include "isa/semantics/transcendental.h"
#include "isa/semantics/vector_rows.h"

namespace wavecast::isa {

namespace {

using enum InstructionClass;

constexpr float kLeastNormal = 0x1p-126f;
const float kNan32 = std::bit_cast<float>(0x7fc00000u);

float flushed(float v) { return std::fabs(v) < kLeastNormal ? std::copysign(0.0f, v) : v; }

float rcp_f32(float v) { return flushed(1.0f / flushed(v)); }
float sqrt_f32(float v) { return std::sqrt(flushed(v)); }
// The double quotient errs by less than 2^-51.
float rsq_f32(float v) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(flushed(v)))); }

// Exponents outside this range give infinity or zero in every format served here.
constexpr double kExp2Limit = 200.0;
double exp2_bounded(double v) {
  const double bounded = v > kExp2Limit ? kExp2Limit : v < -kExp2Limit ? -kExp2Limit : v;
  return exp2_core(bounded);
}
float exp_f32(float v) {
  const float power = flushed(static_cast<float>(exp2_bounded(v == v ? v : 0.0f)));
  return v == v ? power : v;
}

double log2_any(double v) {  // v is 0, normal, infinite or NaN
  const double infinity = std::bit_cast<double>(0x7ff0000000000000),
               nan = std::bit_cast<double>(0x7ff8000000000000);
  const bool usable = v > 0.0 && v < infinity;
  const double logarithm = log2_core(usable ? v : 1.0);
  return usable ? logarithm : v == 0.0 ? -infinity : v == infinity ? infinity : v == v ? nan : v;
}
float log_f32(float v) { return static_cast<float>(log2_any(flushed(v))); }

bool finite(float v) { return std::fabs(v) < std::bit_cast<float>(0x7f800000u); }
// Sources are revolutions, not radians.
float sin_f32(float v) {
  return finite(v) ? flushed(static_cast<float>(sine_revolutions(finite(v) ? flushed(v) : 0.0f))) : kNan32;
}
float cos_f32(float v) {
  return finite(v) ? flushed(static_cast<float>(cosine_revolutions(finite(v) ? v : 0.0f))) : kNan32;
}

// f16: double, then to odd, so that the conversion to f16 is the only rounding.
float rcp_f16(float v) { return round_to_odd(1.0 / static_cast<double>(v)); }
float sqrt_f16(float v) { return round_to_odd(std::sqrt(static_cast<double>(v))); }
float rsq_f16(float v) { return round_to_odd(1.0 / std::sqrt(static_cast<double>(v))); }
float exp_f16(float v) { return v == v ? round_to_odd(exp2_bounded(v == v ? v : 0.0f)) : v; }
float log_f16(float v) { return round_to_odd(log2_any(v)); }
float sin_f16(float v) { return finite(v) ? round_to_odd(sine_revolutions(finite(v) ? v : 0.0f)) : kNan32; }
float cos_f16(float v) { return finite(v) ? round_to_odd(cosine_revolutions(finite(v) ? v : 0.0f)) : kNan32; }

double rcp_f64(double v) { return 1.0 / v; }
double sqrt_f64(double v) { return std::sqrt(v); }
// One Newton step with the residual 1 - v y^2 in twice the precision: error below 0.51 ULP.
double rsq_f64(double v) {
  const double estimate = 1.0 / std::sqrt(v);
  const double high = v * estimate, low = std::fma(v, estimate, -high);
  const double residual = std::fma(-high, estimate, 1.0) - low * estimate;
  const double refined = std::fma(0.5 * estimate, residual, estimate);
  return refined == refined ? refined : estimate;  // 0, infinity and negative sources
}

constexpr SemanticsRow kRows[] = {
    {"v_rcp_f32", valu_transcendental, vector<F32(F32), rcp_f32>},
    {"v_rcp_iflag_f32", valu_transcendental, vector<F32(F32), rcp_f32>},
    {"v_rsq_f32", valu_transcendental, vector<F32(F32), rsq_f32>},
    {"v_sqrt_f32", valu_transcendental, vector<F32(F32), sqrt_f32>},
    {"v_exp_f32", valu_transcendental, vector<F32(F32), exp_f32>},
    {"v_log_f32", valu_transcendental, vector<F32(F32), log_f32>},
    {"v_exp_legacy_f32", valu_transcendental, vector<F32(F32), exp_f32>},
    {"v_log_legacy_f32", valu_transcendental, vector<F32(F32), log_f32>},
    {"v_sin_f32", valu_transcendental, vector<F32(F32), sin_f32>},
    {"v_cos_f32", valu_transcendental, vector<F32(F32), cos_f32>},
    {"v_rcp_f16", valu_transcendental, vector<F16(F16), rcp_f16>},
    {"v_rsq_f16", valu_transcendental, vector<F16(F16), rsq_f16>},
    {"v_sqrt_f16", valu_transcendental, vector<F16(F16), sqrt_f16>},
    {"v_exp_f16", valu_transcendental, vector<F16(F16), exp_f16>},
    {"v_log_f16", valu_transcendental, vector<F16(F16), log_f16>},
    {"v_sin_f16", valu_transcendental, vector<F16(F16), sin_f16>},
    {"v_cos_f16", valu_transcendental, vector<F16(F16), cos_f16>},
    {"v_rcp_f64", valu_transcendental_f64, vector<F64(F64), rcp_f64>},
    {"v_rsq_f64", valu_transcendental_f64, vector<F64(F64), rsq_f64>},
    {"v_sqrt_f64", valu_transcendental_f64, vector<F64(F64), sqrt_f64>},
};

}  // namespace

std::span<const SemanticsRow> vop1_transcendental_rows() { return kRows; }

}  // namespace wavecast::isa
