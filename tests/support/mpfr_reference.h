// Correctly rounded reference results from MPFR for the IEEE formats f16, f32 and f64, in every rounding mode
// and with denormals. Operands and results are doubles, which hold all three formats exactly.
#pragma once

#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace wavecast::test {

// Precision and exponent range in MPFR's terms (significand in [1/2, 1)).
struct IeeeRange {
  int precision, least_exponent, greatest_exponent;
};
inline constexpr IeeeRange kHalfRange{11, -23, 16}, kSingleRange{24, -148, 128},
    kDoubleRange{53, -1073, 1024};

// MODE.FP_ROUND order: nearest even, up, down, zero.
inline constexpr mpfr_rnd_t kRoundings[] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};

class Real {
 public:
  explicit Real(double value, int precision = 53) {
    mpfr_init2(value_, precision);
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  ~Real() { mpfr_clear(value_); }
  operator mpfr_ptr() { return value_; }

 private:
  mpfr_t value_;
};

// Runs `operation(result, rounding)`, which returns MPFR's ternary value, and brings the result into the
// range.
template <class Operation>
double rounded(const IeeeRange& range, mpfr_rnd_t rounding, Operation operation) {
  Real result(0.0, range.precision);
  int ternary = operation(static_cast<mpfr_ptr>(result), rounding);
  const mpfr_exp_t old_least = mpfr_get_emin(), old_greatest = mpfr_get_emax();
  mpfr_set_emin(range.least_exponent);
  mpfr_set_emax(range.greatest_exponent);
  ternary = mpfr_check_range(result, ternary, rounding);
  mpfr_subnormalize(result, ternary, rounding);
  mpfr_set_emin(old_least);
  mpfr_set_emax(old_greatest);
  return mpfr_get_d(result, MPFR_RNDN);
}

inline double reference_add(const IeeeRange& range, mpfr_rnd_t rounding, double a, double b) {
  Real x(a), y(b);
  return rounded(range, rounding, [&](mpfr_ptr r, mpfr_rnd_t mode) { return mpfr_add(r, x, y, mode); });
}
inline double reference_mul(const IeeeRange& range, mpfr_rnd_t rounding, double a, double b) {
  Real x(a), y(b);
  return rounded(range, rounding, [&](mpfr_ptr r, mpfr_rnd_t mode) { return mpfr_mul(r, x, y, mode); });
}
inline double reference_fma(const IeeeRange& range, mpfr_rnd_t rounding, double a, double b, double c) {
  Real x(a), y(b), z(c);
  return rounded(range, rounding, [&](mpfr_ptr r, mpfr_rnd_t mode) { return mpfr_fma(r, x, y, z, mode); });
}
inline double reference_div(const IeeeRange& range, mpfr_rnd_t rounding, double a, double b) {
  Real x(a), y(b);
  return rounded(range, rounding, [&](mpfr_ptr r, mpfr_rnd_t mode) { return mpfr_div(r, x, y, mode); });
}
inline double reference_convert(const IeeeRange& range, mpfr_rnd_t rounding, double a) {
  Real x(a);
  return rounded(range, rounding, [&](mpfr_ptr r, mpfr_rnd_t mode) { return mpfr_set(r, x, mode); });
}
// a * 2^exponent.
inline double reference_scale(const IeeeRange& range, mpfr_rnd_t rounding, double a, long exponent) {
  Real x(a);
  return rounded(range, rounding,
                 [&](mpfr_ptr r, mpfr_rnd_t mode) { return mpfr_mul_2si(r, x, exponent, mode); });
}

// Values of bit patterns by the definition of the formats.
inline double half_value(uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = static_cast<double>(bits & 0x3ff);
  const double magnitude = exponent == 31
                               ? (fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : HUGE_VAL)
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(1024.0 + fraction, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}
inline double pattern_value(int width, uint64_t bits) {
  if (width == 16) return half_value(static_cast<uint32_t>(bits));
  return width == 32 ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)))
                     : std::bit_cast<double>(bits);
}
inline const IeeeRange& range_of(int width) {
  return width == 16 ? kHalfRange : width == 32 ? kSingleRange : kDoubleRange;
}

// Same value, sign of zero included; any NaN equals any NaN.
inline bool same_value(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::isnan(a) && std::isnan(b)
                                        : a == b && std::signbit(a) == std::signbit(b);
}

}  // namespace wavecast::test
