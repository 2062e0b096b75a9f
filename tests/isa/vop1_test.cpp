// VOP1: conversions, rounding, mantissa and exponent extraction, bit counting and transcendentals, against
// MPFR, exhaustive f16 operands and plain integer definitions.
#include <gtest/gtest.h>

#include <functional>

#include "support/float_formats.h"
#include "support/lane_machine.h"
#include "support/mpfr_reference.h"

namespace wavecast::test {
namespace {

using isa::kLanes;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class Vop1 : public ::testing::Test {
 protected:
  // Calls `verify(lane)` after running `text` on patterns of a width in v[0:1].
  void sweep(const std::string& text, int width, int rounds,
             const std::function<void(LaneMachine&, int)>& verify, const std::string& processor = "gfx942",
             uint32_t mode = kUsualMode) {
    LaneMachine machine(processor);
    machine.wave.mode = mode;
    const auto code = machine.assemble(text);
    Random random(std::hash<std::string>{}(text));
    for (int round = 0; round < rounds; ++round) {
      for (int lane = 0; lane < kLanes; ++lane) machine.set64(0, lane, float_pattern(width, random));
      machine.run(code);
      for (int lane = 0; lane < kLanes; ++lane) verify(machine, lane);
      if (HasFailure()) return;
    }
  }
  // Every f16 pattern in v0.
  void sweep_f16(const std::string& text, const std::function<void(LaneMachine&, int)>& verify,
                 uint32_t mode = kUsualMode) {
    LaneMachine machine("gfx942");
    machine.wave.mode = mode;
    const auto code = machine.assemble(text);
    for (int first = 0; first < 0x10000; first += kLanes) {
      for (int lane = 0; lane < kLanes; ++lane)
        machine.v(0, lane) = static_cast<uint32_t>(first + lane) | 0xabcd0000;
      machine.run(code);
      for (int lane = 0; lane < kLanes; ++lane) verify(machine, lane);
      if (HasFailure()) return;
    }
  }
};

// Truncation with saturation, from the definition.
template <class T>
T saturated(double v) {
  if (std::isnan(v)) return 0;
  v = std::trunc(v);
  if (v >= std::ldexp(1.0, std::numeric_limits<T>::digits)) return std::numeric_limits<T>::max();
  return v <= static_cast<double>(std::numeric_limits<T>::min()) ? std::numeric_limits<T>::min()
                                                                 : static_cast<T>(v);
}

TEST_F(Vop1, FloatToInteger) {
  sweep(
      "v_cvt_i32_f32_e32 v8, v0\nv_cvt_u32_f32_e32 v9, v0\nv_cvt_flr_i32_f32_e32 v10, "
      "v0\nv_cvt_rpi_i32_f32_e32 v11, v0",
      32, 200, [](LaneMachine& m, int lane) {
        // Patterns near one scaled into the range of integers, too.
        const double v = m.f32(0, lane);
        EXPECT_EQ(static_cast<int32_t>(m.v(8, lane)), saturated<int32_t>(v)) << v;
        EXPECT_EQ(m.v(9, lane), saturated<uint32_t>(v)) << v;
        EXPECT_EQ(static_cast<int32_t>(m.v(10, lane)), saturated<int32_t>(std::floor(v))) << v;
        EXPECT_EQ(static_cast<int32_t>(m.v(11, lane)), saturated<int32_t>(std::floor(v + 0.5))) << v;
      });
  sweep("v_ldexp_f32 v0, v0, 30\nv_cvt_i32_f32_e32 v8, v0\nv_cvt_u32_f32_e32 v9, v0", 32, 100,
        [](LaneMachine& m, int lane) {
          EXPECT_EQ(static_cast<int32_t>(m.v(8, lane)), saturated<int32_t>(m.f32(0, lane)));
          EXPECT_EQ(m.v(9, lane), saturated<uint32_t>(m.f32(0, lane)));
        });
  sweep("v_ldexp_f64 v[0:1], v[0:1], 30\nv_cvt_i32_f64_e32 v8, v[0:1]\nv_cvt_u32_f64_e32 v9, v[0:1]", 64, 200,
        [](LaneMachine& m, int lane) {
          EXPECT_EQ(static_cast<int32_t>(m.v(8, lane)), saturated<int32_t>(m.f64(0, lane)));
          EXPECT_EQ(m.v(9, lane), saturated<uint32_t>(m.f64(0, lane)));
        });
  sweep_f16("v_cvt_i16_f16_e32 v8, v0\nv_cvt_u16_f16_e32 v9, v0", [](LaneMachine& m, int lane) {
    const double v = half_value(m.v(0, lane) & 0xffff);
    EXPECT_EQ(m.v(8, lane), static_cast<uint16_t>(saturated<int16_t>(v))) << v;
    EXPECT_EQ(m.v(9, lane), saturated<uint16_t>(v)) << v;
  });
}

TEST_F(Vop1, IntegerToFloatInEveryRounding) {
  for (uint32_t rounding = 0; rounding < 4; ++rounding) {
    const mpfr_rnd_t mode = kRoundings[rounding];
    sweep(
        "v_cvt_f32_i32_e32 v8, v0\nv_cvt_f32_u32_e32 v9, v0\nv_cvt_f64_i32_e32 v[10:11], "
        "v0\nv_cvt_f64_u32_e32 v[12:13], v0\n"
        "v_cvt_f16_u16_e32 v14, v0\nv_cvt_f16_i16_e32 v15, v0",
        64, 100,
        [&](LaneMachine& m, int lane) {
          const uint32_t bits = m.v(0, lane);
          EXPECT_EQ(m.f32(8, lane), reference_convert(kSingleRange, mode, static_cast<int32_t>(bits)));
          EXPECT_EQ(m.f32(9, lane), reference_convert(kSingleRange, mode, bits));
          EXPECT_EQ(m.f64(10, lane), static_cast<int32_t>(bits));
          EXPECT_EQ(m.f64(12, lane), bits);
          EXPECT_EQ(half_value(m.v(14, lane)),
                    reference_convert(kHalfRange, mode, static_cast<uint16_t>(bits)));
          EXPECT_EQ(half_value(m.v(15, lane)),
                    reference_convert(kHalfRange, mode, static_cast<int16_t>(bits)));
        },
        "gfx942", kUsualMode | rounding | rounding << 2);
  }
}

TEST_F(Vop1, FloatToFloatInEveryRounding) {
  for (uint32_t rounding = 0; rounding < 4; ++rounding) {
    const mpfr_rnd_t mode = kRoundings[rounding];
    const uint32_t mode_register = kUsualMode | rounding | rounding << 2;
    const auto same = [](double actual, double expected) {
      EXPECT_TRUE(same_value(actual, expected)) << actual << " expected " << expected;
    };
    sweep(
        "v_cvt_f32_f64_e32 v8, v[0:1]", 64, 100,
        [&](LaneMachine& m, int lane) {
          same(m.f32(8, lane), reference_convert(kSingleRange, mode, m.f64(0, lane)));
        },
        "gfx942", mode_register);
    sweep(
        "v_cvt_f16_f32_e32 v8, v0\nv_cvt_f64_f32_e32 v[10:11], v0", 32, 100,
        [&](LaneMachine& m, int lane) {
          same(half_value(m.v(8, lane)), reference_convert(kHalfRange, mode, m.f32(0, lane)));
          same(m.f64(10, lane), m.f32(0, lane));
        },
        "gfx942", mode_register);
    sweep_f16(
        "v_cvt_f32_f16_e32 v8, v0",
        [&](LaneMachine& m, int lane) { same(m.f32(8, lane), half_value(m.v(0, lane) & 0xffff)); },
        mode_register);
  }
  // Doubles near f16 and f32 denormals.
  sweep("v_ldexp_f64 v[0:1], v[0:1], v2\nv_cvt_f32_f64_e32 v8, v[0:1]", 64, 50, [](LaneMachine& m, int lane) {
    EXPECT_TRUE(same_value(m.f32(8, lane), reference_convert(kSingleRange, MPFR_RNDN, m.f64(0, lane))));
    m.v(2, lane) = static_cast<uint32_t>(-110 - lane);
  });
}

TEST_F(Vop1, BytesAndSmallTables) {
  LaneMachine machine("gfx942");
  for (int lane = 0; lane < kLanes; ++lane)
    machine.v(0, lane) = 0x04030201u * static_cast<uint32_t>(lane + 1);
  machine.run(
      "v_cvt_f32_ubyte0_e32 v1, v0\nv_cvt_f32_ubyte1_e32 v2, v0\nv_cvt_f32_ubyte2_e32 v3, "
      "v0\nv_cvt_f32_ubyte3_e32 v4, v0\n"
      "v_cvt_off_f32_i4_e32 v5, v0\nv_sat_pk_u8_i16_e32 v6, v0");
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t bits = machine.v(0, lane);
    for (int byte = 0; byte < 4; ++byte)
      EXPECT_EQ(machine.f32(1 + byte, lane), static_cast<float>(bits >> (8 * byte) & 0xff));
    const int nibble = static_cast<int>(bits & 15);
    EXPECT_EQ(machine.f32(5, lane), (nibble < 8 ? nibble : nibble - 16) / 16.0f);
    const auto byte = [](uint32_t half) {
      return static_cast<uint32_t>(std::clamp<int>(static_cast<int16_t>(half), 0, 255));
    };
    EXPECT_EQ(machine.v(6, lane), byte(bits & 0xffff) | byte(bits >> 16) << 8);
  }
}

TEST_F(Vop1, RoundingToIntegers) {
  const auto nearest = [](double v) {
    return std::remainder(v, 1.0) == 0.5 && std::fmod(std::floor(v), 2.0) != 0 ? std::ceil(v)
                                                                               : v - std::remainder(v, 1.0);
  };
  const auto verify = [&](double v, double t, double c, double f, double r) {
    EXPECT_TRUE(same_value(t, std::trunc(v))) << v;
    EXPECT_TRUE(same_value(c, std::ceil(v))) << v;
    EXPECT_TRUE(same_value(f, std::floor(v))) << v;
    const double expected = std::isfinite(v) ? std::copysign(nearest(v), v) : v;
    EXPECT_TRUE(same_value(r, expected)) << v << " gives " << r;
  };
  sweep("v_trunc_f32_e32 v8, v0\nv_ceil_f32_e32 v9, v0\nv_floor_f32_e32 v10, v0\nv_rndne_f32_e32 v11, v0", 32,
        100, [&](LaneMachine& m, int lane) {
          verify(m.f32(0, lane), m.f32(8, lane), m.f32(9, lane), m.f32(10, lane), m.f32(11, lane));
        });
  sweep(
      "v_trunc_f64_e32 v[8:9], v[0:1]\nv_ceil_f64_e32 v[10:11], v[0:1]\nv_floor_f64_e32 v[12:13], "
      "v[0:1]\nv_rndne_f64_e32 v[14:15], v[0:1]",
      64, 100, [&](LaneMachine& m, int lane) {
        verify(m.f64(0, lane), m.f64(8, lane), m.f64(10, lane), m.f64(12, lane), m.f64(14, lane));
      });
  sweep_f16("v_trunc_f16_e32 v8, v0\nv_ceil_f16_e32 v9, v0\nv_floor_f16_e32 v10, v0\nv_rndne_f16_e32 v11, v0",
            [&](LaneMachine& m, int lane) {
              verify(half_value(m.v(0, lane) & 0xffff), half_value(m.v(8, lane)), half_value(m.v(9, lane)),
                     half_value(m.v(10, lane)), half_value(m.v(11, lane)));
            });
}

TEST_F(Vop1, FractStaysBelowOne) {
  const auto verify = [](const IeeeRange& range, double v, double actual) {
    double expected = kNan;
    if (std::isfinite(v)) {
      expected = reference_add(range, MPFR_RNDN, v, -std::floor(v));
      if (expected >= 1) expected = 1 - std::ldexp(1.0, -range.precision);
    }
    EXPECT_TRUE(same_value(actual, expected)) << v << " gives " << actual;
  };
  sweep("v_fract_f32_e32 v8, v0", 32, 100,
        [&](LaneMachine& m, int lane) { verify(kSingleRange, m.f32(0, lane), m.f32(8, lane)); });
  sweep("v_fract_f64_e32 v[8:9], v[0:1]", 64, 100,
        [&](LaneMachine& m, int lane) { verify(kDoubleRange, m.f64(0, lane), m.f64(8, lane)); });
  sweep_f16("v_fract_f16_e32 v8, v0", [&](LaneMachine& m, int lane) {
    verify(kHalfRange, half_value(m.v(0, lane) & 0xffff), half_value(m.v(8, lane)));
  });
}

TEST_F(Vop1, MantissaAndExponent) {
  const auto verify = [](double v, double mantissa, int exponent) {
    int e = 0;
    const double m = std::frexp(v, &e);
    EXPECT_TRUE(same_value(mantissa, m)) << v;
    EXPECT_EQ(exponent, std::isfinite(v) ? e : 0) << v;
  };
  sweep("v_frexp_mant_f32_e32 v8, v0\nv_frexp_exp_i32_f32_e32 v9, v0", 32, 100,
        [&](LaneMachine& m, int lane) {
          verify(m.f32(0, lane), m.f32(8, lane), static_cast<int>(m.v(9, lane)));
        });
  sweep("v_frexp_mant_f64_e32 v[8:9], v[0:1]\nv_frexp_exp_i32_f64_e32 v10, v[0:1]", 64, 100,
        [&](LaneMachine& m, int lane) {
          verify(m.f64(0, lane), m.f64(8, lane), static_cast<int>(m.v(10, lane)));
        });
  sweep_f16("v_frexp_mant_f16_e32 v8, v0\nv_frexp_exp_i16_f16_e32 v9, v0", [&](LaneMachine& m, int lane) {
    verify(half_value(m.v(0, lane) & 0xffff), half_value(m.v(8, lane)), static_cast<int16_t>(m.v(9, lane)));
  });
}

TEST_F(Vop1, BitOperations) {
  sweep(
      "v_not_b32_e32 v8, v0\nv_bfrev_b32_e32 v9, v0\nv_ffbh_u32_e32 v10, v0\nv_ffbl_b32_e32 v11, "
      "v0\nv_ffbh_i32_e32 v12, v0\nv_mov_b32_e32 v13, v0\n"
      "v_prng_b32_e32 v14, v0",
      64, 50,
      [](LaneMachine& m, int lane) {
        const uint32_t bits = m.v(0, lane);
        uint32_t reversed = 0, high = ~0u, low = ~0u, sign = ~0u;
        for (int i = 0; i < 32; ++i) {
          reversed |= (bits >> i & 1) << (31 - i);
          if (high == ~0u && bits >> (31 - i) & 1) high = static_cast<uint32_t>(i);
          if (low == ~0u && bits >> i & 1) low = static_cast<uint32_t>(i);
          if (sign == ~0u && (bits >> (31 - i) & 1) != bits >> 31) sign = static_cast<uint32_t>(i);
        }
        EXPECT_EQ(m.v(8, lane), ~bits);
        EXPECT_EQ(m.v(9, lane), reversed);
        EXPECT_EQ(m.v(10, lane), high);
        EXPECT_EQ(m.v(11, lane), low);
        EXPECT_EQ(m.v(12, lane), sign);
        EXPECT_EQ(m.v(13, lane), bits);
        EXPECT_EQ(m.v(14, lane), bits << 1 ^ (bits >> 31 ? 0xc5u : 0u));
      },
      "gfx950");
}

TEST_F(Vop1, MovesAndSwap) {
  LaneMachine machine("gfx942");
  for (int lane = 0; lane < kLanes; ++lane)
    machine.v(0, lane) = static_cast<uint32_t>(lane), machine.v(1, lane) = 100u + static_cast<uint32_t>(lane);
  machine.wave.set_exec(0xff00ff00ff00ff00);
  machine.wave.set_scalar64(20, 0x123456789abcdef0);
  machine.run(
      "v_swap_b32 v0, v1\nv_mov_b64_e32 v[4:5], s[20:21]\nv_mov_b32_e32 v6, -16\nv_mov_b32_e32 v7, "
      "0xdeadbeef");
  for (int lane = 0; lane < kLanes; ++lane) {
    const bool active = machine.wave.exec() >> lane & 1;
    const uint32_t id = static_cast<uint32_t>(lane);
    EXPECT_EQ(machine.v(0, lane), active ? 100 + id : id);
    EXPECT_EQ(machine.v(1, lane), active ? id : 100 + id);
    EXPECT_EQ(machine.v64(4, lane), active ? 0x123456789abcdef0 : 0u);
    EXPECT_EQ(machine.v(6, lane), active ? 0xfffffff0 : 0u);
    EXPECT_EQ(machine.v(7, lane), active ? 0xdeadbeef : 0u);
  }
}

// Error in units in the last place of the destination format, against a 120-bit evaluation.
double ulp_error(const IeeeRange& range, double x, double actual,
                 const std::function<void(mpfr_ptr, mpfr_ptr)>& function) {
  Real argument(x, 300), exact(0, 300), difference(0, 300);
  function(exact, argument);
  if (mpfr_nan_p(static_cast<mpfr_ptr>(exact))) return std::isnan(actual) ? 0 : HUGE_VAL;
  const double reference = mpfr_get_d(exact, MPFR_RNDN);
  if (std::isinf(reference) || reference == 0)
    return same_value(actual, reference) || (reference == 0 && actual == 0) ? 0 : HUGE_VAL;
  mpfr_sub_d(difference, exact, actual, MPFR_RNDN);
  const int exponent = std::max(std::ilogb(reference), range.least_exponent + range.precision - 2);
  return std::fabs(mpfr_get_d(difference, MPFR_RNDN)) / std::ldexp(1.0, exponent - range.precision + 1);
}

TEST_F(Vop1, TranscendentalsAreCorrectlyRounded) {
  struct Function {
    const char* name;
    std::function<void(mpfr_ptr, mpfr_ptr)> exact;
  };
  const auto revolutions = [](mpfr_ptr r, mpfr_ptr x) {
    mpfr_t pi;
    mpfr_init2(pi, 600);
    mpfr_const_pi(pi, MPFR_RNDN);
    mpfr_mul_ui(pi, pi, 2, MPFR_RNDN);
    mpfr_t fraction;
    mpfr_init2(fraction, 300);
    mpfr_frac(fraction, x, MPFR_RNDN);
    mpfr_mul(r, fraction, pi, MPFR_RNDN);
    if (mpfr_inf_p(x)) mpfr_set_nan(r);
    mpfr_clears(pi, fraction, static_cast<mpfr_ptr>(nullptr));
  };
  const Function functions[] = {
      {"rcp", [](mpfr_ptr r, mpfr_ptr x) { mpfr_ui_div(r, 1, x, MPFR_RNDN); }},
      {"sqrt", [](mpfr_ptr r, mpfr_ptr x) { mpfr_sqrt(r, x, MPFR_RNDN); }},
      {"rsq",
       [](mpfr_ptr r, mpfr_ptr x) {  // IEEE 754 has rSqrt(-0) = -infinity, MPFR has +
         mpfr_rec_sqrt(r, x, MPFR_RNDN);
         if (mpfr_zero_p(x)) mpfr_setsign(r, r, mpfr_signbit(x), MPFR_RNDN);
       }},
      {"exp", [](mpfr_ptr r, mpfr_ptr x) { mpfr_exp2(r, x, MPFR_RNDN); }},
      {"log", [](mpfr_ptr r, mpfr_ptr x) { mpfr_log2(r, x, MPFR_RNDN); }},
      {"sin", [=](mpfr_ptr r, mpfr_ptr x) { revolutions(r, x), mpfr_sin(r, r, MPFR_RNDN); }},
      {"cos", [=](mpfr_ptr r, mpfr_ptr x) { revolutions(r, x), mpfr_cos(r, r, MPFR_RNDN); }}};
  constexpr double kBound = 0.5 + 1e-6;  // ULP
  for (const Function& function : functions) {
    SCOPED_TRACE(function.name);
    sweep(std::string("v_") + function.name + "_f32_e32 v8, v0", 32, 100, [&](LaneMachine& m, int lane) {
      const float x = m.f32(0, lane), y = m.f32(8, lane);
      if (std::isnan(x)) {
        EXPECT_TRUE(std::isnan(y));
        return;
      }
      // Denormals are zero on both sides.
      const double argument = std::fabs(x) < 0x1p-126f ? std::copysign(0.0, x) : x;
      if (std::isinf(y) && argument != 0) {
        Real exact(0, 300), a(argument, 300);
        function.exact(exact, a);
        EXPECT_GE(std::fabs(mpfr_get_d(exact, MPFR_RNDN)), 0x1.ffffffp127) << x;
        return;
      }
      if (y == 0) {
        Real exact(0, 300), a(argument, 300);
        function.exact(exact, a);
        EXPECT_LT(std::fabs(mpfr_get_d(exact, MPFR_RNDN)), 0x1p-126) << x;
        return;
      }
      EXPECT_LE(ulp_error(kSingleRange, argument, y, function.exact), kBound) << x << " gives " << y;
    });
    sweep_f16(std::string("v_") + function.name + "_f16_e32 v8, v0", [&](LaneMachine& m, int lane) {
      const double x = half_value(m.v(0, lane) & 0xffff), y = half_value(m.v(8, lane));
      if (std::isnan(x)) {
        EXPECT_TRUE(std::isnan(y));
        return;
      }
      if (std::isinf(y)) {  // overflow of the format or a pole
        Real exact(0, 300), a(x, 300);
        function.exact(exact, a);
        EXPECT_GE(std::fabs(mpfr_get_d(exact, MPFR_RNDN)), 65520.0) << x;
        return;
      }
      EXPECT_LE(ulp_error(kHalfRange, x, y, function.exact), kBound) << x << " gives " << y;
    });
  }
  for (int i = 0; i < 3; ++i)
    sweep(std::string("v_") + functions[i].name + "_f64_e32 v[8:9], v[0:1]", 64, 100,
          [&](LaneMachine& m, int lane) {
            const double x = m.f64(0, lane), y = m.f64(8, lane);
            if (std::isnan(x)) {
              EXPECT_TRUE(std::isnan(y));
              return;
            }
            EXPECT_LE(ulp_error(kDoubleRange, x, y, functions[i].exact), 0.51)
                << functions[i].name << " of " << x << " gives " << y;
          });
}

TEST_F(Vop1, TranscendentalSpecialValues) {
  LaneMachine machine("gfx942");
  const auto one = [&](const char* name, uint32_t x) {
    machine.v(0, 0) = x;
    machine.run(std::string("v_") + name + "_f32_e32 v1, v0");
    return machine.v(1, 0);
  };
  constexpr uint32_t kInf = 0x7f800000, kNegInf = 0xff800000, kOne = 0x3f800000, kNegZero = 0x80000000;
  EXPECT_EQ(one("exp", kNegInf), 0u);
  EXPECT_EQ(one("exp", kInf), kInf);
  EXPECT_EQ(one("exp", kNegZero), kOne);
  EXPECT_EQ(one("log", 0), kNegInf);
  EXPECT_EQ(one("log", 1), kNegInf);  // denormal source
  EXPECT_EQ(one("log", kOne), 0u);
  EXPECT_EQ(one("log", kInf), kInf);
  EXPECT_TRUE(std::isnan(std::bit_cast<float>(one("log", 0xbf800000))));
  EXPECT_EQ(one("rcp", 0), kInf);
  EXPECT_EQ(one("rcp", kNegZero), kNegInf);
  EXPECT_EQ(one("rcp", kNegInf), kNegZero);
  EXPECT_EQ(one("rsq", 0), kInf);
  EXPECT_EQ(one("rsq", kNegZero), kNegInf);
  EXPECT_EQ(one("sqrt", kNegZero), kNegZero);
  EXPECT_EQ(one("sin", std::bit_cast<uint32_t>(0.25f)), kOne);
  EXPECT_EQ(one("sin", kNegZero), kNegZero);
  EXPECT_EQ(one("cos", std::bit_cast<uint32_t>(0.5f)), 0xbf800000u);
  EXPECT_EQ(one("cos", 0), kOne);
  EXPECT_TRUE(std::isnan(std::bit_cast<float>(one("sin", kInf))));
  EXPECT_TRUE(std::isnan(std::bit_cast<float>(one("cos", kNegInf))));
}

// gfx942 decodes FNUZ, gfx950 OCP; the same byte means different numbers.
TEST_F(Vop1, EightBitFloats) {
  const FloatFormat bf8_fnuz{5, 2, 16, FloatFormat::Special::fnuz},
      bf8_ocp{5, 2, 15, FloatFormat::Special::ieee};
  for (const bool ocp : {false, true}) {
    LaneMachine machine(ocp ? "gfx950" : "gfx942");
    const auto code = machine.assemble(
        "v_cvt_f32_fp8_e32 v8, v0\nv_cvt_f32_bf8_e32 v9, v0\nv_cvt_pk_f32_fp8_e32 v[10:11], v0\n"
        "v_cvt_f32_fp8_sdwa v12, v0 src0_sel:BYTE_2\nv_cvt_pk_f32_bf8_sdwa v[14:15], v0 src0_sel:WORD_1");
    for (int first = 0; first < 256; first += kLanes) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const uint32_t b = static_cast<uint32_t>(first + lane);
        machine.v(0, lane) = b | (b ^ 0x5a) << 8 | (b ^ 0xff) << 16 | (b ^ 0x33) << 24;
      }
      machine.run(code);
      for (int lane = 0; lane < kLanes; ++lane) {
        const uint32_t w = machine.v(0, lane);
        const FloatFormat& fp8 = ocp ? kFp8Ocp : kFp8Fnuz;
        const FloatFormat& bf8 = ocp ? bf8_ocp : bf8_fnuz;
        EXPECT_TRUE(same_value(machine.f32(8, lane), fp8.decode(w & 0xff)));
        EXPECT_TRUE(same_value(machine.f32(9, lane), bf8.decode(w & 0xff)));
        EXPECT_TRUE(same_value(machine.f32(10, lane), fp8.decode(w & 0xff)));
        EXPECT_TRUE(same_value(machine.f32(11, lane), fp8.decode(w >> 8 & 0xff)));
        EXPECT_TRUE(same_value(machine.f32(12, lane), fp8.decode(w >> 16 & 0xff)));
        EXPECT_TRUE(same_value(machine.f32(14, lane), bf8.decode(w >> 16 & 0xff)));
        EXPECT_TRUE(same_value(machine.f32(15, lane), bf8.decode(w >> 24)));
      }
    }
  }
}

}  // namespace
}  // namespace wavecast::test
