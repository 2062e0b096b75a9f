// How busy each unit of the simulated XCD was: the evidence for what bounds a kernel.
#pragma once

#include <string>
#include <vector>

#include "model/xcd_simulator.h"

namespace wavecast::model {

struct Utilisation {
  std::string what;
  double share = 0;  // busy cycles over available cycles, 0..1
};

// Largest first. `cycles` is the simulated length.
std::vector<Utilisation> utilisation(const XcdSpec& spec, const XcdResult& result,
                                     uint32_t waves_per_work_group);

}  // namespace wavecast::model
