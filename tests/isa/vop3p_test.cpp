// VOP3P integers, dot products and mixed-precision multiply-add, 8-bit float conversions, stochastic rounding
// and gfx950's scaled conversions, against wide integers, MPFR and the formats' definitions.
#include <gtest/gtest.h>

#include <functional>

#include "support/float_formats.h"
#include "support/lane_machine.h"
#include "support/mpfr_reference.h"

namespace wavecast::test {
namespace {

using isa::kLanes;

int64_t field(uint32_t v, int bit, int width, bool is_signed) {
  const uint32_t bits = v >> bit & ((1u << width) - 1);
  return is_signed && bits >> (width - 1) ? static_cast<int64_t>(bits) - (int64_t{1} << width)
                                          : static_cast<int64_t>(bits);
}

TEST(Vop3p, PackedIntegers) {
  struct Operation {
    const char* name;
    bool is_signed, three;
    std::function<int64_t(int64_t, int64_t, int64_t)> value;
  };
  const Operation operations[] = {
      {"v_pk_add_i16", true, false, [](int64_t a, int64_t b, int64_t) { return a + b; }},
      {"v_pk_sub_i16", true, false, [](int64_t a, int64_t b, int64_t) { return a - b; }},
      {"v_pk_add_u16", false, false, [](int64_t a, int64_t b, int64_t) { return a + b; }},
      {"v_pk_sub_u16", false, false, [](int64_t a, int64_t b, int64_t) { return a - b; }},
      {"v_pk_mad_i16", true, true, [](int64_t a, int64_t b, int64_t c) { return a * b + c; }},
      {"v_pk_mad_u16", false, true, [](int64_t a, int64_t b, int64_t c) { return a * b + c; }},
      {"v_pk_mul_lo_u16", false, false, [](int64_t a, int64_t b, int64_t) { return a * b & 0xffff; }},
      {"v_pk_lshlrev_b16", false, false,
       [](int64_t a, int64_t b, int64_t) { return b << (a & 15) & 0xffff; }},
      {"v_pk_lshrrev_b16", false, false, [](int64_t a, int64_t b, int64_t) { return b >> (a & 15); }},
      {"v_pk_ashrrev_i16", true, false, [](int64_t a, int64_t b, int64_t) { return b >> (a & 15); }},
      {"v_pk_min_i16", true, false, [](int64_t a, int64_t b, int64_t) { return std::min(a, b); }},
      {"v_pk_max_i16", true, false, [](int64_t a, int64_t b, int64_t) { return std::max(a, b); }},
      {"v_pk_min_u16", false, false, [](int64_t a, int64_t b, int64_t) { return std::min(a, b); }},
      {"v_pk_max_u16", false, false, [](int64_t a, int64_t b, int64_t) { return std::max(a, b); }}};
  LaneMachine machine("gfx942");
  std::string text;
  for (const Operation& operation : operations) {
    const std::string sources = operation.three ? "v0, v2, v4" : "v0, v2";
    const std::string selectors =
        operation.three ? " op_sel:[1,0,1] op_sel_hi:[1,0,0]" : " op_sel:[1,0] op_sel_hi:[1,0]";
    text += std::string(operation.name) + " v8, " + sources + "\n" + operation.name + " v9, " + sources +
            selectors + "\n";
    // LLVM takes clamp only where the result can saturate.
    const bool clamps = std::string_view(operation.name).find("_add_") != std::string_view::npos ||
                        std::string_view(operation.name).find("_sub_") != std::string_view::npos ||
                        operation.three;
    text += std::string(operation.name) + " v10, " + sources + (clamps ? " clamp\n" : "\n");
  }
  const auto code = machine.assemble(text);
  Random random(1);
  for (size_t i = 0; i < std::size(operations); ++i)
    for (int round = 0; round < 20; ++round) {
      const Operation& operation = operations[i];
      machine.randomise(0, 6, random);
      machine.run(std::span(code).subspan(3 * i, 3));
      for (int lane = 0; lane < kLanes; ++lane) {
        const auto half = [&](int r, int which) {
          return field(machine.v(r, lane), 16 * which, 16, operation.is_signed);
        };
        const int64_t low = operation.value(half(0, 0), half(2, 0), half(4, 0)),
                      high = operation.value(half(0, 1), half(2, 1), half(4, 1));
        ASSERT_EQ(machine.v(8, lane), (static_cast<uint32_t>(low) & 0xffff) | static_cast<uint32_t>(high)
                                                                                  << 16)
            << operation.name;
        // op_sel: low from S0.high, S1.low, S2.high; high from S0.high, S1.low, S2.low.
        const int64_t mixed_low = operation.value(half(0, 1), half(2, 0), half(4, 1)),
                      mixed_high = operation.value(half(0, 1), half(2, 0), half(4, 0));
        ASSERT_EQ(machine.v(9, lane),
                  (static_cast<uint32_t>(mixed_low) & 0xffff) | static_cast<uint32_t>(mixed_high) << 16)
            << operation.name;
        const auto clamped = [&](int64_t v) {
          return static_cast<uint32_t>(operation.is_signed ? std::clamp<int64_t>(v, -32768, 32767)
                                                           : std::clamp<int64_t>(v, 0, 65535)) &
                 0xffff;
        };
        ASSERT_EQ(machine.v(10, lane), clamped(low) | clamped(high) << 16) << operation.name;
      }
    }
}

TEST(Vop3p, PackedMoveAndConstants) {
  LaneMachine machine("gfx942");
  machine.wave.set_scalar64(6, 0x2222222211111111);
  Random random(2);
  machine.randomise(0, 4, random);
  machine.run(
      "v_pk_mov_b32 v[8:9], v[0:1], v[2:3] op_sel:[1,0]\nv_pk_mov_b32 v[10:11], s[6:7], s[6:7] op_sel:[0,1]\n"
      "v_pk_add_u16 v12, v0, 1 op_sel_hi:[1,0]\nv_pk_add_f16 v13, v0, 1.0 op_sel_hi:[1,0]\nv_pk_add_u16 v14, "
      "v0, -1");
  for (int lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(machine.v(8, lane), machine.v(1, lane));
    EXPECT_EQ(machine.v(9, lane), machine.v(2, lane));
    EXPECT_EQ(machine.v64(10, lane), 0x2222222211111111u);
    const uint32_t v = machine.v(0, lane);
    EXPECT_EQ(machine.v(12, lane), ((v + 1) & 0xffff) | ((v >> 16) + 1) << 16);
    EXPECT_EQ(machine.v(14, lane), ((v - 1) & 0xffff) | ((v >> 16) - 1) << 16);
    for (int half = 0; half < 2; ++half)
      EXPECT_TRUE(
          same_value(half_value(machine.v(13, lane) >> (16 * half) & 0xffff),
                     reference_add(kHalfRange, MPFR_RNDN, half_value(v >> (16 * half) & 0xffff), 1.0)));
  }
}

TEST(Vop3p, IntegerDotProducts) {
  struct Dot {
    const char* text;
    int width;
    bool is_signed, clamp;
  };
  const Dot dots[] = {{"v_dot4_i32_i8 v8, v0, v1, v2", 8, true, false},
                      {"v_dot4_u32_u8 v8, v0, v1, v2", 8, false, false},
                      {"v_dot8_i32_i4 v8, v0, v1, v2", 4, true, false},
                      {"v_dot8_u32_u4 v8, v0, v1, v2", 4, false, false},
                      {"v_dot4_i32_i8 v8, v0, v1, v2 clamp", 8, true, true},
                      {"v_dot4_u32_u8 v8, v0, v1, v2 clamp", 8, false, true},
                      {"v_dot2_i32_i16 v8, v0, v1, v2", 16, true, false},
                      {"v_dot2_u32_u16 v8, v0, v1, v2", 16, false, false},
                      {"v_dot2_i32_i16 v8, v0, v1, v2 clamp", 16, true, true}};
  LaneMachine machine("gfx90a");
  Random random(3);
  for (const Dot& dot : dots) {
    const auto code = machine.assemble(dot.text);
    for (int round = 0; round < 20; ++round) {
      machine.randomise(0, 3, random);
      if (dot.clamp)
        for (int lane = 0; lane < kLanes; ++lane)
          machine.v(2, lane) = (random.next() & 1 ? 0x7fffff00u : 0x80000010u) | (machine.v(2, lane) & 0xff);
      machine.run(code);
      for (int lane = 0; lane < kLanes; ++lane) {
        int64_t sum = dot.is_signed ? static_cast<int64_t>(static_cast<int32_t>(machine.v(2, lane)))
                                    : machine.v(2, lane);
        for (int bit = 0; bit < 32; bit += dot.width)
          sum += field(machine.v(0, lane), bit, dot.width, dot.is_signed) *
                 field(machine.v(1, lane), bit, dot.width, dot.is_signed);
        if (dot.clamp)
          sum = dot.is_signed ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX)
                              : std::min<int64_t>(sum, UINT32_MAX);
        ASSERT_EQ(machine.v(8, lane), static_cast<uint32_t>(sum)) << dot.text;
      }
    }
  }
  // Accumulating forms of VOP2.
  const auto code = machine.assemble(
      "v_dot4c_i32_i8_e32 v8, v0, v1\nv_dot8c_i32_i4_e32 v9, v0, v1\nv_dot2c_i32_i16_e32 v10, v0, v1");
  machine.randomise(0, 11, random);
  const int widths[] = {8, 4, 16};
  for (int i = 0; i < 3; ++i)
    for (int lane = 0; lane < kLanes; ++lane) {
      int64_t sum = static_cast<int32_t>(machine.v(8 + i, lane));
      for (int bit = 0; bit < 32; bit += widths[i])
        sum +=
            field(machine.v(0, lane), bit, widths[i], true) * field(machine.v(1, lane), bit, widths[i], true);
      machine.v(20 + i, lane) = static_cast<uint32_t>(sum);
    }
  machine.run(code);
  for (int i = 0; i < 3; ++i)
    for (int lane = 0; lane < kLanes; ++lane) EXPECT_EQ(machine.v(8 + i, lane), machine.v(20 + i, lane));
}

TEST(Vop3p, FloatDotProducts) {
  LaneMachine old_machine("gfx90a"), new_machine("gfx950");
  Random random(4);
  const auto f16_code = old_machine.assemble("v_dot2_f32_f16 v8, v0, v1, v2\nv_dot2c_f32_f16_e32 v9, v0, v1");
  const auto bf16_code =
      new_machine.assemble("v_dot2_f32_bf16 v8, v0, v1, v2\nv_dot2c_f32_bf16_e32 v9, v0, v1");
  const auto sum = [](double a, double b) { return reference_add(kSingleRange, MPFR_RNDN, a, b); };
  const auto product = [](double a, double b) { return reference_mul(kSingleRange, MPFR_RNDN, a, b); };
  for (int round = 0; round < 50; ++round) {
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int r = 0; r < 2; ++r) {
        old_machine.v(r, lane) =
            static_cast<uint32_t>(float_pattern(16, random) | float_pattern(16, random) << 16);
        new_machine.v(r, lane) =
            static_cast<uint32_t>(float_pattern(32, random) >> 16 | (float_pattern(32, random) & 0xffff0000));
      }
      old_machine.v(2, lane) = old_machine.v(9, lane) = new_machine.v(2, lane) = new_machine.v(9, lane) =
          static_cast<uint32_t>(float_pattern(32, random));
    }
    const auto old_code_run = [&] { old_machine.run(f16_code), new_machine.run(bf16_code); };
    old_code_run();
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto h = [&](int r, int half) {
        return half_value(old_machine.v(r, lane) >> (16 * half) & 0xffff);
      };
      const double c = old_machine.f32(2, lane);
      const double expected = sum(sum(c, product(h(0, 0), h(1, 0))), product(h(0, 1), h(1, 1)));
      ASSERT_TRUE(same_value(old_machine.f32(8, lane), expected));
      ASSERT_TRUE(same_value(old_machine.f32(9, lane), expected));
      const auto b = [&](int r, int half) {
        return pattern_value(32, (new_machine.v(r, lane) >> (16 * half) & 0xffff) << 16);
      };
      const double low = product(b(0, 0), b(1, 0)), high = product(b(0, 1), b(1, 1));
      ASSERT_TRUE(same_value(new_machine.f32(8, lane), sum(sum(low, high), c)));
      ASSERT_TRUE(same_value(new_machine.f32(9, lane), sum(sum(c, low), high)));
    }
  }
}

