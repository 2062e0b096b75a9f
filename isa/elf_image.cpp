// ELF-64 reading for AMDGPU code objects over llvm::object::ELFFile, which checks tables against the file's
// size; everything that is reached through virtual addresses or note sizes is checked here. Source: ELF-64
// ABI (dynamic tags, hash tables, notes), LLVM 22 AMDGPUUsage "Code Object".
#include "isa/elf_image.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>
#include <llvm/Support/Endian.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace wavecast::isa {
namespace {

namespace elf = llvm::ELF;
using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;
using SectionHeader = llvm::object::ELF64LE::Shdr;
using SymbolEntry = llvm::object::ELF64LE::Sym;
using RelaEntry = llvm::object::ELF64LE::Rela;
using Bytes = std::span<const std::byte>;
static_assert(alignof(SymbolEntry) == 1 && alignof(RelaEntry) == 1, "tables may start anywhere in the file");

// Larger than the memory of any device described here: an image that spans more cannot be meant.
constexpr uint64_t kLargestImage = uint64_t{1} << 40;
constexpr uint32_t kV2MetadataNote = 10;  // NT_AMD_HSA_METADATA of code object v2, owner "AMD"

constexpr const char* kDamaged = "the file is truncated or damaged: build or copy it again";

std::string text_of(llvm::Error error) { return llvm::toString(std::move(error)); }

Bytes as_bytes(llvm::ArrayRef<uint8_t> array) {
  return {reinterpret_cast<const std::byte*>(array.data()), array.size()};
}

uint32_t read_u32(Bytes bytes, size_t offset) {
  return llvm::support::endian::read32le(bytes.data() + offset);
}

std::string_view string_at(Bytes table, uint64_t offset, bool& valid) {
  valid = offset < table.size();
  if (!valid) return {};
  const char* begin = reinterpret_cast<const char*>(table.data()) + offset;
  const auto* end = static_cast<const char*>(std::memchr(begin, 0, table.size() - offset));
  valid = end != nullptr;
  return valid ? std::string_view(begin, end - begin) : std::string_view{};
}

class ImageReader {
 public:
  ImageReader(Bytes bytes, const std::string& origin) : bytes_(bytes), origin_(origin) {}

  Expected<ElfImage> read() {
    if (auto error = check_header()) return tl::unexpected(*error);
    const llvm::StringRef text(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
    auto file = Elf::create(text);
    if (!file) return damaged(text_of(file.takeError()));
    const auto error = image_.relocatable ? read_relocatable(*file) : read_loadable(*file);
    if (error) return tl::unexpected(*error);
    return std::move(image_);
  }

 private:
  using Problem = std::optional<Error>;

  Problem problem(std::string reason, std::string remedy = kDamaged) const {
    return Error{origin_, std::move(reason), std::move(remedy)};
  }
  tl::unexpected<Error> damaged(std::string reason) const {
    return fail(origin_, std::move(reason), kDamaged);
  }

  Problem check_header() {
    if (bytes_.size() < sizeof(llvm::object::ELF64LE::Ehdr))
      return problem(fmt::format("{} bytes are too few for an ELF header", bytes_.size()));
    const auto* id = reinterpret_cast<const uint8_t*>(bytes_.data());
    if (std::memcmp(id, elf::ElfMagic, elf::EI_CLASS) != 0)
      return problem("is no ELF file", "give an AMDGPU code object, or a file that embeds one");
    if (id[elf::EI_CLASS] != elf::ELFCLASS64 || id[elf::EI_DATA] != elf::ELFDATA2LSB)
      return problem("is an ELF file, but not a 64-bit little-endian one",
                     "code objects are 64-bit little-endian");
    const auto& header = *reinterpret_cast<const llvm::object::ELF64LE::Ehdr*>(bytes_.data());
    if (header.e_machine != elf::EM_AMDGPU)
      return problem(fmt::format("is an ELF file for machine {}, not for AMDGPU", uint32_t{header.e_machine}),
                     "give an AMDGPU code object, or a host file that embeds one");
    if (id[elf::EI_OSABI] != elf::ELFOSABI_AMDGPU_HSA)
      return problem(fmt::format("is an AMDGPU file of OS ABI {}, not of the HSA runtime", id[elf::EI_OSABI]),
                     "compile for the amdgcn-amd-amdhsa target");
    if (header.e_type != elf::ET_DYN && header.e_type != elf::ET_REL)
      return problem(fmt::format("has ELF type {}; code objects are shared objects or relocatable objects",
                                 uint32_t{header.e_type}));
    image_.abi_version = id[elf::EI_ABIVERSION];
    image_.flags = header.e_flags;
    image_.relocatable = header.e_type == elf::ET_REL;
    return std::nullopt;
  }

  // --- ET_DYN

  Problem read_loadable(const Elf& file) {
    auto headers = file.program_headers();
    if (!headers) return problem(text_of(headers.takeError()));
    for (const auto& header : *headers) {
      if (header.p_type != elf::PT_LOAD || header.p_memsz == 0) continue;
      if (auto error =
              add_segment(header.p_vaddr, header.p_memsz, header.p_offset, header.p_filesz, header.p_flags))
        return error;
    }
    if (image_.segments.empty()) return problem("has no loadable segment");
    std::sort(image_.segments.begin(), image_.segments.end(),
              [](const Segment& a, const Segment& b) { return a.address < b.address; });
    for (size_t i = 1; i < image_.segments.size(); ++i) {
      const Segment& before = image_.segments[i - 1];
      if (before.address + before.memory_size > image_.segments[i].address)
        return problem(fmt::format("has overlapping segments at {:#x}", image_.segments[i].address));
    }
    for (const auto& header : *headers) {
      Problem error;
      if (header.p_type == elf::PT_NOTE) {
        const auto body = file_range(header.p_offset, header.p_filesz);
        if (!body) return problem("has a note segment outside the file");
        error = read_notes(*body, header.p_align);
      } else if (header.p_type == elf::PT_DYNAMIC) {
        error = read_dynamic(header.p_offset, header.p_filesz);
      }
      if (error) return error;
    }
    return read_local_symbols(file);
  }

  std::optional<Bytes> file_range(uint64_t offset, uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) return std::nullopt;
    return bytes_.subspan(offset, size);
  }

