// How an occupancy is shown: the answer first, then each resource's own limit, then what the next step would
// take.
#include "model/view/occupancy_view.h"

#include <fmt/format.h>

#include "model/view/json.h"
#include "model/view/text.h"

namespace wavecast::model {

std::string_view limiter_name(OccupancyLimiter limiter) {
  switch (limiter) {
    case OccupancyLimiter::wave_slots:
      return "wave slots";
    case OccupancyLimiter::vgpr:
      return "VGPRs";
    case OccupancyLimiter::sgpr:
      return "SGPRs";
    case OccupancyLimiter::lds:
      return "LDS";
    case OccupancyLimiter::work_group_slots:
      return "work-group slots";
  }
  return "";
}

std::string occupancy_text(const OccupancyRequest& request, const Occupancy& occupancy) {
  const ResourceUse& use = request.use;
  const double share =
      occupancy.max_waves_per_simd ? double(occupancy.waves_per_simd) / occupancy.max_waves_per_simd : 0;
  std::string out = fmt::format("{} waves per SIMD of {} ({}), {} work-groups per CU, limited by {}\n",
                                occupancy.waves_per_simd, occupancy.max_waves_per_simd, format_percent(share),
                                occupancy.work_groups_per_cu, limiter_name(occupancy.limiter));
  const std::string subject = request.kernel.empty() ? "" : request.kernel + " ";
  out += fmt::format("  {}on {} ({}), work-group of {} work-items\n", subject, request.device, request.target,
                     use.work_group_size);

  out += "\nLimits: waves per SIMD that each resource alone allows\n";
  TextTable table("lrrrl");
  table.add({"resource", "asked", "allocated", "waves", ""});
  const auto row = [&](OccupancyLimiter limiter, std::string asked, std::string allocated, uint32_t waves) {
    table.add({std::string(limiter_name(limiter)), std::move(asked), std::move(allocated),
               std::to_string(waves), limiter == occupancy.limiter ? "<- limits" : ""});
  };
  const std::string vgprs = use.accum_vgprs ? fmt::format("{} + {} AGPRs", use.arch_vgprs, use.accum_vgprs)
                                            : std::to_string(use.arch_vgprs);
  row(OccupancyLimiter::vgpr, vgprs, std::to_string(occupancy.allocated_vgprs), occupancy.limits.vgpr);
  row(OccupancyLimiter::sgpr, std::to_string(use.sgprs), std::to_string(occupancy.allocated_sgprs),
      occupancy.limits.sgpr);
  row(OccupancyLimiter::lds, fmt::format("{} B", use.lds_bytes),
      fmt::format("{} B", occupancy.allocated_lds_bytes), occupancy.limits.lds);
  row(OccupancyLimiter::work_group_slots, "", "", occupancy.limits.work_group_slots);
  row(OccupancyLimiter::wave_slots, "", "", occupancy.limits.wave_slots);
  out += table.render();
  if (use.scratch_bytes)
    out +=
        fmt::format("  scratch: {} B per work-item; it limits the waves of the whole device, not of a CU\n",
                    use.scratch_bytes);
  if (!occupancy.next_steps.empty()) out += "\nNext steps\n";
  for (const std::string& step : occupancy.next_steps) out += fmt::format("  - {}\n", step);
  return out;
}

std::string occupancy_json(const OccupancyRequest& request, const Occupancy& occupancy,
                           std::string_view tool_version) {
  Json json;
  json["tool_version"] = tool_version;
  json["device"] = request.device;
  json["target"] = request.target;
  if (!request.kernel.empty()) json["kernel"] = request.kernel;
  json["request"] = {{"vgprs", request.use.arch_vgprs},
                     {"agprs", request.use.accum_vgprs},
                     {"sgprs", request.use.sgprs},
                     {"lds_bytes", request.use.lds_bytes},
                     {"work_group_size", request.use.work_group_size},
                     {"scratch_bytes_per_work_item", request.use.scratch_bytes}};
  json.update(occupancy_fields(occupancy));
  return to_text(json);
}

}  // namespace wavecast::model
