// f16 as the lane loops need it: conversions that the compiler turns into VCVTPH2PS and VCVTPS2PH and
// vectorises, and rounding to odd for results that are rounded again. Other small formats: small_float.h.
// Source: IEEE 754-2019.
#pragma once

#include <bit>
#include <cstdint>

#include "isa/semantics/small_float.h"

namespace wavecast::isa {

// Exact; a NaN becomes quiet.
inline float f16_to_f32(uint16_t bits) {
#if defined(__F16C__) && defined(__FLT16_MANT_DIG__)
  return static_cast<float>(std::bit_cast<_Float16>(bits));
#else
  return f16_to_float(bits);
#endif
}

// To nearest even; a NaN becomes quiet.
inline uint16_t f32_to_f16(float value) {
#if defined(__F16C__) && defined(__FLT16_MANT_DIG__)
  return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
#else
  return float_to_f16(value);
#endif
}

// Rounds a double to float "to odd", so that a further rounding to any format of at most 22 significant bits
// is the correct rounding of the double.
inline float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  const uint32_t bits = std::bit_cast<uint32_t>(nearest);
  const double back = nearest;
  const bool adjust = back != value && value == value && (bits & 1) == 0;
  const bool above = (back < 0 ? -back : back) > (value < 0 ? -value : value);
  return std::bit_cast<float>(adjust ? (above ? bits - 1 : bits + 1) : bits);
}

}  // namespace wavecast::isa
