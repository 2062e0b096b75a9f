// Puts the answer together: occupancy, profile, analytic model, cycle simulation, interval and explanation.
#include "model/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "model/analytic.h"
#include "model/counters.h"
#include "model/device_traffic.h"
#include "model/kernel_run.h"
#include "model/sensitivity.h"
#include "model/utilisation.h"

namespace wavecast::model {
namespace {

// Share of unexplained error until validation against held-out measurements replaces it.
constexpr double kModelUncertainty = 0.15;
constexpr double kIrregular = 1.5;     // longest over shortest sampled work-group that deserves a warning
constexpr double kDisagreement = 2.0;  // between the two models, likewise
constexpr uint32_t kMaxTimelineSlices = 20000;  // what a trace viewer still opens quickly

// Bytes of all regions that explicit kernel arguments point into.
uint64_t buffer_footprint(const isa::LoadedKernel& kernel, const isa::Memory& memory) {
  std::set<uint64_t> regions;
  uint64_t bytes = 0;
  const auto& kernarg = kernel.launch.kernarg;
  for (size_t offset = 0; offset + sizeof(uint64_t) <= kernarg.size(); offset += sizeof(uint64_t)) {
    uint64_t value;
    std::memcpy(&value, kernarg.data() + offset, sizeof(value));
    for (const isa::MemoryRegion& region : memory.regions())
      if (value - region.address < region.size && regions.insert(region.address).second) bytes += region.size;
  }
  return bytes;
}

class Predictor {
 public:
  Predictor(const isa::LoadedKernel& kernel, isa::Memory& memory, const hardware::Device& device,
            const hardware::InstructionTiming& timing, const PredictOptions& options)
      : kernel_(kernel),
        memory_(memory),
        device_(device),
        timing_(timing),
        options_(options),
        clock_(options.clock.value() > 0 ? options.clock : *device.clock.peak),
        xcds_(static_cast<uint32_t>(device.topology.xcds->value())) {}

  Expected<Prediction> run() {
    if (auto prepared = prepare(); !prepared) return tl::unexpected(prepared.error());
    analytic_ = analyse(analytic_input(), device_, clock_);
    prediction_.bounds = analytic_.bounds;
    if (options_.model == ModelKind::analytic)
      answer_analytic();
    else if (auto cycle = answer_cycle(); !cycle)
      return tl::unexpected(cycle.error());
    add_interval();
    return std::move(prediction_);
  }

 private:
  AnalyticInput analytic_input() const {
    return {&profile_, &program_, prediction_.work_groups, kernel_.waves_per_work_group,
            prediction_.occupancy.work_groups_per_cu};
  }

  Expected<void> prepare() {
    const isa::Kernel& kernel = *kernel_.kernel;
    prediction_.device = device_.name;
    prediction_.target = device_.target;
    prediction_.kernel = kernel.demangled.empty() ? kernel.name : kernel.demangled;
    prediction_.model = options_.model;
    prediction_.clock = clock_;
    prediction_.work_groups = kernel_.launch.grid.count();
    prediction_.waves = prediction_.work_groups * kernel_.waves_per_work_group;
    auto occupied = occupancy(
        resources_of(kernel, static_cast<uint32_t>(kernel_.launch.block.count()), kernel_.launch.dynamic_lds),
        device_);
    if (!occupied) return tl::unexpected(occupied.error());
    prediction_.occupancy = *occupied;
    program_ = resolve_program(kernel_.program, timing_);
    spec_ = resolve_xcd(device_, clock_,
                        static_cast<uint32_t>(std::min<uint64_t>(prediction_.work_groups, xcds_)));
    initial_ = {buffer_footprint(kernel_, memory_), options_.caches == CacheState::warm};
    ProfileOptions profile_options;
    profile_options.max_instructions = options_.max_emulated_instructions;
    profile_options.max_instructions_per_wave = options_.max_instructions_per_wave;
    profile_options.work_groups_per_cu = occupied->work_groups_per_cu;
    profile_options.xcds = xcds_;
    profile_options.initial = initial_;
    auto profile = profile_kernel(kernel_, memory_, program_, spec_, profile_options);
    if (!profile) return tl::unexpected(profile.error());
    profile_ = std::move(*profile);
    prediction_.sampled.work_groups_emulated = profile_.work_groups;
    prediction_.sampled.wave_instructions_emulated = profile_.instructions;
    if (profile_.instructions_max > kIrregular * std::max(1.0, profile_.instructions_min))
      prediction_.warnings.push_back(fmt::format(
          "work-groups differ: {:.0f} to {:.0f} wave instructions among {} sampled; the total is their mean",
          profile_.instructions_min, profile_.instructions_max, profile_.work_groups));
    return {};
  }

