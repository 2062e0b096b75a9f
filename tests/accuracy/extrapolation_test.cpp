// A launch simulated in part must say what the launch simulated as a whole says.
#include <gtest/gtest.h>

#include "tests/support/prediction_runner.h"

namespace wavecast::test {
namespace {

struct Pair {
  model::Prediction whole, part;
};

Pair predict_both(KernelRunner& runner, const isa::LoadedKernel& kernel, uint64_t budget) {
  model::PredictOptions all, some;
  all.max_simulated_instructions = 1'000'000'000;
  some.max_simulated_instructions = budget;
  const hardware::Device device = device_named("mi300x");
  return {predict_on(runner, kernel, device, all), predict_on(runner, kernel, device, some)};
}

void expect_close(const Pair& pair, double tolerance) {
  EXPECT_FALSE(pair.whole.sampled.extrapolated);
  EXPECT_TRUE(pair.part.sampled.extrapolated);
  EXPECT_LT(pair.part.sampled.wave_instructions_simulated,
            pair.whole.sampled.wave_instructions_simulated * 3 / 4);
  EXPECT_NEAR(pair.part.time.value(), pair.whole.time.value(), tolerance * pair.whole.time.value());
  std::printf("whole %.1f us, from a part %.1f us\n", pair.whole.time.value() / 1e3,
              pair.part.time.value() / 1e3);
}

// Many short work-groups: whole rounds are left out.
TEST(Extrapolation, CopyOfManyWorkGroups) {
  constexpr int kWorkGroups = 32768, kElements = kWorkGroups * 256;
  KernelRunner runner("vcopy", "gfx942");
  auto a = runner.buffer<double>(kElements), b = runner.buffer<double>(kElements),
       c = runner.buffer<double>(kElements);
  const auto kernel = runner.load("vecCopy", {kWorkGroups, 1, 1}, {256, 1, 1}, a, b, c, kElements, 0);
  const Pair pair = predict_both(runner, kernel, 120'000);
  expect_close(pair, 0.05);
  // Counters scale as well: the fabric moves every byte once each way.
  for (const auto& counter : pair.part.counters)
    if (counter.name == "TCC_EA0_WRREQ_64B_sum")
      EXPECT_NEAR(counter.value, kElements * 8 / 64, 0.02 * kElements * 8 / 64);
}

// Few long work-groups: their loop is cut off. Also the stores of the epilogue are counted.
TEST(Extrapolation, MatrixProductWithALongLoop) {
  constexpr int kM = 1024, kN = 1024, kK = 1024;
  KernelRunner runner("sgemm", "gfx942");
  auto a = runner.buffer<float>(size_t{kM} * kK), b = runner.buffer<float>(size_t{kK} * kN),
       c = runner.buffer<float>(size_t{kM} * kN);
  const auto kernel =
      runner.load("sgemm", {kN / 128, kM / 128, 1}, {256, 1, 1}, a, b, c, kM, kN, kK, 1.0f, 0.0f);
  const Pair pair = predict_both(runner, kernel, 400'000);
  expect_close(pair, 0.05);
  EXPECT_GE(pair.part.traffic.l2_bytes, double{kM} * kN * 4);
  EXPECT_NEAR(pair.part.traffic.l2_bytes, pair.whole.traffic.l2_bytes, 0.15 * pair.whole.traffic.l2_bytes);
}

}  // namespace
}  // namespace wavecast::test
