// Branch-free exp2, log2, sine and cosine in double, written so that loops over lanes vectorise. Relative
// error below 2^-48 (tests compare with MPFR), so an f32 or f16 rounded from them is the correctly rounded
// result except when the exact value lies within 2^-48 of a rounding boundary. AMD documents 1 ULP for the
// hardware instructions: the last bit of real hardware can differ. Sources: Taylor and atanh series with the
// remainder bounds stated.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace wavecast::isa {

// Evaluates c[0] + c[1] x + ... (Horner); the count is structural (chosen for the remainder).
template <int kCount>
inline double polynomial(const double (&c)[kCount], double x) {
  double sum = c[kCount - 1];
  for (int i = kCount - 2; i >= 0; --i) sum = std::fma(sum, x, c[i]);
  return sum;
}

// 2^x for |x| <= 1000.
inline double exp2_core(double x) {
  // ln(2)^k / k!: on [-1/2, 1/2] the first omitted term is below 2^-55.
  static constexpr double kSeries[] = {0x1p+0,
                                       0x1.62e42fefa39efp-1,
                                       0x1.ebfbdff82c58fp-3,
                                       0x1.c6b08d704a0cp-5,
                                       0x1.3b2ab6fba4e77p-7,
                                       0x1.5d87fe78a6731p-10,
                                       0x1.430912f86c787p-13,
                                       0x1.ffcbfc588b0c7p-17,
                                       0x1.62c0223a5c824p-20,
                                       0x1.b5253d395e7c4p-24,
                                       0x1.e4cf5158b8ecap-28,
                                       0x1.e8cac7351bb25p-32,
                                       0x1.c3bd650fc2986p-36};
  const double whole = std::nearbyint(x);
  const double fraction = x - whole;
  // 1.5 * 2^52 puts an integer into the low mantissa bits.
  const uint64_t integer = std::bit_cast<uint64_t>(whole + 0x1.8p52);
  const double scale = std::bit_cast<double>((integer + 1023) << 52);
  return polynomial(kSeries, fraction) * scale;
}

// log2(x) for finite normal x > 0.
inline double log2_core(double x) {
  // 2 / ((2k + 1) ln 2): log2(m) = t * series(t^2), t = (m - 1) / (m + 1), |t| < 0.1716; omitted term below
  // 2^-53.
  static constexpr double kSeries[] = {0x1.71547652b82fep+1, 0x1.ec709dc3a03fdp-1, 0x1.2776c50ef9bfep-1,
                                       0x1.a61762a7aded9p-2, 0x1.484b13d7c02a9p-2, 0x1.0c9a84994022dp-2,
                                       0x1.c68f568d3176p-3,  0x1.89f3b1694cffep-3, 0x1.5b9ac9b743f0dp-3,
                                       0x1.3703c1f4d0ffep-3};
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  // Shift the boundary so that the mantissa lies in [sqrt(1/2), sqrt(2)).
  constexpr uint64_t kRootHalf = 0x3fe6a09e667f3bcd;
  const uint64_t offset = bits - kRootHalf;
  const int32_t exponent = static_cast<int32_t>(static_cast<int64_t>(offset) >> 52);
  const double mantissa = std::bit_cast<double>(bits - (offset & 0xfff0000000000000));
  const double t = (mantissa - 1.0) / (mantissa + 1.0);
  return static_cast<double>(exponent) + t * polynomial(kSeries, t * t);
}

// sin(2 pi r) for |r| <= 1/4.
inline double sine_quarter(double r) {
  // (-1)^k (2 pi)^(2k+1) / (2k+1)!: first omitted term at 1/4 is below 2^-51.
  static constexpr double kSeries[] = {0x1.921fb54442d18p+2,  -0x1.4abbce625be53p+5, 0x1.466bc6775aae2p+6,
                                       -0x1.32d2cce62bd86p+6, 0x1.50783487ee782p+5,  -0x1.e3074fde8871fp+3,
                                       0x1.e8f434d018d63p+1,  -0x1.6fadb9f155744p-1, 0x1.aaec32af93359p-4,
                                       -0x1.8a404211f9547p-7};
  return r * polynomial(kSeries, r * r);
}

// Sine and cosine of x revolutions; exact reduction for any finite x.
inline double sine_revolutions(double x) {
  const double remainder = x - std::nearbyint(x);
  const double r = remainder == 0 ? std::copysign(0.0, x) : remainder;
  const double folded = std::copysign(0.5, r) - r;
  return sine_quarter(std::fabs(r) > 0.25 ? folded : r);
}
inline double cosine_revolutions(double x) { return sine_quarter(0.25 - std::fabs(x - std::nearbyint(x))); }

}  // namespace wavecast::isa
