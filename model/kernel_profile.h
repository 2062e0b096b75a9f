// What a kernel's work-groups do, counted without time: the input of the analytic model and of extrapolation.
// Two samples: a few whole work-groups spread over the grid (instruction totals and their spread), and a
// window of all work-groups that are resident together on one XCD (cache behaviour of their interleaved
// addresses). Leaves out: everything that depends on timing; caches are looked up in the order of emulation.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/emulator.h"
#include "model/error.h"
#include "model/resolved_program.h"
#include "model/xcd_memory.h"
#include "model/xcd_spec.h"

namespace wavecast::model {

// Demand of executed instructions on units that several waves share. Additive.
struct Demand {
  double instructions = 0;
  double valu_cycles = 0, matrix_cycles = 0;   // SIMD cycles
  double lds_cycles = 0;                       // port cycles
  double address_cycles = 0, data_cycles = 0;  // vL1D address and data path of a CU
  double quad_accesses = 0, l1_lines = 0, l1_bytes = 0, write_segments = 0, atomic_segments = 0;
  double lds_conflicts = 0, scalar_requests = 0;

  Demand& operator+=(const Demand& other);
  Demand scaled(double factor) const;
};

struct KernelProfile {
  // Whole work-groups.
  uint64_t work_groups = 0;   // emulated to the end
  uint64_t instructions = 0;  // wave instructions emulated in both samples
  std::array<double, isa::kInstructionClassCount> counts_per_work_group{};
  Demand per_work_group;
  double instructions_min = 0, instructions_max = 0;  // per work-group
  // Window of resident work-groups.
  uint64_t window_instructions = 0;
  double l1_hit_rate = 0, l2_hit_rate = 0, infinity_hit_rate = 0;  // of lines looked up; 0 where never asked
  double writes_reaching_fabric = 1;  // bytes of lines made dirty per byte written; below 1 where lines are written again
  // The trace of one wave for latency replay, and the share of a whole wave that it is.
  isa::WaveTrace wave_trace;
  double wave_trace_share = 1;
};

// Bytes that a work-group's stores and atomics send from L2 to the fabric, when `work_groups_on_xcd` share the L2. A
// device that does not write back at the end of a kernel keeps up to an L2 of dirty lines.
double fabric_write_bytes(const KernelProfile& profile, const XcdSpec& spec, double work_groups_on_xcd);

struct ProfileOptions {
  uint64_t max_instructions = 3'000'000;  // wave instructions over both samples
  uint64_t max_instructions_per_wave = 100'000'000;  // a wave that runs longer is taken to wait for others
  uint32_t work_groups_per_cu = 1;
  uint32_t xcds = 1;  // work-group i runs on XCD i mod xcds
  InitialMemory initial;
};

// Errors: emulation stops, or an executed instruction has no timing entry.
Expected<KernelProfile> profile_kernel(const isa::LoadedKernel& kernel, isa::Memory& memory,
                                       const ResolvedProgram& program, const XcdSpec& spec,
                                       const ProfileOptions& options);

// Cycles from the first instruction to the end of the profiled wave alone on a CU under `spec`.
// `average_miss`: extra latency that a vL1D miss pays on average beyond L2.
double replay_latency(const KernelProfile& profile, const ResolvedProgram& program, const XcdSpec& spec,
                      double average_miss);

}  // namespace wavecast::model
