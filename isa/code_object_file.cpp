// Walks a file of any supported form down to its device entries and loads one on demand.
// Source: see code_object_file.h; the formats themselves live in offload_bundle, compressed_bundle,
// host_binary, archive.
#include "isa/code_object_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Support/Endian.h>

#include <atomic>
#include <deque>
#include <filesystem>
#include <optional>
#include <span>

#include "isa/archive.h"
#include "isa/file_kind.h"
#include "isa/host_binary.h"
#include "isa/mapped_file.h"
#include "isa/offload_bundle.h"

namespace wavecast::isa {
namespace {

using Bytes = std::span<const std::byte>;
using FilePointer = std::shared_ptr<const MappedFile>;

// Where a bundle (or a raw ELF) lies.
struct BundlePlace {
  FilePointer file;
  Bytes bytes;
  std::optional<CompressedHeader> compression;
  mutable std::atomic<bool> verified = false;  // hash already compared
};

std::string place_of(const std::string& origin, const std::string& member) {
  return member.empty() ? origin : fmt::format("{}({})", origin, member);
}

// A list for a message, cut where nobody reads on.
std::string list_of(const std::vector<std::string>& items) {
  constexpr size_t kShown = 8;
  const size_t shown = std::min(items.size(), kShown);
  std::string text =
      fmt::format("{}", fmt::join(items.begin(), items.begin() + static_cast<ptrdiff_t>(shown), "; "));
  if (shown < items.size()) text += fmt::format("; and {} more", items.size() - shown);
  return text;
}

// Target of an AMDGPU ELF file by its header alone.
Expected<TargetId> header_target(Bytes bytes, const std::string& place) {
  constexpr size_t kHeader = 64, kFlagsAt = 48;
  if (bytes.size() < kHeader)
    return fail(place, "has a truncated ELF header", "the file is damaged: build or copy it again");
  const auto abi = static_cast<uint8_t>(bytes[llvm::ELF::EI_ABIVERSION]);
  const int version = abi - llvm::ELF::ELFABIVERSION_AMDGPU_HSA_V2 + 2;
  const uint32_t flags = llvm::support::endian::read32le(bytes.data() + kFlagsAt);
  if (version == 2)
    return fail(place, "is a code object v2, whose descriptors and metadata have another format",
                "compile it again with ROCm 4 or later, or with -mcode-object-version=4");
  auto target = target_of_elf_flags(flags, version);
  if (!target)
    return fail(place, fmt::format("is for an unknown processor (e_flags {:#x})", flags),
                "known are the processors of LLVM 22");
  return *target;
}

}  // namespace

struct CodeObjectFile::Impl {
  std::string origin;
  std::deque<BundlePlace> bundles;
  std::vector<CodeObjectEntry> entries;
  std::vector<std::string> skipped;
};

class CodeObjectFile::Builder {
 public:
  // `folder`: where a thin archive's members lie; nothing if they cannot be reached.
  static Expected<CodeObjectFile> build(FilePointer file, std::string origin,
                                        std::optional<std::filesystem::path> folder) {
    Builder builder;
    builder.impl_->origin = std::move(origin);
    builder.folder_ = std::move(folder);
    const Bytes bytes = file->bytes();
    if (bytes.empty()) return fail(builder.impl_->origin, "is empty", "build or copy it again");
    if (auto added = builder.add(file, bytes, {}); !added) return tl::unexpected(added.error());
    if (builder.impl_->entries.empty()) return tl::unexpected(builder.nothing_found(bytes));
    return CodeObjectFile(std::move(builder.impl_));
  }

 private:
  Expected<void> add(const FilePointer& file, Bytes bytes, const std::string& member) {
    const std::string place = place_of(impl_->origin, member);
    if (is_amdgpu_elf(bytes)) return add_raw(file, bytes, member, place);
    if (is_elf(bytes)) return add_host(file, bytes, member, place);
    if (is_offload_bundle(bytes)) {
      auto bundles = read_bundles(bytes, place);
      if (!bundles) return tl::unexpected(bundles.error());
      for (const Bundle& bundle : *bundles)
        add_bundle(file, bytes.subspan(bundle.offset, bundle.size), bundle, member);
      return {};
    }
    if (is_archive(bytes) && member.empty()) return add_archive(file, place);
    if (is_archive(bytes)) skip(place, "is an archive inside an archive");
    if (is_llvm_bitcode(bytes))
      skip(place, "is LLVM bitcode that is still to be linked (compiled with -fgpu-rdc)");
    return {};
  }

