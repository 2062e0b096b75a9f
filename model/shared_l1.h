// A scalar data cache or instruction cache shared by neighbouring CUs: one access per request, misses go to
// L2. Leaves out: prefetch of instruction lines ahead of the program counter (a sequential miss costs its
// full latency).
#pragma once

#include <cstdint>
#include <unordered_map>

#include "model/set_associative_cache.h"
#include "model/xcd_memory.h"

namespace wavecast::model {

struct SharedL1Statistics {
  uint64_t requests = 0, hits = 0, misses = 0,
           duplicate_misses = 0;  // duplicate: the line was already on its way
  double busy = 0;
};

class SharedL1 {
 public:
  // `resident`: the cache starts with every line it is asked for (an instruction cache after a previous
  // launch, while the code fits).
  SharedL1(const XcdSpec::SharedCache& spec, XcdMemory& memory, bool resident);

  // Returns when `bytes` at `address` are available.
  double access(double time, uint64_t address, uint64_t bytes);
  const SharedL1Statistics& statistics() const { return statistics_; }

 private:
  XcdSpec::SharedCache spec_;
  XcdMemory& memory_;
  bool resident_;
  SetAssociativeCache tags_;
  double free_ = 0;
  std::unordered_map<uint64_t, double> in_flight_;
  SharedL1Statistics statistics_;
};

}  // namespace wavecast::model