  Problem add_segment(uint64_t address, uint64_t memory, uint64_t offset, uint64_t size, uint32_t flags) {
    const auto body = file_range(offset, size);
    if (!body)
      return problem(
          fmt::format("has a segment at file offset {:#x} of {} bytes, past its end", offset, size));
    if (size > memory)
      return problem(fmt::format("has a segment at {:#x} larger in the file than in memory", address));
    if (address > kLargestImage || memory > kLargestImage)
      return problem(
          fmt::format("has a segment of {} bytes at {:#x}, more than any device's memory", memory, address));
    image_.segments.push_back({.address = address,
                               .memory_size = memory,
                               .bytes = *body,
                               .writable = (flags & elf::PF_W) != 0,
                               .executable = (flags & elf::PF_X) != 0});
    return std::nullopt;
  }

  // Genuine tables do not overlap, so together they are no larger than the file; a hostile file could
  // otherwise have the same megabytes read once per header.
  bool within_budget(uint64_t size) {
    tables_read_ += size;
    return tables_read_ <= bytes_.size();
  }

  // Notes: name size, body size, type, then name and body, both padded.
  Problem read_notes(Bytes notes, uint64_t alignment) {
    if (!within_budget(notes.size())) return problem("has overlapping tables");
    constexpr size_t kHeader = 12;
    const size_t align = alignment == 8 ? 8 : 4;
    size_t at = 0;
    while (notes.size() - at >= kHeader) {
      const uint64_t name_size = read_u32(notes, at), body_size = read_u32(notes, at + 4);
      const uint32_t type = read_u32(notes, at + 8);
      const uint64_t body_at = at + (kHeader + name_size + align - 1) / align * align;
      if (body_at > notes.size() || body_size > notes.size() - body_at)
        return problem("has a note that is larger than its section");
      std::string_view owner(reinterpret_cast<const char*>(notes.data()) + at + kHeader, name_size);
      owner = owner.substr(0, owner.find('\0'));
      if (owner == "AMDGPU" && type == elf::NT_AMDGPU_METADATA)
        image_.metadata.push_back(notes.subspan(body_at, body_size));
      image_.has_v2_metadata |= owner == "AMD" && type == kV2MetadataNote;
      const uint64_t next = body_at + (body_size + align - 1) / align * align;
      if (next >= notes.size()) break;
      at = next;
    }
    return std::nullopt;
  }

  struct DynamicTags {
    uint64_t symbols = 0, strings = 0, string_size = 0, hash = 0, gnu_hash = 0, rela = 0, rela_size = 0;
    uint64_t symbol_entry = sizeof(SymbolEntry), rela_entry = sizeof(RelaEntry);
  };

