// Looks through a host ELF file's section headers for device code; contents are touched only where bundles
// start, except in the last resort, a search of all data for bundle magics. Source: see host_binary.h.
#include "isa/host_binary.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>
#include <llvm/Support/Endian.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace wavecast::isa {
namespace {

namespace elf = llvm::ELF;
using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;
using SectionHeader = llvm::object::ELF64LE::Shdr;
using Bytes = std::span<const std::byte>;

constexpr std::string_view kFatBinary = ".hip_fatbin", kWrapper = ".hipFatBinSegment",
                           kPackage = ".llvm.offloading", kPerTarget = "__CLANG_OFFLOAD_BUNDLE__";
constexpr uint32_t kWrapperMagic = 0x48495046;  // "HIPF", as clang writes and the HIP runtime checks it
constexpr uint64_t kWrapperSize = 24;
constexpr const char* kDamaged = "the file is truncated or damaged: build or copy it again";

struct Section {
  std::string_view name;
  uint64_t address = 0, offset = 0, size = 0;
  uint32_t type = 0;
};

class HostReader {
 public:
  HostReader(Bytes bytes, const std::string& place) : bytes_(bytes), place_(place) {}

  Expected<HostBinary> read() {
    auto sections = read_sections();
    if (!sections) return tl::unexpected(sections.error());
    sections_ = std::move(*sections);
    for (const Section& section : sections_) {
      out_.has_offload_package |= section.name == kPackage;
      if (section.name.starts_with(kPerTarget) && section.name != kPerTarget)
        add_target_section(section);
      else if (section.name == kFatBinary && section.size > 0)
        if (auto added = add_bundles(section.name, section.offset, section.size); !added)
          return tl::unexpected(added.error());
    }
    if (out_.regions.empty())
      if (auto added = follow_wrappers(); !added) return tl::unexpected(added.error());
    if (out_.regions.empty()) search_all();
    return std::move(out_);
  }

 private:
  Expected<std::vector<Section>> read_sections() {
    const auto* id = reinterpret_cast<const uint8_t*>(bytes_.data());
    if (bytes_.size() < sizeof(llvm::object::ELF64LE::Ehdr))
      return fail(place_, "has a truncated ELF header", kDamaged);
    if (id[elf::EI_CLASS] != elf::ELFCLASS64 || id[elf::EI_DATA] != elf::ELFDATA2LSB)
      return fail(place_, "is an ELF file, but not a 64-bit little-endian one",
                  "HIP hosts are 64-bit little-endian");
    auto file = Elf::create({reinterpret_cast<const char*>(bytes_.data()), bytes_.size()});
    if (!file) return damaged(file.takeError());
    auto headers = file->sections();
    if (!headers) return damaged(headers.takeError());
    std::vector<Section> sections;
    if (headers->empty()) return sections;
    uint64_t total = 0;
    auto names = file->getSectionStringTable(*headers);
    if (!names) return damaged(names.takeError());
    for (const SectionHeader& header : *headers) {
      auto name = file->getSectionName(header, *names);
      if (!name) return damaged(name.takeError());
      const uint64_t size = header.sh_type == elf::SHT_NOBITS ? 0 : header.sh_size;
      if (header.sh_offset > bytes_.size() || size > bytes_.size() - header.sh_offset)
        return fail(fmt::format("{}, section {}", place_, name->str()), "lies outside the file", kDamaged);
      // Genuine sections do not overlap; hostile ones could have the same megabytes searched once per header.
      total += size;
      if (total > bytes_.size()) return fail(place_, "has overlapping sections", kDamaged);
      sections.push_back({.name = {name->data(), name->size()},
                          .address = header.sh_addr,
                          .offset = header.sh_offset,
                          .size = size,
                          .type = header.sh_type});
    }
    return sections;
  }

  tl::unexpected<Error> damaged(llvm::Error error) const {
    return fail(place_, llvm::toString(std::move(error)), kDamaged);
  }

  // "__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx90a" holds that one image; the host's is a
  // placeholder.
  void add_target_section(const Section& section) {
    const std::string_view id = section.name.substr(kPerTarget.size());
    if (section.size > 1)
      out_.regions.push_back({.section = std::string(section.name),
                              .offset = section.offset,
                              .size = section.size,
                              .id = std::string(id),
                              .bundles = {}});
  }

