// Lines, write segments and quad accesses of vector memory instructions, counted by hand or by brute force.
#include "model/coalescer.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace wavecast::model {
namespace {

isa::MemoryAccess affine(uint64_t base, int bytes, int stride, uint64_t lanes = ~uint64_t{0}) {
  isa::MemoryAccess access;
  access.base = base;
  access.bytes = static_cast<uint16_t>(bytes);
  access.stride = stride;
  access.lanes = lanes;
  return access;
}

// Counters of the reference copy kernel (rocprofiler-compute's vcopy, 8 bytes per lane): 16 cache accesses
// per wave instruction; on MI300X four 128-byte lines per load and eight 64-byte segments per store.
TEST(Coalescer, ContiguousEightBytesPerLane) {
  CoalescedAccess out;
  coalesce({}, affine(0x10000, 8, 8), 128, true, out);
  EXPECT_EQ(out.quad_accesses, 16u);
  EXPECT_EQ(out.lines.size(), 4u);
  ASSERT_EQ(out.segments.size(), 8u);
  for (const auto& segment : out.segments) EXPECT_TRUE(segment.full);
  coalesce({}, affine(0x10000, 8, 8), 64, false, out);  // MI210: 64-byte lines
  EXPECT_EQ(out.quad_accesses, 16u);
  EXPECT_EQ(out.lines.size(), 8u);
}

TEST(Coalescer, ScatteredLanesMakeOneAccessEach) {
  CoalescedAccess out;
  coalesce({}, affine(0, 4, 4096), 128, false, out);
  EXPECT_EQ(out.quad_accesses, 64u);
  EXPECT_EQ(out.lines.size(), 64u);
}

TEST(Coalescer, BroadcastIsOneLine) {
  CoalescedAccess out;
  coalesce({}, affine(0x2040, 4, 0), 128, false, out);
  EXPECT_EQ(out.quad_accesses, 16u);  // each quad looks it up
  EXPECT_EQ(out.lines.size(), 1u);
}

TEST(Coalescer, PartialSegmentsAreMarked) {
  CoalescedAccess out;
  coalesce({}, affine(0x1000, 4, 4, 0xff), 128, true, out);  // 32 bytes
  ASSERT_EQ(out.segments.size(), 1u);
  EXPECT_FALSE(out.segments[0].full);
  coalesce({}, affine(0x1000 + 32, 4, 4), 128, true, out);  // 256 bytes from the middle of a segment
  ASSERT_EQ(out.segments.size(), 5u);
  EXPECT_FALSE(out.segments.front().full);
  EXPECT_TRUE(out.segments[1].full);
  EXPECT_FALSE(out.segments.back().full);
}

TEST(Coalescer, RandomAddressesAgreeWithSets) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 500; ++round) {
    isa::WaveTrace trace;
    isa::MemoryAccess access;
    access.affine = false;
    access.lanes = random();
    const int widths[] = {1, 2, 4, 8, 12, 16};
    access.bytes = static_cast<uint16_t>(widths[random() % 6]);
    std::set<uint64_t> lines, bytes, quads;
    for (int lane = 0; lane < 64; ++lane)
      if (access.lanes >> lane & 1) {
        const uint64_t address = random() % 4096;
        trace.addresses.push_back(address);
        for (uint64_t b = address; b < address + access.bytes; ++b) {
          bytes.insert(b);
          lines.insert(b / 128);
          quads.insert(static_cast<uint64_t>(lane / 4) << 32 | b / 128);
        }
      }
    CoalescedAccess out;
    coalesce(trace, access, 128, true, out);
    EXPECT_EQ(std::set<uint64_t>(out.lines.begin(), out.lines.end()), lines);
    EXPECT_EQ(out.lines.size(), lines.size());
    EXPECT_EQ(out.quad_accesses, quads.size());
    std::set<uint64_t> segments;
    for (uint64_t b : bytes) segments.insert(b / 64 * 64);
    ASSERT_EQ(out.segments.size(), segments.size());
    for (const auto& segment : out.segments) {
      bool full = true;
      for (uint64_t b = segment.address; b < segment.address + 64; ++b) full &= bytes.count(b) == 1;
      EXPECT_EQ(segment.full, full);
    }
  }
}

}  // namespace
}  // namespace wavecast::model
