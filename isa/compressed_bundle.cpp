// CCOB header parsing and streaming decompression with zlib and zstd.
// Source: LLVM 22 ClangOffloadBundler documentation; zlib and zstd manuals.
#include "isa/compressed_bundle.h"

#include <fmt/format.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Endian.h>
#include <llvm/Support/MD5.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

namespace wavecast::isa {
namespace {

using Bytes = std::span<const std::byte>;
using namespace llvm::support::endian;

constexpr char kMagic[] = {'C', 'C', 'O', 'B'};
constexpr const char* kDamaged = "the file is truncated or damaged: build or copy it again";

// Guards against decompression bombs. Host programs reach their fat binary with 32-bit relocations (2 GiB),
// and only zero-filled device tables compress far better than 100:1.
constexpr uint64_t kLargestBundle = uint64_t{8} << 30;
constexpr uint64_t kAlwaysAllowed = uint64_t{256} << 20;
constexpr uint64_t kLargestRatio = 4096;

constexpr size_t kChunk = size_t{256} << 10;  // working buffer; fits the second-level cache

}  // namespace

bool is_compressed_bundle(Bytes bytes) {
  return bytes.size() >= sizeof(kMagic) && std::memcmp(bytes.data(), kMagic, sizeof(kMagic)) == 0;
}

Expected<CompressedHeader> parse_compressed_header(Bytes bytes, const std::string& place) {
  // magic, u16 version, u16 method, [total size: u32 in v2, u64 in v3], uncompressed size: u32 or u64 in v3,
  // u64 hash
  constexpr size_t kSizes[] = {0, 20, 24, 32};
  if (!is_compressed_bundle(bytes) || bytes.size() < 8)
    return fail(place, "has a truncated CCOB header", kDamaged);
  const std::byte* at = bytes.data();
  const uint16_t version = read16le(at + 4), method = read16le(at + 6);
  if (version < 1 || version > 3)
    return fail(place, fmt::format("is a compressed bundle of unknown version {}", version),
                "versions 1 to 3 are known; decompress it with clang-offload-bundler -unbundle of the "
                "compiler that made it");
  if (method > 1)
    return fail(place, fmt::format("is a compressed bundle with unknown method {}", method),
                "zlib (0) and zstd (1) are known");
  if (bytes.size() < kSizes[version]) return fail(place, "has a truncated CCOB header", kDamaged);
  CompressedHeader header{.version = version,
                          .method = method == 0 ? CompressionMethod::zlib : CompressionMethod::zstd,
                          .header_size = kSizes[version]};
  if (version == 2) header.total_size = read32le(at + 8);
  if (version == 3) header.total_size = read64le(at + 8);
  header.uncompressed_size = version == 3 ? read64le(at + 16) : read32le(at + (version == 1 ? 8 : 12));
  header.hash = read64le(at + header.header_size - sizeof(uint64_t));
  if (header.total_size && (*header.total_size <= header.header_size || *header.total_size > bytes.size()))
    return fail(place,
                fmt::format("is a compressed bundle of {} bytes by its header, but {} are there",
                            *header.total_size, bytes.size()),
                kDamaged);
  const uint64_t stream = header.total_size.value_or(bytes.size()) - header.header_size;
  if (header.uncompressed_size > kLargestBundle ||
      (header.uncompressed_size > kAlwaysAllowed && header.uncompressed_size / kLargestRatio > stream))
    return fail(place,
                fmt::format("claims to expand from {} to {} bytes, which no fat binary does", stream,
                            header.uncompressed_size),
                "if it is genuine, decompress it with clang-offload-bundler -unbundle first");
  return header;
}

struct Decompressor::State {
  CompressionMethod method;
  Bytes stream;
  std::string place;
  size_t used = 0;
  bool ended = false;
  z_stream inflate{};
  bool inflate_ready = false;
  ZSTD_DCtx* zstd = nullptr;

  ~State() {
    if (inflate_ready) ::inflateEnd(&inflate);
    ZSTD_freeDCtx(zstd);
  }

