// Cycle simulation of a whole launch: the XCD with most work-groups is simulated, as far as the budget goes,
// and the rest is extrapolated from its steady state with ramp, tail and drain kept.
#pragma once

#include "model/error.h"
#include "model/kernel_profile.h"
#include "model/xcd_simulator.h"

namespace wavecast::model {

struct KernelRunInput {
  const isa::LoadedKernel* kernel = nullptr;
  isa::Memory* memory = nullptr;
  const ResolvedProgram* program = nullptr;
  const KernelProfile* profile = nullptr;
  uint32_t work_groups_per_cu = 1;
  uint32_t xcds = 1;
  InitialMemory initial;
  uint64_t max_instructions = 3'000'000;
  uint32_t max_timeline_slices = 0;
  std::function<void(double fraction)> progress;
};

struct KernelRun {
  hardware::Cycles cycles{};  // first wave's dispatch to the last write-back, extrapolated
  bool extrapolated = false;
  double spread = 0;  // relative disagreement of two halves of the steady state
  std::string how;    // one sentence for the report
  uint64_t work_groups_on_xcd = 0;
  XcdResult simulated;  // of the (first) simulation
};

Expected<KernelRun> run_kernel(const XcdSpec& spec, const KernelRunInput& input);

}  // namespace wavecast::model
