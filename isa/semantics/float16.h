// Small floating-point formats as bit patterns: f16, bf16, and the 8/6/4-bit formats of gfx942 (FNUZ) and gfx950 (OCP).
// All conversions are exact or correctly rounded to nearest even (other rounding of f16: soft_float.h). Sources: IEEE
// 754-2019; OCP "8-bit Floating Point Specification" and "Microscaling Formats (MX)"; AMD CDNA3/CDNA4 ISA documents
// for FNUZ. Leaves out: exception flags.
#pragma once

#include <bit>
#include <cstdint>

namespace wavecast::isa {

// IEEE half precision. With F16C the compiler turns these into VCVTPH2PS/VCVTPS2PH and vectorises loops over them.
inline float f16_to_f32(uint16_t bits) {
#if defined(__F16C__) && defined(__FLT16_MANT_DIG__)
  return static_cast<float>(std::bit_cast<_Float16>(bits));
#else
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t magnitude = bits & 0x7fff;
  if (magnitude >= 0x7c00)  // infinity or NaN, NaN made quiet as the host instruction does
    return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13 | (magnitude > 0x7c00 ? 0x400000u : 0u));
  // 2^112 moves the f16 exponent field to its place in f32 and normalises denormals in one exact multiplication.
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f));
#endif
}

inline uint16_t f32_to_f16(float value) {  // to nearest even
#if defined(__F16C__) && defined(__FLT16_MANT_DIG__)
  return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
#else
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<uint16_t>(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  if (magnitude >= 0x477ff000) return static_cast<uint16_t>(sign | 0x7c00);  // rounds to 2^16 or more
  if (magnitude < 0x38800000) {  // denormal: adding 0.5 leaves the rounded multiple of 2^-24 in the low bits
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000));
  }
  const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return static_cast<uint16_t>(sign | (rounded - 0x38000000) >> 13);
#endif
}

// Rounds a double to float "to odd", so that a further rounding to any format of at most 22 significant bits is the
// correct rounding of the double.
inline float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  const uint32_t bits = std::bit_cast<uint32_t>(nearest);
  const double back = nearest;
  const bool adjust = back != value && value == value && (bits & 1) == 0;
  const bool above = (back < 0 ? -back : back) > (value < 0 ? -value : value);
  return std::bit_cast<float>(adjust ? (above ? bits - 1 : bits + 1) : bits);
}

// bfloat16: the upper half of an f32.
inline float bf16_to_f32(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

inline uint16_t f32_to_bf16(float value) {  // to nearest even
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return static_cast<uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? bits >> 16 | 0x40 : rounded);
}

// A format of at most 8 bits: sign, exponent, mantissa.
struct SmallFloat {
  enum class Special : uint8_t {
    ieee,            // all-ones exponent is infinity or NaN (e5m2)
    nan_all_ones,    // only S.111...1 is NaN, no infinity (e4m3)
    fnuz,            // only 0x80 is NaN, no infinity, no negative zero
    none,            // neither infinity nor NaN (fp6, fp4)
  };
  uint8_t exponent_bits, mantissa_bits;
  int8_t bias;
  Special special;

  constexpr uint32_t width() const { return 1u + exponent_bits + mantissa_bits; }
  constexpr uint32_t sign_bit() const { return 1u << (width() - 1); }
  // Largest finite magnitude.
  constexpr uint32_t max_finite() const {
    const uint32_t all = sign_bit() - 1;
    if (special == Special::ieee) return all - (1u << mantissa_bits);
    return special == Special::nan_all_ones ? all - 1 : all;
  }
  constexpr uint32_t nan() const {
    if (special == Special::fnuz) return sign_bit();
    return sign_bit() - 1;  // `none` has no NaN: the largest value stands in
  }
  constexpr bool operator==(const SmallFloat&) const = default;
};

inline constexpr SmallFloat kFp8Fnuz = {4, 3, 8, SmallFloat::Special::fnuz};
inline constexpr SmallFloat kBf8Fnuz = {5, 2, 16, SmallFloat::Special::fnuz};
inline constexpr SmallFloat kFp8Ocp = {4, 3, 7, SmallFloat::Special::nan_all_ones};
inline constexpr SmallFloat kBf8Ocp = {5, 2, 15, SmallFloat::Special::ieee};
inline constexpr SmallFloat kFp6 = {2, 3, 1, SmallFloat::Special::none};
inline constexpr SmallFloat kBf6 = {3, 2, 3, SmallFloat::Special::none};
inline constexpr SmallFloat kFp4 = {2, 1, 1, SmallFloat::Special::none};

// Exact value of a bit pattern.
inline float small_to_f32(const SmallFloat& format, uint32_t bits) {
  const uint32_t sign = bits & format.sign_bit();
  const uint32_t magnitude = bits & (format.sign_bit() - 1);
  const bool nan = format.special == SmallFloat::Special::fnuz ? bits == format.sign_bit()
                   : format.special == SmallFloat::Special::none ? false
                                                                 : magnitude > format.max_finite();
  if (nan) {
    const bool infinite = format.special == SmallFloat::Special::ieee && magnitude == format.max_finite() + 1;
    return std::bit_cast<float>((sign ? 0x80000000u : 0u) | (infinite ? 0x7f800000u : 0x7fc00000u));
  }
  const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  const uint32_t mantissa = magnitude & ((1u << format.mantissa_bits) - 1);
  const uint32_t significand = exponent ? mantissa | 1u << format.mantissa_bits : mantissa;
  const int scale = (exponent ? exponent : 1) - format.bias - format.mantissa_bits;
  const float value = static_cast<float>(significand) * std::bit_cast<float>(static_cast<uint32_t>(scale + 127) << 23);
  return sign ? -value : value;
}

// Rounds value * 2^scale. `random` null: to nearest even; otherwise the upper bits of *random are added to the
// discarded bits and the sum is truncated (stochastic rounding). `saturate`: overflow and infinity give the largest
// finite value; otherwise infinity where the format has one, else NaN. Formats without NaN saturate always.
uint32_t f32_to_small(const SmallFloat& format, float value, int scale, const uint32_t* random, bool saturate);

}  // namespace wavecast::isa