TEST(Vop3p, MixedPrecision) {
  LaneMachine machine("gfx942");
  const auto code = machine.assemble(
      "v_fma_mix_f32 v8, v0, v1, v2\nv_fma_mix_f32 v9, v0, -v1, |v2| op_sel:[1,0,0] op_sel_hi:[1,1,0]\n"
      "v_fma_mixlo_f16 v10, v0, v1, v2 op_sel_hi:[1,0,1]\nv_fma_mixhi_f16 v11, v0, v1, v2 op_sel:[0,1,0] "
      "op_sel_hi:[0,1,0] clamp\n"
      "v_fma_mix_f32 v12, v0, 1.0, v2 op_sel_hi:[1,0,0]");
  Random random(5);
  for (int round = 0; round < 100; ++round) {
    for (int lane = 0; lane < kLanes; ++lane)
      for (int r = 0; r < 3; ++r)
        machine.v(r, lane) = static_cast<uint32_t>(random.below(2) ? float_pattern(32, random)
                                                                   : float_pattern(16, random) |
                                                                         float_pattern(16, random) << 16);
    machine.randomise(10, 2, random);
    std::array<uint32_t, kLanes> old10, old11;
    for (int lane = 0; lane < kLanes; ++lane)
      old10[lane] = machine.v(10, lane), old11[lane] = machine.v(11, lane);
    machine.run(code);
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto f = [&](int r) { return pattern_value(32, machine.v(r, lane)); };
      const auto h = [&](int r, int half) { return half_value(machine.v(r, lane) >> (16 * half) & 0xffff); };
      const auto fma = [](double a, double b, double c) {
        return reference_fma(kSingleRange, MPFR_RNDN, a, b, c);
      };
      ASSERT_TRUE(same_value(f(8), fma(f(0), f(1), f(2))));
      ASSERT_TRUE(same_value(f(9), fma(h(0, 1), -h(1, 0), std::fabs(f(2)))));
      ASSERT_TRUE(
          same_value(h(10, 0), reference_convert(kHalfRange, MPFR_RNDN, fma(h(0, 0), f(1), h(2, 0)))));
      ASSERT_EQ(machine.v(10, lane) >> 16, old10[lane] >> 16);
      const double high = reference_convert(kHalfRange, MPFR_RNDN, fma(f(0), h(1, 1), f(2)));
      ASSERT_TRUE(same_value(h(11, 1), std::isnan(high) || high <= 0 ? 0 : std::min(high, 1.0)));
      ASSERT_EQ(machine.v(11, lane) & 0xffff, old11[lane] & 0xffff);
      ASSERT_TRUE(same_value(f(12), fma(h(0, 0), 1.0, f(2))));
    }
  }
}

