// Issue rates of one CU against measurement (hibagus/SC25_AMD_CDNA3_Artifact@06e0811, MI300X: cycles per
// instruction with one and four waves per SIMD) and tight timing of waits and barriers on an invented XCD.
#include <gtest/gtest.h>

#include "hardware/device.h"
#include "model/xcd_simulator.h"
#include "tests/support/assembler.h"
#include "tests/support/toy_xcd.h"

namespace wavecast::model {
namespace {

class OneCu {
 public:
  OneCu() : timing_(*hardware::load_instruction_timing("gfx942")), spec_(test::toy_xcd()) { spec_.cus = 1; }

  // One work-group of `waves` waves. `body` lacks s_endpgm.
  XcdResult run(const std::string& body, uint32_t waves) {
    auto code = std::make_shared<const isa::CodeObject>(
        test::assemble(test::kernel_source(body + "\ns_endpgm", "gfx942", {}, "", 4096), "gfx942"));
    isa::Memory memory;
    auto kernel =
        isa::load_kernel(code, code->kernels.front(), {.grid = {}, .block = {waves * 64, 1, 1}}, memory);
    EXPECT_TRUE(kernel) << kernel.error().reason;
    const ResolvedProgram program = resolve_program(kernel->program, timing_);
    XcdWorkload workload;
    workload.kernel = &*kernel;
    workload.memory = &memory;
    workload.program = &program;
    workload.work_groups = {{0, 0, 0}};
    auto result = simulate_xcd(spec_, workload);
    EXPECT_TRUE(result) << result.error().place << ": " << result.error().reason;
    return result ? *result : XcdResult{};
  }

  // Cycles until the work-group has ended.
  double cycles(const std::string& body, uint32_t waves) {
    return static_cast<double>(run(body, waves).cycles);
  }

  // Cycles that one more copy of `instruction` costs, from the difference of two straight-line kernels.
  double cycles_each(const std::string& instruction, uint32_t waves) {
    auto repeated = [&](int count) {
      std::string body;
      for (int i = 0; i < count; ++i) body += instruction + "\n";
      return cycles(body, waves);
    };
    constexpr int kShort = 200, kLong = 600;
    return (repeated(kLong) - repeated(kShort)) / (kLong - kShort);
  }

