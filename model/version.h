// The version that reports carry, from the build.
#pragma once

#include <string_view>

namespace wavecast::model {

std::string_view version();  // "0.1.0"

}  // namespace wavecast::model