  Problem read_dynamic(uint64_t offset, uint64_t size) {
    const auto body = file_range(offset, size);
    if (!body) return problem("has a dynamic segment outside the file");
    if (!image_.symbols.empty()) return problem("has two dynamic segments");
    DynamicTags tags;
    constexpr size_t kEntry = 16;
    for (size_t at = 0; at + kEntry <= body->size(); at += kEntry) {
      const uint64_t tag = llvm::support::endian::read64le(body->data() + at);
      const uint64_t value = llvm::support::endian::read64le(body->data() + at + 8);
      if (tag == elf::DT_NULL) break;
      switch (tag) {
        case elf::DT_SYMTAB:
          tags.symbols = value;
          break;
        case elf::DT_STRTAB:
          tags.strings = value;
          break;
        case elf::DT_STRSZ:
          tags.string_size = value;
          break;
        case elf::DT_SYMENT:
          tags.symbol_entry = value;
          break;
        case elf::DT_HASH:
          tags.hash = value;
          break;
        case elf::DT_GNU_HASH:
          tags.gnu_hash = value;
          break;
        case elf::DT_RELA:
          tags.rela = value;
          break;
        case elf::DT_RELASZ:
          tags.rela_size = value;
          break;
        case elf::DT_RELAENT:
          tags.rela_entry = value;
          break;
        case elf::DT_REL:
        case elf::DT_RELR:
        case elf::DT_JMPREL:
          return problem(
              fmt::format("has relocations of dynamic tag {}, which code objects do not use", tag));
        default:
          break;
      }
    }
    if (tags.symbol_entry != sizeof(SymbolEntry) || tags.rela_entry != sizeof(RelaEntry))
      return problem("has dynamic tables with an unknown entry size");
    return read_dynamic_tables(tags);
  }

  Problem read_dynamic_tables(const DynamicTags& tags) {
    if (tags.symbols) {
      const auto count = dynamic_symbol_count(tags);
      if (!count) return problem("has a dynamic symbol table without a readable hash table");
      const Bytes table = image_.bytes_at(tags.symbols, *count * sizeof(SymbolEntry));
      const Bytes strings = image_.bytes_at(tags.strings, tags.string_size);
      if (table.size() / sizeof(SymbolEntry) != *count || strings.size() != tags.string_size)
        return problem("has a dynamic symbol or string table outside its segments");
      const auto* entries = reinterpret_cast<const SymbolEntry*>(table.data());
      if (auto error = add_symbols({entries, static_cast<size_t>(*count)}, strings)) return error;
    }
    return read_relocations(tags);
  }

  // The ELF dynamic section gives no symbol count; the hash tables imply it.
  std::optional<uint64_t> dynamic_symbol_count(const DynamicTags& tags) const {
    if (tags.hash) {
      const Bytes header = image_.bytes_at(tags.hash, 8);  // nbucket, nchain = number of symbols
      if (header.empty()) return std::nullopt;
      return read_u32(header, 4);
    }
    return tags.gnu_hash ? gnu_hash_count(tags.gnu_hash) : std::nullopt;
  }

  std::optional<uint64_t> gnu_hash_count(uint64_t address) const {
    constexpr uint64_t kHeader = 16;  // nbuckets, symoffset, bloom_size (64-bit words), bloom_shift
    const Bytes header = image_.bytes_at(address, kHeader);
    if (header.empty()) return std::nullopt;
    const uint64_t buckets = read_u32(header, 0), first = read_u32(header, 4), bloom = read_u32(header, 8);
    const uint64_t bucket_address = address + kHeader + bloom * 8;
    const Bytes table = image_.bytes_at(bucket_address, buckets * 4);
    if (table.size() != buckets * 4) return std::nullopt;
    uint64_t last = 0;
    for (uint64_t i = 0; i < buckets; ++i) last = std::max<uint64_t>(last, read_u32(table, i * 4));
    if (last < first) return first;  // no hashed symbol
    // The chain of the last bucket ends at the entry with its low bit set.
    for (;; ++last) {
      const Bytes chain = image_.bytes_at(bucket_address + buckets * 4 + (last - first) * 4, 4);
      if (chain.empty()) return std::nullopt;
      if (read_u32(chain, 0) & 1) return last + 1;
    }
  }

  Problem add_symbols(llvm::ArrayRef<SymbolEntry> entries, Bytes strings) {
    if (!within_budget(entries.size() * sizeof(SymbolEntry))) return problem("has overlapping tables");
    image_.symbols.reserve(image_.symbols.size() + entries.size());
    for (const SymbolEntry& entry : entries) {
      bool valid = true;
      const std::string_view name =
          entry.st_name ? string_at(strings, entry.st_name, valid) : std::string_view{};
      if (!valid) return problem("has a symbol whose name lies outside the string table");
      image_.symbols.push_back({.name = name,
                                .value = entry.st_value,
                                .size = entry.st_size,
                                .section = entry.st_shndx,
                                .type = entry.getType(),
                                .defined = entry.st_shndx != elf::SHN_UNDEF});
    }
    return std::nullopt;
  }

