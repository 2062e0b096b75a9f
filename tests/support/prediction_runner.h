// Predicts a launch of a compiled test kernel on a built-in device; errors end the test with their message.
#pragma once

#include "hardware/device.h"
#include "hardware/instruction_timing.h"
#include "model/predict.h"
#include "tests/support/kernel_runner.h"

namespace wavecast::test {

inline hardware::Device device_named(std::string_view name) {
  auto device = hardware::load_device(name);
  if (!device) throw std::runtime_error(fmt::format("{}: {}", device.error().place, device.error().reason));
  return *device;
}

inline model::Prediction predict_on(KernelRunner& runner, const isa::LoadedKernel& kernel,
                                    const hardware::Device& device,
                                    const model::PredictOptions& options = {}) {
  auto timing = hardware::load_instruction_timing(device.target);
  if (!timing) throw std::runtime_error(fmt::format("{}: {}", timing.error().place, timing.error().reason));
  auto prediction = model::predict(kernel, runner.memory(), device, *timing, options);
  if (!prediction)
    throw std::runtime_error(fmt::format("{}: {}", prediction.error().place, prediction.error().reason));
  return std::move(*prediction);
}

}  // namespace wavecast::test