// Every value of a format with its code, from the definition.
std::map<double, uint32_t> finite_values(const FloatFormat& format) {
  std::map<double, uint32_t> values;
  for (uint32_t code = 0; code < 1u << format.bits(); ++code)
    if (std::isfinite(format.decode(code))) values.emplace(format.decode(code), code);
  return values;
}

// Round to nearest, ties to even code, by search; NaN where the value is beyond the range.
double nearest_in(const std::map<double, uint32_t>& values, double v) {
  const auto above = values.lower_bound(v);
  if (above == values.end() || above == values.begin()) {
    const auto edge = above == values.end() ? std::prev(above) : above;
    // Half a quantum beyond the largest value still rounds to it (the tie goes away from odd codes).
    const auto inner = above == values.end() ? std::prev(edge) : std::next(edge);
    const double quantum = std::fabs(edge->first - inner->first), excess = std::fabs(v - edge->first);
    const bool odd = edge->second & 1;
    return excess < quantum / 2 || (excess == quantum / 2 && !odd) ? edge->first
                                                                   : std::numeric_limits<double>::quiet_NaN();
  }
  const auto below = std::prev(above);
  const double down = v - below->first, up = above->first - v;
  if (up == 0 || up < down) return above->first;
  if (down < up) return below->first;
  return above->second & 1 ? below->first : above->first;
}

