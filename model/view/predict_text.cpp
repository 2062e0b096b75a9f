// A prediction as text: time, what bounds it and how sure we are; then the bounds; then tables.
#include <fmt/format.h>

#include <algorithm>

#include "model/view/occupancy_view.h"
#include "model/view/prediction_view.h"
#include "model/view/text.h"

namespace wavecast::model {
namespace {

// Half the interval over the time. The words are a reading aid; the interval is the statement.
std::string confidence(const Prediction& prediction) {
  const double spread =
      prediction.time.value() > 0 ? (prediction.time_high - prediction.time_low) / prediction.time / 2 : 0;
  const std::string_view word = spread <= 0.1 ? "high" : spread <= 0.3 ? "medium" : "low";
  return fmt::format("{} (±{:.0f} %)", word, spread * 100);
}

std::string bounds(const Prediction& prediction) {
  if (prediction.bounds.empty()) return "";
  TextTable table("lrrl");
  for (const Bound& bound : prediction.bounds) {
    if (bound.time.value() <= 0) continue;  // a resource that the kernel does not use
    const double share = prediction.time.value() > 0 ? bound.time / prediction.time : 0;
    table.add({bound.what, format_time(bound.time), format_percent(share), bar(share)});
  }
  return "\nLimits: each resource alone would need\n" + table.render();
}

std::string breakdown(const Prediction& prediction) {
  if (prediction.breakdown.empty()) return "";
  TextTable table("lrrl");
  for (const BreakdownRow& row : prediction.breakdown)
    table.add(
        {row.what, format_percent(row.share), format_time(prediction.time * row.share), bar(row.share)});
  return "\nWhere the time goes\n" + table.render();
}

std::string units(const Prediction& prediction) {
  if (prediction.units.empty()) return "";
  TextTable table("lrl");
  for (const BreakdownRow& row : prediction.units)
    if (row.share > 0) table.add({row.what, format_percent(row.share), bar(row.share)});
  return "\nHow busy the units are\n" + table.render();
}

std::string traffic(const Prediction& prediction) {
  const Traffic& t = prediction.traffic;
  const double seconds = prediction.time.value() * 1e-9;
  TextTable table("lrrr");
  table.add({"level", "bytes", "rate", "hit rate"});
  const auto row = [&](const char* level, double bytes, double hit_rate) {
    table.add({level, format_bytes(bytes), seconds > 0 ? format_bytes(bytes / seconds) + "/s" : "-",
               format_percent(hit_rate)});
  };
  row("vL1D", t.l1_bytes, t.l1_hit_rate);
  row("L2", t.l2_bytes, t.l2_hit_rate);
  if (t.infinity_cache_bytes > 0 || t.infinity_cache_hit_rate >= 0)
    row("Infinity Cache", t.infinity_cache_bytes, t.infinity_cache_hit_rate);
  row("HBM read", t.hbm_read_bytes, -1);
  row("HBM write", t.hbm_write_bytes, -1);
  std::string out = "\nMemory traffic of the device\n" + table.render();
  if (t.scalar_cache_hit_rate >= 0)
    out += fmt::format("  scalar cache hits {}\n", format_percent(t.scalar_cache_hit_rate));
  if (t.instruction_cache_hit_rate >= 0)
    out += fmt::format("  instruction cache hits {}\n", format_percent(t.instruction_cache_hit_rate));
  return out;
}

std::string occupancy(const Occupancy& o) {
  std::string out =
      fmt::format("\nOccupancy\n  {} waves per SIMD of {}, {} work-groups per CU, limited by {}\n",
                  o.waves_per_simd, o.max_waves_per_simd, o.work_groups_per_cu, limiter_name(o.limiter));
  for (const std::string& step : o.next_steps) out += fmt::format("  - {}\n", step);
  return out;
}

std::string counters(const Prediction& prediction) {
  if (prediction.counters.empty()) return "";
  TextTable table("lr");
  for (const Counter& counter : prediction.counters) table.add({counter.name, format_count(counter.value)});
  return "\nCounters (rocprofv3 names, summed over the device)\n" + table.render();
}

std::string basis(const Prediction& prediction) {
  const Sampling& s = prediction.sampled;
  std::string out = "\nWhat this rests on\n";
  out +=
      fmt::format("  emulated   {} of {} work-groups, {} wave instructions\n",
                  format_count(double(s.work_groups_emulated)), format_count(double(prediction.work_groups)),
                  format_count(double(s.wave_instructions_emulated)));
  if (s.work_groups_simulated)
    out += fmt::format("  simulated  {} work-groups, {} wave instructions\n",
                       format_count(double(s.work_groups_simulated)),
                       format_count(double(s.wave_instructions_simulated)));
  if (!s.how.empty()) out += fmt::format("  {}\n", s.how);
  if (s.extrapolated)
    out += fmt::format("  the rest is extrapolated from the steady state, spread {}\n",
                       format_percent(s.extrapolation_spread));
  if (!prediction.assumed_parameters.empty()) {
    out += "  assumed parameters that matter (time per 1 % of the parameter)\n";
    TextTable table("lr");
    for (const Sensitivity& s2 : prediction.assumed_parameters)
      table.add({s2.parameter, fmt::format("{:+.2f} %", s2.percent_per_percent)});
    out += table.render("    ");
  }
  return out;
}

}  // namespace

std::string prediction_text(const Prediction& prediction, const DispatchFacts& dispatch) {
  std::string out = fmt::format("{} ({} to {}), bound by {}, confidence {}\n", format_time(prediction.time),
                                format_time(prediction.time_low), format_time(prediction.time_high),
                                prediction.bound, confidence(prediction));
  out += fmt::format("  {} on {} ({}), {} model\n", prediction.kernel, prediction.device, prediction.target,
                     to_string(prediction.model));
  out += fmt::format("  {} cycles at {:.0f} MHz; grid {},{},{} of {},{},{}: {} work-groups, {} waves\n",
                     format_count(prediction.cycles.value()), prediction.clock.value() / 1e6, dispatch.grid.x,
                     dispatch.grid.y, dispatch.grid.z, dispatch.block.x, dispatch.block.y, dispatch.block.z,
                     format_count(double(prediction.work_groups)), format_count(double(prediction.waves)));
  for (const std::string& warning : prediction.warnings) out += fmt::format("  warning: {}\n", warning);
  out += bounds(prediction) + breakdown(prediction) + units(prediction) + traffic(prediction) +
         occupancy(prediction.occupancy) + counters(prediction) + basis(prediction);
  return out;
}

}  // namespace wavecast::model
