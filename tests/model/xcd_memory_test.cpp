// Latency and bandwidth of the memory levels on an invented XCD: each figure follows from the specification
// by hand.
#include "model/xcd_memory.h"

#include <gtest/gtest.h>

#include "tests/support/toy_xcd.h"

namespace wavecast::model {
namespace {

constexpr uint64_t kLine = 128;

TEST(XcdMemory, ColdReadGoesToHbmAndTheNextOneHitsL2) {
  XcdMemory memory(test::toy_xcd(), {.footprint = 4096, .warm = false});
  // 128 B over 16 B/cycle x 0.8, then HBM and L2 latency.
  EXPECT_DOUBLE_EQ(memory.read(0, 0, kLine), 128 / 12.8 + 700 + 80);
  // Two cycles of the channel, then L2 latency.
  EXPECT_DOUBLE_EQ(memory.read(5000, 0, kLine), 5000 + 2 + 80);
  EXPECT_EQ(memory.statistics().l2_hits, 1u);
  EXPECT_EQ(memory.statistics().hbm_read_bytes, kLine);
}

TEST(XcdMemory, WarmBuffersThatFitAreInTheInfinityCache) {
  XcdMemory memory(test::toy_xcd(), {.footprint = 65536, .warm = true});  // more than L2 holds
  EXPECT_DOUBLE_EQ(memory.read(0, 0, kLine), 128.0 / 32 + 300 + 80);
  EXPECT_EQ(memory.statistics().infinity_hits, 1u);
  XcdMemory larger(test::toy_xcd(), {.footprint = 2 << 20, .warm = true});
  larger.read(0, 0, kLine);
  EXPECT_EQ(larger.statistics().infinity_hits, 0u);
}

TEST(XcdMemory, WarmBuffersThatFitL2StayThere) {
  XcdMemory memory(test::toy_xcd(), {.footprint = 4096, .warm = true});
  EXPECT_DOUBLE_EQ(memory.read(0, 0, kLine), 2 + 80);
}

TEST(XcdMemory, ASecondRequestForALineOnItsWayWaitsForIt) {
  XcdMemory memory(test::toy_xcd(), {.footprint = 4096, .warm = false});
  const double first = memory.read(0, 0, kLine);
  EXPECT_DOUBLE_EQ(memory.read(10, 0, kLine), first);
}

model::XcdSpec toy_with_many_misses() {
  auto spec = test::toy_xcd();
  spec.l2.misses_per_channel = 1024;
  return spec;
}

TEST(XcdMemory, FewOutstandingMissesLimitAStreamAsLittleSays) {
  const auto spec = test::toy_xcd();
  XcdMemory memory(spec, {.footprint = 4096, .warm = false});
  constexpr int kLines = 20000;
  double last = 0;
  for (int i = 0; i < kLines; ++i) last = std::max(last, memory.read(0, i * kLine, kLine));
  const double in_flight = spec.l2.channels * spec.l2.misses_per_channel * static_cast<double>(kLine);
  const double expected = in_flight / (spec.hbm.extra_latency + 128 / 12.8);
  // The hash leaves a window of a few lines unevenly spread over the channels.
  EXPECT_NEAR(kLines * static_cast<double>(kLine) / last, expected, expected * 0.08);
}

TEST(XcdMemory, ReadStreamRunsAtHbmBandwidth) {
  XcdMemory memory(toy_with_many_misses(), {.footprint = 1 << 30, .warm = false});
  constexpr int kLines = 20000;
  double last = 0;
  for (int i = 0; i < kLines; ++i) last = std::max(last, memory.read(0, i * kLine, kLine));
  const double rate = kLines * static_cast<double>(kLine) / last;
  EXPECT_NEAR(rate, 16 * 0.8, 16 * 0.8 * 0.02);
}

TEST(XcdMemory, AnEvenMixPaysTheTurnAround) {
  XcdMemory memory(toy_with_many_misses(), {.footprint = 1 << 30, .warm = false});
  constexpr int kLines = 20000;
  double last = 0;
  for (int i = 0; i < kLines; ++i) {
    last = std::max(last, memory.read(0, (2 * i) * kLine, kLine));
    memory.write(0, (2 * i + 1) * kLine, true);
    memory.write(0, (2 * i + 1) * kLine + 64, true);
  }
  last = std::max(last, memory.write_back_all(last));
  EXPECT_NEAR(2.0 * kLines * kLine / last, 16 * 0.5, 16 * 0.5 * 0.03);
}

// The first `count` 256-byte blocks that the first channel serves.
std::vector<uint64_t> on_one_channel(const XcdMemory& memory, size_t count) {
  std::vector<uint64_t> addresses;
  for (uint64_t address = 0; addresses.size() < count; address += 256)
    if (memory.channel_of(address) == 0) addresses.push_back(address);
  return addresses;
}

TEST(XcdMemory, PowerOfTwoStridesUseEveryChannel) {
  XcdMemory memory(test::toy_xcd(), {});
  for (uint64_t stride = 256; stride <= 1 << 20; stride *= 2) {
    std::vector<int> hits(4);
    for (uint64_t i = 0; i < 4096; ++i) ++hits[memory.channel_of(i * stride)];
    for (int h : hits) EXPECT_EQ(h, 1024) << stride;
  }
}

TEST(XcdMemory, ChannelsWorkSideBySide) {
  const auto spec = test::toy_xcd();
  XcdMemory memory(spec, {.footprint = 4096, .warm = true});
  for (uint64_t i = 0; i < 8; ++i) memory.read(0, i * kLine, kLine);
  // Eight resident lines over four channels of 64 B/cycle: four cycles of service.
  double last = 0;
  for (uint64_t i = 0; i < 8; ++i) last = std::max(last, memory.read(10000, i * kLine, kLine));
  EXPECT_DOUBLE_EQ(last, 10000 + 4 + 80);
  XcdMemory one(spec, {.footprint = 4096, .warm = true});
  const auto blocks = on_one_channel(one, 2);
  one.read(10000, blocks[0], kLine);
  EXPECT_DOUBLE_EQ(one.read(10000, blocks[1], kLine), 10000 + 4 + 80);
}

TEST(XcdMemory, TranslationMissesCostOncePerPageBeyondTheReach) {
  XcdMemory memory(test::toy_xcd(), {.footprint = 1 << 30, .warm = false});
  const double with_miss = memory.read(0, 0, kLine);
  EXPECT_DOUBLE_EQ(with_miss, 50 + 128 / 12.8 + 700 + 80);
  EXPECT_DOUBLE_EQ(memory.read(10000, kLine, kLine), 10000 + 128 / 12.8 + 700 + 80);
  EXPECT_EQ(memory.statistics().tlb_misses, 1u);
}

TEST(XcdMemory, DirtyLinesLeaveAtTheEndOnce) {
  XcdMemory memory(test::toy_xcd(), {.footprint = 65536, .warm = true});
  for (int i = 0; i < 10; ++i) {
    memory.write(0, i * kLine, true);
    memory.write(0, i * kLine + 64, true);
  }
  EXPECT_EQ(memory.statistics().l2_misses, 10u);
  EXPECT_EQ(memory.statistics().l2_hits, 10u);
  EXPECT_DOUBLE_EQ(memory.write_back_all(1000), 1000 + 10 * 128.0 / 16);
  EXPECT_EQ(memory.statistics().fabric_write_requests, 20u);
  EXPECT_DOUBLE_EQ(memory.write_back_all(5000), 5000);
}

TEST(XcdMemory, OutstandingMissesAreLimited) {
  auto spec = test::toy_xcd();
  spec.hbm.peak_bytes_per_cycle = 1e6;  // latency only
  XcdMemory memory(spec, {.footprint = 4096, .warm = false});
  double last = 0;
  for (uint64_t block : on_one_channel(memory, 8)) last = memory.read(0, block, kLine);  // four at a time
  EXPECT_NEAR(last, 2 * 700 + 80, 16);  // and eight services of the channel
}

}  // namespace
}  // namespace wavecast::model
