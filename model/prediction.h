// The answer: how long a kernel takes, what bounds it, and on what the answer rests. Plain values; views
// render them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hardware/units.h"
#include "model/occupancy.h"

namespace wavecast::model {

enum class ModelKind { cycle, analytic };
std::string_view to_string(ModelKind kind);

// Share of the kernel's time (0..1) that one cause explains; shares add up to 1.
struct BreakdownRow {
  std::string what;
  double share = 0;
};

// Bytes moved on the whole device during the kernel, and hit rates (0..1; negative: level not used).
struct Traffic {
  double l1_bytes = 0, l2_bytes = 0, infinity_cache_bytes = 0, hbm_read_bytes = 0, hbm_write_bytes = 0;
  double l1_hit_rate = -1, l2_hit_rate = -1, infinity_cache_hit_rate = -1, scalar_cache_hit_rate = -1,
         instruction_cache_hit_rate = -1;
};

// A hardware counter by rocprofv3's name, summed over the device.
struct Counter {
  std::string name;
  double value = 0;
};

// What was executed and simulated to get here; the rest is extrapolated.
struct Sampling {
  uint64_t work_groups_emulated = 0, wave_instructions_emulated = 0;
  uint64_t work_groups_simulated = 0, wave_instructions_simulated = 0;
  bool extrapolated = false;
  double extrapolation_spread = 0;  // relative spread of the steady-state rate
  std::string how;                  // one sentence: what was simulated and how the rest follows
};

// An assumed (not measured or documented) parameter and how far the time moves per 1 % of it.
struct Sensitivity {
  std::string parameter;
  double percent_per_percent = 0;
};

// A slice for the time line view: what a wave or unit did when, in cycles from kernel start.
struct TimelineSlice {
  uint32_t cu = 0, simd = 0, slot = 0;
  uint64_t work_group = 0;
  uint32_t wave = 0;
  double begin_cycle = 0, end_cycle = 0;
  bool complete = true;  // false: the simulation stopped at end_cycle, the wave goes on
};

// A time bound from one resource of the analytic model: the kernel can not be faster than this.
struct Bound {
  std::string what;  // "hbm", "l2", "valu", "mfma", "lds", "latency", "dispatch", ...
  hardware::Nanoseconds time{};
};

struct Prediction {
  std::string device, target, kernel;
  ModelKind model = ModelKind::cycle;
  hardware::Nanoseconds time{}, time_low{}, time_high{};
  hardware::Cycles cycles{};
  hardware::Hertz clock{};
  std::string bound;  // the resource that explains most of the time
  uint64_t work_groups = 0, waves = 0;
  Occupancy occupancy;
  std::vector<BreakdownRow> breakdown;
  std::vector<Bound> bounds;  // every resource's own lower bound (analytic), largest first
  std::vector<BreakdownRow>
      units;  // busy share of each unit over the simulated time, largest first; cycle model only
  Traffic traffic;
  std::vector<Counter> counters;
  Sampling sampled;
  std::vector<Sensitivity> assumed_parameters;
  std::vector<std::string> warnings;
  std::vector<TimelineSlice> timeline;  // filled only on request
};

}  // namespace wavecast::model