const FloatFormat kBf8Fnuz{5, 2, 16, FloatFormat::Special::fnuz},
    kBf8Ocp{5, 2, 15, FloatFormat::Special::ieee};

TEST(Vop3p, EightBitEncodings) {
  for (const bool ocp : {false, true})
    for (const bool bf8 : {false, true})
      for (const bool saturate : {false, true}) {
        const FloatFormat& format = ocp ? (bf8 ? kBf8Ocp : kFp8Ocp) : bf8 ? kBf8Fnuz : kFp8Fnuz;
        const auto values = finite_values(format);
        LaneMachine machine(ocp ? "gfx950" : "gfx942");
        if (saturate) machine.wave.mode |= 1u << 23;
        const std::string name = bf8 ? "bf8" : "fp8";
        const auto code = machine.assemble("v_cvt_pk_" + name + "_f32 v8, v0, v1\nv_cvt_pk_" + name +
                                           "_f32 v9, v0, v1 op_sel:[0,0,1]");
        Random random(6);
        for (int round = 0; round < 100; ++round) {
          for (int lane = 0; lane < kLanes; ++lane)
            for (int r = 0; r < 2; ++r) {
              // Exponents around the format's range, many exact ties.
              const uint32_t exponent = 127 - 22 + static_cast<uint32_t>(random.below(42));
              const uint32_t bits = static_cast<uint32_t>(random.next());
              machine.v(r, lane) = round % 10 == 0 ? static_cast<uint32_t>(float_pattern(32, random))
                                                   : (bits & 0x80000000) | exponent << 23 |
                                                         (bits & (round % 2 ? 0x7fffff : 0x780000));
            }
          machine.randomise(8, 2, random);
          const uint32_t old8 = machine.v(8, 5), old9 = machine.v(9, 5);
          machine.run(code);
          EXPECT_EQ(machine.v(8, 5) >> 16, old8 >> 16);
          EXPECT_EQ(machine.v(9, 5) & 0xffff, old9 & 0xffff);
          for (int lane = 0; lane < kLanes; ++lane)
            for (int r = 0; r < 2; ++r) {
              const double v = machine.f32(r, lane),
                           actual = format.decode(machine.v(8, lane) >> (8 * r) & 0xff);
              EXPECT_EQ(machine.v(8, lane) >> (8 * r) & 0xff, machine.v(9, lane) >> (16 + 8 * r) & 0xff);
              double expected =
                  std::isfinite(v) ? nearest_in(values, v) : std::numeric_limits<double>::quiet_NaN();
              if (std::isnan(expected) && !std::isnan(v)) {
                const bool has_infinity = format.special == FloatFormat::Special::ieee;
                if (saturate && !(std::isinf(v) && has_infinity))
                  expected = std::copysign(values.rbegin()->first, v);
                else if (has_infinity)
                  expected = std::copysign(HUGE_VAL, v);
              }
              ASSERT_TRUE(std::isnan(expected) ? std::isnan(actual) : actual == expected)
                  << v << " gives " << actual << ", expected " << expected;
            }
        }
      }
}

