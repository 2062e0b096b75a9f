// Tags against a straightforward LRU list, and the write-back accounting.
#include <gtest/gtest.h>

#include <list>
#include <map>
#include <random>

#include "model/set_associative_cache.h"

namespace wavecast::model {
namespace {

struct ReferenceSet {
  std::list<std::pair<uint64_t, bool>> lines;  // most recent first, with dirty bit
};

TEST(SetAssociativeCache, AgreesWithAnLruListOnRandomTraffic) {
  constexpr uint32_t kSets = 8, kWays = 4;
  SetAssociativeCache cache(kSets, kWays);
  std::map<uint64_t, ReferenceSet> reference;
  std::mt19937_64 random(3);
  for (int i = 0; i < 50000; ++i) {
    const uint64_t line = random() % 64;
    const bool write = random() % 3 == 0;
    auto& lines = reference[line % kSets].lines;
    auto found =
        std::find_if(lines.begin(), lines.end(), [&](const auto& entry) { return entry.first == line; });
    const bool hit = found != lines.end();
    bool dirty = write, evicted_dirty = false;
    uint64_t evicted = 0;
    if (hit) {
      dirty |= found->second;
      lines.erase(found);
    } else if (lines.size() == kWays) {
      evicted_dirty = lines.back().second;
      evicted = lines.back().first;
      lines.pop_back();
    }
    lines.emplace_front(line, dirty);
    const auto result = cache.access(line, line, write);
    ASSERT_EQ(result.hit, hit);
    ASSERT_EQ(result.evicted_dirty, evicted_dirty);
    if (evicted_dirty) ASSERT_EQ(result.evicted_line, evicted);
  }
  size_t dirty = 0;
  for (const auto& [set, lines] : reference)
    for (const auto& line : lines.lines) dirty += line.second;
  EXPECT_EQ(cache.dirty_lines(), dirty);
  EXPECT_EQ(cache.clean_all().size(), dirty);
  EXPECT_EQ(cache.dirty_lines(), 0u);
}

// By hand, four ways, writes starting at place 2: a written line is overtaken by reads and leaves before older ones.
TEST(SetAssociativeCache, WrittenLinesMayStartFurtherBack) {
  SetAssociativeCache cache(1, 4, 2);
  for (uint64_t line : {1, 2, 3, 4}) cache.access(0, line, false);  // 4 3 2 1
  EXPECT_FALSE(cache.access(0, 5, true).hit);                       // 4 3 5 2: 1 left
  EXPECT_FALSE(cache.contains(0, 1));
  EXPECT_TRUE(cache.access(0, 5, true).hit);                        // stays where it is
  cache.access(0, 6, false);                                        // 6 4 3 5: 2 left
  EXPECT_FALSE(cache.contains(0, 2));
  const auto result = cache.access(0, 7, false);                    // 7 6 4 3: the written line left before 3 and 4
  EXPECT_TRUE(result.evicted_dirty);
  EXPECT_EQ(result.evicted_line, 5u);
}

TEST(SetAssociativeCache, CyclicSweepLargerThanTheCacheNeverHits) {
  SetAssociativeCache cache(16, 4);
  for (int sweep = 0; sweep < 3; ++sweep)
    for (uint64_t line = 0; line < 16 * 5; ++line) EXPECT_FALSE(cache.access(line, line, false).hit);
}

}  // namespace
}  // namespace wavecast::model
