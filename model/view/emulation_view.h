// How a functional run is shown: counts by class, speed, the check's verdict and what was written.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/emulator.h"
#include "model/buffer_contents.h"

namespace wavecast::model {

struct EmulationReport {
  std::string device, target, kernel;
  isa::Dim3 grid, block;
  isa::EmulationSummary summary;
  double seconds = 0;  // wall clock of the run
  std::optional<BufferCheck> check;
  CheckResult check_result;
  std::vector<std::pair<std::string, std::string>> dumps;  // buffer, file
};

std::string emulation_text(const EmulationReport& report);
std::string emulation_json(const EmulationReport& report, std::string_view tool_version);

}  // namespace wavecast::model
