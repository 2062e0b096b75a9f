// wavecast occupancy: how many waves a CU holds, for a kernel of a file or for numbers given by hand.
#include "model/occupancy.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <memory>
#include <optional>

#include "model/cli/device_options.h"
#include "model/cli/verbs.h"
#include "model/launch_description.h"
#include "model/text_parsing.h"
#include "model/version.h"
#include "model/view/occupancy_view.h"

namespace wavecast::cli {
namespace {

struct OccupancyVerb {
  DeviceOptions device;
  std::string file, kernel, block, dynamic_lds = "0", lds;
  std::optional<uint32_t> vgprs, agprs, sgprs;
};

tl::expected<uint32_t, Failure> parse_bytes(const std::string& text, const char* option) {
  const auto bytes = model::parse_byte_size(text);
  if (bytes && *bytes <= std::numeric_limits<uint32_t>::max()) return static_cast<uint32_t>(*bytes);
  return bad_input(
      model::Error(fmt::format("{} {}", option, text), "this is no number of bytes", "write 4096 or 4KiB"));
}

// The kernel's own resources; `request.kernel` is set.
tl::expected<model::ResourceUse, Failure> from_file(const OccupancyVerb& verb,
                                                    const model::LaunchDescription& launch,
                                                    const hardware::Device& device,
                                                    model::OccupancyRequest& request) {
  auto file = isa::CodeObjectFile::open(verb.file);
  if (!file) return bad_input(file.error());
  if (auto ok = check_target(*file, device); !ok) return tl::unexpected(ok.error());
  const auto selection = isa::select_kernel(*file, verb.kernel, device.target);
  if (!selection) return bad_input(selection.error());
  const isa::Kernel& kernel = selection->get();
  if (auto ok = model::check_limits(launch, kernel, device); !ok) return bad_input(ok.error());
  request.kernel = kernel.demangled;
  return model::resources_of(kernel, static_cast<uint32_t>(launch.block.count()), launch.dynamic_lds);
}

tl::expected<model::ResourceUse, Failure> from_numbers(const OccupancyVerb& verb,
                                                       const model::LaunchDescription& launch) {
  model::ResourceUse use;
  use.arch_vgprs = *verb.vgprs;
  use.accum_vgprs = verb.agprs.value_or(0);
  use.sgprs = verb.sgprs.value_or(0);
  if (!verb.lds.empty()) {
    const auto bytes = parse_bytes(verb.lds, "--lds");
    if (!bytes) return tl::unexpected(bytes.error());
    if (*bytes > std::numeric_limits<uint32_t>::max() - launch.dynamic_lds)
      return bad_input(
          model::Error("--lds " + verb.lds, "too large together with --dynamic-lds", "write 4096 or 4KiB"));
    use.lds_bytes = *bytes;
  }
  use.lds_bytes += launch.dynamic_lds;
  // Beyond 32 bits no device holds it either; the device's own limit gives the message.
  const double items = double(launch.block.x) * launch.block.y * launch.block.z;
  use.work_group_size = items < 0x1p32 ? static_cast<uint32_t>(items) : std::numeric_limits<uint32_t>::max();
  return use;
}

Outcome run(const OccupancyVerb& verb, const Session& session) {
  if (verb.file.empty() == !verb.vgprs)
    return bad_usage(
        "occupancy", "give either a FILE with a kernel or --vgprs",
        "occupancy FILE -k NAME --block X, or occupancy --vgprs N --sgprs N --lds BYTES --block X");
  if (!verb.file.empty() && (verb.agprs || verb.sgprs || !verb.lds.empty()))
    return bad_usage("occupancy", "--agprs, --sgprs and --lds belong to a request without a FILE",
                     "the file knows them; --dynamic-lds adds to its LDS");
  auto device = load(verb.device);
  if (!device) return tl::unexpected(device.error());
  model::LaunchDescription launch;
  launch.grid = {1, 1, 1};
  const auto block = model::parse_dim3(verb.block, "--block");
  if (!block) return bad_input(block.error());
  launch.block = *block;
  const auto dynamic_lds = parse_bytes(verb.dynamic_lds, "--dynamic-lds");
  if (!dynamic_lds) return tl::unexpected(dynamic_lds.error());
  launch.dynamic_lds = *dynamic_lds;

  model::OccupancyRequest request{device->name, device->target, "", {}};
  const auto use = verb.file.empty() ? from_numbers(verb, launch) : from_file(verb, launch, *device, request);
  if (!use) return tl::unexpected(use.error());
  request.use = *use;
  const auto result = model::occupancy(request.use, *device);
  if (!result) return bad_input(result.error());
  const std::string text = session.json ? model::occupancy_json(request, *result, model::version())
                                        : model::occupancy_text(request, *result);
  if (auto ok = write_output(text); !ok) return tl::unexpected(ok.error());
  return Status::done;
}

}  // namespace

void add_occupancy(CLI::App& app, Session& session) {
  auto verb = std::make_shared<OccupancyVerb>();
  CLI::App& sub =
      *app.add_subcommand("occupancy", "Waves per SIMD, what limits them and what the next step takes");
  sub.add_option("file", verb->file, "Code object, fat binary, or a program or library that embeds them")
      ->type_name("FILE");
  sub.add_option("-k,--kernel", verb->kernel, "Kernel: mangled, demangled or a unique substring")
      ->type_name("NAME");
  sub.add_option("--block", verb->block, "Work-items of a work-group")->type_name("X[,Y,Z]")->required();
  sub.add_option("--dynamic-lds", verb->dynamic_lds, "Dynamic LDS of a work-group")->type_name("BYTES");
  sub.add_option("--vgprs", verb->vgprs, "VGPRs of a wave, without a file")->type_name("N");
  sub.add_option("--agprs", verb->agprs, "AGPRs of a wave, without a file (0)")->type_name("N");
  sub.add_option("--sgprs", verb->sgprs, "SGPRs of a wave, without a file (0)")->type_name("N");
  sub.add_option("--lds", verb->lds, "LDS of a work-group, without a file (0)")->type_name("BYTES");
  add_device_options(sub, verb->device);
  finish_verb(sub, session, [verb, &session] { return run(*verb, session); });
}

}  // namespace wavecast::cli
