// VOPC: every comparison of every type against its definition, classes, EXEC handling, v_cmpx and
// destinations.
#include <gtest/gtest.h>

#include "support/lane_machine.h"
#include "support/mpfr_reference.h"

namespace wavecast::test {
namespace {

using isa::kLanes;

// Operand values of small sets, so that equal ones are common; floats also from special patterns.
uint64_t operand(char kind, int width, Random& random) {
  const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  if (kind == 'f')
    return random.below(3) ? float_pattern(width, random) : random.below(2) << (width - 1);  // +0, -0
  return (random.below(2) ? random.next()
                          : static_cast<uint64_t>(static_cast<int64_t>(random.below(5)) - 2)) &
         mask;
}

int64_t sign_extended(uint64_t v, int width) {
  return static_cast<int64_t>(v << (64 - width)) >> (64 - width);
}

// -1, 0, 1, or 2 for unordered.
int order(char kind, int width, uint64_t a, uint64_t b) {
  if (kind == 'f') {
    const double x = pattern_value(width, a), y = pattern_value(width, b);
    if (std::isnan(x) || std::isnan(y)) return 2;
    return x < y ? -1 : x > y;
  }
  if (kind == 'u') return a < b ? -1 : a > b;
  const int64_t x = sign_extended(a, width), y = sign_extended(b, width);
  return x < y ? -1 : x > y;
}

struct Comparison {
  const char* name;
  bool less, equal, greater, unordered;
};
constexpr Comparison kInteger[] = {{"f", false, false, false, false}, {"lt", true, false, false, false},
                                   {"eq", false, true, false, false}, {"le", true, true, false, false},
                                   {"gt", false, false, true, false}, {"ne", true, false, true, false},
                                   {"ge", false, true, true, false},  {"t", true, true, true, false}};
constexpr Comparison kFloat[] = {
    {"f", false, false, false, false}, {"lt", true, false, false, false}, {"eq", false, true, false, false},
    {"le", true, true, false, false},  {"gt", false, false, true, false}, {"lg", true, false, true, false},
    {"ge", false, true, true, false},  {"o", true, true, true, false},    {"u", false, false, false, true},
    {"nge", true, false, false, true}, {"nlg", false, true, false, true}, {"ngt", true, true, false, true},
    {"nle", false, false, true, true}, {"neq", true, false, true, true},  {"nlt", false, true, true, true},
    {"tru", true, true, true, true}};

void check_type(char kind, int width, std::span<const Comparison> comparisons) {
  LaneMachine machine("gfx942");
  const std::string type = kind + std::to_string(width);
  const std::string operands = width == 64 ? "v[0:1], v[2:3]" : "v0, v2";
  std::string text;
  for (const Comparison& c : comparisons) {
    text += std::string("v_cmp_") + c.name + "_" + type + "_e32 vcc, " + operands + "\n";
    text += std::string("v_cmp_") + c.name + "_" + type + "_e64 s[10:11], " + operands + "\n";
    text += std::string("v_cmpx_") + c.name + "_" + type + "_e64 s[12:13], " + operands + "\n";
  }
  const auto code = machine.assemble(text);
  Random random(static_cast<uint64_t>(kind * width));
  for (int round = 0; round < 20; ++round) {
    for (int lane = 0; lane < kLanes; ++lane) {
      machine.set64(0, lane, operand(kind, width, random));
      machine.set64(2, lane, operand(kind, width, random));
    }
    for (size_t i = 0; i < comparisons.size(); ++i) {
      const Comparison& c = comparisons[i];
      const uint64_t exec = round % 3 ? random.next() : ~uint64_t{0};
      uint64_t expected = 0;
      for (int lane = 0; lane < kLanes; ++lane) {
        const int o = order(kind, width, machine.v64(0, lane), machine.v64(2, lane));
        const bool holds = o == 2 ? c.unordered : o < 0 ? c.less : o > 0 ? c.greater : c.equal;
        expected |= static_cast<uint64_t>(holds) << lane;
      }
      expected &= exec;
      machine.wave.set_exec(exec);
      machine.run(code[3 * i]);
      ASSERT_EQ(machine.wave.vcc(), expected) << type << " " << c.name;
      machine.run(code[3 * i + 1]);
      ASSERT_EQ(machine.wave.scalar64(10), expected) << type << " " << c.name;
      ASSERT_EQ(machine.wave.exec(), exec);
      machine.run(code[3 * i + 2]);
      ASSERT_EQ(machine.wave.scalar64(12), expected) << type << " " << c.name;
      ASSERT_EQ(machine.wave.exec(), expected) << type << " " << c.name;
    }
  }
}

TEST(Vopc, Integers) {
  for (const int width : {16, 32, 64}) {
    check_type('i', width, kInteger);
    check_type('u', width, kInteger);
  }
}
TEST(Vopc, Floats) {
  for (const int width : {16, 32, 64}) check_type('f', width, kFloat);
}

int class_of(int width, uint64_t bits) {
  const double v = pattern_value(width, bits);
  const bool negative = bits >> (width - 1) & 1;
  const uint64_t quiet = width == 16 ? 0x200 : width == 32 ? 0x400000 : uint64_t{1} << 51;
  if (std::isnan(v)) return bits & quiet ? 1 : 0;
  if (std::isinf(v)) return negative ? 2 : 9;
  if (v == 0) return negative ? 5 : 6;
  const IeeeRange& range = range_of(width);
  const bool denormal = std::fabs(v) < std::ldexp(1.0, range.least_exponent + range.precision - 2);
  return denormal ? (negative ? 4 : 7) : negative ? 3 : 8;
}

TEST(Vopc, Classes) {
  for (const int width : {16, 32, 64}) {
    LaneMachine machine("gfx942");
    const auto code =
        machine.assemble("v_cmp_class_f" + std::to_string(width) + "_e64 s[4:5], " +
                         (width == 64 ? "v[0:1]" : "v0") + ", v2\n" + "v_cmp_class_f" +
                         std::to_string(width) + "_e64 s[6:7], -" + (width == 64 ? "v[0:1]" : "v0") + ", v2");
    Random random(static_cast<uint64_t>(width));
    for (int round = 0; round < 50; ++round) {
      // Flushing modes do not hide denormals from the classes.
      machine.wave.mode = round % 2 ? kUsualMode : kUsualMode & ~0xf0u;
      uint64_t expected = 0, negated = 0;
      for (int lane = 0; lane < kLanes; ++lane) {
        const uint64_t bits = float_pattern(width, random);
        const uint32_t mask = static_cast<uint32_t>(random.next()) & 0x3ff;
        machine.set64(0, lane, bits);
        machine.v(2, lane) = mask;
        expected |= static_cast<uint64_t>(mask >> class_of(width, bits) & 1) << lane;
        negated |= static_cast<uint64_t>(mask >> class_of(width, bits ^ uint64_t{1} << (width - 1)) & 1)
                   << lane;
      }
      machine.run(code);
      ASSERT_EQ(machine.wave.scalar64(4), expected);
      ASSERT_EQ(machine.wave.scalar64(6), negated);
    }
  }
}

TEST(Vopc, ConstantsAndDenormalControl) {
  LaneMachine machine("gfx942");
  for (int lane = 0; lane < kLanes; ++lane) machine.v(0, lane) = static_cast<uint32_t>(lane);
  machine.run("v_cmp_gt_u32_e32 vcc, 8, v0\nv_cmp_lt_u32_e64 s[6:7], 60, v0\nv_cmp_gt_i32_e32 vcc, 8, v0");
  EXPECT_EQ(machine.wave.vcc(), 0xffu);
  EXPECT_EQ(machine.wave.scalar64(6), uint64_t{7} << 61);
  // A denormal equals zero only where inputs are flushed.
  machine.v(1, 0) = 1;
  machine.v(2, 0) = 0;
  machine.run("v_cmp_eq_f32_e32 vcc, v1, v2");
  EXPECT_EQ(machine.wave.vcc() & 1, 0u);
  machine.wave.mode &= ~0x30u;
  machine.run("v_cmp_eq_f32_e32 vcc, v1, v2");
  EXPECT_EQ(machine.wave.vcc() & 1, 1u);
}

}  // namespace
}  // namespace wavecast::test
