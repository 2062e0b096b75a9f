// JSON building blocks that several views share.
#include "model/view/json.h"

namespace wavecast::model {

std::string to_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string_view limiter_key(OccupancyLimiter limiter) {
  switch (limiter) {
    case OccupancyLimiter::wave_slots:
      return "waves";
    case OccupancyLimiter::vgpr:
      return "vgpr";
    case OccupancyLimiter::sgpr:
      return "sgpr";
    case OccupancyLimiter::lds:
      return "lds";
    case OccupancyLimiter::work_group_slots:
      return "work_group_slots";
  }
  return "";
}

Json occupancy_fields(const Occupancy& occupancy) {
  Json json;
  json["waves_per_simd"] = occupancy.waves_per_simd;
  json["work_groups_per_cu"] = occupancy.work_groups_per_cu;
  json["waves_per_cu"] = occupancy.waves_per_cu;
  json["max_waves_per_simd"] = occupancy.max_waves_per_simd;
  json["limiter"] = limiter_key(occupancy.limiter);
  // Scratch limits the waves of a device, not of a CU: alone it allows what the wave slots allow.
  json["limits"] = {{"vgpr", occupancy.limits.vgpr},
                    {"sgpr", occupancy.limits.sgpr},
                    {"lds", occupancy.limits.lds},
                    {"waves", occupancy.limits.wave_slots},
                    {"work_group_slots", occupancy.limits.work_group_slots},
                    {"scratch", occupancy.max_waves_per_simd}};
  json["allocated"] = {{"vgprs_per_wave", occupancy.allocated_vgprs},
                       {"sgprs_per_wave", occupancy.allocated_sgprs},
                       {"lds_bytes_per_work_group", occupancy.allocated_lds_bytes}};
  json["next_steps"] = occupancy.next_steps;
  return json;
}

}  // namespace wavecast::model