  Expected<void> add_raw(const FilePointer& file, Bytes bytes, const std::string& member,
                         const std::string& place) {
    auto target = header_target(bytes, place);
    if (!target && member.empty()) return tl::unexpected(target.error());
    if (!target)
      skip(place, target.error().reason);
    else
      add_single(file, bytes, std::move(*target), member);
    return {};
  }

  void add_single(const FilePointer& file, Bytes bytes, TargetId target, const std::string& member) {
    add_entry(std::move(target), member, offset_in(file, bytes), bytes.size(), false);
    remember_bundle(file, bytes, std::nullopt);
  }

  Expected<void> add_host(const FilePointer& file, Bytes bytes, const std::string& member,
                          const std::string& place) {
    auto host = read_host_binary(bytes, place);
    if (!host) return tl::unexpected(host.error());
    if (host->has_offload_package)
      skip(place + ", section .llvm.offloading", "holds device code that is still to be linked (-fgpu-rdc)");
    for (const EmbeddedRegion& region : host->regions) {
      const Bytes part = bytes.subspan(region.offset, region.size);
      const std::string name = member.empty() ? region.section : member;
      if (!region.id.empty()) {
        const auto target = device_target(region.id);
        if (target && is_code(part, region.id)) add_single(file, part, *target, name);
      }
      for (const Bundle& bundle : region.bundles)
        add_bundle(file, part.subspan(bundle.offset, bundle.size), bundle, name);
    }
    return {};
  }

  Expected<void> add_archive(const FilePointer& file, const std::string& place) {
    const auto archive = read_archive(file->bytes(), place);
    if (!archive) return tl::unexpected(archive.error());
    for (const ArchiveMember& member : archive->members) {
      FilePointer source = file;
      if (archive->thin) {
        if (!folder_)
          return fail(place, "is a thin archive, whose members are files beside it",
                      "give the archive's path");
        auto opened = MappedFile::open((*folder_ / member.name).string(), false);
        if (!opened)
          return fail(place_of(place, member.name),
                      fmt::format("{} {}", opened.error().place, opened.error().reason),
                      "build the archive's members again, or give them one by one");
        source = *opened;
      }
      const Bytes bytes = archive->thin ? source->bytes() : file->bytes().subspan(member.offset, member.size);
      if (bytes.empty()) continue;
      if (auto added = add(source, bytes, member.name.empty() ? "unnamed member" : member.name); !added)
        return added;
    }
    return {};
  }

  void add_bundle(const FilePointer& file, Bytes bytes, const Bundle& bundle, const std::string& member) {
    const bool compressed = bundle.compression.has_value();
    for (const BundleEntry& entry : bundle.entries) {
      const auto target = device_target(entry.id);
      if (!target || entry.size == 0) continue;
      if (!compressed && !is_code(bytes.subspan(entry.offset, entry.size), entry.id)) continue;
      const uint64_t base = compressed ? 0 : offset_in(file, bytes);
      add_entry(*target, member, base + entry.offset, entry.size, compressed);
    }
    remember_bundle(file, bytes, bundle.compression);
  }

  void add_entry(TargetId target, const std::string& member, uint64_t offset, uint64_t size,
                 bool compressed) {
    impl_->entries.push_back({.target = std::move(target),
                              .member = member,
                              .offset = offset,
                              .size = size,
                              .bundle = impl_->bundles.size(),
                              .compressed = compressed});
  }

  // After the entries of the bundle.
  void remember_bundle(const FilePointer& file, Bytes bytes,
                       const std::optional<CompressedHeader>& compression) {
    BundlePlace& place = impl_->bundles.emplace_back();
    place.file = file;
    place.bytes = bytes;
    place.compression = compression;
  }

  std::optional<TargetId> device_target(const std::string& id) {
    if (id.starts_with("host")) return std::nullopt;
    auto target = parse_target_id(id);
    if (target && id.find("amdgcn") != std::string::npos) return *target;
    skip("entry " + id,
         id.find("amdgcn-") == std::string::npos ? "is no AMDGPU machine code" : target.error().reason);
    return std::nullopt;
  }

