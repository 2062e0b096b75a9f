// Reductions, scans, histograms, stencils, calls and SGEMM, executed whole and compared bit by bit with the
// same operations in the same order on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/support/kernel_runner.h"
#include "tests/support/random_values.h"

namespace wavecast::test {
namespace {

using isa::Dim3;

class ComputeKernels : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Targets, ComputeKernels, ::testing::Values("gfx942", "gfx90a", "gfx950"),
                         [](const auto& info) { return std::string(info.param); });

// What __shfl_down leaves in lane 0 when every lane adds the lane `distance` above, 32, 16, ... 1.
double wavefront_sum(std::array<double, 64> lanes) {
  for (int distance = 32; distance > 0; distance /= 2) {
    std::array<double, 64> before = lanes;
    for (int lane = 0; lane < 64; ++lane)
      lanes[lane] += before[lane + distance < 64 ? lane + distance : lane];
  }
  return lanes[0];
}

TEST_P(ComputeKernels, ReductionInTheSameOrder) {
  KernelRunner runner("reduction", GetParam());
  constexpr uint32_t kCount = 10000, kGrid = 3, kBlock = 320;
  const auto in = runner.buffer(random_reals<double>(kCount, 11, -1, 1));
  const auto sums = runner.buffer<double>(kGrid);
  runner.run("reduce_sum_f64", Dim3{kGrid}, Dim3{kBlock}, in, sums, kCount);
  for (uint32_t group = 0; group < kGrid; ++group) {
    std::array<double, 64> partial{};
    for (uint32_t wave = 0; wave < kBlock / 64; ++wave) {
      std::array<double, 64> lanes{};
      for (uint32_t lane = 0; lane < 64; ++lane)
        for (uint32_t i = group * kBlock + wave * 64 + lane; i < kCount; i += kGrid * kBlock)
          lanes[lane] += in.values[i];
      partial[wave] = wavefront_sum(lanes);
    }
    EXPECT_EQ(sums.values[group], wavefront_sum(partial)) << group;
  }
}

TEST_P(ComputeKernels, IntegerReductionWrapsAround) {
  KernelRunner runner("reduction", GetParam());
  constexpr uint32_t kCount = 5003;
  const auto in = runner.buffer(random_integers<uint32_t>(kCount, 12, 0, 0xffffffff));
  const auto total = runner.buffer(std::vector<uint32_t>{17});
  runner.run("reduce_sum_u32", Dim3{5}, Dim3{1024}, in, total, kCount);
  uint32_t expected = 17;
  for (uint32_t value : in.values) expected += value;
  EXPECT_EQ(total.values[0], expected);
}

TEST_P(ComputeKernels, ScanInThreeLaunches) {
  KernelRunner runner("scan", GetParam());
  constexpr uint32_t kCount = 20000, kBlock = 256, kTiles = (kCount + kBlock - 1) / kBlock;
  const auto in = runner.buffer(random_integers<uint32_t>(kCount, 13, 0, 0xffffffff));
  const auto out = runner.buffer<uint32_t>(kCount), totals = runner.buffer<uint32_t>(kTiles);
  const auto offsets = runner.buffer<uint32_t>(kTiles), sum = runner.buffer<uint32_t>(1);
  static_assert(kTiles <= kBlock);
  runner.run("scan_tiles", Dim3{kTiles}, Dim3{kBlock}, in, out, totals, kCount);
  runner.run("scan_tiles", Dim3{1}, Dim3{kBlock}, totals, offsets, sum, kTiles);
  runner.run("add_offsets", Dim3{kTiles}, Dim3{kBlock}, out, offsets, kCount);
  uint32_t expected = 0;
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(out.values[i], expected += in.values[i]) << i;
  EXPECT_EQ(sum.values[0], expected);
}

TEST_P(ComputeKernels, HistogramCountsEveryByte) {
  KernelRunner runner("histogram", GetParam());
  constexpr uint32_t kWords = 3000;
  // Few distinct values in part of the data, so that lanes collide on one bin.
  std::vector<uint32_t> words = random_integers<uint32_t>(kWords, 14, 0, 0xffffffff);
  std::fill(words.begin() + 1000, words.begin() + 2000, 0x07070709u);
  const auto data = runner.buffer(words);
  const auto bins = runner.buffer<uint32_t>(256);
  runner.run("histogram", Dim3{3}, Dim3{256}, data, bins, kWords);
  std::array<uint32_t, 256> expected{};
  for (uint32_t word : words)
    for (int byte = 0; byte < 4; ++byte) ++expected[word >> 8 * byte & 0xff];
  for (int bin = 0; bin < 256; ++bin) EXPECT_EQ(bins.values[bin], expected[bin]) << bin;
}

TEST_P(ComputeKernels, Stencil2D) {
  KernelRunner runner("stencil", GetParam());
  constexpr int32_t kWidth = 75, kHeight = 42;
  constexpr float kCentre = 0.3f, kSide = 0.17f;
  const auto in = runner.buffer(random_reals<float>(kWidth * kHeight, 15, -1, 1));
  const auto out = runner.buffer<float>(kWidth * kHeight);
  runner.run("stencil_2d", Dim3{3, 6}, Dim3{32, 8}, in, out, kWidth, kHeight, kCentre, kSide);
  for (int32_t y = 0; y < kHeight; ++y)
    for (int32_t x = 0; x < kWidth; ++x) {
      const int32_t i = y * kWidth + x;
      float expected = in.values[i];
      if (x > 0 && x < kWidth - 1 && y > 0 && y < kHeight - 1) {
        expected = kCentre * in.values[i];
        for (int32_t neighbour : {i - 1, i + 1, i - kWidth, i + kWidth})
          expected = std::fma(kSide, in.values[neighbour], expected);
      }
      ASSERT_EQ(out.values[i], expected) << x << " " << y;
    }
}

TEST_P(ComputeKernels, Stencil3D) {
  KernelRunner runner("stencil", GetParam());
  constexpr int32_t kX = 20, kY = 9, kZ = 7;
  constexpr double kCentre = -6.5, kSide = 1.0 / 3;
  const auto in = runner.buffer(random_reals<double>(kX * kY * kZ, 16, -1, 1));
  const auto out = runner.buffer<double>(kX * kY * kZ);
  runner.run("stencil_3d", Dim3{2, 3, 4}, Dim3{16, 4, 2}, in, out, kX, kY, kZ, kCentre, kSide);
  for (int32_t z = 0; z < kZ; ++z)
    for (int32_t y = 0; y < kY; ++y)
      for (int32_t x = 0; x < kX; ++x) {
        const int32_t i = (z * kY + y) * kX + x;
        double expected = in.values[i];
        if (x > 0 && x < kX - 1 && y > 0 && y < kY - 1 && z > 0 && z < kZ - 1) {
          expected = kCentre * in.values[i];
          for (int32_t neighbour : {i - 1, i + 1, i - kX, i + kX, i - kX * kY, i + kX * kY})
            expected = std::fma(kSide, in.values[neighbour], expected);
        }
        ASSERT_EQ(out.values[i], expected) << x << " " << y << " " << z;
      }
}

uint32_t rotate_add(uint32_t x, uint32_t y) { return (x << 7 | x >> 25) + y; }
uint32_t multiply_xor(uint32_t x, uint32_t y) { return x * 2654435761u ^ y; }
uint32_t larger_half(uint32_t x, uint32_t y) { return std::max(x, y) / 2 + 1; }

TEST_P(ComputeKernels, PrivateArraysInScratch) {
  KernelRunner runner("calls", GetParam());
  constexpr uint32_t kCount = 300;
  const auto in = runner.buffer(random_integers<uint32_t>(kCount, 17, 0, 0xffffffff));
  const auto out = runner.buffer<uint32_t>(kCount);
  runner.run("sort_private", Dim3{5}, Dim3{64}, in, out, kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    std::array<uint32_t, 64> values;
    for (uint32_t j = 0; j < 64; ++j) values[j] = in.values[i] * (2 * j + 1) >> j % 7;
    std::sort(values.begin(), values.end());
    uint32_t hash = 0;
    for (uint32_t value : values) hash = rotate_add(hash, value);
    ASSERT_EQ(out.values[i], hash) << i;
  }
}

// Ackermann's function in closed form for the small first arguments that the kernel uses.
uint32_t ackermann(uint32_t m, uint32_t n) { return m == 0 ? n + 1 : m == 1 ? n + 2 : 2 * n + 3; }

TEST_P(ComputeKernels, DivergentRecursion) {
  KernelRunner runner("calls", GetParam());
  constexpr uint32_t kCount = 200;
  const auto in = runner.buffer(random_integers<uint32_t>(kCount, 18, 0, 1000000));
  const auto out = runner.buffer<uint32_t>(kCount);
  runner.run("recurse", Dim3{2}, Dim3{128}, in, out, kCount);
  for (uint32_t i = 0; i < kCount; ++i)
    ASSERT_EQ(out.values[i], ackermann(in.values[i] % 3, in.values[i] / 3 % 5)) << i;
}

TEST_P(ComputeKernels, FunctionPointersThatDifferBetweenLanes) {
  KernelRunner runner("calls", GetParam());
  constexpr uint32_t kCount = 150, kRounds = 9;
  const auto in = runner.buffer(random_integers<uint32_t>(kCount, 19, 0, 0xffffffff));
  const auto out = runner.buffer<uint32_t>(kCount);
  runner.run("call_through_table", Dim3{3}, Dim3{64}, in, out, kCount, kRounds);
  for (uint32_t i = 0; i < kCount; ++i) {
    uint32_t value = in.values[i];
    for (uint32_t round = 0; round < kRounds; ++round) {
      const uint32_t y = i + round;
      value = value % 3 == 0   ? rotate_add(value, y)
              : value % 3 == 1 ? multiply_xor(value, y)
                               : larger_half(value, y);
    }
    ASSERT_EQ(out.values[i], value) << i;
  }
}

void run_sgemm(const char* target, float alpha, float beta) {
  KernelRunner runner("sgemm", target);
  constexpr int32_t kM = 128, kN = 256, kK = 40;
  const auto a = runner.buffer(random_reals<float>(kM * kK, 20, -1, 1));
  const auto b = runner.buffer(random_reals<float>(kK * kN, 21, -1, 1));
  const std::vector<float> before = random_reals<float>(kM * kN, 22, -1, 1);
  const auto c = runner.buffer(before);
  runner.run("sgemm", Dim3{kN / 128, kM / 128}, Dim3{256}, a, b, c, kM, kN, kK, alpha, beta);
  for (int32_t row = 0; row < kM; ++row)
    for (int32_t column = 0; column < kN; ++column) {
      float sum = 0;
      for (int32_t k = 0; k < kK; ++k) sum = std::fma(a.values[row * kK + k], b.values[k * kN + column], sum);
      const float old = beta == 0 ? 0.0f : before[row * kN + column];
      ASSERT_EQ(c.values[row * kN + column], std::fma(alpha, sum, beta * old)) << row << " " << column;
    }
}

TEST_P(ComputeKernels, SgemmReplacesC) { run_sgemm(GetParam(), 1.25f, 0.0f); }
TEST_P(ComputeKernels, SgemmAddsToC) { run_sgemm(GetParam(), -0.75f, 0.5f); }

}  // namespace
}  // namespace wavecast::test
