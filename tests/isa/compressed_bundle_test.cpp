// CCOB headers and streams, in the versions and methods that clang-offload-bundler 22 no longer writes:
// packed here with zlib and zstd, hashed with md5sum, and, where the bundler reads them, compared with what
// it unpacks.
#include "isa/compressed_bundle.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include "isa/code_object_file.h"
#include "support/code_object_inputs.h"

namespace wavecast::isa {
namespace {

using test::InputBuilder;
using Buffer = std::vector<std::byte>;

void append(Buffer& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

// The first eight bytes of the MD5, as a little-endian number.
uint64_t truncated_md5(const InputBuilder& build, const Buffer& bytes) {
  const std::string hex = build.run_for_text("md5sum " + build.write("hashed", bytes));
  uint64_t hash = 0;
  for (int i = 7; i >= 0; --i)
    hash = hash << 8 | std::stoul(hex.substr(static_cast<size_t>(i) * 2, 2), nullptr, 16);
  return hash;
}

Buffer compressed(const Buffer& bytes, CompressionMethod method) {
  if (method == CompressionMethod::zlib) {
    uLongf size = compressBound(bytes.size());
    Buffer out(size);
    EXPECT_EQ(compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                        reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 6),
              Z_OK);
    out.resize(size);
    return out;
  }
  Buffer out(ZSTD_compressBound(bytes.size()));
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

// Layout of llvm/Object/OffloadBundle.h.
Buffer ccob(int version, CompressionMethod method, const Buffer& stream, uint64_t uncompressed_size,
            uint64_t hash) {
  Buffer out;
  for (char c : {'C', 'C', 'O', 'B'}) out.push_back(static_cast<std::byte>(c));
  append(out, static_cast<uint64_t>(version), 2);
  append(out, method == CompressionMethod::zlib ? 0 : 1, 2);
  const uint64_t header = version == 1 ? 20 : version == 2 ? 24 : 32;
  const int width = version == 3 ? 8 : 4;
  if (version >= 2) append(out, header + stream.size(), width);
  append(out, uncompressed_size, width);
  append(out, hash, 8);
  out.insert(out.end(), stream.begin(), stream.end());
  return out;
}

struct Packing {
  int version;
  CompressionMethod method;
};

class CompressedBundles : public testing::TestWithParam<Packing> {
 protected:
  void SetUp() override {
    image_ = build_.plain_code_object("k.co", {"kernel"}, "gfx942");
    plain_ = test::read_bytes(build_.bundle("u", {{"hipv4-amdgcn-amd-amdhsa--gfx942", image_}}));
    packed_ = ccob(GetParam().version, GetParam().method, compressed(plain_, GetParam().method),
                   plain_.size(), truncated_md5(build_, plain_));
  }
  InputBuilder build_;
  std::string image_;
  Buffer plain_, packed_;
};

TEST_P(CompressedBundles, UnpackToWhatWentIn) {
  const auto header = parse_compressed_header(packed_, "c");
  ASSERT_TRUE(header) << header.error().reason;
  EXPECT_EQ(header->version, GetParam().version);
  EXPECT_EQ(header->method, GetParam().method);
  EXPECT_EQ(compressed_bundle_size(packed_, *header, "c"), packed_.size());
  EXPECT_EQ(extract_compressed(packed_, *header, 0, plain_.size(), true, "c"), plain_);
  EXPECT_EQ(extract_compressed(packed_, *header, 100, 7, false, "c"),
            Buffer(plain_.begin() + 100, plain_.begin() + 107));
  EXPECT_EQ(extract_compressed(packed_, *header, plain_.size(), 0, true, "c"), Buffer{});
  const auto file = CodeObjectFile::from_memory(packed_, "c");
  ASSERT_TRUE(file) << file.error().reason;
  EXPECT_EQ(*file->load(0)->storage, test::read_bytes(image_));

  build_.write("packed", packed_);
  build_.run("clang-offload-bundler-22 -unbundle -type=o -targets=hipv4-amdgcn-amd-amdhsa--gfx942 -input=" +
             build_.path("packed") + " -output=" + build_.path("unpacked"));
  EXPECT_EQ(test::read_bytes(build_.path("unpacked")), test::read_bytes(image_));
}

TEST_P(CompressedBundles, BehindEachOther) {
  Buffer twice = packed_;
  twice.resize((twice.size() + 4095) / 4096 * 4096);
  twice.insert(twice.end(), packed_.begin(), packed_.end());
  const auto file = CodeObjectFile::from_memory(twice, "c");
  ASSERT_TRUE(file) << file.error().reason;
  ASSERT_EQ(file->entries().size(), 2u);
  EXPECT_EQ(file->entries()[1].bundle, 1u);
  EXPECT_TRUE(file->load(1));
}

TEST_P(CompressedBundles, WrongHashAndSizesAreReported) {
  const auto stream = compressed(plain_, GetParam().method);
  const uint64_t hash = truncated_md5(build_, plain_);
  const auto load_error = [&](uint64_t size, uint64_t hash_in_header) {
    const auto file = CodeObjectFile::from_memory(
        ccob(GetParam().version, GetParam().method, stream, size, hash_in_header), "c");
    if (!file) return file.error().reason;
    const auto object = file->load(0);
    return object ? std::string("loaded") : object.error().reason;
  };
  EXPECT_EQ(load_error(plain_.size(), hash), "loaded");
  EXPECT_NE(load_error(plain_.size(), hash ^ 1).find("hash"), std::string::npos);
  EXPECT_NE(load_error(plain_.size() + 1, hash).find("does not expand to"), std::string::npos);
  EXPECT_NE(load_error(plain_.size() - 1, hash), "loaded");
}

TEST_P(CompressedBundles, CutAnywhereAreRefused) {
  test::for_each_cut(packed_, 1, [&](const Buffer& cut) {
    const auto file = CodeObjectFile::from_memory(cut, "cut");
    if (file) EXPECT_FALSE(file->load(0)) << cut.size();
  });
}

TEST_P(CompressedBundles, DamageNeverCrashes) {
  int refused = 0;
  test::for_each_damage(packed_, 3000, [&](const Buffer& damaged) {
    const auto file = CodeObjectFile::from_memory(damaged, "damaged");
    if (!file) {
      ++refused;
      return;
    }
    for (size_t i = 0; i < file->entries().size(); ++i) refused += !file->load(i);
  });
  EXPECT_GT(refused, 2500);  // the hash notices nearly all; a few damaged bytes lie in unused header bits
}

INSTANTIATE_TEST_SUITE_P(
    VersionsAndMethods, CompressedBundles,
    testing::Values(Packing{1, CompressionMethod::zlib}, Packing{1, CompressionMethod::zstd},
                    Packing{2, CompressionMethod::zlib}, Packing{2, CompressionMethod::zstd},
                    Packing{3, CompressionMethod::zlib}, Packing{3, CompressionMethod::zstd}));

TEST(CompressedHeaders, ContradictionsAreRefused) {
  const auto reason = [](const Buffer& bytes) {
    const auto header = parse_compressed_header(bytes, "c");
    return header ? std::string("read") : header.error().reason;
  };
  const Buffer stream(100);
  const Buffer good = ccob(3, CompressionMethod::zstd, stream, 1000, 0);
  EXPECT_EQ(reason(good), "read");
  for (size_t size = 0; size < 32; ++size)
    EXPECT_NE(reason({good.begin(), good.begin() + static_cast<ptrdiff_t>(size)}), "read");
  EXPECT_NE(reason(ccob(4, CompressionMethod::zstd, stream, 1000, 0)).find("unknown version 4"),
            std::string::npos);
  EXPECT_NE(reason(ccob(0, CompressionMethod::zstd, stream, 1000, 0)).find("unknown version 0"),
            std::string::npos);
  Buffer method = good;
  method[6] = std::byte{9};
  EXPECT_NE(reason(method).find("unknown method 9"), std::string::npos);
  EXPECT_NE(reason({good.begin(), good.end() - 1}).find("but 131 are there"), std::string::npos);
  EXPECT_NE(reason(ccob(3, CompressionMethod::zstd, {}, 1000, 0)), "read");
}

TEST(CompressedHeaders, BombsAreRefusedBeforeTheyExpand) {
  const auto claim = [](uint64_t size, size_t stream) {
    return parse_compressed_header(ccob(3, CompressionMethod::zstd, Buffer(stream), size, 0), "c");
  };
  EXPECT_FALSE(claim(~uint64_t{0}, 1000));
  EXPECT_FALSE(claim(uint64_t{16} << 30, 100000000));  // more than any program can map near its code
  EXPECT_FALSE(claim(uint64_t{4} << 30, 1000));        // 4 million to one
  EXPECT_TRUE(claim(uint64_t{4} << 30, 10000000));
  EXPECT_TRUE(claim(uint64_t{100} << 20, 10000));
  EXPECT_NE(claim(~uint64_t{0}, 1000).error().remedy.find("-unbundle"), std::string::npos);
}

// A stream that expands to more than its header says is left where it does.
TEST(CompressedStreams, NeverGrowBeyondTheHeader) {
  for (CompressionMethod method : {CompressionMethod::zlib, CompressionMethod::zstd}) {
    const Buffer packed = ccob(1, method, compressed(Buffer(size_t{64} << 20), method), 4096, 0);
    const auto header = parse_compressed_header(packed, "c");
    ASSERT_TRUE(header);
    EXPECT_FALSE(extract_compressed(packed, *header, 0, 4096, true, "c"));
    Decompressor decompressor(method, std::span(packed).subspan(header->header_size), "c");
    Buffer front(1000);
    EXPECT_EQ(decompressor.read(front), 1000u);
    EXPECT_LE(decompressor.consumed(), packed.size());
  }
}

}  // namespace
}  // namespace wavecast::isa
