// Compressed clang offload bundles: the "CCOB" header, versions 1 to 3, and a zlib or zstd stream behind it.
// Streams are decompressed piece by piece, so that listing decompresses only a bundle's header, and a hostile
// stream never costs more memory than what is asked for. Source: LLVM 22 ClangOffloadBundler documentation,
// "Compression and Decompression"; header layout as in llvm/Object/OffloadBundle.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/error.h"

namespace wavecast::isa {

enum class CompressionMethod : uint8_t { zlib, zstd };

struct CompressedHeader {
  int version = 0;  // 1..3
  CompressionMethod method = CompressionMethod::zlib;
  uint64_t header_size = 0;                 // bytes before the stream
  std::optional<uint64_t> total_size = {};  // bytes with header; version 1 does not say
  uint64_t uncompressed_size = 0;           // bytes
  uint64_t hash = 0;                        // low half of the MD5 of the uncompressed bytes
};

bool is_compressed_bundle(std::span<const std::byte> bytes);

// `bytes` starts at the header and may go on behind the bundle. Errors: truncated, unknown version or method,
// sizes that contradict each other or would expand beyond what a fat binary can be.
Expected<CompressedHeader> parse_compressed_header(std::span<const std::byte> bytes,
                                                   const std::string& place);

// Where the bundle ends. Version 1 needs its stream walked for that. Errors: damaged stream.
Expected<uint64_t> compressed_bundle_size(std::span<const std::byte> bytes, const CompressedHeader& header,
                                          const std::string& place);

// Decompresses from the front, on demand.
class Decompressor {
 public:
  Decompressor(CompressionMethod method, std::span<const std::byte> stream, std::string place);
  ~Decompressor();
  Decompressor(Decompressor&&) noexcept;

  // Fills `out` and returns how much; less only at the end of the stream. Errors: damaged or truncated
  // stream.
  Expected<size_t> read(std::span<std::byte> out);
  size_t consumed() const;  // bytes of the stream used up

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Bytes [offset, offset + size) of the uncompressed bundle. With `verify` everything is decompressed and
// compared with the header's size and hash. Errors: damaged stream, wrong size, wrong hash.
Expected<std::vector<std::byte>> extract_compressed(std::span<const std::byte> bundle,
                                                    const CompressedHeader& header, uint64_t offset,
                                                    uint64_t size, bool verify, const std::string& place);

}  // namespace wavecast::isa
