// The version that reports carry; CMake defines it for this file alone.
#include "model/version.h"

namespace wavecast::model {

std::string_view version() { return WAVECAST_VERSION; }

}  // namespace wavecast::model
