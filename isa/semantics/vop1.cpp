// Semantics of VOP1: moves, bit counting, rounding to integer, fraction, and mantissa/exponent extraction;
// with the other VOP1 parts concatenated. Source: AMD CDNA3 and CDNA4 ISA documents, "VOP1 Instructions".
#include <cmath>

#include "isa/semantics/lane_arithmetic.h"
#include "isa/semantics/vector_rows.h"

namespace wavecast::isa {

namespace {

using enum InstructionClass;

uint32_t reverse_bits(uint32_t v) {
  v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
  v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
  v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
  v = (v >> 8 & 0x00ff00ff) | (v & 0x00ff00ff) << 8;
  return v >> 16 | v << 16;
}

uint32_t leading_zeros_or_minus1(uint32_t v) { return v ? static_cast<uint32_t>(std::countl_zero(v)) : ~0u; }
uint32_t trailing_zeros_or_minus1(uint32_t v) { return v ? static_cast<uint32_t>(std::countr_zero(v)) : ~0u; }
// Position from the top of the first bit that differs from the sign.
uint32_t leading_signs_or_minus1(uint32_t v) {
  return leading_zeros_or_minus1(v ^ static_cast<uint32_t>(static_cast<int32_t>(v) >> 31));
}

constexpr auto trunc_value = [](auto v) { return std::trunc(v); };
constexpr auto ceil_value = [](auto v) { return std::ceil(v); };
constexpr auto floor_value = [](auto v) { return std::floor(v); };
constexpr auto round_even = [](auto v) { return std::nearbyint(v); };

// v - floor(v), never 1: a tiny negative value gives the largest number below 1.
float fract_f32(float v) {
  const float fraction = v - std::floor(v);
  return fraction >= 1.0f ? 0x1.fffffep-1f : fraction;
}
double fract_f64(double v) {
  const double fraction = v - std::floor(v);
  return fraction >= 1.0 ? 0x1.fffffffffffffp-1 : fraction;
}
float fract_f16(float v) {  // exact in float down to 2^-24 below 1, then limited to the f16 below 1
  const float fraction = v - std::floor(v);
  return fraction > 0x1.ffcp-1f ? 0x1.ffcp-1f : fraction;
}

// Exponent e with |v| = m * 2^e, m in [0.5, 1); 0 for zero, infinity and NaN.
template <class U, int kMantissaBits, int kBias>
int frexp_exponent(U bits) {
  const U magnitude = bits & lane::FloatBits<U>::kMagnitude;
  const int exponent = static_cast<int>(magnitude >> kMantissaBits);
  const int width = 64 - std::countl_zero(static_cast<uint64_t>(magnitude));
  const int normal = exponent - kBias + 1, denormal = width + 1 - kMantissaBits - kBias;
  return magnitude == 0 || magnitude >= lane::FloatBits<U>::kInfinity ? 0 : exponent ? normal : denormal;
}
template <class U, int kMantissaBits, int kBias>
U frexp_mantissa(U bits) {
  constexpr U kMagnitude = lane::FloatBits<U>::kMagnitude, kMantissa = (U{1} << kMantissaBits) - 1;
  const U magnitude = bits & kMagnitude;
  if (magnitude == 0 || magnitude >= lane::FloatBits<U>::kInfinity)
    return lane::is_nan(bits) ? lane::quieted(bits) : bits;
  const int shift = magnitude >> kMantissaBits
                        ? 0
                        : std::countl_zero(static_cast<uint64_t>(magnitude)) - (63 - kMantissaBits);
  return static_cast<U>((bits & ~kMagnitude) | static_cast<U>(kBias - 1) << kMantissaBits |
                        (magnitude << shift & kMantissa));
}

uint32_t saturate_u8_pair(uint32_t v) {
  const int low = static_cast<int16_t>(v), high = static_cast<int16_t>(v >> 16);
  return lane::saturate<uint8_t>(low) | static_cast<uint32_t>(lane::saturate<uint8_t>(high)) << 8;
}

void swap(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneOperation operation(wave, instruction, context);
  LaneBuffer old_source, old_destination;
  const auto copy = [&](uint16_t code, LaneBuffer& to) {
    for (int i = 0; i < kLanes; ++i) to.lane[i] = wave.vector(code).lane[i];
  };
  copy(instruction.src[0], old_source);
  copy(instruction.vdst, old_destination);
  operation.store(instruction.vdst, 1, old_source.lane, operation.active());
  operation.store(instruction.src[0], 1, old_destination.lane, operation.active());
}

// Known to LLVM for every GFX9 target; screen-space partitioning of the graphics pipe, not documented for
// CDNA.
constexpr Semantics kRefused = nullptr;

constexpr SemanticsRow kRows[] = {
    {"v_mov_b32", valu, vector<M32(M32), [](uint32_t v) { return v; }>},
    {"v_mov_b64", valu_int64, vector<U64(U64), [](uint64_t v) { return v; }>},
    {"v_swap_b32", valu, swap},
    {"v_not_b32", valu, vector<U32(U32), [](uint32_t v) { return ~v; }>},
    {"v_bfrev_b32", valu, vector<U32(U32), reverse_bits>},
    {"v_ffbh_u32", valu, vector<U32(U32), leading_zeros_or_minus1>},
    {"v_ffbl_b32", valu, vector<U32(U32), trailing_zeros_or_minus1>},
    {"v_ffbh_i32", valu, vector<U32(U32), leading_signs_or_minus1>},
    {"v_trunc_f32", valu, vector<F32(F32), trunc_value>},
    {"v_ceil_f32", valu, vector<F32(F32), ceil_value>},
    {"v_floor_f32", valu, vector<F32(F32), floor_value>},
    {"v_rndne_f32", valu, vector<F32(F32), round_even>},
    {"v_fract_f32", valu, vector<F32(F32), fract_f32>},
    {"v_trunc_f64", valu_f64, vector<F64(F64), trunc_value>},
    {"v_ceil_f64", valu_f64, vector<F64(F64), ceil_value>},
    {"v_floor_f64", valu_f64, vector<F64(F64), floor_value>},
    {"v_rndne_f64", valu_f64, vector<F64(F64), round_even>},
    {"v_fract_f64", valu_f64, vector<F64(F64), fract_f64>},
    {"v_trunc_f16", valu, vector<F16(F16), trunc_value>},
    {"v_ceil_f16", valu, vector<F16(F16), ceil_value>},
    {"v_floor_f16", valu, vector<F16(F16), floor_value>},
    {"v_rndne_f16", valu, vector<F16(F16), round_even>},
    {"v_fract_f16", valu, vector<F16(F16), fract_f16>},
    {"v_frexp_exp_i32_f32", valu, vector<I32(R32), frexp_exponent<uint32_t, 23, 127>>},
    {"v_frexp_exp_i32_f64", valu_f64, vector<I32(R64), frexp_exponent<uint64_t, 52, 1023>>},
    {"v_frexp_exp_i16_f16", valu, vector<I16(R16), frexp_exponent<uint16_t, 10, 15>>},
    {"v_frexp_mant_f32", valu, vector<R32(R32), frexp_mantissa<uint32_t, 23, 127>>},
    {"v_frexp_mant_f64", valu_f64, vector<R64(R64), frexp_mantissa<uint64_t, 52, 1023>>},
    {"v_frexp_mant_f16", valu, vector<R16(R16), frexp_mantissa<uint16_t, 10, 15>>},
    {"v_sat_pk_u8_i16", valu, vector<U32(U32), saturate_u8_pair>},
    {"v_prng_b32", valu, vector<U32(U32), [](uint32_t v) { return v << 1 ^ (v >> 31 ? 197u : 0u); }>},
    {"v_screen_partition_4se_b32", valu, kRefused},
};

}  // namespace

std::span<const SemanticsRow> vop1_basic_rows() { return kRows; }

std::span<const SemanticsRow> vop1_rows() {
  static const auto rows =
      concatenate({vop1_basic_rows(), vop1_conversion_rows(), vop1_transcendental_rows()});
  return rows;
}

}  // namespace wavecast::isa
