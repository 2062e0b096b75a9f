// The analytic twin: closed-form bounds from a kernel profile and a device, in microseconds of host time.
// Time = launch + the largest of the throughput bounds (each unit's demand over its rate) and the latency
// bound (rounds of resident waves times the unloaded length of one), plus the fill of the pipeline. Leaves
// out: interference between units, which is what the cycle model adds.
#pragma once

#include <string>
#include <vector>

#include "hardware/device.h"
#include "model/kernel_profile.h"
#include "model/prediction.h"

namespace wavecast::model {

struct AnalyticInput {
  const KernelProfile* profile = nullptr;
  const ResolvedProgram* program = nullptr;
  uint64_t work_groups = 0;  // of the whole grid
  uint32_t waves_per_work_group = 1;
  uint32_t work_groups_per_cu = 1;  // occupancy
};

struct AnalyticResult {
  hardware::Nanoseconds time{};  // whole kernel
  hardware::Nanoseconds launch{}, execution{}, end{};
  std::vector<Bound> bounds;  // largest first
};

AnalyticResult analyse(const AnalyticInput& input, const hardware::Device& device, hardware::Hertz clock);

}  // namespace wavecast::model
