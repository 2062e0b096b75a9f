// Members of `ar` archives: System V/GNU (regular and thin) and BSD names. Source: ar(5), GNU binutils' thin
// format. Leaves out: AIX archives, and nested thin archives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/error.h"

namespace wavecast::isa {

struct ArchiveMember {
  std::string name;               // in a thin archive a path, relative to the archive's folder
  uint64_t offset = 0, size = 0;  // bytes in the archive; offset is unused in a thin one
};

struct Archive {
  bool thin = false;
  std::vector<ArchiveMember> members;  // symbol and name tables left out
};

bool is_archive(std::span<const std::byte> bytes);

// Reads member headers only. Errors: truncated or malformed headers.
Expected<Archive> read_archive(std::span<const std::byte> bytes, const std::string& place);

}  // namespace wavecast::isa
