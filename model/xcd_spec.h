// One XCD and its share of what lies beyond, resolved to cycles of one clock before the first cycle is
// simulated. The simulator sees these plain numbers only; units and provenance stay in hardware::Device.
#pragma once

#include <cstdint>

#include "hardware/device.h"
#include "hardware/instruction_timing.h"
#include "model/error.h"

namespace wavecast::model {

struct XcdSpec {
  hardware::Hertz clock{};

  uint32_t cus = 0, simds_per_cu = 0, shader_engines = 1;
  uint32_t active_xcds = 1;  // XCDs that the launch keeps busy; they share Infinity Cache and HBM
  double cycles_per_work_group = 0,
         cycles_per_wave_launch = 0;  // dispatcher: the larger of the two per work-group
  double wave_launch = 0, wave_retire = 0;

  struct {
    uint64_t line;
    uint32_t sets, ways;
    double hit_latency, bytes_per_cycle, quads_per_cycle, tags_per_cycle;
    uint32_t misses;
  } l1{};
  struct SharedCache {
    uint64_t line = 64;
    uint32_t sets = 1, ways = 1, cus_sharing = 1;
    double hit_latency = 0, bytes_per_cycle = 64;
  };
  SharedCache scalar, instruction;
  struct {
    uint64_t line, interleave;
    uint32_t channels, sets_per_channel, ways, misses_per_channel;
    double extra_latency;  // L2 hit beyond the vL1D hit latency
    double bytes_per_cycle_per_channel, bytes_per_cycle_per_cu, atomic_lanes_per_cycle;
    bool written_back_at_end;
    uint32_t write_way;  // see SetAssociativeCache
    double split_read_pairs;
    uint64_t capacity, fabric_read_request;
  } l2{};
  struct {
    uint64_t capacity, line;
    uint32_t ways;
    double extra_latency, read_bytes_per_cycle, write_bytes_per_cycle;
    bool present;
  } infinity{};
  struct {
    double extra_latency;
    double peak_bytes_per_cycle, read_efficiency, write_efficiency, mixed_efficiency;
  } hbm{};
  struct {
    uint64_t reach;
    double miss_latency;
  } tlb{};
  struct {
    uint32_t ports;
  } lds{};
};

// `active_xcds` in 1..device.topology.xcds. Infinity Cache and HBM rates are this XCD's equal share.
XcdSpec resolve_xcd(const hardware::Device& device, hardware::Hertz clock, uint32_t active_xcds);

}  // namespace wavecast::model
