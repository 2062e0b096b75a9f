// Chooses what to simulate and extrapolates.
//  1. Everything fits the budget: simulate all of the XCD's work-groups.
//  2. Several rounds of resident work-groups fit: leave out whole rounds, so that ramp, last partial round
//  and drain
//     stay as they are, and add them back at the measured rate of completions.
//  3. Not even that fits (long work-groups): simulate the resident work-groups until the budget is used and
//  take their
//     rate of instructions in the later half for the rest of each round.
#include "model/kernel_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/work_group_stream.h"

namespace wavecast::model {
namespace {

constexpr uint64_t kMinRounds = 3;  // first fills caches, last drains: at least one in between

class KernelRunner {
 public:
  KernelRunner(const XcdSpec& spec, const KernelRunInput& input)
      : spec_(spec),
        input_(input),
        grid_(input.kernel->launch.grid),
        on_xcd_((grid_.count() + input.xcds - 1) / input.xcds),
        slots_(uint64_t{spec.cus} * input.work_groups_per_cu),
        per_group_(std::max(1.0, input.profile->per_work_group.instructions)) {}

  Expected<KernelRun> run() {
    run_.work_groups_on_xcd = on_xcd_;
    const double budget = static_cast<double>(input_.max_instructions);
    if (static_cast<double>(on_xcd_) * per_group_ <= budget) return all();
    const uint64_t remainder = on_xcd_ % slots_;
    const auto affordable = static_cast<uint64_t>(budget / per_group_);
    const uint64_t rounds = affordable > remainder ? (affordable - remainder) / slots_ : 0;
    if (rounds >= kMinRounds) return whole_rounds(remainder + rounds * slots_);
    return partial_rounds();
  }

 private:
  XcdWorkload workload(uint64_t count) const {
    XcdWorkload workload;
    workload.kernel = input_.kernel;
    workload.memory = input_.memory;
    workload.program = input_.program;
    workload.work_groups_per_cu = input_.work_groups_per_cu;
    workload.initial = input_.initial;
    workload.max_timeline_slices = input_.max_timeline_slices;
    workload.work_groups.reserve(count);
    // XCD 0 gets every xcds-th work-group; it is one of those with the most.
    for (uint64_t i = 0; i < count; ++i)
      workload.work_groups.push_back(work_group_id(grid_, std::min(i * input_.xcds, grid_.count() - 1)));
    if (input_.progress)
      workload.progress =
          [this, expected = std::min(static_cast<double>(count) * per_group_,
                                     static_cast<double>(input_.max_instructions))](uint64_t issued) {
            input_.progress(std::min(1.0, static_cast<double>(issued) / expected));
          };
    return workload;
  }

  Expected<KernelRun> all() {
    auto result = simulate_xcd(spec_, workload(on_xcd_));
    if (!result) return tl::unexpected(result.error());
    run_.cycles = hardware::Cycles(static_cast<double>(result->write_back_end));
    run_.how = fmt::format("all {} work-groups of one XCD simulated", on_xcd_);
    run_.simulated = std::move(*result);
    return std::move(run_);
  }

  Expected<KernelRun> whole_rounds(uint64_t count) {
    auto result = simulate_xcd(spec_, workload(count));
    if (!result) return tl::unexpected(result.error());
    // Completions from the end of the first round to the start of the last.
    const auto& ends = result->work_group_ends;
    const size_t first = slots_, last = ends.size() > slots_ ? ends.size() - slots_ : 0;
    const size_t middle = (first + last) / 2;
    const double period = slope(ends, first, last);
    run_.spread = relative_difference(slope(ends, first, middle), slope(ends, middle, last), period);
    run_.cycles = hardware::Cycles(static_cast<double>(result->write_back_end) +
                                   static_cast<double>(on_xcd_ - count) * period);
    run_.extrapolated = true;
    run_.how = fmt::format("{} of one XCD's {} work-groups simulated; the rest at one per {:.1f} cycles",
                           count, on_xcd_, period);
    run_.simulated = std::move(*result);
    return std::move(run_);
  }

  static double slope(const std::vector<Cycle>& ends, size_t first, size_t last) {
    if (last <= first) return 0;
    return static_cast<double>(ends[last] - ends[first]) / static_cast<double>(last - first);
  }
  static double relative_difference(double a, double b, double reference) {
    return reference > 0 ? std::abs(a - b) / reference : 0;
  }

  struct Round {
    double cycles = 0, spread = 0;
    XcdResult result;
  };

  // Length of a round of `count` resident work-groups.
  Expected<Round> round(uint64_t count, uint64_t budget) {
    XcdWorkload work = workload(count);
    work.max_instructions = budget;
    auto result = simulate_xcd(spec_, work);
    if (!result) return tl::unexpected(result.error());
    Round round;
    round.cycles = static_cast<double>(result->write_back_end);
    if (!result->finished && result->checkpoints.size() >= 4) {
      const auto& points = result->checkpoints;
      const size_t half = points.size() / 2, three_quarters = points.size() * 3 / 4, end = points.size() - 1;
      auto rate = [&](size_t a, size_t b) {
        return static_cast<double>(points[b].instructions - points[a].instructions) /
               std::max<double>(1, static_cast<double>(points[b].cycle - points[a].cycle));
      };
      const double steady = rate(half, end);
      const double left = static_cast<double>(count) * per_group_ - static_cast<double>(result->instructions);
      round.cycles += std::max(0.0, left) / steady;
      round.spread = relative_difference(rate(half, three_quarters), rate(three_quarters, end), steady);
    }
    round.result = std::move(*result);
    return round;
  }

  Expected<KernelRun> partial_rounds() {
    const uint64_t full = on_xcd_ / slots_, remainder = on_xcd_ % slots_;
    const uint64_t budget = full && remainder ? input_.max_instructions * 2 / 3 : input_.max_instructions;
    double cycles = 0;
    if (full) {
      auto result = round(slots_, budget);
      if (!result) return tl::unexpected(result.error());
      cycles = static_cast<double>(full) * result->cycles;
      run_.spread = result->spread;
      run_.simulated = std::move(result->result);
    }
    if (remainder) {
      auto result = round(remainder, full ? input_.max_instructions - budget : budget);
      if (!result) return tl::unexpected(result.error());
      cycles += result->cycles;
      run_.spread = std::max(run_.spread, result->spread);
      if (!full) {
        run_.simulated = std::move(result->result);
      }
    }
    run_.cycles = hardware::Cycles(cycles);
    run_.extrapolated = true;
    run_.how = fmt::format(
        "{:.2f} rounds of {} resident work-groups per XCD; {} of {:.0f} wave instructions of a round "
        "simulated",
        static_cast<double>(on_xcd_) / static_cast<double>(slots_), slots_, run_.simulated.instructions,
        static_cast<double>(std::min(on_xcd_, slots_)) * per_group_);
    return std::move(run_);
  }

  const XcdSpec& spec_;
  const KernelRunInput& input_;
  const isa::Dim3 grid_;
  const uint64_t on_xcd_, slots_;
  const double per_group_;  // wave instructions
  KernelRun run_;
};

}  // namespace

Expected<KernelRun> run_kernel(const XcdSpec& spec, const KernelRunInput& input) {
  return KernelRunner(spec, input).run();
}

}  // namespace wavecast::model
