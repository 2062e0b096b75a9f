// -d and --set: which device, with which parameters overridden.
#include "model/cli/device_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <set>

namespace wavecast::cli {

void add_device_options(CLI::App& verb, DeviceOptions& options) {
  verb.add_option("-d,--device", options.name, "Device by name, or a YAML file")->capture_default_str();
  verb.add_option("--set", options.overrides, "Override a parameter: l2.capacity_per_xcd=8MiB (repeatable)")
      ->allow_extra_args(false)
      ->type_name("PARAM=VALUE");
}

tl::expected<hardware::Device, Failure> load(const DeviceOptions& options) {
  auto device = hardware::load_device(options.name);
  for (const std::string& assignment : options.overrides) {
    if (!device) break;
    device = hardware::with_override(std::move(*device), assignment);
  }
  if (!device) return bad_input(device.error());
  return std::move(*device);
}

std::vector<std::string> devices_for(const isa::TargetId& target) {
  std::vector<std::string> names;
  for (const std::string& name : hardware::device_names()) {
    const auto device = hardware::load_device(name);
    if (device && isa::runs_on(target, device->target)) names.push_back(name);
  }
  return names;
}

tl::expected<void, Failure> check_target(const isa::CodeObjectFile& file, const hardware::Device& device) {
  std::set<std::string> targets, fitting;
  for (const isa::CodeObjectEntry& entry : file.entries()) {
    if (isa::runs_on(entry.target, device.target)) return {};
    if (!targets.insert(to_string(entry.target)).second) continue;
    for (const std::string& name : devices_for(entry.target)) fitting.insert(name);
  }
  std::string remedy = fmt::format("compile with --offload-arch={}", device.target);
  if (!fitting.empty())
    remedy = fmt::format("use -d with one of {}, or {}", fmt::join(fitting, ", "), remedy);
  return bad_input(model::Error(file.origin(),
                                fmt::format("no code object for {} ({}); the file has {}", device.target,
                                            device.name, fmt::join(targets, ", ")),
                                remedy));
}

}  // namespace wavecast::cli
