// Cycle-approximate simulation of one XCD: its CUs with resident waves, issue rules, LDS, caches and
// dispatcher, fed by emulated work-groups. Event-driven: a SIMD is looked at when one of its waves can issue.
// Models: one issue slot per SIMD every four cycles, one instruction per port and slot from different waves,
// oldest wave first; VALU and matrix unit occupancy, result latencies; s_waitcnt counters; barriers; LDS
// ports shared by SIMD pairs; vL1D, scalar and instruction caches; dispatch rate. Leaves out: VALU co-issue
// from two waves, register bank conflicts, instruction buffers, wave priorities. Source: rocprofiler-compute
// pipeline description; rates from hardware/.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "isa/emulator.h"
#include "model/error.h"
#include "model/prediction.h"
#include "model/resolved_program.h"
#include "model/shared_l1.h"
#include "model/vector_l1.h"
#include "model/wave_state.h"
#include "model/xcd_memory.h"
#include "model/xcd_spec.h"

namespace wavecast::model {

// What to simulate: these work-groups, in dispatch order, at this residency.
struct XcdWorkload {
  const isa::LoadedKernel* kernel = nullptr;
  isa::Memory* memory = nullptr;
  const ResolvedProgram* program = nullptr;
  std::vector<isa::Dim3> work_groups;
  uint32_t work_groups_per_cu = 1;
  InitialMemory initial;
  uint64_t max_instructions = ~uint64_t{0};  // stop (unfinished) after this many issued wave instructions
  uint32_t max_timeline_slices = 0;
  std::function<void(uint64_t issued)> progress;
};

// A point on the way: used to find the steady state.
struct Checkpoint {
  Cycle cycle = 0;
  uint64_t instructions = 0;
};

struct XcdResult {
  bool finished = false;     // all work-groups ended; else the budget was used up
  Cycle cycles = 0;          // until the last wave ended (or the stop)
  Cycle write_back_end = 0;  // until dirty L2 lines were out, if finished
  uint64_t instructions = 0, work_groups_started = 0, waves_started = 0;
  std::vector<Cycle> work_group_ends;    // in order of completion
  std::vector<Cycle> work_group_starts;  // in order of dispatch
  std::vector<Checkpoint> checkpoints;
  isa::InstructionCounts counts{};
  std::array<double, kStallReasons> wave_cycles{};      // wave time by reason
  double valu_busy = 0, matrix_busy = 0, lds_busy = 0;  // cycles, summed over SIMDs or ports
  uint64_t lds_conflicts = 0, lds_instructions = 0;
  uint64_t valu_lane_operations = 0;  // active lanes over VALU instructions; for SQ_THREAD_CYCLES_VALU
  VectorL1Statistics vector_l1;
  SharedL1Statistics scalar_l1, instruction_l1;
  MemoryStatistics memory;
  std::vector<TimelineSlice> timeline;
};

// Errors: emulation stopped (fault, unknown instruction), or an instruction that the timing tables lack.
Expected<XcdResult> simulate_xcd(const XcdSpec& spec, const XcdWorkload& workload);

}  // namespace wavecast::model
