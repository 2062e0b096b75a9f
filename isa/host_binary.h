// Where a host ELF file (executable, shared library, relocatable object) embeds device code: section
// .hip_fatbin, the fat binary that a .hipFatBinSegment wrapper points to, sections that clang-offload-bundler
// names after a target, or a bundle in any other section. Source: LLVM 22 ClangOffloadBundler documentation,
// clang's HIP runtime wrapper {u32 magic "HIPF", u32 version, pointer, pointer}. Leaves out: Windows and
// 32-bit hosts, and code that a program builds at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/error.h"
#include "isa/offload_bundle.h"

namespace wavecast::isa {

struct EmbeddedRegion {
  std::string section;
  uint64_t offset = 0, size = 0;  // bytes in the file
  std::string id;                 // not empty: the region is that one entry, not bundles
  std::vector<Bundle> bundles;    // offsets count from the region's start
};

struct HostBinary {
  std::vector<EmbeddedRegion> regions;
  bool has_offload_package = false;  // .llvm.offloading: device code that is still to be linked
};

bool is_elf(std::span<const std::byte> bytes);
bool is_amdgpu_elf(std::span<const std::byte> bytes);

// Errors: damaged headers, damaged bundles in .hip_fatbin.
Expected<HostBinary> read_host_binary(std::span<const std::byte> bytes, const std::string& place);

}  // namespace wavecast::isa
