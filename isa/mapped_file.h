// The bytes of a file: mapped if it is a regular file, so that only the pages in use cost memory, read if it
// is a pipe. A file that another program shortens while it is mapped faults on access; that is left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isa/error.h"

namespace wavecast::isa {

class MappedFile {
 public:
  // `path` may be "-" for standard input. Errors: does not exist, no permission, a folder or a device, empty.
  // Never waits for a pipe's other end unless `allow_pipe`.
  static Expected<std::shared_ptr<const MappedFile>> open(const std::string& path, bool allow_pipe = true);
  static std::shared_ptr<const MappedFile> from_memory(std::vector<std::byte> bytes);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

  // Gives the memory of these bytes back to the system; they stay readable. `part` lies in bytes().
  void release(std::span<const std::byte> part) const;

 private:
  MappedFile() = default;

  std::span<const std::byte> bytes_;
  std::vector<std::byte> owned_;
  void* mapping_ = nullptr;
};

}  // namespace wavecast::isa
