// Busy shares of the units of one XCD.
#include "model/utilisation.h"

#include <algorithm>

namespace wavecast::model {

std::vector<Utilisation> utilisation(const XcdSpec& spec, const XcdResult& result,
                                     uint32_t waves_per_work_group) {
  const double cycles = std::max<double>(1, static_cast<double>(result.cycles));
  const double simds = static_cast<double>(spec.cus) * spec.simds_per_cu;
  std::vector<Utilisation> all = {
      {"VALU", result.valu_busy / (cycles * simds)},
      {"matrix unit", result.matrix_busy / (cycles * simds)},
      {"LDS", result.lds_busy / (cycles * spec.cus * spec.lds.ports)},
      {"vector L1 (address)", result.vector_l1.address_busy / (cycles * spec.cus)},
      {"vector L1 (data)", result.vector_l1.data_busy / (cycles * spec.cus)},
      {"L2", result.memory.l2_busy / (cycles * spec.l2.channels)},
      {"HBM", result.memory.hbm_busy / cycles},
      {"dispatch",
       static_cast<double>(result.work_groups_started) *
           std::max(spec.cycles_per_work_group, waves_per_work_group * spec.cycles_per_wave_launch) / cycles},
  };
  if (spec.infinity.present) {
    all.push_back({"Infinity Cache (read)", result.memory.infinity_read_busy / cycles});
    all.push_back({"Infinity Cache (write)", result.memory.infinity_write_busy / cycles});
  }
  for (Utilisation& unit : all) unit.share = std::clamp(unit.share, 0.0, 1.0);
  std::sort(all.begin(), all.end(),
            [](const Utilisation& a, const Utilisation& b) { return a.share > b.share; });
  return all;
}

}  // namespace wavecast::model