  Problem read_relocations(const DynamicTags& tags) {
    if (tags.rela_size == 0) return std::nullopt;
    const Bytes table = image_.bytes_at(tags.rela, tags.rela_size);
    if (table.empty() || table.size() % sizeof(RelaEntry) != 0)
      return problem("has a relocation table outside its segments");
    const auto* entries = reinterpret_cast<const RelaEntry*>(table.data());
    for (size_t i = 0; i < table.size() / sizeof(RelaEntry); ++i) {
      const uint32_t index = entries[i].getSymbol(false);
      Relocation relocation;
      relocation.address = entries[i].r_offset;
      relocation.type = entries[i].getType(false);
      relocation.addend = entries[i].r_addend;
      if (index != 0) {
        if (index >= image_.symbols.size())
          return problem(
              fmt::format("has a relocation against symbol {}, of {}", index, image_.symbols.size()));
        const ElfSymbol& symbol = image_.symbols[index];
        relocation.symbol = symbol.name;
        relocation.symbol_value = symbol.value;
        relocation.symbol_defined = symbol.defined;
      }
      if (!is_mapped(relocation.address, relocation_size(relocation.type)))
        return problem(fmt::format("relocates address {:#x}, outside its segments", relocation.address));
      image_.relocations.push_back(std::move(relocation));
    }
    return std::nullopt;
  }

  static uint64_t relocation_size(uint32_t type) {
    const bool wide =
        type == elf::R_AMDGPU_ABS64 || type == elf::R_AMDGPU_REL64 || type == elf::R_AMDGPU_RELATIVE64;
    return wide ? sizeof(uint64_t) : sizeof(uint32_t);
  }

  bool is_mapped(uint64_t address, uint64_t size) const {
    const Segment* segment = image_.segment_at(address);
    return segment && size <= segment->memory_size - (address - segment->address);
  }

  // .symtab adds function sizes of local symbols; a stripped file does without.
  Problem read_local_symbols(const Elf& file) {
    auto sections = file.sections();
    if (!sections) return problem(text_of(sections.takeError()));
    for (const SectionHeader& section : *sections)
      if (section.sh_type == elf::SHT_SYMTAB)
        if (auto error = read_symbol_section(file, section)) return error;
    return std::nullopt;
  }

  Problem read_symbol_section(const Elf& file, const SectionHeader& section) {
    auto entries = file.symbols(&section);
    if (!entries) return problem(text_of(entries.takeError()));
    auto strings = file.getStringTableForSymtab(section);
    if (!strings) return problem(text_of(strings.takeError()));
    return add_symbols(*entries, {reinterpret_cast<const std::byte*>(strings->data()), strings->size()});
  }

  // --- ET_REL

  Problem read_relocatable(const Elf& file) {
    auto sections = file.sections();
    if (!sections) return problem(text_of(sections.takeError()));
    for (const SectionHeader& section : *sections) {
      if (section.sh_type == elf::SHT_NOBITS) {
        image_.sections.emplace_back();
        continue;
      }
      auto contents = file.getSectionContents(section);
      if (!contents) return problem(text_of(contents.takeError()));
      image_.sections.push_back(as_bytes(*contents));
      Problem error;
      if (section.sh_type == elf::SHT_NOTE) error = read_notes(image_.sections.back(), section.sh_addralign);
      if (section.sh_type == elf::SHT_SYMTAB) error = read_symbol_section(file, section);
      if (error) return error;
    }
    if (image_.sections.empty()) return problem("is a relocatable object without sections");
    return std::nullopt;
  }

  Bytes bytes_;
  const std::string& origin_;
  ElfImage image_;
  uint64_t tables_read_ = 0;
};

}  // namespace

const Segment* ElfImage::segment_at(uint64_t address) const {
  auto next =
      std::upper_bound(segments.begin(), segments.end(), address,
                       [](uint64_t value, const Segment& segment) { return value < segment.address; });
  if (next == segments.begin()) return nullptr;
  --next;
  return address - next->address < next->memory_size ? &*next : nullptr;
}

std::span<const std::byte> ElfImage::bytes_at(uint64_t address, uint64_t size) const {
  const Segment* segment = segment_at(address);
  if (!segment) return {};
  const uint64_t offset = address - segment->address;
  if (offset > segment->bytes.size() || size > segment->bytes.size() - offset) return {};
  return segment->bytes.subspan(offset, size);
}

std::span<const std::byte> ElfImage::bytes_of(const ElfSymbol& symbol, uint64_t size) const {
  if (!relocatable) return bytes_at(symbol.value, size);
  if (symbol.section >= sections.size()) return {};
  const auto section = sections[symbol.section];
  if (symbol.value > section.size() || size > section.size() - symbol.value) return {};
  return section.subspan(symbol.value, size);
}

Expected<ElfImage> read_elf_image(std::span<const std::byte> bytes, const std::string& origin) {
  return ImageReader(bytes, origin).read();
}

}  // namespace wavecast::isa