  bool is_code(Bytes bytes, const std::string& id) {
    if (!is_llvm_bitcode(bytes)) return true;
    skip("entry " + id, "is LLVM bitcode that is still to be linked (compiled with -fgpu-rdc)");
    return false;
  }

  static uint64_t offset_in(const FilePointer& file, Bytes bytes) {
    return static_cast<uint64_t>(bytes.data() - file->bytes().data());
  }

  void skip(const std::string& what, const std::string& why) { impl_->skipped.push_back(what + ": " + why); }

  Error nothing_found(Bytes bytes) const {
    constexpr const char* kCompile =
        "compile it with --offload-arch=gfx942, and link -fgpu-rdc objects first";
    const std::string& place = impl_->origin;
    if (!impl_->skipped.empty())
      return {place, "holds no AMDGPU code object: " + list_of(impl_->skipped), kCompile};
    if (is_elf(bytes)) return {place, "is a host program or library without AMDGPU code", kCompile};
    if (is_archive(bytes)) return {place, "is an archive without AMDGPU code", kCompile};
    if (is_offload_bundle(bytes))
      return {place, "is an offload bundle with no entry for an AMDGPU", kCompile};
    return no_code_object_error(bytes, place);
  }

  std::unique_ptr<Impl> impl_ = std::make_unique<Impl>();
  std::optional<std::filesystem::path> folder_;
};

CodeObjectFile::CodeObjectFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CodeObjectFile::CodeObjectFile(CodeObjectFile&&) noexcept = default;
CodeObjectFile& CodeObjectFile::operator=(CodeObjectFile&&) noexcept = default;
CodeObjectFile::~CodeObjectFile() = default;

Expected<CodeObjectFile> CodeObjectFile::open(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file) return tl::unexpected(file.error());
  if (path == "-") return Builder::build(*file, "standard input", std::nullopt);
  return Builder::build(*file, path, std::filesystem::path(path).parent_path());
}

Expected<CodeObjectFile> CodeObjectFile::from_memory(std::vector<std::byte> bytes, std::string origin) {
  return Builder::build(MappedFile::from_memory(std::move(bytes)), std::move(origin), std::nullopt);
}

const std::string& CodeObjectFile::origin() const { return impl_->origin; }
const std::vector<CodeObjectEntry>& CodeObjectFile::entries() const { return impl_->entries; }
const std::vector<std::string>& CodeObjectFile::skipped() const { return impl_->skipped; }

Expected<CodeObject> CodeObjectFile::load(size_t index) const {
  if (index >= impl_->entries.size())
    return fail(impl_->origin, fmt::format("has {} code objects, not {}", impl_->entries.size(), index + 1));
  const CodeObjectEntry& entry = impl_->entries[index];
  const BundlePlace& bundle = impl_->bundles[entry.bundle];
  std::string place = place_of(impl_->origin, entry.member);
  if (impl_->entries.size() > 1)
    place += fmt::format(", bundle {}, {}", entry.bundle, to_string(entry.target));

  auto image = std::make_shared<std::vector<std::byte>>();
  if (bundle.compression) {
    const bool verify = !bundle.verified.load(std::memory_order_relaxed);
    auto bytes =
        extract_compressed(bundle.bytes, *bundle.compression, entry.offset, entry.size, verify, place);
    if (!bytes) return tl::unexpected(bytes.error());
    bundle.verified.store(true, std::memory_order_relaxed);
    *image = std::move(*bytes);
  } else {
    const Bytes bytes = bundle.file->bytes().subspan(entry.offset, entry.size);
    image->assign(bytes.begin(), bytes.end());
    bundle.file->release(bytes);
  }
  if (!is_elf(*image)) return tl::unexpected(no_code_object_error(*image, place));
  auto object = parse_code_object(std::move(image), place);
  if (object && object->target.processor != entry.target.processor)
    return fail(place,
                fmt::format("is listed for {}, but holds code for {}", entry.target.processor,
                            to_string(object->target)),
                "the fat binary is damaged or was bundled with a wrong -targets list: build it again");
  return object;
}

}  // namespace wavecast::isa
