// The vector memory path of one CU: address unit, vL1D tags, outstanding misses and in-order data return.
// Write-through, no allocation on writes; atomics bypass. A load completes when its last line is back; data
// returns in request order, as the vL1D's latency FIFO does. Leaves out: a limit on queued instructions
// before the address unit. Source: rocprofiler-compute pipeline description (TA, TCP, TD); rates and
// latencies from hardware/devices/*.yaml.
#pragma once

#include <cstdint>
#include <vector>

#include "model/coalescer.h"
#include "model/set_associative_cache.h"
#include "model/xcd_memory.h"

namespace wavecast::model {

struct VectorL1Statistics {
  uint64_t instructions = 0, quad_accesses = 0, line_lookups = 0, hits = 0, misses = 0;
  uint64_t read_requests = 0, write_requests = 0,
           atomic_requests = 0;  // to L2, in units of the counters: lines, 64 B, 64 B
  uint64_t bytes = 0;            // asked for by lanes
  double address_busy = 0, data_busy = 0;
};

class VectorL1 {
 public:
  VectorL1(const XcdSpec& spec, XcdMemory& memory);

  // Each takes the coalesced access at `time` and returns when the wave's counter may be decremented.
  double load(double time, const CoalescedAccess& access);
  double store(double time, const CoalescedAccess& access);
  double atomic(double time, const CoalescedAccess& access);
  void invalidate() { tags_.invalidate_all(); }

  const VectorL1Statistics& statistics() const { return statistics_; }

 private:
  double take_address(double time, const CoalescedAccess& access, double data_cycles);
  double line_ready(double time, uint64_t line);

  const XcdSpec& spec_;
  XcdMemory& memory_;
  SetAssociativeCache tags_;
  double address_free_ = 0, data_free_ = 0, l2_read_free_ = 0, l2_write_free_ = 0;
  std::vector<double> misses_;  // ring of completion times
  size_t next_miss_ = 0;
  struct InFlight {
    uint64_t line = ~uint64_t{0};
    double ready = 0;
  };
  std::vector<InFlight> in_flight_;
  VectorL1Statistics statistics_;
};

}  // namespace wavecast::model
