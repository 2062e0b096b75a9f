// libFuzzer target: one AMDGPU ELF image, its metadata note, its descriptors and its kernels' names.
// Also feeds the bytes to the metadata reader alone, so that MessagePack is reached without a valid ELF around it.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "isa/code_object.h"
#include "isa/demangle.h"
#include "isa/metadata_note.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace wavecast::isa;
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  const auto image = std::make_shared<const std::vector<std::byte>>(begin, begin + size);
  (void)parse_metadata(*image, "fuzz");
  (void)parse_kernel_descriptor(*image, "fuzz");
  (void)demangle_kernel_name({reinterpret_cast<const char*>(data), size});
  const auto object = parse_code_object(image, "fuzz");
  if (!object) return 0;
  for (const Segment& segment : object->segments)
    if (!segment.bytes.empty() && (segment.bytes.data() < image->data() ||
                                   segment.bytes.data() + segment.bytes.size() > image->data() + image->size()))
      std::abort();
  for (const Kernel& kernel : object->kernels)
    if (object->find(kernel.name) == nullptr) std::abort();
  return 0;
}
