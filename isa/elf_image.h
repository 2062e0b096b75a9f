// What a code object's ELF-64 file says, checked and without LLVM types: segments, symbols, relocations,
// notes. ET_DYN is read as the HSA loader reads it (program headers and dynamic tags; section headers may be
// stripped, and only add local symbols), ET_REL through its sections. Source: ELF-64 ABI, LLVM 22 AMDGPUUsage
// "Code Object".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/code_object.h"

namespace wavecast::isa {

// Names and bytes point into the image.
struct ElfSymbol {
  std::string_view name;
  uint64_t value = 0;  // virtual address; in a relocatable file an offset in its section
  uint64_t size = 0;
  uint16_t section = 0;
  uint8_t type = 0;  // STT_*
  bool defined = false;
};

struct ElfImage {
  bool relocatable = false;
  uint8_t abi_version = 0;
  uint32_t flags = 0;
  std::vector<Segment> segments;  // by address, not overlapping; none in a relocatable file
  std::vector<ElfSymbol> symbols;
  std::vector<Relocation> relocations;               // none in a relocatable file
  std::vector<std::span<const std::byte>> metadata;  // bodies of NT_AMDGPU_METADATA notes
  std::vector<std::span<const std::byte>> sections;  // contents by index, relocatable files only
  bool has_v2_metadata = false;

  // The segment that holds an address of memory, or null.
  const Segment* segment_at(uint64_t address) const;
  // File bytes at [address, address + size) of one segment; empty if they are not all there.
  std::span<const std::byte> bytes_at(uint64_t address, uint64_t size) const;
  // The bytes of a symbol, from its segment or, in a relocatable file, its section; empty if not all there.
  std::span<const std::byte> bytes_of(const ElfSymbol& symbol, uint64_t size) const;
};

// Errors: not an ELF-64 little-endian AMDGPU HSA file, or headers that contradict the file's size or each
// other.
Expected<ElfImage> read_elf_image(std::span<const std::byte> bytes, const std::string& origin);

}  // namespace wavecast::isa
