// -d and --set: which device, with which parameters overridden.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hardware/device.h"
#include "isa/code_object_file.h"
#include "model/cli/session.h"

namespace wavecast::cli {

struct DeviceOptions {
  std::string name = "mi300x";
  std::vector<std::string> overrides;
};

void add_device_options(CLI::App& verb, DeviceOptions& options);

// The device with its overrides. Failures: unknown device or parameter, bad value.
tl::expected<hardware::Device, Failure> load(const DeviceOptions& options);

// Names of the shipped devices that run code for `target`.
std::vector<std::string> devices_for(const isa::TargetId& target);

// Failure if no code object of the file runs on the device: names the file's targets and the devices that fit
// them.
tl::expected<void, Failure> check_target(const isa::CodeObjectFile& file, const hardware::Device& device);

}  // namespace wavecast::cli
