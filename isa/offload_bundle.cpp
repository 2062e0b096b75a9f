// Bundle headers, read from the file or from the first bytes of a compressed stream.
// Layout: 24-byte magic, u64 number of entries, per entry u64 offset, u64 size, u64 length of the ID, the ID.
// Source: LLVM 22 ClangOffloadBundler documentation.
#include "isa/offload_bundle.h"

#include <fmt/format.h>
#include <llvm/Support/Endian.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace wavecast::isa {
namespace {

using Bytes = std::span<const std::byte>;
using llvm::support::endian::read64le;

constexpr std::string_view kMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view kCompressedMagic = "CCOB";
constexpr const char* kDamaged = "the file is truncated or damaged: build or copy it again";
constexpr uint64_t kLongestId = 1024;    // a triple, a processor and two features take about 60
constexpr uint64_t kMostEntries = 4096;  // LLVM 22 knows some 60 processors with up to 9 feature combinations

std::string_view as_text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// The first bytes of a bundle, as many as are asked for and there are.
class Front {
 public:
  explicit Front(Bytes bytes) : bytes_(bytes) {}
  explicit Front(Decompressor& stream) : stream_(&stream) {}

  // Fewer than `size` bytes at the end. The span lives until the next call.
  Expected<Bytes> first(size_t size) {
    if (!stream_) return bytes_.first(std::min(size, bytes_.size()));
    const size_t had = buffer_.size();
    if (size > had) {
      buffer_.resize(size);
      auto got = stream_->read(std::span(buffer_).subspan(had));
      if (!got) return tl::unexpected(got.error());
      buffer_.resize(had + *got);
    }
    return Bytes(buffer_).first(std::min(size, buffer_.size()));
  }

 private:
  Bytes bytes_;
  Decompressor* stream_ = nullptr;
  std::vector<std::byte> buffer_;
};

// `size` is that of the whole (decompressed) bundle, or of everything up to the end of the region.
Expected<std::vector<BundleEntry>> read_entries(Front& front, uint64_t size, const std::string& place,
                                                uint64_t& end) {
  const auto truncated = [&] { return fail(place, "has a truncated bundle header", kDamaged); };
  constexpr size_t kCountAt = kMagic.size(), kFirstEntry = kCountAt + 8, kFixed = 24;
  auto bytes = front.first(kFirstEntry);
  if (!bytes) return tl::unexpected(bytes.error());
  if (!as_text(*bytes).starts_with(kMagic))
    return fail(place, "does not start with " + std::string(kMagic), kDamaged);
  if (bytes->size() < kFirstEntry) return truncated();
  const uint64_t count = read64le(bytes->data() + kCountAt);
  if (count > kMostEntries) return fail(place, fmt::format("claims to have {} entries", count), kDamaged);
  std::vector<BundleEntry> entries;
  size_t at = kFirstEntry;
  end = at;
  for (uint64_t i = 0; i < count; ++i) {
    bytes = front.first(at + kFixed);
    if (!bytes) return tl::unexpected(bytes.error());
    if (bytes->size() < at + kFixed) return truncated();
    BundleEntry entry{
        .id = {}, .offset = read64le(bytes->data() + at), .size = read64le(bytes->data() + at + 8)};
    const uint64_t id_size = read64le(bytes->data() + at + 16);
    if (id_size > kLongestId)
      return fail(place, fmt::format("has an entry ID of {} bytes", id_size), kDamaged);
    bytes = front.first(at + kFixed + id_size);
    if (!bytes) return tl::unexpected(bytes.error());
    if (bytes->size() < at + kFixed + id_size) return truncated();
    entry.id = as_text(*bytes).substr(at + kFixed, id_size);
    at += kFixed + id_size;
    if (entry.offset > size || entry.size > size - entry.offset)
      return fail(
          fmt::format("{}, entry {}", place, entry.id),
          fmt::format("lies at byte {} with {} bytes, but the bundle has {}", entry.offset, entry.size, size),
          kDamaged);
    end = std::max({end, static_cast<uint64_t>(at), entry.offset + entry.size});
    entries.push_back(std::move(entry));
  }
  return entries;
}

// Version 1 does not: every look-alike would have to be decompressed to its end.
bool says_its_size(Bytes bytes) {
  const auto header = parse_compressed_header(bytes, {});
  return header && header->total_size;
}

size_t first_nonzero(Bytes bytes, size_t from) {
  const auto found = std::find_if(bytes.begin() + static_cast<ptrdiff_t>(from), bytes.end(),
                                  [](std::byte b) { return b != std::byte{0}; });
  return static_cast<size_t>(found - bytes.begin());
}

}  // namespace

bool is_offload_bundle(Bytes bytes) {
  return as_text(bytes).starts_with(kMagic) || is_compressed_bundle(bytes);
}

Expected<Bundle> read_bundle(Bytes bytes, const std::string& place) {
  Bundle bundle;
  uint64_t end = 0;
  if (!is_compressed_bundle(bytes)) {
    Front front(bytes);
    auto entries = read_entries(front, bytes.size(), place, end);
    if (!entries) return tl::unexpected(entries.error());
    bundle.entries = std::move(*entries);
    bundle.size = end;
    return bundle;
  }
  auto header = parse_compressed_header(bytes, place);
  if (!header) return tl::unexpected(header.error());
  const auto size = compressed_bundle_size(bytes, *header, place);
  if (!size) return tl::unexpected(size.error());
  Decompressor stream(header->method, bytes.subspan(header->header_size, *size - header->header_size), place);
  Front front(stream);
  auto entries = read_entries(front, header->uncompressed_size, place, end);
  if (!entries) return tl::unexpected(entries.error());
  bundle.entries = std::move(*entries);
  bundle.size = *size;
  bundle.compression = *header;
  return bundle;
}

Expected<std::vector<Bundle>> read_bundles(Bytes region, const std::string& place) {
  std::vector<Bundle> bundles;
  for (size_t at = 0; at < region.size();) {
    const std::string here = fmt::format("{}, bundle {} at byte {}", place, bundles.size(), at);
    if (!is_offload_bundle(region.subspan(at)))
      return fail(here, "is no offload bundle",
                  "the file is damaged, or a linker script put other data among its fat binaries");
    auto bundle = read_bundle(region.subspan(at), here);
    if (!bundle) return tl::unexpected(bundle.error());
    bundle->offset = at;
    at = first_nonzero(region, at + bundle->size);
    bundles.push_back(std::move(*bundle));
  }
  return bundles;
}

std::vector<Bundle> find_bundles(Bytes region) {
  std::vector<Bundle> bundles;
  const std::string_view text = as_text(region);
  size_t plain = text.find(kMagic), compressed = text.find(kCompressedMagic);
  while (plain != text.npos || compressed != text.npos) {
    const size_t at = std::min(plain, compressed);
    size_t next = at + 1;
    const Bytes here = region.subspan(at);
    const bool candidate = !is_compressed_bundle(here) || says_its_size(here);
    const Expected<Bundle> bundle = candidate ? read_bundle(here, {}) : fail({}, {});
    // A program that merely contains the magic as a string has no entries behind it.
    if (bundle && !bundle->entries.empty()) {
      next = at + bundle->size;
      bundles.push_back(*bundle);
      bundles.back().offset = at;
    }
    if (plain != text.npos && plain < next) plain = text.find(kMagic, next);
    if (compressed != text.npos && compressed < next) compressed = text.find(kCompressedMagic, next);
  }
  return bundles;
}

}  // namespace wavecast::isa
