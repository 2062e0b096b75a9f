// Clang offload bundles ("__CLANG_OFFLOAD_BUNDLE__", or compressed "CCOB"), one or several behind each other
// as the linker leaves them in .hip_fatbin. Source: LLVM 22 ClangOffloadBundler documentation, "Bundled
// Binary File Layout". Leaves out: the text form for sources and assembly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/compressed_bundle.h"
#include "isa/error.h"

namespace wavecast::isa {

struct BundleEntry {
  std::string id;                 // "hipv4-amdgcn-amd-amdhsa--gfx942"
  uint64_t offset = 0, size = 0;  // bytes, from the start of the (decompressed) bundle
};

struct Bundle {
  uint64_t offset = 0, size = 0;  // bytes in the region that was scanned
  std::optional<CompressedHeader> compression;
  std::vector<BundleEntry> entries;
};

bool is_offload_bundle(std::span<const std::byte> bytes);  // either form, by its magic

// Reads the headers of one bundle at the start of `bytes`. Errors: no bundle, truncated, entries outside it.
Expected<Bundle> read_bundle(std::span<const std::byte> bytes, const std::string& place);

// All bundles of a region that starts with one; zeros between and behind them are padding.
// Errors: as read_bundle, or something else behind a bundle.
Expected<std::vector<Bundle>> read_bundles(std::span<const std::byte> region, const std::string& place);

// Bundles anywhere in a region of other data; what only looks like one is passed over.
std::vector<Bundle> find_bundles(std::span<const std::byte> region);

}  // namespace wavecast::isa
