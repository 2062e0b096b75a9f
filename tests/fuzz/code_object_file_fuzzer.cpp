// libFuzzer target: any file, opened, every entry loaded, and a kernel selected: bundles, compressed bundles, host ELF
// files and archives. Thin archives are not followed, as the input comes from memory.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "isa/code_object_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace wavecast::isa;
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  const auto file = CodeObjectFile::from_memory({begin, begin + size}, "fuzz");
  if (!file) return 0;
  for (size_t i = 0; i < file->entries().size(); ++i) {
    const CodeObjectEntry& entry = file->entries()[i];
    if (!entry.compressed && (entry.offset > size || entry.size > size - entry.offset)) std::abort();
    (void)file->load(i);
  }
  (void)select_kernel(*file, "k", "gfx942");
  (void)select_kernel(*file, "", "");
  return 0;
}