  void answer_analytic() {
    prediction_.time = analytic_.time;
    prediction_.cycles = hardware::to_cycles(analytic_.execution, clock_);
    const double total = analytic_.time.value(), overhead = (analytic_.launch + analytic_.end).value();
    prediction_.bound = overhead > total / 2 ? "kernel launch" : analytic_.bounds.front().what;
    prediction_.breakdown = {{"kernel launch and end", overhead / total},
                             {prediction_.bounds.front().what, 1 - overhead / total}};
    add_traffic(device_traffic(profile_, spec_, static_cast<double>(prediction_.work_groups)));
  }

  Expected<void> answer_cycle() {
    KernelRunInput input;
    input.kernel = &kernel_;
    input.memory = &memory_;
    input.program = &program_;
    input.profile = &profile_;
    input.work_groups_per_cu = prediction_.occupancy.work_groups_per_cu;
    input.xcds = xcds_;
    input.initial = initial_;
    input.max_instructions = options_.max_simulated_instructions;
    input.max_timeline_slices = options_.record_timeline ? kMaxTimelineSlices : 0;
    input.progress = options_.progress;
    auto run = run_kernel(spec_, input);
    if (!run) return tl::unexpected(run.error());
    run_ = std::move(*run);
    prediction_.cycles = run_.cycles;
    const hardware::Nanoseconds execution = hardware::to_time(run_.cycles, clock_);
    prediction_.time = *device_.dispatch.kernel_launch + execution + *device_.dispatch.kernel_end;
    explain(execution);
    add_traffic(device_traffic(profile_, run_, spec_, static_cast<double>(prediction_.work_groups)));
    prediction_.sampled.work_groups_simulated = run_.simulated.work_groups_started;
    prediction_.sampled.wave_instructions_simulated = run_.simulated.instructions;
    prediction_.sampled.extrapolated = run_.extrapolated;
    prediction_.sampled.extrapolation_spread = run_.spread;
    prediction_.sampled.how = run_.how;
    prediction_.timeline = run_.simulated.timeline;
    const double ratio = analytic_.time / prediction_.time;
    if (ratio > kDisagreement || ratio < 1 / kDisagreement)
      prediction_.warnings.push_back(fmt::format(
          "the analytic model says {:.1f} us, {:.1f} times the cycle model: treat the answer with care",
          analytic_.time.value() / 1e3, ratio));
    return {};
  }

