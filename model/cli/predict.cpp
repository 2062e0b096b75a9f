// wavecast predict: how long one launch takes on a device, and why.
#include "model/predict.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>

#include "hardware/instruction_timing.h"
#include "model/cli/launch_options.h"
#include "model/cli/verbs.h"
#include "model/version.h"
#include "model/view/prediction_view.h"

namespace wavecast::cli {
namespace {

struct PredictVerb {
  LaunchOptions launch;
  std::string model = "cycle", caches = "warm", clock = "auto", trace_file, counter_file;
};

// "auto" is the device's own clock; a plain number is MHz; else a quantity with its unit.
tl::expected<hardware::Hertz, Failure> parse_clock(const std::string& text) {
  if (text == "auto") return hardware::Hertz{};
  double mhz = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mhz);
  const bool plain = error == std::errc() && end == text.data() + text.size();
  const auto quantity = plain ? hardware::Expected<double>(mhz * 1e6) : hardware::parse_quantity(text, "Hz");
  // 10 MHz to 10 GHz: outside of it the unit was mistaken.
  if (!quantity || !(*quantity >= 10e6 && *quantity <= 10e9))
    return bad_input(model::Error("--clock " + text, "this is no shader clock",
                                  "write auto, a number in MHz (2100) or with its unit (2.1GHz)"));
  return hardware::Hertz(*quantity);
}

Outcome run(const PredictVerb& verb, const Session& session) {
  model::PredictOptions options;
  const auto clock = parse_clock(verb.clock);
  if (!clock) return tl::unexpected(clock.error());
  options.clock = *clock;
  options.model = verb.model == "analytic" ? model::ModelKind::analytic : model::ModelKind::cycle;
  options.caches = verb.caches == "cold" ? model::CacheState::cold : model::CacheState::warm;
  options.record_timeline = !verb.trace_file.empty();
  if (options.record_timeline && options.model == model::ModelKind::analytic)
    return bad_usage("--trace", "the analytic model has no time line", "drop --trace, or use --model cycle");
  auto ready = make_ready(verb.launch);
  if (!ready) return tl::unexpected(ready.error());
  auto timing = hardware::load_instruction_timing(ready->device.target);
  if (!timing) return bad_input(timing.error());
  const auto predicted = [&] {
    Progress progress("predicting", session.quiet);
    options.progress = [&](double fraction) { progress.update(fraction); };
    return model::predict(ready->prepared.kernel, *ready->memory, ready->device, *timing, options);
  }();
  if (!predicted) return bad_input(predicted.error());

  const auto dispatch = model::dispatch_facts(ready->prepared.kernel);
  if (!verb.trace_file.empty())
    if (auto ok = write_file(verb.trace_file, model::perfetto_trace(*predicted, model::version())); !ok)
      return tl::unexpected(ok.error());
  if (!verb.counter_file.empty())
    if (auto ok = write_file(verb.counter_file, model::counter_csv(*predicted, dispatch)); !ok)
      return tl::unexpected(ok.error());
  const std::string text = session.json ? model::prediction_json(*predicted, dispatch, model::version())
                                        : model::prediction_text(*predicted, dispatch);
  if (auto ok = write_output(text); !ok) return tl::unexpected(ok.error());
  return Status::done;
}

}  // namespace

void add_predict(CLI::App& app, Session& session) {
  auto verb = std::make_shared<PredictVerb>();
  CLI::App& sub =
      *app.add_subcommand("predict", "How long a launch takes, what bounds it and what would change that");
  add_launch_options(sub, verb->launch);
  sub.add_option("--model", verb->model, "Cycle-approximate simulation or closed-form bounds")
      ->check(CLI::IsMember({"cycle", "analytic"}))
      ->capture_default_str();
  sub.add_option("--clock", verb->clock, "Shader clock: MHz, or auto for the device's own")
      ->type_name("MHZ")
      ->capture_default_str();
  sub.add_option("--caches", verb->caches, "Infinity Cache before the launch: holding the buffers, or empty")
      ->check(CLI::IsMember({"warm", "cold"}))
      ->capture_default_str();
  sub.add_option("--trace", verb->trace_file, "Write the time line as Chrome/Perfetto JSON")
      ->type_name("FILE");
  sub.add_option("--counters", verb->counter_file, "Write counters as rocprofv3's counter_collection.csv")
      ->type_name("FILE");
  finish_verb(sub, session, [verb, &session] { return run(*verb, session); });
}

}  // namespace wavecast::cli
