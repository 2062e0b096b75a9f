// Hardware counters by rocprofv3's names, predicted for the whole device from
// executed instructions and memory traffic.
// Leaves out: counters of timing inside blocks (stalls, levels) that the model does not resolve.
#pragma once

#include <array>
#include <vector>

#include "isa/emulator.h"
#include "model/device_traffic.h"
#include "model/prediction.h"
#include "model/xcd_spec.h"

namespace wavecast::model {

struct CounterInput {
  const isa::LoadedKernel* kernel = nullptr;
  const XcdSpec* spec = nullptr;
  const DeviceTraffic* traffic = nullptr;
  const std::array<double, isa::kInstructionClassCount>* counts_per_work_group = nullptr;
};

std::vector<Counter> predict_counters(const CounterInput& input);

}  // namespace wavecast::model
