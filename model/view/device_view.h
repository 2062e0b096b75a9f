// How devices are shown: a list, one device with every parameter and its source, and the difference of two.
#pragma once

#include <string>
#include <vector>

#include "hardware/device.h"

namespace wavecast::model {

std::string device_list_text(const std::vector<hardware::Device>& devices);
std::string device_list_json(const std::vector<hardware::Device>& devices, std::string_view tool_version);

std::string device_text(const hardware::Device& device);
std::string device_json(const hardware::Device& device, std::string_view tool_version);

// Parameters whose values differ.
std::string device_diff_text(const hardware::Device& a, const hardware::Device& b);
std::string device_diff_json(const hardware::Device& a, const hardware::Device& b,
                             std::string_view tool_version);

}  // namespace wavecast::model
