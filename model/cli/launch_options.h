// The launch options that predict and emulate share, resolved into a loaded kernel.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hardware/device.h"
#include "isa/code_object_file.h"
#include "model/cli/device_options.h"
#include "model/launch_description.h"

namespace wavecast::cli {

struct LaunchOptions {
  DeviceOptions device;
  std::string file, kernel, grid, block, dynamic_lds, launch_file;
  std::vector<std::string> arguments;
};

void add_launch_options(CLI::App& verb, LaunchOptions& options);

// Everything that a run needs, kept alive together.
struct ReadyLaunch {
  hardware::Device device;
  model::LaunchDescription description;
  std::shared_ptr<const isa::CodeObject> code_object;
  const isa::Kernel* kernel = nullptr;
  std::unique_ptr<isa::Memory> memory;
  model::PreparedLaunch prepared;
};

// Reads device, launch file, code object and arguments, checks the limits and fills the buffers. Options of
// the command line win over the launch file; --arg and a launch file's kernarg exclude each other.
tl::expected<ReadyLaunch, Failure> make_ready(const LaunchOptions& options);

}  // namespace wavecast::cli
