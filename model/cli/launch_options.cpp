// The launch options that predict and emulate share, resolved into a loaded kernel.
#include "model/cli/launch_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>

#include "model/launch_grammar.h"
#include "model/text_parsing.h"

namespace wavecast::cli {
namespace {

tl::expected<model::LaunchDescription, Failure> describe(const LaunchOptions& options) {
  model::LaunchDescription launch;
  if (!options.launch_file.empty()) {
    auto file = model::load_launch_file(options.launch_file);
    if (!file) return bad_input(file.error());
    launch = std::move(*file);
  }
  if (!options.file.empty()) launch.code_object = options.file;
  if (!options.kernel.empty()) launch.kernel = options.kernel;
  if (launch.code_object.empty())
    return bad_usage("", "no code object is given", "name a FILE, or code_object: in the launch file");
  for (auto [text, option, target] : {std::tuple{&options.grid, "--grid", &launch.grid},
                                      std::tuple{&options.block, "--block", &launch.block}}) {
    if (text->empty()) continue;
    const auto size = model::parse_dim3(*text, option);
    if (!size) return bad_input(size.error());
    *target = *size;
  }
  if (!options.dynamic_lds.empty()) {
    const auto bytes = model::parse_byte_size(options.dynamic_lds);
    if (!bytes || *bytes > std::numeric_limits<uint32_t>::max())
      return bad_input(model::Error("--dynamic-lds " + options.dynamic_lds, "this is no number of bytes",
                                    "write 4096 or 4KiB"));
    launch.dynamic_lds = static_cast<uint32_t>(*bytes);
  }
  if (!options.arguments.empty()) {
    if (!launch.arguments.empty())
      return bad_usage("--arg", "the launch file has a kernarg section already",
                       "give arguments in one place");
    if (auto ok = model::add_arguments(launch, options.arguments); !ok) return bad_input(ok.error());
  }
  return launch;
}

}  // namespace

void add_launch_options(CLI::App& verb, LaunchOptions& options) {
  verb.add_option("file", options.file,
                  "Code object, fat binary, or a program or library that embeds them; - is standard input")
      ->type_name("FILE");
  verb.add_option("-k,--kernel", options.kernel, "Kernel: mangled, demangled or a unique substring")
      ->type_name("NAME");
  verb.add_option("--grid", options.grid, "Work-groups")->type_name("X[,Y,Z]");
  verb.add_option("--block", options.block, "Work-items of a work-group")->type_name("X[,Y,Z]");
  verb.add_option("--arg", options.arguments,
                  fmt::format("A kernel argument, in order (repeatable): {}", model::kArgumentGrammar))
      ->allow_extra_args(false)
      ->type_name("A");
  verb.add_option("--dynamic-lds", options.dynamic_lds, "Dynamic LDS of a work-group")->type_name("BYTES");
  verb.add_option("--launch", options.launch_file, "Launch file (YAML) with all of these")->type_name("FILE");
  add_device_options(verb, options.device);
}

tl::expected<ReadyLaunch, Failure> make_ready(const LaunchOptions& options) {
  auto description = describe(options);
  if (!description) return tl::unexpected(description.error());
  auto device = load(options.device);
  if (!device) return tl::unexpected(device.error());
  ReadyLaunch ready;
  ready.description = std::move(*description);
  ready.device = std::move(*device);

  auto file = isa::CodeObjectFile::open(ready.description.code_object);
  if (!file) return bad_input(file.error());
  if (auto ok = check_target(*file, ready.device); !ok) return tl::unexpected(ok.error());
  auto selection = isa::select_kernel(*file, ready.description.kernel, ready.device.target);
  if (!selection) return bad_input(selection.error());
  const size_t index = selection->kernel;
  ready.code_object = std::make_shared<const isa::CodeObject>(std::move(selection->code_object));
  ready.kernel = &ready.code_object->kernels[index];

  if (auto ok = model::check_limits(ready.description, *ready.kernel, ready.device); !ok)
    return bad_input(ok.error());
  ready.memory = std::make_unique<isa::Memory>();
  auto prepared = model::prepare(ready.description, ready.code_object, *ready.kernel, *ready.memory);
  if (!prepared) return bad_input(prepared.error());
  ready.prepared = std::move(*prepared);
  return ready;
}

}  // namespace wavecast::cli