  Expected<void> add_bundles(std::string_view name, uint64_t offset, uint64_t size) {
    auto bundles = read_bundles(bytes_.subspan(offset, size), fmt::format("{}, section {}", place_, name));
    if (!bundles) return tl::unexpected(bundles.error());
    out_.regions.push_back({.section = std::string(name),
                            .offset = offset,
                            .size = size,
                            .id = {},
                            .bundles = std::move(*bundles)});
    return {};
  }

  // The wrappers' pointers, in the order of the fat binaries; in position-independent files they are addends.
  Expected<void> follow_wrappers() {
    std::map<uint64_t, const Section*> by_address;
    for (const Section& section : sections_)
      if (section.address != 0 && section.size > 0) by_address.emplace(section.address, &section);
    uint64_t end = 0;  // of the bundle before; wrappers do not point into each other's bundles
    for (uint64_t pointer : wrapped_pointers()) {
      if (pointer < end) continue;
      const auto next = by_address.upper_bound(pointer);
      if (next == by_address.begin()) continue;
      const Section& target = *std::prev(next)->second;
      const uint64_t skip = pointer - target.address;
      if (skip >= target.size) continue;
      // Other data may follow in the same section, so only the bundle at the pointer counts.
      auto bundle = read_bundle(bytes_.subspan(target.offset + skip, target.size - skip),
                                fmt::format("{}, fat binary at address {:#x}", place_, pointer));
      if (!bundle) return tl::unexpected(bundle.error());
      end = pointer + bundle->size;
      EmbeddedRegion region{.section = std::string(target.name),
                            .offset = target.offset + skip,
                            .size = bundle->size,
                            .id = {},
                            .bundles = {}};
      region.bundles.push_back(std::move(*bundle));
      out_.regions.push_back(std::move(region));
    }
    return {};
  }

  std::set<uint64_t> wrapped_pointers() const {
    std::set<uint64_t> pointers,
        relocated;  // relocated: addresses of pointers that the dynamic linker fills in
    for (const Section& section : sections_) {
      if (section.name != kWrapper) continue;
      for (uint64_t at = 0; at + kWrapperSize <= section.size; at += kWrapperSize) {
        const std::byte* wrapper = bytes_.data() + section.offset + at;
        if (llvm::support::endian::read32le(wrapper) != kWrapperMagic) continue;
        const uint64_t pointer = llvm::support::endian::read64le(wrapper + 8);
        if (pointer != 0)
          pointers.insert(pointer);
        else
          relocated.insert(section.address + at + 8);
      }
    }
    constexpr uint64_t kEntry = sizeof(llvm::object::ELF64LE::Rela);
    for (const Section& section : sections_) {
      if (section.type != elf::SHT_RELA || relocated.empty()) continue;
      for (uint64_t at = 0; at + kEntry <= section.size; at += kEntry) {
        const std::byte* entry = bytes_.data() + section.offset + at;
        if (relocated.contains(llvm::support::endian::read64le(entry)))
          pointers.insert(llvm::support::endian::read64le(entry + 16));
      }
    }
    return pointers;
  }

  void search_all() {
    if (sections_.empty()) return search("the file", 0, bytes_.size());  // section headers stripped
    for (const Section& section : sections_)
      if (section.type == elf::SHT_PROGBITS) search(section.name, section.offset, section.size);
  }

  void search(std::string_view name, uint64_t offset, uint64_t size) {
    auto bundles = find_bundles(bytes_.subspan(offset, size));
    if (bundles.empty()) return;
    out_.regions.push_back({.section = std::string(name),
                            .offset = offset,
                            .size = size,
                            .id = {},
                            .bundles = std::move(bundles)});
  }

  Bytes bytes_;
  const std::string& place_;
  std::vector<Section> sections_;
  HostBinary out_;
};

}  // namespace

bool is_elf(Bytes bytes) {
  return bytes.size() >= elf::EI_CLASS && std::memcmp(bytes.data(), elf::ElfMagic, elf::EI_CLASS) == 0;
}

bool is_amdgpu_elf(Bytes bytes) {
  constexpr size_t kMachineAt = 18;  // e_machine
  return is_elf(bytes) && bytes.size() >= kMachineAt + 2 &&
         llvm::support::endian::read16le(bytes.data() + kMachineAt) == elf::EM_AMDGPU;
}

Expected<HostBinary> read_host_binary(Bytes bytes, const std::string& place) {
  return HostReader(bytes, place).read();
}

}  // namespace wavecast::isa