// Stochastic rounding: truncation of the sum with the aligned random number; its mean over all random numbers
// is exact.
TEST(Vop3p, StochasticRounding) {
  LaneMachine machine("gfx950");
  const auto code = machine.assemble(
      "v_cvt_sr_fp8_f32 v8, v0, v1\nv_cvt_sr_f16_f32 v9, v0, v1\nv_cvt_sr_bf16_f32 v10, v0, v1");
  const float values[] = {1.3f, -2.77f, 0x1.1p-8f, 100.9f, 0x1.8p-9f, -0.0171f};
  for (const float value : values) {
    double sum8 = 0, sum16 = 0, sum_bf16 = 0;
    constexpr int kSteps = 64;
    for (int step = 0; step < kSteps; ++step) {
      for (int lane = 0; lane < kLanes; ++lane) {
        machine.v(0, lane) = std::bit_cast<uint32_t>(value);
        machine.v(1, lane) =
            static_cast<uint32_t>((static_cast<uint64_t>(step * kLanes + lane) << 32) / (kSteps * kLanes));
        machine.v(8, lane) = machine.v(9, lane) = machine.v(10, lane) = 0;
      }
      machine.run(code);
      for (int lane = 0; lane < kLanes; ++lane) {
        sum8 += kFp8Ocp.decode(machine.v(8, lane));
        sum16 += half_value(machine.v(9, lane));
        sum_bf16 += pattern_value(32, uint64_t{machine.v(10, lane)} << 16);
      }
    }
    const double count = kSteps * kLanes;
    // Equidistant random numbers reproduce the fraction to one step of the quantum.
    EXPECT_NEAR(sum8 / count, value, std::fabs(value) / 8 / count * 4 + 0x1p-9 / count * 4);
    EXPECT_NEAR(sum16 / count, value, std::fabs(value) / 1024 / count * 4);
    EXPECT_NEAR(sum_bf16 / count, value, std::fabs(value) / 128 / count * 4);
  }
}

