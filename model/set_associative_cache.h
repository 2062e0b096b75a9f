// Tags of one set-associative cache with LRU replacement and dirty bits; holds no data and no time. Written
// lines may start further back in the order of use, as CDNA2's L2 does. Leaves out: sectors, hashing of the
// set index (AMD does not document it), and non-LRU policies.
#pragma once

#include <cstdint>
#include <vector>

namespace wavecast::model {

class SetAssociativeCache {
 public:
  // `sets` and `ways` at least 1. Lines are named by their number (address / line size).
  // `write_way`: place in the order of use where a written line starts; 0 treats writes like reads, else they
  // do not move a line up either.
  SetAssociativeCache(uint32_t sets, uint32_t ways, uint32_t write_way = 0);

  struct Result {
    bool hit = false;
    bool evicted_dirty = false;
    uint64_t evicted_line = 0;  // valid if evicted_dirty
  };
  // Looks up `line` in the set `set_index`, makes it most recently used, fills it on a miss.
  Result access(uint64_t set_index, uint64_t line, bool write);
  bool contains(uint64_t set_index, uint64_t line) const;
  void invalidate_all();

  uint64_t dirty_lines() const { return dirty_lines_; }
  std::vector<uint64_t> clean_all();  // write-back of everything; returns the lines that were dirty
  uint32_t sets() const { return sets_; }

 private:
  static constexpr uint64_t kEmpty = ~uint64_t{0};
  struct Way {
    uint64_t line = kEmpty;
    bool dirty = false;
  };
  uint32_t sets_, ways_, write_way_;
  uint64_t dirty_lines_ = 0;
  std::vector<Way> slots_;  // per set, most recently used first
};

}  // namespace wavecast::model