  // Shares of the whole time: launch, write-back, then the time of waves by what they did or waited for.
  void explain(hardware::Nanoseconds execution) {
    const double total = prediction_.time.value();
    const double overhead = (*device_.dispatch.kernel_launch + *device_.dispatch.kernel_end).value() / total;
    const XcdResult& r = run_.simulated;
    const double write_back =
        hardware::to_time(hardware::Cycles(static_cast<double>(r.write_back_end - r.cycles)), clock_)
            .value() /
        total;
    const double waves = std::max(0.0, execution.value() / total - write_back);
    double sum = 0;
    for (double cycles : r.wave_cycles) sum += cycles;
    prediction_.breakdown.push_back({"kernel launch and end", overhead});
    if (write_back > 0) prediction_.breakdown.push_back({"write-back of L2", write_back});
    for (int reason = 0; reason < kStallReasons && sum > 0; ++reason)
      if (r.wave_cycles[reason] > 0)
        prediction_.breakdown.push_back(
            {std::string(to_string(static_cast<StallReason>(reason))), waves * r.wave_cycles[reason] / sum});
    std::sort(prediction_.breakdown.begin(), prediction_.breakdown.end(),
              [](const auto& a, const auto& b) { return a.share > b.share; });

    const auto units = utilisation(spec_, r, kernel_.waves_per_work_group);
    prediction_.units.clear();
    for (const Utilisation& unit : units) prediction_.units.push_back({unit.what, unit.share});
    constexpr double kBusy = 0.6;  // a unit busier than this sets the pace; below it, latency does
    if (overhead > 0.5)
      prediction_.bound = "kernel launch";
    else if (units.front().share >= kBusy)
      prediction_.bound = units.front().what;
    else {
      // Issuing is progress, not a wait: the largest of the others is what the waves lack.
      static_assert(static_cast<int>(StallReason::issuing) == 0);
      const auto worst = std::max_element(r.wave_cycles.begin() + 1, r.wave_cycles.end());
      prediction_.bound =
          fmt::format("latency ({})", to_string(static_cast<StallReason>(worst - r.wave_cycles.begin())));
    }
  }

  void add_traffic(const DeviceTraffic& seen) {
    auto rate = [](double hits, double all) { return all > 0 ? hits / all : -1.0; };
    Traffic& t = prediction_.traffic;
    t.l1_bytes = seen.l1_bytes;
    t.l2_bytes = seen.l2_bytes;
    t.infinity_cache_bytes = seen.infinity_bytes;
    t.hbm_read_bytes = seen.hbm_read_bytes;
    t.hbm_write_bytes = seen.hbm_write_bytes;
    t.l1_hit_rate = rate(seen.l1_hits, seen.l1_lookups);
    t.l2_hit_rate = rate(seen.l2_hits, seen.l2_hits + seen.l2_misses);
    t.infinity_cache_hit_rate = rate(seen.infinity_hits, seen.infinity_hits + seen.infinity_misses);
    t.scalar_cache_hit_rate = rate(seen.scalar_hits + seen.scalar_duplicate_misses, seen.scalar_requests);
    t.instruction_cache_hit_rate = rate(seen.instruction_hits, seen.instruction_requests);
    prediction_.counters = predict_counters({&kernel_, &spec_, &seen, &profile_.counts_per_work_group});
  }

  // Independent errors add in squares: each parameter's, the extrapolation's and the model's own.
  void add_interval() {
    double variance = kModelUncertainty * kModelUncertainty + run_.spread * run_.spread;
    for (const ParameterSensitivity& row : sensitivities(analytic_input(), device_, clock_)) {
      variance += std::pow(row.percent_per_percent * row.relative_uncertainty, 2);
      if (row.kind == hardware::ParameterKind::assumed)
        prediction_.assumed_parameters.push_back({row.parameter, row.percent_per_percent});
    }
    const double sigma = std::sqrt(variance);
    prediction_.time_low = prediction_.time / (1 + sigma);
    prediction_.time_high = prediction_.time * (1 + sigma);
  }

  const isa::LoadedKernel& kernel_;
  isa::Memory& memory_;
  const hardware::Device& device_;
  const hardware::InstructionTiming& timing_;
  const PredictOptions& options_;
  const hardware::Hertz clock_;
  const uint32_t xcds_;
  ResolvedProgram program_;
  XcdSpec spec_;
  InitialMemory initial_;
  KernelProfile profile_;
  AnalyticResult analytic_;
  KernelRun run_;
  Prediction prediction_;
};

}  // namespace

Expected<Prediction> predict(const isa::LoadedKernel& kernel, isa::Memory& memory,
                             const hardware::Device& device, const hardware::InstructionTiming& timing,
                             const PredictOptions& options) {
  return Predictor(kernel, memory, device, timing, options).run();
}

}  // namespace wavecast::model
