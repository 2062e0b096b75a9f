// Predicted against measured bandwidth of double-precision streams far larger than any cache, at several
// residencies.
#include <gtest/gtest.h>

#include "tests/support/measurements.h"
#include "tests/support/prediction_runner.h"

namespace wavecast::test {
namespace {

struct Row {
  std::string gpu;
  int block = 0, blocks_per_cu = 0;
  double occupancy = 0, init = 0, read = 0, scale = 0;  // percent, GB/s
};

std::vector<Row> measured(std::string_view gpu) {
  const Measurements table("stream_vs_occupancy.csv");
  std::vector<Row> rows;
  for (size_t i = 0; i < table.rows(); ++i)
    if (table.text(i, "gpu") == gpu)
      rows.push_back({table.text(i, "gpu"), static_cast<int>(table.number(i, "block")),
                      static_cast<int>(table.number(i, "blocks_per_cu")), table.number(i, "occ_pct"),
                      table.number(i, "init_GBs"), table.number(i, "read_GBs"),
                      table.number(i, "scale_GBs")});
  return rows;
}

constexpr uint64_t kElements = 256ull * 1024 * 1024;  // 2 GiB per array, as measured

enum class Stream { init, read, scale };

double predicted_gbs(const Row& row, Stream stream) {
  KernelRunner runner("stream", "gfx942");
  auto a = runner.buffer<double>(kElements), b = runner.buffer<double>(kElements);
  const isa::Dim3 grid{static_cast<uint32_t>(kElements / row.block), 1, 1},
      block{static_cast<uint32_t>(row.block), 1, 1};
  // As the benchmark does: LDS decides how many work-groups fit.
  const auto lds = static_cast<uint32_t>(65536 / row.blocks_per_cu / 512 * 512);
  runner.set_dynamic_lds(lds);
  const isa::LoadedKernel kernel = stream == Stream::init ? runner.load("stream_init", grid, block, a, 0.23)
                                   : stream == Stream::read
                                       ? runner.load("stream_read", grid, block, a, b)
                                       : runner.load("stream_scale", grid, block, a, b, 1.2);
  const auto prediction = predict_on(runner, kernel, device_named(row.gpu));
  const double bytes = static_cast<double>(kElements) * sizeof(double) * (stream == Stream::scale ? 2 : 1);
  return bytes / prediction.time.value();  // B/ns = GB/s
}

TEST(StreamBandwidth, ReadAtFullOccupancyWithinTenPercent) {
  const Row row = measured("mi300x").back();
  ASSERT_EQ(row.occupancy, 100);
  const double predicted = predicted_gbs(row, Stream::read);
  std::printf("read: predicted %.0f, measured %.0f GB/s (%+.1f %%)\n", predicted, row.read,
              100 * (predicted / row.read - 1));
  EXPECT_NEAR(predicted, row.read, 0.10 * row.read);
}

// Shape over occupancy: held to a loose band until calibration (an issue of its own) tightens it.
TEST(StreamBandwidth, FollowsOccupancy) {
  double last = 0;
  for (const Row& row : measured("mi300x")) {
    if (row.blocks_per_cu != 2 || (row.block != 64 && row.block != 256 && row.block != 512)) continue;
    const double init = predicted_gbs(row, Stream::init), read = predicted_gbs(row, Stream::read),
                 scale = predicted_gbs(row, Stream::scale);
    std::printf(
        "block %4d x %d: init %5.0f/%5.0f  read %5.0f/%5.0f  scale %5.0f/%5.0f GB/s (predicted/measured)\n",
        row.block, row.blocks_per_cu, init, row.init, read, row.read, scale, row.scale);
    EXPECT_NEAR(read, row.read, 0.35 * row.read);
    EXPECT_GE(read, 0.95 * last) << "more waves must not lower the bandwidth";
    last = read;
  }
}

}  // namespace
}  // namespace wavecast::test
