// Operand forms of the vector ALU: SDWA selectors and destinations, DPP lane patterns with masks, bound
// control and EXEC, VGPR indexing, and the instructions that move data between lanes.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/lane_machine.h"

namespace wavecast::test {
namespace {

using isa::kLanes;

constexpr int kInvalid = -1;

struct Pattern {
  std::string text;
  std::function<int(int)> source;  // lane that lane i reads, or kInvalid
};

std::vector<Pattern> patterns() {
  std::vector<Pattern> result = {{"quad_perm:[3,1,0,2]",
                                  [](int i) {
                                    const int p[] = {3, 1, 0, 2};
                                    return (i & ~3) + p[i & 3];
                                  }},
                                 {"row_mirror", [](int i) { return i / 16 * 16 + 15 - i % 16; }},
                                 {"row_half_mirror", [](int i) { return i / 8 * 8 + 7 - i % 8; }},
                                 {"wave_shl:1", [](int i) { return i < 63 ? i + 1 : kInvalid; }},
                                 {"wave_rol:1", [](int i) { return (i + 1) % 64; }},
                                 {"wave_shr:1", [](int i) { return i > 0 ? i - 1 : kInvalid; }},
                                 {"wave_ror:1", [](int i) { return (i + 63) % 64; }},
                                 {"row_bcast:15", [](int i) { return i < 16 ? kInvalid : i / 16 * 16 - 1; }},
                                 {"row_bcast:31", [](int i) { return i < 32 ? kInvalid : 31; }}};
  for (const int n : {1, 3, 15}) {
    const std::string count = std::to_string(n);
    result.push_back({"row_shl:" + count, [=](int i) { return i % 16 + n < 16 ? i + n : kInvalid; }});
    result.push_back({"row_shr:" + count, [=](int i) { return i % 16 >= n ? i - n : kInvalid; }});
    result.push_back({"row_ror:" + count, [=](int i) { return i / 16 * 16 + (i % 16 + 16 - n) % 16; }});
    result.push_back({"row_newbcast:" + count, [=](int i) { return i / 16 * 16 + n; }});
  }
  return result;
}

TEST(Dpp, LanePatternsMasksAndBounds) {
  struct Case {
    Pattern pattern;
    bool bound;
    int row_mask, bank_mask;
  };
  std::vector<Case> cases;
  std::string text;
  for (const Pattern& pattern : patterns())
    for (const bool bound : {false, true})
      for (const auto& [row_mask, bank_mask] :
           {std::pair(0xf, 0xf), std::pair(0xa, 0xf), std::pair(0xf, 0x6)}) {
        char masks[64];
        std::snprintf(masks, sizeof masks, " row_mask:0x%x bank_mask:0x%x", row_mask, bank_mask);
        const std::string control = pattern.text + masks + (bound ? " bound_ctrl:0" : "");
        text += "v_mov_b32_dpp v2, v0 " + control + "\nv_add_u32_dpp v3, v0, v1 " + control + "\n";
        cases.push_back({pattern, bound, row_mask, bank_mask});
      }
  LaneMachine machine("gfx942");
  const auto code = machine.assemble(text);
  ASSERT_EQ(code.size(), 2 * cases.size());
  Random random(1);
  for (size_t i = 0; i < cases.size(); ++i)
    for (const uint64_t exec : {~uint64_t{0}, random.next()}) {
      const Case& c = cases[i];
      machine.randomise(0, 4, random);
      std::array<uint32_t, kLanes> old2, old3;
      for (int lane = 0; lane < kLanes; ++lane)
        old2[lane] = machine.v(2, lane), old3[lane] = machine.v(3, lane);
      machine.wave.set_exec(exec);
      machine.run(std::span(code).subspan(2 * i, 2));
      for (int lane = 0; lane < kLanes; ++lane) {
        const int source = c.pattern.source(lane);
        const bool valid = source != kInvalid && exec >> source & 1;
        const bool written = exec >> lane & 1 && c.row_mask >> lane / 16 & 1 &&
                             c.bank_mask >> lane % 16 / 4 & 1 && (valid || c.bound);
        const uint32_t value = valid ? machine.v(0, source) : 0;
        ASSERT_EQ(machine.v(2, lane), written ? value : old2[lane]) << c.pattern.text << " lane " << lane;
        ASSERT_EQ(machine.v(3, lane), written ? value + machine.v(1, lane) : old3[lane])
            << c.pattern.text << " lane " << lane;
      }
    }
}

TEST(Dpp, FloatModifiersWidePairsAndAccumulators) {
  LaneMachine machine("gfx942");
  for (int lane = 0; lane < kLanes; ++lane) {
    machine.v(0, lane) = std::bit_cast<uint32_t>(static_cast<float>(lane) - 20);
    machine.v(1, lane) = std::bit_cast<uint32_t>(static_cast<float>(lane) * 2);
    machine.v(2, lane) = std::bit_cast<uint32_t>(0.5f);
    machine.set64(4, lane, std::bit_cast<uint64_t>(lane + 0.25));
  }
  machine.run(
      "v_fmac_f32_dpp v2, -|v0|, v1 row_ror:1 row_mask:0xf bank_mask:0xf\nv_mov_b64_dpp v[6:7], v[4:5] "
      "row_newbcast:3 row_mask:0xf bank_mask:0xf");
  for (int lane = 0; lane < kLanes; ++lane) {
    const int source = lane / 16 * 16 + (lane % 16 + 15) % 16;
    EXPECT_EQ(machine.f32(2, lane), -std::fabs(source - 20.0f) * (2.0f * lane) + 0.5f);
    EXPECT_EQ(machine.f64(6, lane), lane / 16 * 16 + 3.25);
  }
}

// A wave-wide sum as LLVM's atomic optimizer and rocPRIM write it.
TEST(Dpp, WaveReduction) {
  LaneMachine machine("gfx90a");
  uint32_t total = 0;
  for (int lane = 0; lane < kLanes; ++lane)
    total += machine.v(0, lane) = static_cast<uint32_t>(lane * lane + 7);
  machine.run(
      "v_add_u32_dpp v0, v0, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0\n"
      "v_add_u32_dpp v0, v0, v0 row_shr:2 row_mask:0xf bank_mask:0xf bound_ctrl:0\n"
      "v_add_u32_dpp v0, v0, v0 row_shr:4 row_mask:0xf bank_mask:0xf bound_ctrl:0\n"
      "v_add_u32_dpp v0, v0, v0 row_shr:8 row_mask:0xf bank_mask:0xf bound_ctrl:0\n"
      "v_add_u32_dpp v0, v0, v0 row_bcast:15 row_mask:0xa bank_mask:0xf\n"
      "v_add_u32_dpp v0, v0, v0 row_bcast:31 row_mask:0xc bank_mask:0xf\n"
      "v_readlane_b32 s4, v0, 63");
  EXPECT_EQ(machine.wave.scalar[4], total);
}

struct Selector {
  const char* name;
  int shift, width;
};
constexpr Selector kSelectors[] = {{"BYTE_0", 0, 8},  {"BYTE_1", 8, 8},  {"BYTE_2", 16, 8},
                                   {"BYTE_3", 24, 8}, {"WORD_0", 0, 16}, {"WORD_1", 16, 16},
                                   {"DWORD", 0, 32}};

uint32_t selected(uint32_t value, const Selector& selector, bool sign_extend) {
  const uint64_t field = value >> selector.shift & ((uint64_t{1} << selector.width) - 1);
  const bool negative = sign_extend && field >> (selector.width - 1) & 1;
  return static_cast<uint32_t>(negative ? field - (uint64_t{1} << selector.width) : field);
}

TEST(Sdwa, EverySelector) {
  LaneMachine machine("gfx942");
  Random random(2);
  const char* unused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
  for (const Selector& destination : kSelectors) {
    std::string text;
    struct Case {
      const Selector *first, *second;
      bool first_sext, second_sext;
      int unused;
    };
    std::vector<Case> cases;
    for (const Selector& first : kSelectors)
      for (const Selector& second : kSelectors) {
        const Case c{&first, &second, random.below(2) == 1, random.below(2) == 1,
                     static_cast<int>(random.below(3))};
        const auto operand = [](const char* reg, bool sext) {
          return sext ? std::string("sext(") + reg + ")" : std::string(reg);
        };
        text += "v_add_u32_sdwa v2, " + operand("v0", c.first_sext) + ", " + operand("v1", c.second_sext) +
                " dst_sel:" + destination.name + " dst_unused:" + unused[c.unused] +
                " src0_sel:" + first.name + " src1_sel:" + second.name + "\n";
        cases.push_back(c);
      }
    const auto code = machine.assemble(text);
    ASSERT_EQ(code.size(), cases.size());
    for (size_t i = 0; i < code.size(); ++i) {
      machine.randomise(0, 3, random);
      std::array<uint32_t, kLanes> old;
      for (int lane = 0; lane < kLanes; ++lane) old[lane] = machine.v(2, lane);
      machine.run(code[i]);
      for (int lane = 0; lane < kLanes; ++lane) {
        const uint32_t sum = selected(machine.v(0, lane), *cases[i].first, cases[i].first_sext) +
                             selected(machine.v(1, lane), *cases[i].second, cases[i].second_sext);
        const uint64_t mask = ((uint64_t{1} << destination.width) - 1) << destination.shift;
        const uint64_t placed = (static_cast<uint64_t>(sum) << destination.shift) & mask;
        uint64_t expected = placed;
        if (cases[i].unused == 2) expected |= old[lane] & ~mask;
        if (cases[i].unused == 1 && placed >> (destination.shift + destination.width - 1) & 1)
          expected |= ~(mask | ((uint64_t{1} << destination.shift) - 1));
        ASSERT_EQ(machine.v(2, lane), static_cast<uint32_t>(expected))
            << destination.name << " case " << i << " unused " << cases[i].unused;
      }
    }
  }
}

TEST(Sdwa, FloatModifiersScalarsAndCompares) {
  LaneMachine machine("gfx942");
  machine.wave.scalar[9] = 0x00030000;
  for (int lane = 0; lane < kLanes; ++lane) {
    machine.v(0, lane) = 0x3c004000;  // halves 2.0 and 1.0
    machine.v(1, lane) = static_cast<uint32_t>(lane) << 16 | 3;
  }
  machine.run(
      "v_add_f16_sdwa v2, -v0, |v0| dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:WORD_1\n"
      "v_cvt_f32_f16_sdwa v3, v0 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1\n"
      "v_cmp_gt_u32_sdwa s[4:5], v1, v1 src0_sel:WORD_1 src1_sel:WORD_0\n"
      "v_mul_u32_u24_sdwa v4, s9, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_1");
  for (int lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(machine.v(2, lane), 0xbc000000u);  // -2 + 1
    EXPECT_EQ(machine.f32(3, lane), 1.0f);
    EXPECT_EQ(machine.v(4, lane), 3u * static_cast<uint32_t>(lane));
  }
  EXPECT_EQ(machine.wave.scalar64(4), ~uint64_t{0} << 4);
}

TEST(CrossLane, ReadAndWriteLanes) {
  LaneMachine machine("gfx942");
  Random random(3);
  machine.randomise(0, 2, random);
  machine.wave.set_exec(0x00000ff000000000);
  machine.wave.scalar[5] = 64 + 37;  // modulo 64
  machine.wave.scalar[6] = 0xabcdef;
  const uint32_t expected = machine.v(0, 37);
  machine.run(
      "v_readlane_b32 s4, v0, s5\nv_readfirstlane_b32 s7, v0\nv_writelane_b32 v1, s6, 3\nv_readfirstlane_b32 "
      "s8, v1");
  EXPECT_EQ(machine.wave.scalar[4], expected);
  EXPECT_EQ(machine.wave.scalar[7], machine.v(0, 36));
  EXPECT_EQ(machine.v(1, 3), 0xabcdefu);
  EXPECT_EQ(machine.wave.scalar[8], machine.v(1, 36));
  machine.wave.set_exec(0);
  machine.run("v_readfirstlane_b32 s4, v0");
  EXPECT_EQ(machine.wave.scalar[4], machine.v(0, 0));
}

TEST(CrossLane, MaskedBitCount) {
  LaneMachine machine("gfx942");
  machine.wave.set_scalar64(4, 0xf0f0123456789abc);
  machine.run(
      "v_mbcnt_lo_u32_b32 v0, s4, 5\nv_mbcnt_hi_u32_b32 v0, s5, v0\nv_mbcnt_lo_u32_b32 v1, -1, "
      "0\nv_mbcnt_hi_u32_b32 v1, -1, v1");
  for (int lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(machine.v(0, lane),
              5u + static_cast<uint32_t>(std::popcount(0xf0f0123456789abc & ((uint64_t{1} << lane) - 1))));
    EXPECT_EQ(machine.v(1, lane), static_cast<uint32_t>(lane));
  }
}

TEST(CrossLane, PermlaneSwaps) {
  LaneMachine machine("gfx950");
  for (int lane = 0; lane < kLanes; ++lane)
    for (int r = 0; r < 4; ++r) machine.v(r, lane) = static_cast<uint32_t>(100 * r + lane);
  machine.run("v_permlane16_swap_b32_e32 v0, v1\nv_permlane32_swap_b32_e32 v2, v3");
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t id = static_cast<uint32_t>(lane);
    EXPECT_EQ(machine.v(0, lane), lane & 16 ? 100 + id - 16 : id);
    EXPECT_EQ(machine.v(1, lane), lane & 16 ? 100 + id : id + 16);
    EXPECT_EQ(machine.v(2, lane), lane & 32 ? 300 + id - 32 : 200 + id);
    EXPECT_EQ(machine.v(3, lane), lane & 32 ? 300 + id : 200 + id + 32);
  }
}

TEST(VgprIndexing, SourcesAndDestination) {
  LaneMachine machine("gfx942");
  Random random(4);
  machine.randomise(0, 40, random);
  machine.wave.mode |= 1u << 27;
  machine.wave.scalar[isa::operand_code::kM0] = 7 | 1u << 12;  // source 0
  machine.run("v_mov_b32_e32 v1, v2");
  EXPECT_EQ(machine.v(1, 5), machine.v(9, 5));
  machine.wave.scalar[isa::operand_code::kM0] = 7 | 8u << 12;  // destination
  machine.run("v_mov_b32_e32 v1, v2");
  EXPECT_EQ(machine.v(8, 5), machine.v(2, 5));
  EXPECT_FALSE(machine.context.faulted);
  machine.wave.scalar[isa::operand_code::kM0] = 200 | 1u << 12;
  machine.run("v_mov_b32_e32 v1, v2");
  EXPECT_TRUE(machine.context.faulted);
}

}  // namespace
}  // namespace wavecast::test
