// Guest global memory: buffers at 64-bit device addresses, every access checked. Backed by host pages that appear when
// touched, so a launch can name buffers far larger than it uses. Knows no caches and no time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isa/error.h"

namespace wavecast::isa {

// A contiguous range of guest memory with a name for messages ("argument 2", ".rodata", "kernarg").
struct MemoryRegion {
  std::string name;
  uint64_t address = 0;
  uint64_t size = 0;
  std::byte* host = nullptr;
  bool writable = true;
};

class Memory {
 public:
  Memory();
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Zero-filled region of `size` bytes; addresses are 64 KiB-aligned with an unmapped gap between regions, and the
  // same for the same sequence of calls. Errors: the host cannot reserve the pages.
  Expected<MemoryRegion> allocate(std::string name, uint64_t size, bool writable = true);
  // The same memory seen at an address of the caller's choice. Errors: overlap with another region.
  Expected<MemoryRegion> map(std::string name, uint64_t address, std::span<std::byte> host, bool writable = true);
  void release(uint64_t address);

  // Host pointer for [address, address + size), or null if any byte is outside one region. Constant time for
  // accesses near the previous one of the same `hint`.
  std::byte* find(uint64_t address, uint64_t size, uint32_t& hint) const {
    if (hint < regions_.size()) {
      const MemoryRegion& region = regions_[hint];
      if (address - region.address < region.size && size <= region.size - (address - region.address))
        return region.host + (address - region.address);
    }
    return find_slow(address, size, hint);
  }
  // "0x7f... is 16 bytes past the end of 'argument 2' (0x7f..., 4096 bytes)".
  std::string describe(uint64_t address) const;

  const std::vector<MemoryRegion>& regions() const { return regions_; }  // sorted by address

 private:
  std::byte* find_slow(uint64_t address, uint64_t size, uint32_t& hint) const;
  std::vector<MemoryRegion> regions_;
  std::vector<bool> owned_;
  uint64_t next_address_;
};

}  // namespace wavecast::isa
