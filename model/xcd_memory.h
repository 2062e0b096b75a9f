// Everything beyond the vector L1 as one XCD sees it: L2 channels, address translation, its share of the
// Infinity Cache and of HBM. A request is answered at once with its completion time: each resource is a
// server with a "next free" time, so queueing and loaded latency follow from demand. Requests must come in
// (nearly) increasing time. Leaves out: DRAM pages and refresh, probes between XCDs, ECC; other XCDs are
// assumed to do the same as this one.
#pragma once

#include <cstdint>
#include <vector>

#include "model/set_associative_cache.h"
#include "model/xcd_spec.h"

namespace wavecast::model {

// What memory holds when the kernel starts.
struct InitialMemory {
  uint64_t footprint = 0;  // bytes of all buffers of the launch
  bool warm = true;        // a previous launch touched them
};

struct MemoryStatistics {
  uint64_t l2_read_requests = 0, l2_write_requests = 0, l2_atomic_requests = 0;
  uint64_t l2_hits = 0, l2_misses = 0, l2_writebacks = 0;
  uint64_t l2_lines_dirtied = 0;  // clean or absent lines that became dirty: each is written back once, now or later
  uint64_t fabric_read_requests = 0, fabric_write_requests = 0;
  uint64_t infinity_hits = 0, infinity_misses = 0;
  uint64_t hbm_read_bytes = 0, hbm_write_bytes = 0;
  uint64_t l2_bytes = 0, infinity_bytes = 0;
  uint64_t tlb_misses = 0;
  double l2_busy = 0, infinity_read_busy = 0, infinity_write_busy = 0,
         hbm_busy = 0;  // cycles of service, summed over channels
};

class XcdMemory {
 public:
  XcdMemory(const XcdSpec& spec, const InitialMemory& initial);

  // A read of `bytes` inside one L2 line, issued by a vector L1 (or scalar/instruction cache) at `time`.
  // Returns when the data is back; `time` is the moment of the L1 lookup, so the result excludes the vL1D's
  // own hit latency.
  double read(double time, uint64_t address, uint64_t bytes);
  // A write of one 64-byte segment. Returns when L2 has acknowledged it.
  double write(double time, uint64_t address, bool full);
  // An atomic on `lanes` lanes inside one 64-byte segment. Returns when the old value is back.
  double atomic(double time, uint64_t address, uint32_t lanes);
  // Writes back dirty lines at the end of the kernel, if the device does so. Returns when the last write is
  // out.
  double write_back_all(double time);

  // AMD documents 256-byte interleaving through a hash without giving the hash: higher address digits are
  // folded in, so that a power-of-two stride spreads over the channels.
  uint32_t channel_of(uint64_t address) const;

  const MemoryStatistics& statistics() const { return statistics_; }

 private:
  struct Channel {
    double free = 0;
    std::vector<double> misses;  // ring of completion times of outstanding fills and write-backs
    uint32_t oldest = 0;
  };
  // The slot of the oldest outstanding miss, to be reused for the next one.
  static double& next_miss(Channel& channel) {
    double& slot = channel.misses[channel.oldest];
    channel.oldest = (channel.oldest + 1) % channel.misses.size();
    return slot;
  }
  struct InFlight {
    uint64_t line = ~uint64_t{0};
    double ready = 0;
  };

  struct Lookup {
    double start = 0;  // when the channel took the request
    bool hit = false;
    uint64_t line = 0;
    Channel* channel = nullptr;
  };
  Lookup look_up(double time, uint64_t address, double service, bool write);
  double fill(Lookup& lookup, double time);
  double fabric_read(double time, uint64_t line);
  double fabric_write(double time, uint64_t line);
  double hbm_transfer(double time, uint64_t bytes, bool write);
  double translate(double time, uint64_t address);
  bool infinity_lookup(uint64_t line, bool write);

  XcdSpec spec_;
  InitialMemory initial_;
  SetAssociativeCache tags_, infinity_tags_, tlb_;
  bool l2_resident_ = false, infinity_resident_ = false, translations_resident_ = false;
  std::vector<Channel> channels_;
  std::vector<InFlight> in_flight_;
  double infinity_read_free_ = 0, infinity_write_free_ = 0, hbm_free_ = 0;
  double write_share_ = 0;  // running share of writes in HBM traffic
  MemoryStatistics statistics_;
};

}  // namespace wavecast::model
