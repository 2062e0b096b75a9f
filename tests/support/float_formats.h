// Small float formats decoded straight from their definition (sign, exponent, fraction), as a reference that
// shares nothing with the emulator's conversions. Encoding is by search among all values.
#pragma once

#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>

namespace wavecast::test {

struct FloatFormat {
  int exponent_bits = 0, fraction_bits = 0, bias = 0;
  // ieee: the largest exponent holds infinities and NaN. ocp: only all ones is NaN. fnuz: only negative zero
  // is NaN.
  enum class Special { ieee, ocp, fnuz } special = Special::ieee;

  int bits() const { return 1 + exponent_bits + fraction_bits; }

  double decode(uint32_t code) const {
    const uint32_t fraction = code & ((1u << fraction_bits) - 1);
    const uint32_t exponent = code >> fraction_bits & ((1u << exponent_bits) - 1);
    const bool negative = code >> (exponent_bits + fraction_bits) & 1;
    const bool largest = exponent == (1u << exponent_bits) - 1;
    if (special == Special::ieee && largest)
      return fraction ? std::numeric_limits<double>::quiet_NaN() : negative ? -INFINITY : INFINITY;
    if (special == Special::ocp && largest && fraction == (1u << fraction_bits) - 1)
      return std::numeric_limits<double>::quiet_NaN();
    if (special == Special::fnuz && negative && exponent == 0 && fraction == 0)
      return std::numeric_limits<double>::quiet_NaN();
    const double significand = fraction + (exponent ? double(1u << fraction_bits) : 0.0);
    const double magnitude =
        std::ldexp(significand, static_cast<int>(exponent ? exponent : 1) - bias - fraction_bits);
    return negative ? -magnitude : magnitude;
  }
};

inline constexpr FloatFormat kF16{5, 10, 15, FloatFormat::Special::ieee};
inline constexpr FloatFormat kBf16{8, 7, 127, FloatFormat::Special::ieee};
inline constexpr FloatFormat kFp8Ocp{4, 3, 7,
                                     FloatFormat::Special::ocp};  // E4M3 of the OCP specification: gfx950
inline constexpr FloatFormat kFp8Fnuz{4, 3, 8, FloatFormat::Special::fnuz};  // E4M3FNUZ: gfx942

// The code of every representable value; of both zeros the positive one.
class Encoder {
 public:
  explicit Encoder(const FloatFormat& format) {
    for (uint32_t code = 0; code < 1u << format.bits(); ++code) {
      const double value = format.decode(code);
      if (!std::isnan(value)) codes_.emplace(value, code);
    }
  }
  std::optional<uint32_t> encode(double value) const {
    const auto found = codes_.find(value);
    return found == codes_.end() ? std::nullopt : std::optional(found->second);
  }
  // Round to nearest, ties to the even code; `value` lies between finite values.
  uint32_t nearest(double value) const {
    const auto above = codes_.lower_bound(value);
    if (above->first == value) return above->second;
    const auto below = std::prev(above);
    const double up = above->first - value, down = value - below->first;
    if (up != down) return up < down ? above->second : below->second;
    return above->second % 2 == 0 ? above->second : below->second;
  }

 private:
  std::map<double, uint32_t> codes_;
};

}  // namespace wavecast::test
