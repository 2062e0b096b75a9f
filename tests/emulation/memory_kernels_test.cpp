// Kernels that move data, executed whole and compared bit by bit with the same work done on the host; and the
// instruction counts of vecCopy against hardware counters.
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "tests/support/kernel_runner.h"
#include "tests/support/random_values.h"

namespace wavecast::test {
namespace {

using isa::Dim3;

class MemoryKernels : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Targets, MemoryKernels, ::testing::Values("gfx942", "gfx90a", "gfx950"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(MemoryKernels, VectorAddLeavesTheTailAlone) {
  KernelRunner runner("vector_add", GetParam());
  constexpr uint32_t kCount = 1000, kAllocated = 1024;
  const auto a = runner.buffer(random_reals<float>(kAllocated, 1, -10, 10));
  const auto b = runner.buffer(random_reals<float>(kAllocated, 2, -10, 10));
  const auto c = runner.buffer(std::vector<float>(kAllocated, -1.0f));
  runner.run("vector_add", Dim3{4}, Dim3{256}, a, b, c, kCount);
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(c.values[i], a.values[i] + b.values[i]) << i;
  for (uint32_t i = kCount; i < kAllocated; ++i) ASSERT_EQ(c.values[i], -1.0f) << i;
}

TEST_P(MemoryKernels, VecCopyCopies) {
  KernelRunner runner("vcopy", GetParam());
  constexpr int32_t kCount = 5000;
  const auto a = runner.buffer(random_reals<double>(kCount, 3, -1e300, 1e300));
  const auto b = runner.buffer<double>(1);
  const auto c = runner.buffer<double>(kCount);
  runner.run("vecCopy", Dim3{20}, Dim3{256}, a, b, c, kCount, int32_t{1});
  for (int32_t i = 0; i < kCount; ++i) ASSERT_EQ(c.values[i], a.values[i]) << i;
}

// Counters per wavefront that MI210 showed for vecCopy with full work-groups (rocprofiler-compute's reference
// workload vcopy, n = 1048576, block 256, divided by its 16,384 waves): SQ_INSTS 24, VALU 10, SALU 3, SMEM 4,
// VMEM_RD 1, VMEM_WR 1, BRANCH 1.
TEST(VecCopyCounters, EqualHardware) {
  KernelRunner runner("vcopy", "gfx90a");
  constexpr int32_t kCount = 4096;
  constexpr uint64_t kWaves = kCount / 64;
  const auto a = runner.buffer<double>(kCount), b = runner.buffer<double>(1),
             c = runner.buffer<double>(kCount);
  const isa::EmulationSummary summary =
      runner.run("vecCopy", Dim3{kCount / 256}, Dim3{256}, a, b, c, kCount, int32_t{1});
  uint64_t valu = 0;
  for (int i = 0; i < isa::kInstructionClassCount; ++i)
    if (isa::is_valu(static_cast<isa::InstructionClass>(i))) valu += summary.counts[i];
  auto count = [&](isa::InstructionClass c) { return summary.counts[static_cast<int>(c)]; };
  EXPECT_EQ(summary.wave_instructions, 24 * kWaves);
  EXPECT_EQ(valu, 10 * kWaves);
  EXPECT_EQ(count(isa::InstructionClass::salu), 3 * kWaves);
  EXPECT_EQ(count(isa::InstructionClass::smem_load), 4 * kWaves);
  EXPECT_EQ(count(isa::InstructionClass::vmem_load), kWaves);
  EXPECT_EQ(count(isa::InstructionClass::vmem_store), kWaves);
  EXPECT_EQ(count(isa::InstructionClass::branch), kWaves);
}

TEST_P(MemoryKernels, StridedCopyGathers) {
  KernelRunner runner("strided_copy", GetParam());
  constexpr uint32_t kCount = 777, kStride = 19;
  const auto in = runner.buffer(random_reals<float>(kCount * kStride, 4, -1, 1));
  const auto out = runner.buffer<float>(kCount);
  runner.run("strided_copy", Dim3{7}, Dim3{128}, in, out, kCount, kStride);
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(out.values[i], in.values[i * kStride]) << i;
}

TEST_P(MemoryKernels, StreamsTouchEveryElement) {
  KernelRunner runner("stream", GetParam());
  constexpr uint32_t kCount = 1024;
  const auto a = runner.buffer<double>(kCount);
  const auto b = runner.buffer(random_reals<double>(kCount, 5, -1, 1));
  runner.run("stream_init", Dim3{8}, Dim3{128}, a, 2.5);
  for (double value : a.values) ASSERT_EQ(value, 2.5);
  runner.run("stream_scale", Dim3{2}, Dim3{512}, a, b, 3.0);
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(a.values[i], 3.0 * b.values[i]) << i;
}

TEST_P(MemoryKernels, StreamReadStoresOnlyForInfinity) {
  KernelRunner runner("stream", GetParam());
  const auto a = runner.buffer(std::vector<double>{7.0});
  const auto b = runner.buffer(random_reals<double>(512, 6, -1, 1));
  runner.run("stream_read", Dim3{4}, Dim3{128}, a, b);
  EXPECT_EQ(a.values[0], 7.0);
  b.values[300] = std::numeric_limits<double>::infinity();
  runner.run("stream_read", Dim3{4}, Dim3{128}, a, b);
  EXPECT_EQ(a.values[0], std::numeric_limits<double>::infinity());
}

TEST_P(MemoryKernels, TransposeWithAndWithoutPadding) {
  for (const char* kernel : {"transpose_padded", "transpose_conflicting"}) {
    KernelRunner runner("transpose", GetParam());
    constexpr uint32_t kRows = 96, kColumns = 160;
    const auto in = runner.buffer(random_reals<float>(kRows * kColumns, 7, -1, 1));
    const auto out = runner.buffer<float>(kRows * kColumns);
    runner.run(kernel, Dim3{kColumns / 32, kRows / 32}, Dim3{32, 8}, in, out, kRows, kColumns);
    for (uint32_t row = 0; row < kRows; ++row)
      for (uint32_t column = 0; column < kColumns; ++column)
        ASSERT_EQ(out.values[column * kRows + row], in.values[row * kColumns + column])
            << kernel << " " << row << " " << column;
  }
}

TEST_P(MemoryKernels, PointerChaseFollowsTheRing) {
  KernelRunner runner("pointer_chase", GetParam());
  constexpr uint32_t kLines = 500, kPointersPerLine = 16, kUnroll = 16, kRounds = 37;
  std::vector<uint32_t> permutation(kLines);
  std::iota(permutation.begin(), permutation.end(), 0u);
  Random random(8);
  for (uint32_t i = kLines - 1; i > 0; --i) std::swap(permutation[i], permutation[random.below(i + 1)]);
  const auto order = runner.buffer(permutation);
  const auto lines = runner.buffer<uint64_t>(kLines * kPointersPerLine);
  const auto end = runner.buffer<uint64_t>(1);
  auto address = [&](uint32_t position) {
    return lines.address + uint64_t{permutation[position % kLines]} * 128;
  };

  runner.run("link_ring", Dim3{8}, Dim3{64}, lines, order, kLines);
  for (uint32_t i = 0; i < kLines; ++i)
    ASSERT_EQ(lines.values[permutation[i] * kPointersPerLine], address(i + 1)) << i;
  runner.run("pointer_chase", Dim3{1}, Dim3{1}, address(0), end, kRounds);
  EXPECT_EQ(end.values[0], address(kRounds * kUnroll));
}

}  // namespace
}  // namespace wavecast::test