// Six- and four-bit formats have no special values; the test's definition needs "ocp" without the NaN code,
// so decode here.
double decode_small(int exponent_bits, int mantissa_bits, int bias, uint32_t code) {
  const uint32_t fraction = code & ((1u << mantissa_bits) - 1),
                 exponent = code >> mantissa_bits & ((1u << exponent_bits) - 1);
  const double magnitude = exponent ? std::ldexp((1u << mantissa_bits) + fraction,
                                                 static_cast<int>(exponent) - bias - mantissa_bits)
                                    : std::ldexp(fraction, 1 - bias - mantissa_bits);
  return code >> (exponent_bits + mantissa_bits) & 1 ? -magnitude : magnitude;
}

struct SmallFormat {
  const char* name;
  int exponent_bits, mantissa_bits, bias;
  int bits() const { return 1 + exponent_bits + mantissa_bits; }
  std::map<double, uint32_t> values() const {
    std::map<double, uint32_t> result;
    for (uint32_t code = 0; code < 1u << bits(); ++code)
      result.emplace(decode_small(exponent_bits, mantissa_bits, bias, code), code);
    return result;
  }
};
constexpr SmallFormat kFp6{"fp6", 2, 3, 1}, kBf6{"bf6", 3, 2, 3}, kFp4{"fp4", 2, 1, 1};

double saturated_nearest(const std::map<double, uint32_t>& values, double v) {
  const double nearest = nearest_in(values, v);
  return std::isnan(nearest) ? std::copysign(values.rbegin()->first, v) : nearest;
}

TEST(Vop3p, ScaledConversionsOf32Elements) {
  for (const SmallFormat& format : {kFp6, kBf6}) {
    LaneMachine machine("gfx950");
    const std::string name = format.name;
    const auto code = machine.assemble(
        "v_cvt_scalef32_pk32_f32_" + name + " v[64:95], v[0:5], v6\nv_cvt_scalef32_2xpk16_" + name +
        "_f32 v[8:13], v[64:79], v[80:95], v6\n" + "v_cvt_scalef32_pk32_f16_" + name +
        " v[32:47], v[0:5], v6\nv_cvt_scalef32_pk32_" + name + "_f16 v[16:21], v[32:47], v6\n" +
        "v_cvt_scalef32_pk32_bf16_" + name + " v[48:63], v[0:5], v6\nv_cvt_scalef32_pk32_" + name +
        "_bf16 v[24:29], v[48:63], v6");
    Random random(7);
    for (int round = 0; round < 10; ++round) {
      machine.randomise(0, 6, random);
      for (int lane = 0; lane < kLanes; ++lane)
        machine.v(6, lane) = static_cast<uint32_t>(127 - 4 + lane % 8) << 23 | 0x1234;
      machine.run(code);
      for (int lane = 0; lane < kLanes; ++lane) {
        const int scale = lane % 8 - 4;
        const auto element = [&](int first, int index) {
          const int bit = 6 * index;
          const uint64_t pair =
              machine.v(first + bit / 32, lane) |
              static_cast<uint64_t>(bit / 32 < 5 ? machine.v(first + bit / 32 + 1, lane) : 0) << 32;
          return static_cast<uint32_t>(pair >> (bit % 32)) & 63;
        };
        for (int i = 0; i < 32; ++i) {
          const double value = std::ldexp(
              decode_small(format.exponent_bits, format.mantissa_bits, format.bias, element(0, i)), scale);
          ASSERT_EQ(machine.f32(64 + i, lane), value);
          ASSERT_EQ(half_value(machine.v(32 + i / 2, lane) >> (16 * (i % 2)) & 0xffff), value);
          ASSERT_EQ(pattern_value(32, uint64_t{machine.v(48 + i / 2, lane) >> (16 * (i % 2)) & 0xffff} << 16),
                    value);
          // Back: the 2xpk16 form takes its elements alternately from the two halves.
          ASSERT_EQ(element(8, 2 * (i % 16) + i / 16), element(0, i));
          ASSERT_EQ(element(16, i), element(0, i));
          ASSERT_EQ(element(24, i), element(0, i));
        }
      }
    }
  }
}

