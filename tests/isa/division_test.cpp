// Division as clang emits it for f32, f64 and f16: the whole sequences must give the correctly rounded
// quotient for random and special operands, which also pins the irregular parts of v_div_scale, v_div_fmas
// and v_div_fixup.
#include <gtest/gtest.h>

#include "support/lane_machine.h"
#include "support/mpfr_reference.h"

namespace wavecast::test {
namespace {

using isa::kLanes;

// LLVM 22's expansion of an IEEE f32 division with denormals: v0 / v1 -> v10.
constexpr const char* kDivideF32 =
    "v_div_scale_f32 v2, s[0:1], v1, v1, v0\n"
    "v_rcp_f32_e32 v3, v2\n"
    "v_div_scale_f32 v4, vcc, v0, v1, v0\n"
    "v_fma_f32 v5, -v2, v3, 1.0\n"
    "v_fmac_f32_e32 v3, v5, v3\n"
    "v_mul_f32_e32 v5, v4, v3\n"
    "v_fma_f32 v6, -v2, v5, v4\n"
    "v_fmac_f32_e32 v5, v6, v3\n"
    "v_fma_f32 v2, -v2, v5, v4\n"
    "v_div_fmas_f32 v2, v2, v3, v5\n"
    "v_div_fixup_f32 v10, v2, v1, v0\n";

// f64: v[0:1] / v[2:3] -> v[20:21].
constexpr const char* kDivideF64 =
    "v_div_scale_f64 v[4:5], s[0:1], v[2:3], v[2:3], v[0:1]\n"
    "v_rcp_f64_e32 v[6:7], v[4:5]\n"
    "v_div_scale_f64 v[8:9], vcc, v[0:1], v[2:3], v[0:1]\n"
    "v_fma_f64 v[10:11], -v[4:5], v[6:7], 1.0\n"
    "v_fmac_f64_e32 v[6:7], v[6:7], v[10:11]\n"
    "v_fma_f64 v[10:11], -v[4:5], v[6:7], 1.0\n"
    "v_fmac_f64_e32 v[6:7], v[6:7], v[10:11]\n"
    "v_mul_f64 v[10:11], v[8:9], v[6:7]\n"
    "v_fma_f64 v[4:5], -v[4:5], v[10:11], v[8:9]\n"
    "v_div_fmas_f64 v[4:5], v[4:5], v[6:7], v[10:11]\n"
    "v_div_fixup_f64 v[20:21], v[4:5], v[2:3], v[0:1]\n";

// f16, computed in f32: v0 / v1 -> v10.
constexpr const char* kDivideF16 =
    "v_cvt_f32_f16_e32 v2, v1\n"
    "v_cvt_f32_f16_e32 v3, v0\n"
    "v_rcp_f32_e32 v4, v2\n"
    "v_mul_f32_e32 v5, v3, v4\n"
    "v_fma_f32 v6, -v2, v5, v3\n"
    "v_fmac_f32_e32 v5, v6, v4\n"
    "v_fma_f32 v2, -v2, v5, v3\n"
    "v_mul_f32_e32 v2, v2, v4\n"
    "v_and_b32_e32 v2, 0xff800000, v2\n"
    "v_add_f32_e32 v2, v2, v5\n"
    "v_cvt_f16_f32_e32 v2, v2\n"
    "v_div_fixup_f16 v10, v2, v1, v0\n";

void check(int width, const char* text, int result, int rounds) {
  LaneMachine machine("gfx942");
  const auto code = machine.assemble(text);
  Random random(static_cast<uint64_t>(width));
  for (int round = 0; round < rounds; ++round) {
    for (int lane = 0; lane < kLanes; ++lane) {
      // Even rounds: anything. Odd rounds: the whole exponent range uniformly, where scaling happens.
      const auto pattern = [&] { return round % 2 ? random.next() : float_pattern(width, random); };
      if (width == 64) {
        machine.set64(0, lane, pattern());
        machine.set64(2, lane, pattern());
      } else {
        machine.v(0, lane) = static_cast<uint32_t>(pattern()) & (width == 16 ? 0xffff : ~0u);
        machine.v(1, lane) = static_cast<uint32_t>(pattern()) & (width == 16 ? 0xffff : ~0u);
      }
    }
    machine.run(code);
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint64_t a = width == 64 ? machine.v64(0, lane) : machine.v(0, lane);
      const uint64_t b = width == 64 ? machine.v64(2, lane) : machine.v(1, lane);
      const uint64_t bits =
          width == 64 ? machine.v64(result, lane) : machine.v(result, lane) & (width == 16 ? 0xffff : ~0u);
      const double expected =
          reference_div(range_of(width), MPFR_RNDN, pattern_value(width, a), pattern_value(width, b));
      ASSERT_TRUE(same_value(pattern_value(width, bits), expected))
          << std::hex << a << " / " << b << " gives " << bits << ", expected " << std::hexfloat << expected;
    }
  }
}

TEST(Division, F32SequenceIsCorrectlyRounded) { check(32, kDivideF32, 10, 2000); }
TEST(Division, F64SequenceIsCorrectlyRounded) { check(64, kDivideF64, 20, 2000); }
TEST(Division, F16SequenceIsCorrectlyRounded) { check(16, kDivideF16, 10, 1000); }

TEST(Division, ScaleFlagsAndFactors) {
  LaneMachine machine("gfx942");
  struct Case {
    float numerator, denominator;
    double denominator_factor, numerator_factor;
    bool flag;
  };
  const Case cases[] = {
      {6.0f, 3.0f, 1, 1, false},
      {0x1p127f, 1.0f, 0x1p64, 1, true},             // quotient near the top: scale the denominator
      {1.0f, 0x1p-130f, 0x1p64, 1, true},            // the same, denormal denominator
      {0x1p-40f, 0x1p-130f, 0x1p64, 0x1p64, false},  // denormal denominator, moderate quotient
      {1.0f, 0x1.8p126f, 0x1p-64, 1, true},          // reciprocal and quotient denormal
      {0x1p60f, 0x1.8p126f, 0x1p-64, 0x1p-64, false},
      {0x1p-100f, 0x1p60f, 1, 0x1p64, true},           // quotient denormal
      {0x1p-120f, 0x1p-100f, 0x1p64, 0x1p64, false}};  // tiny numerator
  const auto code =
      machine.assemble("v_div_scale_f32 v2, s[0:1], v1, v1, v0\nv_div_scale_f32 v3, vcc, v0, v1, v0");
  for (size_t i = 0; i < std::size(cases); ++i) {
    machine.v(0, static_cast<int>(i)) = std::bit_cast<uint32_t>(cases[i].numerator);
    machine.v(1, static_cast<int>(i)) = std::bit_cast<uint32_t>(cases[i].denominator);
  }
  machine.run(code);
  for (size_t i = 0; i < std::size(cases); ++i) {
    const int lane = static_cast<int>(i);
    EXPECT_EQ(machine.f32(2, lane), cases[i].denominator * cases[i].denominator_factor) << i;
    EXPECT_EQ(machine.f32(3, lane), cases[i].numerator * cases[i].numerator_factor) << i;
    EXPECT_EQ(machine.wave.vcc() >> i & 1, cases[i].flag) << i;
    EXPECT_EQ(machine.wave.scalar64(0) >> i & 1, cases[i].flag) << i;
  }
}

// The segments of 2 / pi must add up to 2 / pi.
TEST(Division, TrigPreopSegments) {
  LaneMachine machine("gfx942");
  const auto code = machine.assemble("v_trig_preop_f64 v[4:5], v[0:1], v2");
  mpfr_t two_over_pi, piece, shifted;
  mpfr_inits2(1400, two_over_pi, piece, shifted, static_cast<mpfr_ptr>(nullptr));
  mpfr_const_pi(two_over_pi, MPFR_RNDN);
  mpfr_ui_div(two_over_pi, 2, two_over_pi, MPFR_RNDN);
  for (int exponent : {1, 1000, 1023 + 54, 1023 + 55, 1023 + 500, 1023 + 944, 1023 + 945, 1023 + 1023})
    for (int segment = 0; segment < 20; ++segment) {
      for (int lane = 0; lane < kLanes; ++lane) {
        machine.set64(0, lane, static_cast<uint64_t>(exponent) << 52 | 0x123456789abcd);
        machine.v(2, lane) = static_cast<uint32_t>(segment);
      }
      machine.run(code);
      // Bits [shift, shift + 53) of the fraction of 2 / pi.
      const int shift = 53 * segment + std::max(0, exponent - 1077);
      if (shift + 53 > 1201) continue;
      mpfr_mul_2si(shifted, two_over_pi, shift, MPFR_RNDN);
      mpfr_frac(shifted, shifted, MPFR_RNDN);
      mpfr_mul_2si(shifted, shifted, 53, MPFR_RNDN);
      mpfr_trunc(piece, shifted);
      mpfr_mul_2si(piece, piece, -53 - shift + (exponent >= 1968 ? 128 : 0), MPFR_RNDN);
      EXPECT_EQ(machine.f64(4, 17), mpfr_get_d(piece, MPFR_RNDN)) << exponent << " segment " << segment;
    }
  mpfr_clears(two_over_pi, piece, shifted, static_cast<mpfr_ptr>(nullptr));
}

}  // namespace
}  // namespace wavecast::test
