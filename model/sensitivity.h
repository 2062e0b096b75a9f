// How far the predicted time moves with each hardware parameter, by the analytic model; gives the uncertainty
// interval and the list of assumed parameters that matter.
#pragma once

#include <string>
#include <vector>

#include "model/analytic.h"

namespace wavecast::model {

struct ParameterSensitivity {
  std::string parameter;  // "l2.hit_latency"
  hardware::ParameterKind kind{};
  double relative_uncertainty = 0;  // of the parameter
  double percent_per_percent = 0;   // of the time
};

// Parameters that move the time at all, largest effect first.
std::vector<ParameterSensitivity> sensitivities(const AnalyticInput& input, const hardware::Device& device,
                                                hardware::Hertz clock);

}  // namespace wavecast::model
