// wavecast inspect: what code objects and kernels a file has, and one kernel in full.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <set>

#include "model/cli/device_options.h"
#include "model/cli/verbs.h"
#include "model/text_parsing.h"
#include "model/version.h"
#include "model/view/inspect_view.h"

namespace wavecast::cli {
namespace {

struct InspectVerb {
  std::string file, kernel, target, device;
  bool disassemble = false, all = false;
};

// Entries for the wanted target ("" = all). Failure: the file has none.
tl::expected<std::vector<size_t>, Failure> wanted_entries(const isa::CodeObjectFile& file,
                                                          const std::string& target) {
  std::vector<size_t> wanted;
  std::set<std::string> targets;
  std::string processor;
  if (!target.empty()) {
    const auto parsed = isa::parse_target_id(target);
    if (!parsed) return bad_input(parsed.error());
    processor = parsed->processor;
  }
  for (size_t i = 0; i < file.entries().size(); ++i) {
    const isa::TargetId& id = file.entries()[i].target;
    targets.insert(to_string(id));
    if (processor.empty() || isa::runs_on(id, processor)) wanted.push_back(i);
  }
  if (!wanted.empty()) return wanted;
  return bad_input(model::Error(file.origin(), fmt::format("no code object for {}", target),
                                fmt::format("the file has {}", fmt::join(targets, ", "))));
}

Outcome list(const InspectVerb& verb, const isa::CodeObjectFile& file, const Session& session) {
  const auto wanted = wanted_entries(file, verb.target);
  if (!wanted) return tl::unexpected(wanted.error());
  model::FileListing listing;
  listing.file = file.origin();
  Progress progress("reading", session.quiet);
  for (size_t entry : *wanted) {
    listing.entries.push_back(file.entries()[entry]);
    listing.code_objects.emplace_back();
    auto object = file.load(entry);
    if (!object) {
      listing.problems.push_back(fmt::format("{}: {}", object.error().place, object.error().reason));
      continue;
    }
    // A listing needs the kernels only; keeping every image of a large library would fill the memory.
    object->segments.clear();
    object->relocations.clear();
    object->storage.reset();
    listing.code_objects.back() = std::move(*object);
    progress.update(double(listing.entries.size()) / double(wanted->size()));
  }
  if (!listing.problems.empty() && listing.problems.size() == listing.entries.size()) {
    const size_t colon = listing.problems[0].rfind(": ");
    return bad_input(model::Error(listing.problems[0].substr(0, colon), listing.problems[0].substr(colon + 2),
                                  "the file is damaged or not supported"));
  }
  const std::string text =
      session.json ? model::listing_json(listing, model::version()) : model::listing_text(listing, verb.all);
  if (auto ok = write_output(text); !ok) return tl::unexpected(ok.error());
  return Status::done;
}

// A device for cache sizes and occupancy: the one asked for, else the first that runs the code; none is fine.
tl::expected<std::optional<hardware::Device>, Failure> choose_device(const InspectVerb& verb,
                                                                     const isa::TargetId& target) {
  std::string name = verb.device;
  if (name.empty()) {
    // mi300x stands for gfx942 when nothing else is said, as everywhere on the command line.
    const auto fitting = devices_for(target);
    if (fitting.empty()) return std::nullopt;
    name = fitting.front();
    for (const std::string& candidate : fitting)
      if (candidate == DeviceOptions{}.name) name = candidate;
  }
  auto device = hardware::load_device(name);
  if (!device) return bad_input(device.error());
  return std::move(*device);
}

Outcome describe(const InspectVerb& verb, const isa::CodeObjectFile& file, const Session& session) {
  std::string processor;
  if (!verb.target.empty()) {
    const auto wanted = wanted_entries(file, verb.target);
    if (!wanted) return tl::unexpected(wanted.error());
    processor = isa::parse_target_id(verb.target)->processor;
  }
  const auto selection = isa::select_kernel(file, verb.kernel, processor);
  if (!selection) return bad_input(selection.error());
  const auto program = isa::decode_program(selection->code_object);
  if (!program) return bad_input(program.error());
  auto device = choose_device(verb, selection->code_object.target);
  if (!device) return tl::unexpected(device.error());
  model::KernelReport report;
  report.file = file.origin();
  report.code_object = &selection->code_object;
  report.kernel = &selection->get();
  report.program = program->get();
  report.facts = model::inspect_kernel(selection->code_object, selection->get(), **program);
  report.device = std::move(*device);
  report.disassemble = verb.disassemble;
  const std::string text =
      session.json ? model::kernel_json(report, model::version()) : model::kernel_text(report);
  if (auto ok = write_output(text); !ok) return tl::unexpected(ok.error());
  return Status::done;
}

Outcome run(const InspectVerb& verb, const Session& session) {
  if (verb.disassemble && verb.kernel.empty())
    return bad_usage("--disassemble", "no kernel is chosen", "add --kernel NAME");
  const auto file = isa::CodeObjectFile::open(verb.file);
  if (!file) return bad_input(file.error());
  return verb.kernel.empty() ? list(verb, *file, session) : describe(verb, *file, session);
}

}  // namespace

void add_inspect(CLI::App& app, Session& session) {
  auto verb = std::make_shared<InspectVerb>();
  CLI::App& sub = *app.add_subcommand("inspect", "List code objects and kernels, or show one kernel");
  sub.add_option("file", verb->file,
                 "Code object, fat binary, or a program or library that embeds them; - is standard input")
      ->type_name("FILE")
      ->required();
  sub.add_option("-k,--kernel", verb->kernel, "Show this kernel: mangled, demangled or a unique substring")
      ->type_name("NAME");
  sub.add_option("--target", verb->target, "Only code objects for this ISA target")->type_name("gfx942");
  sub.add_option("-d,--device", verb->device,
                 "Device for cache sizes and occupancy (default: one with this target)");
  sub.add_flag("--disassemble", verb->disassemble, "Add the disassembly of the kernel");
  sub.add_flag("--all", verb->all, "Read and list every code object and kernel");
  finish_verb(sub, session, [verb, &session] { return run(*verb, session); });
}

}  // namespace wavecast::cli
