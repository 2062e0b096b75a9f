// How an occupancy is shown: text for people, JSON for tools.
#pragma once

#include <string>

#include "model/occupancy.h"

namespace wavecast::model {

// What was asked, for the report's head. `kernel` is empty for a request without a file.
struct OccupancyRequest {
  std::string device, target, kernel;
  ResourceUse use;
};

std::string occupancy_text(const OccupancyRequest& request, const Occupancy& occupancy);
std::string occupancy_json(const OccupancyRequest& request, const Occupancy& occupancy,
                           std::string_view tool_version);

// "VGPRs", "LDS", ... for sentences.
std::string_view limiter_name(OccupancyLimiter limiter);

}  // namespace wavecast::model
