// Hardware counters by rocprofv3's names, predicted for the whole device from simulated or profiled counts.
// Leaves out: counters of timing inside blocks (stalls, levels) that the model does not resolve.
#pragma once

#include <vector>

#include "isa/emulator.h"
#include "model/prediction.h"
#include "model/xcd_simulator.h"

namespace wavecast::model {

// Counts of the simulated XCD, to be scaled by `scale` (work-groups of the grid over work-groups counted).
struct CounterInput {
  const isa::LoadedKernel* kernel = nullptr;
  const ResolvedProgram* program = nullptr;
  const XcdSpec* spec = nullptr;
  const XcdResult* result = nullptr;
  const std::array<double, isa::kInstructionClassCount>* counts_per_work_group = nullptr;
  double memory_scale = 1;  // whole device over what the simulation saw
};

std::vector<Counter> predict_counters(const CounterInput& input);

}  // namespace wavecast::model
