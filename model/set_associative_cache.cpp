// Tags with true LRU: a set is a short array kept in order of use, so that a hit near the front is cheap.
#include "model/set_associative_cache.h"

#include <algorithm>

namespace wavecast::model {

SetAssociativeCache::SetAssociativeCache(uint32_t sets, uint32_t ways, uint32_t write_way)
    : sets_(std::max(1u, sets)),
      ways_(std::max(1u, ways)),
      write_way_(std::min(write_way, ways_ - 1)),
      slots_(size_t{sets_} * ways_) {}

SetAssociativeCache::Result SetAssociativeCache::access(uint64_t set_index, uint64_t line, bool write) {
  Way* set = &slots_[(set_index % sets_) * ways_];
  uint32_t way = 0;
  while (way < ways_ && set[way].line != line) ++way;
  Result result;
  Way entry;
  if (way < ways_) {
    result.hit = true;
    entry = set[way];
  } else {
    way = ways_ - 1;
    if (set[way].line != kEmpty && set[way].dirty) {
      result.evicted_dirty = true;
      result.evicted_line = set[way].line;
      --dirty_lines_;
    }
    entry.line = line;
  }
  if (write && !entry.dirty) {
    entry.dirty = true;
    ++dirty_lines_;
  }
  // A hit never moves a line back, and empty places behind are no reason to start further back.
  const uint32_t place = write ? std::min(way, write_way_) : 0;
  const uint32_t target = write && write_way_ > 0 && result.hit ? way : place;
  std::move_backward(set + target, set + way, set + way + 1);
  set[target] = entry;
  return result;
}

bool SetAssociativeCache::contains(uint64_t set_index, uint64_t line) const {
  const Way* set = &slots_[(set_index % sets_) * ways_];
  return std::any_of(set, set + ways_, [&](const Way& way) { return way.line == line; });
}

void SetAssociativeCache::invalidate_all() {
  std::fill(slots_.begin(), slots_.end(), Way{});
  dirty_lines_ = 0;
}

std::vector<uint64_t> SetAssociativeCache::clean_all() {
  std::vector<uint64_t> cleaned;
  cleaned.reserve(dirty_lines_);
  for (Way& way : slots_) {
    if (way.dirty) cleaned.push_back(way.line);
    way.dirty = false;
  }
  dirty_lines_ = 0;
  return cleaned;
}

}  // namespace wavecast::model
