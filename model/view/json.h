// JSON building blocks that several views share. Keys carry units; documents keep the order in which they are
// built.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/occupancy.h"

namespace wavecast::model {

using Json = nlohmann::ordered_json;

// Text of one document with a final newline. Bytes that are no UTF-8 (mangled names of damaged files) are
// replaced.
std::string to_text(const Json& json);

// waves_per_simd, work_groups_per_cu, limiter, limits, allocations and next_steps, as `occupancy --json` has
// them.
Json occupancy_fields(const Occupancy& occupancy);

// The limiter's key in JSON: that of `limits`.
std::string_view limiter_key(OccupancyLimiter limiter);

}  // namespace wavecast::model
