// Device and timing files from arbitrary bytes: a value that prints, or an error that has a place and a reason.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "hardware/device.h"
#include "hardware/instruction_timing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace wavecast::hardware;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto device = parse_device(text, "fuzz.yaml");
  if (device ? parameter_rows(*device).empty() : device.error().place.empty() || device.error().reason.empty()) std::abort();
  const auto timing = parse_instruction_timing(text, "fuzz.yaml");
  if (!timing && (timing.error().place.empty() || timing.error().reason.empty())) std::abort();
  return 0;
}
