// A prediction as one JSON document; keys are the command line's contract, units are part of the key.
#include "model/view/json.h"
#include "model/view/prediction_view.h"

namespace wavecast::model {
namespace {

Json rate(double value) { return value < 0 ? Json(nullptr) : Json(value); }

Json dimensions(const isa::Dim3& size) { return Json::array({size.x, size.y, size.z}); }

Json traffic(const Traffic& t) {
  return {{"l1_bytes", t.l1_bytes},
          {"l2_bytes", t.l2_bytes},
          {"infinity_cache_bytes", t.infinity_cache_bytes},
          {"hbm_read_bytes", t.hbm_read_bytes},
          {"hbm_write_bytes", t.hbm_write_bytes},
          {"l1_hit_rate", rate(t.l1_hit_rate)},
          {"l2_hit_rate", rate(t.l2_hit_rate)},
          {"infinity_cache_hit_rate", rate(t.infinity_cache_hit_rate)},
          {"scalar_cache_hit_rate", rate(t.scalar_cache_hit_rate)},
          {"instruction_cache_hit_rate", rate(t.instruction_cache_hit_rate)}};
}

Json sampled(const Sampling& s) {
  return {{"work_groups_emulated", s.work_groups_emulated},
          {"wave_instructions_emulated", s.wave_instructions_emulated},
          {"work_groups_simulated", s.work_groups_simulated},
          {"wave_instructions_simulated", s.wave_instructions_simulated},
          {"extrapolated", s.extrapolated},
          {"extrapolation_spread", s.extrapolation_spread},
          {"how", s.how}};
}

}  // namespace

std::string prediction_json(const Prediction& p, const DispatchFacts& dispatch,
                            std::string_view tool_version) {
  Json json;
  json["tool_version"] = tool_version;
  json["device"] = p.device;
  json["target"] = p.target;
  json["kernel"] = p.kernel;
  json["model"] = to_string(p.model);
  json["time_us"] = p.time.value() / 1e3;  // 1000 ns
  json["time_us_low"] = p.time_low.value() / 1e3;
  json["time_us_high"] = p.time_high.value() / 1e3;
  json["cycles"] = p.cycles.value();
  json["clock_mhz"] = p.clock.value() / 1e6;
  json["bound"] = p.bound;
  json["work_groups"] = p.work_groups;
  json["waves"] = p.waves;
  json["launch"] = {{"grid_work_groups", dimensions(dispatch.grid)},
                    {"block_work_items", dimensions(dispatch.block)},
                    {"lds_bytes", dispatch.lds_bytes},
                    {"scratch_bytes_per_work_item", dispatch.scratch_bytes}};
  json["occupancy"] = occupancy_fields(p.occupancy);
  json["breakdown"] = Json::array();
  for (const BreakdownRow& row : p.breakdown)
    json["breakdown"].push_back({{"what", row.what}, {"share", row.share}});
  json["bounds"] = Json::array();
  for (const Bound& bound : p.bounds)
    json["bounds"].push_back({{"what", bound.what}, {"time_us", bound.time.value() / 1e3}});
  json["units"] = Json::array();
  for (const BreakdownRow& unit : p.units)
    json["units"].push_back({{"what", unit.what}, {"busy_share", unit.share}});
  json["traffic"] = traffic(p.traffic);
  json["counters"] = Json::object();
  for (const Counter& counter : p.counters) json["counters"][counter.name] = counter.value;
  json["sampled"] = sampled(p.sampled);
  json["assumed_parameters"] = Json::array();
  for (const Sensitivity& s : p.assumed_parameters)
    json["assumed_parameters"].push_back(
        {{"parameter", s.parameter}, {"time_percent_per_percent", s.percent_per_percent}});
  json["warnings"] = p.warnings;
  return to_text(json);
}

}  // namespace wavecast::model