 protected:
  hardware::InstructionTiming timing_;
  XcdSpec spec_;
};

struct IssueCase {
  const char* instruction;
  double one_wave, four_waves;  // measured cycles per instruction of each wave, 1 and 4 waves per SIMD
};

class MeasuredIssue : public ::testing::TestWithParam<IssueCase> {};

TEST_P(MeasuredIssue, OneAndFourWavesPerSimd) {
  const IssueCase& c = GetParam();
  EXPECT_NEAR(OneCu().cycles_each(c.instruction, 4), c.one_wave, 0.03 * c.one_wave) << c.instruction;
  EXPECT_NEAR(OneCu().cycles_each(c.instruction, 16), c.four_waves, 0.03 * c.four_waves) << c.instruction;
}

INSTANTIATE_TEST_SUITE_P(
    Mi300x, MeasuredIssue,
    ::testing::Values(IssueCase{"v_add_f32 v0, v1, v2", 4.009, 16.009},
                      IssueCase{"v_mul_f32 v0, v1, v2", 4.009, 16.010},
                      IssueCase{"v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]", 4.012, 16.012},
                      IssueCase{"v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]", 16.012, 64.015},
                      IssueCase{"v_mfma_i32_16x16x32_i8 a[0:3], v[0:1], v[2:3], a[0:3]", 16.008, 64.017},
                      IssueCase{"v_mfma_f32_16x16x32_fp8_fp8 a[0:3], v[0:1], v[2:3], a[0:3]", 16.008, 64.009},
                      IssueCase{"v_mfma_f32_16x16x4_f32 a[0:3], v0, v2, a[0:3]", 32.005, 128.007},
                      IssueCase{"v_mfma_f64_16x16x4_f64 a[0:7], v[0:1], v[2:3], a[0:7]", 32.03, 128.06}),
    [](const auto& info) {
      const std::string text = info.param.instruction;
      return text.substr(0, text.find(' '));
    });

// gfx950 (LLVM 22's scheduling model): 32x32x64 takes 16 passes with 8-bit A or B, 8 with neither.
TEST(Issue, NarrowFormatsHalveTheF8f6f4Instruction) {
  const auto timing = *hardware::load_instruction_timing("gfx950");
  auto matrix_cycles = [&](const std::string& operands) {
    const isa::CodeObject code = test::assemble(
        test::kernel_source("v_mfma_f32_32x32x64_f8f6f4 a[0:15], " + operands + "\ns_endpgm", "gfx950"),
        "gfx950");
    const auto program = isa::decode_program(code);
    EXPECT_TRUE(program) << program.error().reason;
    return resolve_program(*program, timing).instructions.front().matrix_cycles;
  };
  EXPECT_EQ(matrix_cycles("v[0:7], v[8:15], a[0:15] cbsz:0 blgp:1"), 64);
  EXPECT_EQ(matrix_cycles("v[0:7], v[8:11], a[0:15] cbsz:0 blgp:4"), 64);
  EXPECT_EQ(matrix_cycles("v[0:5], v[8:13], a[0:15] cbsz:2 blgp:2"), 32);
  EXPECT_EQ(matrix_cycles("v[0:3], v[8:11], a[0:15] cbsz:4 blgp:4"), 32);
}

TEST(Issue, NopCountsWaitStates) {
  EXPECT_DOUBLE_EQ(OneCu().cycles_each("s_nop 0", 1), 4);
  EXPECT_DOUBLE_EQ(OneCu().cycles_each("s_nop 7", 1), 32);
}

// Scalar instructions of one wave issue once per slot; four waves on four SIMDs do not disturb each other.
TEST(Issue, ScalarOncePerSlot) {
  EXPECT_DOUBLE_EQ(OneCu().cycles_each("s_add_u32 s20, s20, 1", 1), 4);
  EXPECT_DOUBLE_EQ(OneCu().cycles_each("s_add_u32 s20, s20, 1", 4), 4);
  EXPECT_DOUBLE_EQ(OneCu().cycles_each("s_add_u32 s20, s20, 1", 8), 8);
}

// A VALU and a scalar instruction of different waves share a slot: two waves take no longer than one of each
// kind.
TEST(Issue, DifferentPortsShareASlot) {
  const double both = OneCu().cycles_each("v_add_f32 v0, v1, v2\ns_add_u32 s20, s20, 1", 8);
  EXPECT_NEAR(both, 8, 0.1);
}

TEST(Issue, ADependentReadOfAMatrixResultWaitsForIt) {
  const double dependent =
      OneCu().cycles_each("v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]\nv_add_f32 v20, v0, v0", 1);
  const double independent = OneCu().cycles_each(
      "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]\nv_add_f32 v20, v21, v22", 1);
  EXPECT_NEAR(independent, 16, 1);
  EXPECT_GE(dependent, 16 + 4);
}

// One wave reading LDS and waiting: issue to result, then the wait's slot.
TEST(Issue, LdsLatencyIsTheTablesUpToTheSlot) {
  const double latency = hardware::load_instruction_timing("gfx942")->lds_read.at(4).latency->value();
  const double measured = OneCu().cycles_each("ds_read_b32 v1, v0\ns_waitcnt lgkmcnt(0)", 1);
  EXPECT_GE(measured, latency);
  EXPECT_LE(measured, latency + 8);
}

// A flat address in the LDS aperture uses the LDS port and leaves the vector L1 alone.
TEST(Issue, FlatAccessToLdsGoesToLds) {
  const XcdResult result = OneCu().run(
      "s_mov_b64 s[20:21], src_shared_base\nv_mov_b32 v2, 0\nv_mov_b32 v3, s21\nflat_load_dword v4, v[2:3]\n"
      "s_waitcnt vmcnt(0) lgkmcnt(0)",
      1);
  EXPECT_EQ(result.lds_instructions, 1u);
  EXPECT_EQ(result.vector_l1.line_lookups, 0u);
}

// All waves pass a barrier together: the slowest decides.
TEST(Issue, BarrierWaitsForTheLastWave) {
  const std::string late =
      "v_readfirstlane_b32 s20, v0\ns_and_b32 s20, s20, 0x3ff\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 late\n"
      "s_nop 15\ns_nop 15\ns_nop 15\ns_nop 15\nlate:\ns_barrier\n";
  const std::string early =
      "v_readfirstlane_b32 s20, v0\ns_and_b32 s20, s20, 0x3ff\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 "
      "late\nlate:\ns_barrier\n";
  const double difference = OneCu().cycles(late, 4) - OneCu().cycles(early, 4);
  EXPECT_GE(difference, 4 * 64 - 24);  // four times sixteen wait states, less the other waves' branch
  EXPECT_LE(difference, 4 * 64 + 4);
}

}  // namespace
}  // namespace wavecast::model
