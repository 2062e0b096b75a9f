// Exact binary floating-point arithmetic on bit patterns with any rounding mode, for the rare cases where the
// host's round-to-nearest instructions do not do: MODE.FP_ROUND other than nearest even, and the scaled
// v_div_fmas. Source: IEEE 754-2019. Leaves out: exception flags; NaN results are the first NaN operand made
// quiet.
#pragma once

#include <cstdint>

#include "isa/semantics/small_float.h"

namespace wavecast::isa {

struct IeeeFormat {
  int exponent_bits, mantissa_bits;
  constexpr uint64_t sign() const { return uint64_t{1} << (exponent_bits + mantissa_bits); }
  constexpr uint64_t infinity() const { return ((uint64_t{1} << exponent_bits) - 1) << mantissa_bits; }
  constexpr uint64_t quiet() const { return uint64_t{1} << (mantissa_bits - 1); }
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr bool is_nan(uint64_t bits) const { return (bits & (sign() - 1)) > infinity(); }
};
inline constexpr IeeeFormat kIeee16 = {5, 10}, kIeeeBf16 = {8, 7}, kIeee32 = {8, 23}, kIeee64 = {11, 52};

// round((a * b + c) * 2^scale), one rounding.
uint64_t soft_fma(const IeeeFormat& format, uint64_t a, uint64_t b, uint64_t c, Rounding rounding,
                  int scale = 0);
uint64_t soft_add(const IeeeFormat& format, uint64_t a, uint64_t b, Rounding rounding);
uint64_t soft_mul(const IeeeFormat& format, uint64_t a, uint64_t b, Rounding rounding);

// A value of one format, times 2^scale, rounded to another.
uint64_t soft_convert(const IeeeFormat& from, const IeeeFormat& to, uint64_t bits, Rounding rounding,
                      int scale = 0);

// An integer (sign and magnitude) rounded to a format.
uint64_t soft_from_integer(const IeeeFormat& to, bool negative, uint64_t magnitude, Rounding rounding);

}  // namespace wavecast::isa