  Expected<size_t> read_zlib(std::span<std::byte> out);
  Expected<size_t> read_zstd(std::span<std::byte> out);
  tl::unexpected<Error> damaged(std::string_view what) const {
    return fail(place, fmt::format("its compressed stream is damaged at byte {}: {}", used, what), kDamaged);
  }
};

Decompressor::Decompressor(CompressionMethod method, Bytes stream, std::string place)
    : state_(new State{.method = method, .stream = stream, .place = std::move(place)}) {}
Decompressor::~Decompressor() = default;
Decompressor::Decompressor(Decompressor&&) noexcept = default;

size_t Decompressor::consumed() const { return state_->used; }

Expected<size_t> Decompressor::read(std::span<std::byte> out) {
  if (state_->ended || out.empty()) return 0;
  return state_->method == CompressionMethod::zlib ? state_->read_zlib(out) : state_->read_zstd(out);
}

Expected<size_t> Decompressor::State::read_zlib(std::span<std::byte> out) {
  if (!inflate_ready) {
    if (::inflateInit(&inflate) != Z_OK) return damaged("zlib cannot start");
    inflate_ready = true;
  }
  constexpr size_t kPiece = size_t{1} << 30;  // zlib counts in 32 bits
  size_t done = 0;
  while (done < out.size() && !ended) {
    const size_t input = std::min(stream.size() - used, kPiece), output = std::min(out.size() - done, kPiece);
    inflate.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(stream.data() + used));
    inflate.avail_in = static_cast<uInt>(input);
    inflate.next_out = reinterpret_cast<Bytef*>(out.data() + done);
    inflate.avail_out = static_cast<uInt>(output);
    const int status = ::inflate(&inflate, Z_NO_FLUSH);
    used += input - inflate.avail_in;
    done += output - inflate.avail_out;
    if (status == Z_STREAM_END)
      ended = true;
    else if (status == Z_BUF_ERROR || (status == Z_OK && used == stream.size() && inflate.avail_out > 0))
      return damaged("it ends early");
    else if (status != Z_OK)
      return damaged(inflate.msg ? inflate.msg : "zlib refuses it");
  }
  return done;
}

Expected<size_t> Decompressor::State::read_zstd(std::span<std::byte> out) {
  if (!zstd && !(zstd = ZSTD_createDCtx())) return damaged("zstd cannot start");
  ZSTD_outBuffer output{out.data(), out.size(), 0};
  while (output.pos < output.size && !ended) {
    ZSTD_inBuffer input{stream.data(), stream.size(), used};
    const size_t before = output.pos;
    const size_t status = ZSTD_decompressStream(zstd, &output, &input);
    const bool stuck = input.pos == used && output.pos == before;
    used = input.pos;
    if (ZSTD_isError(status)) return damaged(ZSTD_getErrorName(status));
    if (status == 0)
      ended = true;  // end of the frame; a bundle is one frame
    else if (stuck)
      return damaged("it ends early");
  }
  return output.pos;
}

Expected<uint64_t> compressed_bundle_size(Bytes bytes, const CompressedHeader& header,
                                          const std::string& place) {
  if (header.total_size) return *header.total_size;
  const Bytes stream = bytes.subspan(header.header_size);
  if (header.method == CompressionMethod::zstd) {
    const size_t size = ZSTD_findFrameCompressedSize(stream.data(), stream.size());
    if (ZSTD_isError(size))
      return fail(place, fmt::format("its compressed stream is damaged: {}", ZSTD_getErrorName(size)),
                  kDamaged);
    return header.header_size + size;
  }
  Decompressor decompressor(header.method, stream, place);
  std::vector<std::byte> buffer(kChunk);
  for (uint64_t total = 0;;) {
    const auto got = decompressor.read(buffer);
    if (!got) return tl::unexpected(got.error());
    total += *got;
    if (total > header.uncompressed_size)
      return fail(place,
                  fmt::format("expands to more than the {} bytes of its header", header.uncompressed_size),
                  kDamaged);
    if (*got < buffer.size()) return header.header_size + decompressor.consumed();
  }
}

Expected<std::vector<std::byte>> extract_compressed(Bytes bundle, const CompressedHeader& header,
                                                    uint64_t offset, uint64_t size, bool verify,
                                                    const std::string& place) {
  Decompressor decompressor(header.method, bundle.subspan(header.header_size), place);
  std::vector<std::byte> buffer(kChunk), out;
  llvm::MD5 hash;
  const uint64_t end = offset + size;  // within uncompressed_size, as the bundle's header was checked
  uint64_t total = 0;
  while (verify || total < end) {
    const auto got = decompressor.read(buffer);
    if (!got) return tl::unexpected(got.error());
    const uint64_t begin = std::clamp<uint64_t>(offset, total, total + *got) - total;
    const uint64_t stop = std::clamp<uint64_t>(end, total, total + *got) - total;
    out.insert(out.end(), buffer.begin() + static_cast<ptrdiff_t>(begin),
               buffer.begin() + static_cast<ptrdiff_t>(stop));
    if (verify) hash.update(llvm::ArrayRef<uint8_t>(reinterpret_cast<const uint8_t*>(buffer.data()), *got));
    total += *got;
    if (total > header.uncompressed_size || *got < buffer.size()) break;
  }
  if (total > header.uncompressed_size || (verify && total != header.uncompressed_size) || out.size() != size)
    return fail(
        place,
        fmt::format("its stream does not expand to the {} bytes of its header", header.uncompressed_size),
        kDamaged);
  if (verify) {
    llvm::MD5::MD5Result result;
    hash.final(result);
    if (result.low() != header.hash)
      return fail(place, "its contents do not have the hash in its header", kDamaged);
  }
  return out;
}

}  // namespace wavecast::isa
