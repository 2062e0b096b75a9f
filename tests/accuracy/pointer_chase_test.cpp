// Predicted against measured load-to-use latency: one lane chasing pointers through a random ring.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/support/measurements.h"
#include "tests/support/prediction_runner.h"

namespace wavecast::test {
namespace {

struct Row {
  std::string gpu;
  double kib = 0, clock_mhz = 0, cycles = 0;
};

std::vector<Row> measured() {
  const Measurements table("pointer_chase_latency.csv");
  std::vector<Row> rows;
  for (size_t i = 0; i < table.rows(); ++i)
    rows.push_back({table.text(i, "gpu"), table.number(i, "ring_kib"), table.number(i, "clock_mhz"),
                    table.number(i, "cycles_median")});
  return rows;
}

// Links every 128-byte line of the buffer into one random ring.
void link_ring(const Buffer<uint64_t>& ring, uint64_t lines) {
  std::vector<uint32_t> order(lines);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937_64(1));
  constexpr uint64_t kWordsPerLine = 16;
  for (uint64_t i = 0; i < lines; ++i)
    ring.values[order[i] * kWordsPerLine] = ring.address + order[(i + 1) % lines] * kWordsPerLine * 8;
}

// Cycles per load from the difference of two lengths, so that launch and first misses cancel.
double cycles_per_load(const Row& row) {
  const std::string target = row.gpu == "mi300x" ? "gfx942" : "gfx90a";
  KernelRunner runner("pointer_chase", target);
  const auto lines = static_cast<uint64_t>(row.kib * 1024 / 128);
  auto ring = runner.buffer<uint64_t>(lines * 16);
  auto end = runner.buffer<uint64_t>(1);
  link_ring(ring, lines);
  model::PredictOptions options;
  options.clock = hardware::Hertz(row.clock_mhz * 1e6);
  constexpr uint32_t kUnroll = 16;
  auto cycles = [&](uint32_t loads) {
    const auto kernel = runner.load("pointer_chase", {1, 1, 1}, {1, 1, 1}, ring, end, loads / kUnroll);
    return predict_on(runner, kernel, device_named(row.gpu), options).cycles.value();
  };
  constexpr uint32_t kShort = 50'000, kLong = 100'000;  // the measurement took at least 100,000 loads
  return (cycles(kLong) - cycles(kShort)) / (kLong - kShort);
}

class PointerChase : public ::testing::TestWithParam<Row> {};

TEST_P(PointerChase, WithinTenPercentOfMeasurement) {
  const Row row = GetParam();
  const double predicted = cycles_per_load(row);
  RecordProperty("predicted_cycles", std::to_string(predicted));
  std::printf("%s %.0f KiB: predicted %.1f, measured %.1f cycles (%+.1f %%)\n", row.gpu.c_str(), row.kib,
              predicted, row.cycles, 100 * (predicted / row.cycles - 1));
  EXPECT_NEAR(predicted, row.cycles, 0.10 * row.cycles);
}

INSTANTIATE_TEST_SUITE_P(Measured, PointerChase, ::testing::ValuesIn(measured()), [](const auto& info) {
  return info.param.gpu + "_" + std::to_string(static_cast<int>(info.param.kib)) + "KiB";
});

}  // namespace
}  // namespace wavecast::test
