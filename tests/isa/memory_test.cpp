// Guest memory: addresses, bounds and messages.
#include "isa/memory.h"

#include <gtest/gtest.h>

#include <array>

namespace wavecast::isa {
namespace {

TEST(Memory, AddressesRepeatAndRegionsAreApart) {
  std::vector<uint64_t> first, second;
  for (std::vector<uint64_t>* addresses : {&first, &second}) {
    Memory memory;
    for (uint64_t size : {uint64_t{1}, uint64_t{65536}, uint64_t{3} << 20, uint64_t{0}, uint64_t{100}}) {
      auto region = memory.allocate("buffer", size);
      ASSERT_TRUE(region);
      EXPECT_EQ(region->address % 65536, 0u);
      if (!addresses->empty()) {
        EXPECT_GT(region->address, addresses->back());
      }
      addresses->push_back(region->address);
    }
  }
  EXPECT_EQ(first, second);
}

TEST(Memory, FindsExactlyTheBytesOfARegion) {
  Memory memory;
  auto a = memory.allocate("a", 100), b = memory.allocate("b", 65536);
  ASSERT_TRUE(a && b);
  uint32_t hint = 77;  // stale hints must not matter
  EXPECT_EQ(memory.find(a->address, 100, hint), a->host);
  EXPECT_EQ(memory.find(a->address + 96, 4, hint), a->host + 96);
  EXPECT_EQ(memory.find(a->address + 97, 4, hint), nullptr);
  EXPECT_EQ(memory.find(a->address + 100, 1, hint), nullptr);
  EXPECT_EQ(memory.find(a->address - 1, 1, hint), nullptr);
  EXPECT_EQ(memory.find(b->address + 65535, 1, hint), b->host + 65535);
  EXPECT_EQ(memory.find(b->address, UINT64_MAX, hint), nullptr);
  EXPECT_EQ(memory.find(UINT64_MAX, 16, hint), nullptr);
  EXPECT_EQ(memory.find(0, 4, hint), nullptr);
}

TEST(Memory, IsZeroFilledAndLargeRegionsCostNothing) {
  Memory memory;
  auto region = memory.allocate("large", uint64_t{1} << 40);
  ASSERT_TRUE(region) << region.error().reason;
  EXPECT_EQ(region->host[(uint64_t{1} << 39) + 12345], std::byte{0});
  EXPECT_FALSE(memory.allocate("too large", uint64_t{1} << 62));
}

TEST(Memory, MapsAtChosenAddressesWithoutOverlap) {
  Memory memory;
  std::array<std::byte, 4096> host{};
  ASSERT_TRUE(memory.map("mine", 0x5000, host));
  uint32_t hint = 0;
  EXPECT_EQ(memory.find(0x5010, 4, hint), host.data() + 0x10);
  EXPECT_FALSE(memory.map("over the end", 0x5fff, std::span(host).first(2)));
  EXPECT_FALSE(memory.map("over the start", 0x4fff, std::span(host).first(2)));
  EXPECT_FALSE(memory.map("the same", 0x5000, host));
  EXPECT_TRUE(memory.map("behind", 0x6000, std::span(host).first(16)));
  EXPECT_FALSE(memory.map("wraps", UINT64_MAX - 8, host));
  memory.release(0x5000);
  EXPECT_EQ(memory.find(0x5010, 4, hint), nullptr);
  EXPECT_TRUE(memory.map("again", 0x5000, host));
}

TEST(Memory, DescribesWhereAnAddressIs) {
  Memory memory;
  EXPECT_NE(memory.describe(0x10).find("no memory"), std::string::npos);
  auto region = memory.allocate("argument 2", 4096);
  ASSERT_TRUE(region);
  EXPECT_NE(memory.describe(region->address + 4096 + 16).find("16 bytes past the end of 'argument 2'"),
            std::string::npos);
  EXPECT_NE(memory.describe(region->address - 8).find("8 bytes before the start of 'argument 2'"),
            std::string::npos);
  EXPECT_NE(memory.describe(region->address + 5).find("5 bytes into 'argument 2'"), std::string::npos);
}

}  // namespace
}  // namespace wavecast::isa
