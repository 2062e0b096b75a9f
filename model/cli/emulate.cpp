// wavecast emulate: the whole grid, functionally; results can be written to files and checked.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "model/cli/launch_options.h"
#include "model/cli/verbs.h"
#include "model/version.h"
#include "model/view/emulation_view.h"

namespace wavecast::cli {
namespace {

struct EmulateVerb {
  LaunchOptions launch;
  std::vector<std::string> dumps;
};

struct Dump {
  std::string name, file;
  size_t buffer = 0;
};

// Resolved before the run, so that a mistyped name does not cost the run.
tl::expected<std::vector<Dump>, Failure> resolve(const std::vector<std::string>& texts,
                                                 const model::LaunchDescription& launch) {
  std::vector<Dump> dumps;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      return bad_usage("--dump " + text, "no BUFFER=FILE",
                       "write --dump C=c.bin, or --dump 2=c.bin for argument 2");
    Dump dump{text.substr(0, equals), text.substr(equals + 1), 0};
    const auto buffer = model::find_buffer(launch, dump.name);
    if (!buffer) return bad_input(buffer.error());
    dump.buffer = *buffer;
    dumps.push_back(std::move(dump));
  }
  return dumps;
}

std::string_view contents(const isa::MemoryRegion& region) {
  return {reinterpret_cast<const char*>(region.host), region.size};
}

Outcome run(const EmulateVerb& verb, const Session& session) {
  auto ready = make_ready(verb.launch);
  if (!ready) return tl::unexpected(ready.error());
  const auto dumps = resolve(verb.dumps, ready->description);
  if (!dumps) return tl::unexpected(dumps.error());

  model::EmulationReport report;
  report.device = ready->device.name;
  report.target = to_string(ready->code_object->target);
  report.kernel = ready->kernel->demangled;
  report.grid = ready->description.grid;
  report.block = ready->description.block;
  const auto start = std::chrono::steady_clock::now();
  const auto summary = [&] {
    Progress progress("emulating", session.quiet);
    return isa::run_grid(ready->prepared.kernel, *ready->memory, {}, [&](uint64_t done, uint64_t total) {
      progress.update(total ? double(done) / double(total) : 1);
    });
  }();
  if (!summary) return bad_input(summary.error());
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.summary = *summary;

  for (const Dump& dump : *dumps) {
    if (auto ok = write_file(dump.file, contents(ready->prepared.buffers[dump.buffer])); !ok)
      return tl::unexpected(ok.error());
    report.dumps.emplace_back(dump.name, dump.file);
  }
  report.check = ready->description.check;
  if (report.check) {
    const auto buffer = model::find_buffer(ready->description, report.check->buffer);
    if (!buffer) return bad_input(buffer.error());
    const isa::MemoryRegion& region = ready->prepared.buffers[*buffer];
    auto result =
        model::check_buffer_contents(*report.check, std::span<const std::byte>(region.host, region.size));
    if (!result) return bad_input(result.error());
    report.check_result = std::move(*result);
  }
  const std::string text =
      session.json ? model::emulation_json(report, model::version()) : model::emulation_text(report);
  if (auto ok = write_output(text); !ok) return tl::unexpected(ok.error());
  return report.check && !report.check_result.passed() ? Status::bad_input : Status::done;
}

}  // namespace

void add_emulate(CLI::App& app, Session& session) {
  auto verb = std::make_shared<EmulateVerb>();
  CLI::App& sub = *app.add_subcommand("emulate", "Run the whole grid functionally, without timing");
  add_launch_options(sub, verb->launch);
  sub.add_option("--dump", verb->dumps,
                 "Write a buffer (name, or number of an argument) to a file after the run (repeatable)")
      ->allow_extra_args(false)
      ->type_name("BUFFER=FILE");
  finish_verb(sub, session, [verb, &session] { return run(*verb, session); });
}

}  // namespace wavecast::cli
