// What a device's values must satisfy so that every model can compute with them.
#pragma once

#include "hardware/device.h"

namespace wavecast::hardware {

// Errors name the parameter: negative, zero where a unit must exist, fractions of counts, absurd sizes, and
// combinations that no cache or register file can have.
Expected<void> check_device(const Device& device);

}  // namespace wavecast::hardware
