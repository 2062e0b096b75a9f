// wavecast device: what devices are known, what one is made of, and how two differ.
#include <CLI/CLI.hpp>
#include <memory>

#include "model/cli/device_options.h"
#include "model/cli/verbs.h"
#include "model/version.h"
#include "model/view/device_view.h"

namespace wavecast::cli {
namespace {

struct DeviceVerb {
  DeviceOptions first, second;  // overrides apply to the last device named
};

Outcome print(const std::string& text) {
  if (auto ok = write_output(text); !ok) return tl::unexpected(ok.error());
  return Status::done;
}

Outcome list(const Session& session) {
  std::vector<hardware::Device> devices;
  for (const std::string& name : hardware::device_names()) {
    auto device = hardware::load_device(name);
    if (!device) return bad_input(device.error());
    devices.push_back(std::move(*device));
  }
  return print(session.json ? model::device_list_json(devices, model::version())
                            : model::device_list_text(devices));
}

Outcome show(const DeviceVerb& verb, const Session& session) {
  const auto device = load(verb.first);
  if (!device) return tl::unexpected(device.error());
  return print(session.json ? model::device_json(*device, model::version()) : model::device_text(*device));
}

Outcome diff(const DeviceVerb& verb, const Session& session) {
  const auto a = load(verb.first), b = load(verb.second);
  if (!a) return tl::unexpected(a.error());
  if (!b) return tl::unexpected(b.error());
  return print(session.json ? model::device_diff_json(*a, *b, model::version())
                            : model::device_diff_text(*a, *b));
}

void add_overrides(CLI::App& app, DeviceOptions& options, const char* help) {
  app.add_option("--set", options.overrides, help)->allow_extra_args(false)->type_name("PARAM=VALUE");
}

}  // namespace

void add_device(CLI::App& app, Session& session) {
  auto verb = std::make_shared<DeviceVerb>();
  CLI::App& sub =
      *app.add_subcommand("device", "The devices that ship with wavecast, their parameters and sources");
  sub.require_subcommand(1);
  CLI::App& list_verb = *sub.add_subcommand("list", "All devices");
  finish_verb(list_verb, session, [&session] { return list(session); });
  CLI::App& show_verb = *sub.add_subcommand("show", "Every parameter of a device with kind and source");
  show_verb.add_option("device", verb->first.name, "Device by name, or a YAML file")->required();
  add_overrides(show_verb, verb->first, "Override a parameter: l2.capacity_per_xcd=8MiB (repeatable)");
  finish_verb(show_verb, session, [verb, &session] { return show(*verb, session); });
  CLI::App& diff_verb = *sub.add_subcommand("diff", "Parameters in which two devices differ");
  diff_verb.add_option("a", verb->first.name, "Device by name, or a YAML file")->required();
  diff_verb.add_option("b", verb->second.name, "Device by name, or a YAML file")->required();
  add_overrides(diff_verb, verb->second, "Override a parameter of B (repeatable)");
  finish_verb(diff_verb, session, [verb, &session] { return diff(*verb, session); });
}

}  // namespace wavecast::cli
