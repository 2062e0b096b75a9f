// One-at-a-time finite differences over the analytic model.
#include "model/sensitivity.h"

#include <algorithm>
#include <cmath>

namespace wavecast::model {

std::vector<ParameterSensitivity> sensitivities(const AnalyticInput& input, const hardware::Device& device,
                                                hardware::Hertz clock) {
  constexpr double kStep =
      0.05;  // large enough to be seen through the maxima of the model, small enough to be local
  constexpr double kNegligible = 1e-3;
  const double base = analyse(input, device, clock).time.value();
  std::vector<ParameterSensitivity> result;
  int count = 0;
  hardware::Device original = device;
  original.visit([&](const char*, const char*, auto&) { ++count; });
  for (int target = 0; target < count; ++target) {
    hardware::Device changed = device;
    ParameterSensitivity row;
    int index = 0;
    changed.visit([&](const char* section, const char* name, auto& parameter) {
      if (index++ != target) return;
      using Q = typename std::remove_reference_t<decltype(parameter)>::quantity_type;
      row.parameter = std::string(section) + "." + name;
      row.kind = parameter.provenance.kind;
      row.relative_uncertainty = parameter.provenance.relative_uncertainty;
      // Counts of hardware units are exact and come in whole numbers.
      if constexpr (!std::is_same_v<Q, hardware::Count>) parameter.value = parameter.value * (1 + kStep);
    });
    // A shader clock given on the command line is not the device's.
    row.percent_per_percent = (analyse(input, changed, clock).time.value() / base - 1) / kStep;
    if (std::abs(row.percent_per_percent) > kNegligible) result.push_back(row);
  }
  std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
    return std::abs(a.percent_per_percent) > std::abs(b.percent_per_percent);
  });
  return result;
}

}  // namespace wavecast::model
