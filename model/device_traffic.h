// Memory requests and bytes of the whole device during a launch, level by level: the one source of the
// traffic table and of the cache counters. A launch simulated to its end is scaled by work-groups. One that
// was cut off has not shown its epilogue (often all of its stores), so there the totals come from whole
// emulated work-groups and only the hit rates from the simulation.
#pragma once

#include "model/kernel_profile.h"
#include "model/kernel_run.h"

namespace wavecast::model {

struct DeviceTraffic {
  double quad_accesses = 0, l1_bytes = 0;                             // lanes to vL1D
  double l1_lookups = 0, l1_hits = 0;                                 // lines
  double read_requests = 0, write_requests = 0, atomic_requests = 0;  // vL1D to L2: lines, 64 B, 64 B
  double scalar_requests = 0, scalar_hits = 0, scalar_misses = 0, scalar_duplicate_misses = 0;
  double instruction_requests = 0, instruction_hits = 0, instruction_misses = 0;
  double l2_bytes = 0, l2_hits = 0, l2_misses = 0, l2_writebacks = 0;  // lines
  double fabric_reads = 0, fabric_writes = 0;                          // lines, 64 B
  double infinity_bytes = 0, infinity_hits = 0, infinity_misses = 0;
  double hbm_read_bytes = 0, hbm_write_bytes = 0;
  double lds_conflicts = 0;
};

// `work_groups` of the whole grid.
DeviceTraffic device_traffic(const KernelProfile& profile, const KernelRun& run, const XcdSpec& spec,
                             double work_groups);

// The same without a simulation: hit rates of the profile's window.
DeviceTraffic device_traffic(const KernelProfile& profile, const XcdSpec& spec, double work_groups);

}  // namespace wavecast::model
