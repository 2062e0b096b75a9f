// From a loaded kernel and a device to a Prediction: the room where emulation, simulation and extrapolation
// meet.
#pragma once

#include <functional>

#include "hardware/device.h"
#include "hardware/instruction_timing.h"
#include "isa/emulator.h"
#include "model/error.h"
#include "model/prediction.h"

namespace wavecast::model {

// What the caches hold when the kernel starts. warm: the Infinity Cache keeps what fits of the launch's
// buffers, as after a previous launch on the same data; L1s are always cold, L2 as the device says. cold:
// everything is in HBM.
enum class CacheState { warm, cold };

struct PredictOptions {
  ModelKind model = ModelKind::cycle;
  hardware::Hertz clock{};  // 0: the device's own (boost) clock
  CacheState caches = CacheState::warm;
  uint64_t max_emulated_instructions = 1'000'000;  // wave instructions; sampling stops there
  uint64_t max_simulated_instructions = 2'000'000;
  // A wave that runs longer waits for something that sampling never provides, such as another work-group.
  uint64_t max_instructions_per_wave = 100'000'000;
  bool record_timeline = false;
  std::function<void(double fraction)> progress;
};

// Predicts one launch. `memory` holds the buffers; sampled work-groups write into it.
// Errors: the launch does not fit the device, or emulation stops (see isa::WorkGroup::advance).
Expected<Prediction> predict(const isa::LoadedKernel& kernel, isa::Memory& memory,
                             const hardware::Device& device, const hardware::InstructionTiming& timing,
                             const PredictOptions& options);

}  // namespace wavecast::model
