// Floating-point formats narrower than 32 bits: f16, bf16, fp8/bf8 (FNUZ on gfx942, OCP on gfx950), fp6/bf6,
// fp4. Decoding is exact; encoding rounds once from a double. Leaves out: denormal flushing and exceptions
// (MODE register), which belong to the instruction. Sources: IEEE 754-2019, OCP OFP8 and MX
// specifications 1.0, LLVM 22 APFloat semantics (Float8E4M3FN, Float8E5M2, Float8E4M3FNUZ, Float8E5M2FNUZ,
// Float6E2M3FN, Float6E3M2FN, Float4E2M1FN).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace wavecast::isa {

// What the codes outside the finite numbers mean.
enum class SpecialValues : uint8_t {
  ieee,      // exponent all ones: infinity and NaN
  nan_only,  // no infinity; exponent and mantissa all ones: NaN
  fnuz,      // no infinity, no negative zero; that code is the only NaN
  none,      // every code is a finite number
};

struct FloatFormat {
  int exponent_bits, mantissa_bits, bias;
  SpecialValues special;

  constexpr uint32_t sign_bit() const { return 1u << (exponent_bits + mantissa_bits); }
  constexpr uint32_t largest_finite() const {
    const uint32_t all_ones = sign_bit() - 1;
    if (special == SpecialValues::ieee) return all_ones - (1u << mantissa_bits);
    return special == SpecialValues::nan_only ? all_ones - 1 : all_ones;
  }
};

inline constexpr FloatFormat kF16{5, 10, 15, SpecialValues::ieee};
inline constexpr FloatFormat kBf16{8, 7, 127, SpecialValues::ieee};
inline constexpr FloatFormat kFp8Ocp{4, 3, 7, SpecialValues::nan_only};
inline constexpr FloatFormat kBf8Ocp{5, 2, 15, SpecialValues::ieee};
inline constexpr FloatFormat kFp8Fnuz{4, 3, 8, SpecialValues::fnuz};
inline constexpr FloatFormat kBf8Fnuz{5, 2, 16, SpecialValues::fnuz};
inline constexpr FloatFormat kFp6{2, 3, 1, SpecialValues::none};
inline constexpr FloatFormat kBf6{3, 2, 3, SpecialValues::none};
inline constexpr FloatFormat kFp4{2, 1, 1, SpecialValues::none};

enum class Rounding : uint8_t {
  nearest_even,
  toward_positive,
  toward_negative,
  toward_zero
};  // MODE.round order

// 2^exponent for a normal double.
constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(1023 + exponent) << 52);
}

// The value of a code; bits above the format's are ignored. NaN codes give a quiet NaN.
constexpr float decode_float(const FloatFormat& format, uint32_t code) {
  const uint32_t sign = code & format.sign_bit();
  const uint32_t magnitude = code & (format.sign_bit() - 1);
  const uint32_t mantissa = magnitude & ((1u << format.mantissa_bits) - 1);
  const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  if (format.special == SpecialValues::fnuz && sign && !magnitude) return std::bit_cast<float>(0x7fc00000u);
  if (magnitude > format.largest_finite()) {
    const bool infinity = format.special == SpecialValues::ieee && mantissa == 0;
    const uint32_t bits = infinity ? 0x7f800000u : 0x7fc00000u | mantissa << (23 - format.mantissa_bits);
    return std::bit_cast<float>(bits | (sign ? 0x80000000u : 0u));
  }
  const uint32_t significand = exponent ? mantissa | 1u << format.mantissa_bits : mantissa;
  const int scale = (exponent ? exponent : 1) - format.bias - format.mantissa_bits;
  const double value = static_cast<double>(significand) * power_of_two(scale);
  return static_cast<float>(sign ? -value : value);
}

// The code nearest to `value`, rounded once. A finite value beyond the format becomes infinity or NaN as the
// rounding mode and format have it, or the largest finite code if `saturate`. Without infinity, an infinite
// value becomes NaN, or the largest finite code if `saturate` or the format has no NaN.
constexpr uint32_t encode_float(const FloatFormat& format, double value,
                                Rounding rounding = Rounding::nearest_even, bool saturate = false) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const bool negative = bits >> 63;
  const uint32_t sign = negative ? format.sign_bit() : 0;
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  const int biased = static_cast<int>(bits >> 52 & 0x7ff);
  const uint32_t largest = format.largest_finite();
  const uint32_t all_ones = format.sign_bit() - 1;
  const auto not_finite = [&](bool nan) -> uint32_t {
    switch (format.special) {
      case SpecialValues::ieee: {
        if (!nan) return sign | (largest + 1);
        const uint32_t payload = static_cast<uint32_t>(fraction >> (52 - format.mantissa_bits));
        return sign | (largest + 1) | 1u << (format.mantissa_bits - 1) | payload;
      }
      case SpecialValues::nan_only:
        return sign | (saturate && !nan ? largest : all_ones);
      case SpecialValues::fnuz:
        return saturate && !nan ? sign | largest : format.sign_bit();
      case SpecialValues::none:
        break;
    }
    return sign | largest;
  };
  if (biased == 0x7ff) return not_finite(fraction != 0);

  const int smallest_exponent = 1 - format.bias;
  const int exponent = biased ? biased - 1023 : -1022;
  const int quantum_exponent = exponent > smallest_exponent ? exponent : smallest_exponent;
  const uint64_t significand = biased ? fraction | uint64_t{1} << 52 : fraction;
  const int shift = quantum_exponent - format.mantissa_bits - (exponent - 52);
  uint64_t kept = 0, rest = 0,
           half = 1;  // the value in quanta, rounded down, and what is left, against half a quantum
  if (shift < 62) {
    kept = significand >> shift;
    rest = significand & ((uint64_t{1} << shift) - 1);
    half = uint64_t{1} << (shift - 1);
  } else {
    rest = significand ? 1 : 0;
    half = 2;
  }
  bool up = false;
  switch (rounding) {
    case Rounding::nearest_even:
      up = rest > half || (rest == half && (kept & 1));
      break;
    case Rounding::toward_positive:
      up = rest && !negative;
      break;
    case Rounding::toward_negative:
      up = rest && negative;
      break;
    case Rounding::toward_zero:
      break;
  }
  // The hidden bit and a carry out of the mantissa add to the exponent field by themselves.
  const uint64_t code =
      (static_cast<uint64_t>(quantum_exponent - smallest_exponent) << format.mantissa_bits) + kept + up;
  if (code > largest) {
    const bool stays_finite = rounding == Rounding::toward_zero ||
                              (rounding == Rounding::toward_positive && negative) ||
                              (rounding == Rounding::toward_negative && !negative);
    return saturate || stays_finite ? sign | largest : not_finite(false);
  }
  if (code == 0 && format.special == SpecialValues::fnuz) return 0;
  return sign | static_cast<uint32_t>(code);
}

