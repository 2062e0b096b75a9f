// Launch files from arbitrary bytes: the reader must answer with a value or with an error that has a place
// and a reason, and laying the arguments out for a kernel without metadata must not read or write outside the
// segment.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/launch_description.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace wavecast;
  const auto launch =
      model::parse_launch_file(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.yaml");
  if (!launch) {
    if (launch.error().place.empty() || launch.error().reason.empty()) std::abort();
    return 0;
  }
  isa::Kernel kernel;
  kernel.name = kernel.demangled = "kernel";
  kernel.kernarg_segment_size = 64;
  (void)model::lay_out_kernarg(*launch, kernel, std::vector<uint64_t>(launch->buffers.size(), 0x10000));
  return 0;
}
