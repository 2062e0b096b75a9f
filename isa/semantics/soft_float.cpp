// See soft_float.h. A finite non-zero value is sign * significand * 2^exponent with a 128-bit significand;
// sums keep a sticky bit in the lowest place, which is enough for one correct rounding to at most 53 bits.
#include "isa/semantics/soft_float.h"

#include <bit>
#include <initializer_list>

namespace wavecast::isa {

namespace {

using Wide = unsigned __int128;

// Position of the leading bit after normalisation; leaves room for a carry.
constexpr int kTop = 125;

struct Unpacked {
  bool negative = false;
  int exponent = 0;
  Wide significand = 0;  // 0: the value is zero
};

int leading_bit(Wide value) {
  const uint64_t high = static_cast<uint64_t>(value >> 64);
  return high ? 127 - std::countl_zero(high) : 63 - std::countl_zero(static_cast<uint64_t>(value));
}

Unpacked unpack(const IeeeFormat& format, uint64_t bits) {
  const uint64_t magnitude = bits & (format.sign() - 1);
  const uint64_t mantissa = magnitude & ((uint64_t{1} << format.mantissa_bits) - 1);
  const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  return {(bits & format.sign()) != 0, (exponent ? exponent : 1) - format.bias() - format.mantissa_bits,
          exponent ? mantissa | uint64_t{1} << format.mantissa_bits : mantissa};
}

Wide shift_right_sticky(Wide value, int shift) {
  if (shift <= 0) return value;
  if (shift > 127) return value != 0;
  const Wide kept = value >> shift;
  return kept | ((kept << shift) != value ? 1 : 0);
}

void normalise(Unpacked& value) {
  const int shift = kTop - leading_bit(value.significand);
  value.significand = shift >= 0 ? value.significand << shift : shift_right_sticky(value.significand, -shift);
  value.exponent -= shift;
}

bool rounds_up(Rounding rounding, bool negative, bool odd, bool half, bool below_half) {
  switch (rounding) {
    case Rounding::nearest_even:
      return half && (below_half || odd);
    case Rounding::toward_positive:
      return !negative && (half || below_half);
    case Rounding::toward_negative:
      return negative && (half || below_half);
    case Rounding::toward_zero:
      return false;
  }
  return false;
}

uint64_t overflow(const IeeeFormat& format, bool negative, Rounding rounding) {
  const bool infinite = rounding == Rounding::nearest_even ||
                        rounding == (negative ? Rounding::toward_negative : Rounding::toward_positive);
  return (negative ? format.sign() : 0) | (infinite ? format.infinity() : format.infinity() - 1);
}

uint64_t pack(const IeeeFormat& format, Unpacked value, Rounding rounding) {
  const uint64_t sign = value.negative ? format.sign() : 0;
  if (value.significand == 0) return sign;
  normalise(value);
  // Value = 1.xxx * 2^exponent with `exponent` that of the leading bit.
  const int exponent = value.exponent + kTop;
  const int least = 1 - format.bias();
  const int drop = kTop - format.mantissa_bits + (exponent < least ? least - exponent : 0);
  Wide kept = 0;
  bool half = false, below = false;
  if (drop > 127) {
    below = true;
  } else {
    kept = value.significand >> drop;
    half = value.significand >> (drop - 1) & 1;
    below = (value.significand & ((Wide{1} << (drop - 1)) - 1)) != 0;
  }
  uint64_t result = static_cast<uint64_t>(kept);
  if (rounds_up(rounding, value.negative, result & 1, half, below)) ++result;
  // The leading one adds to the exponent field; a carry out of the mantissa does so by itself.
  if (exponent >= least) {
    if (exponent + format.bias() >= (1 << format.exponent_bits) - 1)
      return overflow(format, value.negative, rounding);
    result += static_cast<uint64_t>(exponent + format.bias() - 1) << format.mantissa_bits;
  }
  if (result >= format.infinity()) return overflow(format, value.negative, rounding);
  return sign | result;
}

}  // namespace

uint64_t soft_fma(const IeeeFormat& format, uint64_t a, uint64_t b, uint64_t c, Rounding rounding,
                  int scale) {
  for (uint64_t operand : {a, b, c})
    if (format.is_nan(operand)) return operand | format.quiet();
  const uint64_t magnitude_mask = format.sign() - 1;
  const uint64_t product_sign = (a ^ b) & format.sign();
  const bool a_infinite = (a & magnitude_mask) == format.infinity(),
             b_infinite = (b & magnitude_mask) == format.infinity();
  const bool c_infinite = (c & magnitude_mask) == format.infinity();
  const uint64_t invalid = format.infinity() | format.quiet() | format.sign();
  if (a_infinite || b_infinite) {
    if ((a & magnitude_mask) == 0 || (b & magnitude_mask) == 0) return invalid;
    if (c_infinite && (c & format.sign()) != product_sign) return invalid;
    return product_sign | format.infinity();
  }
  if (c_infinite) return c;

  const Unpacked x = unpack(format, a), y = unpack(format, b);
  Unpacked product = {product_sign != 0, x.exponent + y.exponent, x.significand * y.significand};
  Unpacked addend = unpack(format, c);
  if (product.significand == 0 && addend.significand == 0) {
    if (product.negative == addend.negative) return product.negative ? format.sign() : 0;
    return rounding == Rounding::toward_negative ? format.sign() : 0;
  }
  Unpacked sum;
  if (product.significand == 0) {
    sum = addend;
  } else if (addend.significand == 0) {
    sum = product;
  } else {
    normalise(product);
    normalise(addend);
    const bool product_larger = product.exponent >= addend.exponent;
    const Unpacked& large = product_larger ? product : addend;
    const Unpacked& small = product_larger ? addend : product;
    const Wide shifted = shift_right_sticky(small.significand, large.exponent - small.exponent);
    sum = large;
    if (large.negative == small.negative) {
      sum.significand += shifted;
    } else if (sum.significand >= shifted) {
      sum.significand -= shifted;
    } else {
      sum.significand = shifted - sum.significand;
      sum.negative = small.negative;
    }
    if (sum.significand == 0) return rounding == Rounding::toward_negative ? format.sign() : 0;
  }
  sum.exponent += scale;
  return pack(format, sum, rounding);
}

uint64_t soft_add(const IeeeFormat& format, uint64_t a, uint64_t b, Rounding rounding) {
  return soft_fma(format, a, static_cast<uint64_t>(format.bias()) << format.mantissa_bits, b, rounding);
}

uint64_t soft_mul(const IeeeFormat& format, uint64_t a, uint64_t b, Rounding rounding) {
  // A zero of the product's sign changes neither value nor sign.
  return soft_fma(format, a, b, (a ^ b) & format.sign(), rounding);
}

uint64_t soft_convert(const IeeeFormat& from, const IeeeFormat& to, uint64_t bits, Rounding rounding,
                      int scale) {
  const uint64_t sign = bits & from.sign() ? to.sign() : 0;
  const uint64_t magnitude = bits & (from.sign() - 1);
  if (magnitude >= from.infinity()) {
    if (magnitude == from.infinity()) return sign | to.infinity();
    const uint64_t payload = magnitude & ((uint64_t{1} << from.mantissa_bits) - 1);
    const int shift = to.mantissa_bits - from.mantissa_bits;
    return sign | to.infinity() | to.quiet() | (shift >= 0 ? payload << shift : payload >> -shift);
  }
  Unpacked value = unpack(from, bits);
  value.exponent += scale;
  return pack(to, value, rounding);
}

uint64_t soft_from_integer(const IeeeFormat& to, bool negative, uint64_t magnitude, Rounding rounding) {
  return pack(to, {negative && magnitude != 0, 0, magnitude}, rounding);
}

}  // namespace wavecast::isa