// Stochastic rounding: the random number is aligned with the bits that `format` drops, added to them, and the
// sum is truncated. Overflow and special values as in encode_float. `value` * 2^scale is rounded; it fits a
// double exactly.
inline uint32_t encode_float_stochastic(const FloatFormat& format, float value, uint32_t random,
                                        bool saturate = false, int scale = 0) {
  const double scaled = static_cast<double>(value) * power_of_two(scale);
  const uint64_t bits = std::bit_cast<uint64_t>(scaled);
  const int biased = static_cast<int>(bits >> 52 & 0x7ff);
  if (biased == 0 || biased == 0x7ff) return encode_float(format, scaled, Rounding::toward_zero, saturate);
  const int smallest_exponent = 1 - format.bias, exponent = biased - 1023;
  const int dropped =
      52 - format.mantissa_bits + (exponent < smallest_exponent ? smallest_exponent - exponent : 0);
  const uint64_t significand = (bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  const int up = dropped - 32;  // the random number lies below the kept bits
  if (up > 31)
    return encode_float(format, std::bit_cast<double>(bits >> 63 << 63), Rounding::toward_zero, saturate);
  const uint64_t sum = significand + (up >= 0 ? static_cast<uint64_t>(random) << up : random >> -up);
  const double magnitude =
      static_cast<double>(sum >> dropped << dropped) * power_of_two(exponent - 52);  // exact
  const uint32_t code =
      encode_float(format, bits >> 63 ? -magnitude : magnitude, Rounding::nearest_even, saturate);
  return code;
}

// Exact f16 -> f32 without branches, for loops over lanes. Signalling NaNs keep their payload.
inline float f16_to_float(uint16_t code) {
  const uint32_t shifted = static_cast<uint32_t>(code & 0x7fff) << 13;
  // Rebiasing by multiplication makes f16 denormals normal numbers.
  uint32_t bits = std::bit_cast<uint32_t>(std::bit_cast<float>(shifted) * 0x1p112f);
  const bool not_finite = shifted >= 0x0f800000;
  bits = not_finite ? shifted | 0x7f800000 : bits;
  return std::bit_cast<float>(bits | static_cast<uint32_t>(code & 0x8000) << 16);
}

// f32 -> f16, round to nearest even, without branches. NaNs become quiet and keep the top of their payload.
inline uint16_t float_to_f16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7fffffff;
  const uint32_t sign = bits >> 16 & 0x8000;
  // Normal results: add half an f16 quantum less one, plus the odd bit, then rebias by -112.
  const uint32_t normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
  // Denormal results: adding 0.5 aligns the value so that the host rounds at 2^-24.
  const uint32_t denormal = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000;
  uint32_t code = magnitude < 0x38800000 ? denormal : normal;
  code = magnitude >= 0x477ff000 ? 0x7c00 : code;  // 65520 and above round to infinity
  code = magnitude > 0x7f800000 ? 0x7e00 | (magnitude >> 13 & 0x3ff) : code;
  return static_cast<uint16_t>(code | sign);
}

inline float bf16_to_float(uint16_t code) { return std::bit_cast<float>(static_cast<uint32_t>(code) << 16); }

// f32 -> bf16, round to nearest even. NaNs become quiet and keep the top of their payload.
inline uint16_t float_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  const uint32_t nan = bits >> 16 | 0x40;
  return static_cast<uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? nan : rounded);
}

// Values of all codes of an 8-bit or narrower format; index = code.
template <int kCodes>
constexpr std::array<float, kCodes> decode_table(const FloatFormat& format) {
  std::array<float, kCodes> table{};
  for (int code = 0; code < kCodes; ++code) table[code] = decode_float(format, static_cast<uint32_t>(code));
  return table;
}

inline constexpr auto kFp8OcpValues = decode_table<256>(kFp8Ocp);
inline constexpr auto kBf8OcpValues = decode_table<256>(kBf8Ocp);
inline constexpr auto kFp8FnuzValues = decode_table<256>(kFp8Fnuz);
inline constexpr auto kBf8FnuzValues = decode_table<256>(kBf8Fnuz);
inline constexpr auto kFp6Values = decode_table<64>(kFp6);
inline constexpr auto kBf6Values = decode_table<64>(kBf6);
inline constexpr auto kFp4Values = decode_table<16>(kFp4);

}  // namespace wavecast::isa