TEST(Vop3p, ScaledConversionsOfFewElements) {
  LaneMachine machine("gfx950");
  const auto code = machine.assemble(
      "v_cvt_scalef32_pk_fp4_f32 v8, v0, v1, v2 op_sel:[0,0,1,0]\nv_cvt_scalef32_pk_fp8_f32 v9, v0, v1, v2 "
      "op_sel:[0,0,0,1]\n"
      "v_cvt_scalef32_pk_f32_fp4 v[10:11], v8, v2 op_sel:[1,0,0]\nv_cvt_scalef32_pk_f32_fp8 v[12:13], v9, v2 "
      "op_sel:[1,0,0]\n"
      "v_cvt_scalef32_f32_fp8 v14, v9, v2 op_sel:[0,1,0]\nv_cvt_scalef32_sr_fp8_f32 v15, v0, v3, v2 "
      "op_sel:[0,0,1,1]");
  const auto fp4 = kFp4.values(), fp8 = finite_values(kFp8Ocp);
  Random random(8);
  machine.wave.mode |= 1u << 23;  // overflow saturates
  for (int round = 0; round < 50; ++round) {
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int r = 0; r < 2; ++r)
        machine.v(r, lane) = std::bit_cast<uint32_t>(static_cast<float>(random.real(-30, 30)));
      machine.v(2, lane) = static_cast<uint32_t>(127 - 3 + lane % 7) << 23;
      machine.v(3, lane) = 0;
    }
    machine.randomise(8, 8, random);
    const uint32_t old8 = machine.v(8, 9), old9 = machine.v(9, 9), old15 = machine.v(15, 9);
    machine.run(code);
    EXPECT_EQ(machine.v(8, 9) & 0xffff00ff, old8 & 0xffff00ff);
    EXPECT_EQ(machine.v(9, 9) & 0xffff, old9 & 0xffff);
    EXPECT_EQ(machine.v(15, 9) & 0xffffff, old15 & 0xffffff);
    for (int lane = 0; lane < kLanes; ++lane) {
      const int scale = lane % 7 - 3;
      for (int r = 0; r < 2; ++r) {
        const double v = machine.f32(r, lane), reduced = std::ldexp(v, -scale);
        ASSERT_EQ(machine.f32(10 + r, lane), std::ldexp(saturated_nearest(fp4, reduced), scale)) << v;
        ASSERT_EQ(machine.f32(12 + r, lane), std::ldexp(saturated_nearest(fp8, reduced), scale)) << v;
      }
      EXPECT_EQ(machine.f32(14, lane), machine.f32(12, lane));
      // Random number zero: truncation.
      const double truncated = kFp8Ocp.decode(machine.v(15, lane) >> 24),
                   exact = std::ldexp(machine.f32(0, lane), -scale);
      EXPECT_LE(std::fabs(truncated), std::fabs(exact));
      EXPECT_TRUE(std::fabs(truncated) >= 448 ||
                  std::fabs(exact) - std::fabs(truncated) <= std::max(std::fabs(exact) / 8, 0x1p-9));
    }
  }
}

}  // namespace
}  // namespace wavecast::test
