// Recognises common file formats for error messages. Source: the formats' published magic numbers.
#include "isa/file_kind.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace wavecast::isa {
namespace {

using namespace std::string_view_literals;

constexpr const char* kGiveCode =
    "give an AMDGPU code object, a HIP fat binary, or a host file that embeds one";
constexpr const char* kBuild =
    "compile it: clang++ -x hip --offload-arch=gfx942 --cuda-device-only --no-gpu-bundle-output -o "
    "kernel.hsaco";

struct Kind {
  std::string_view magic;
  const char* what;
  const char* remedy;
};

constexpr Kind kKinds[] = {
    {"BC\xc0\xde"sv, "is LLVM bitcode, not machine code",
     "link it to a code object: clang --target=amdgcn-amd-amdhsa -mcpu=gfx942 file.bc -o kernel.hsaco"},
    {"\x10\xff\x10\xad"sv, "is an LLVM offload package (clang-offload-packager), not a code object",
     "extract the image with llvm-offload-binary, and link it if it is bitcode"},
    {"# __CLANG_OFFLOAD_BUNDLE__"sv, "is an offload bundle of text (assembly or LLVM IR)", kBuild},
    {"// __CLANG_OFFLOAD_BUNDLE__"sv, "is an offload bundle of sources", kBuild},
    {"; __CLANG_OFFLOAD_BUNDLE__"sv, "is an offload bundle of LLVM IR", kBuild},
    {"\x03\x02\x23\x07"sv, "is SPIR-V", "compile for a gfx target instead"},
    {"\x89PNG\r\n\x1a\n"sv, "is a PNG image", kGiveCode},
    {"\xff\xd8\xff"sv, "is a JPEG image", kGiveCode},
    {"GIF8"sv, "is a GIF image", kGiveCode},
    {"%PDF-"sv, "is a PDF document", kGiveCode},
    {"\x1f\x8b"sv, "is a gzip file", "unpack it first"},
    {"\xfd"
     "7zXZ"sv,
     "is an xz file", "unpack it first"},
    {"\x28\xb5\x2f\xfd"sv, "is a zstd file", "unpack it first"},
    {"BZh"sv, "is a bzip2 file", "unpack it first"},
    {"PK\x03\x04"sv, "is a zip archive", "unpack it first, and give one of its files"},
    {"MZ"sv, "is a Windows executable", "extract the fat binary from its .hip_fat section first"},
    {"\xcf\xfa\xed\xfe"sv, "is a Mach-O file, which embeds no AMDGPU code", kGiveCode},
    {"\xca\xfe\xba\xbe"sv, "is a Mach-O or Java class file", kGiveCode},
    {"SQLite format 3"sv, "is an SQLite database", kGiveCode},
    {"#!"sv, "is a script", kGiveCode},
};

bool looks_like_text(std::string_view bytes) {
  const std::string_view front = bytes.substr(0, 4096);
  return std::all_of(front.begin(), front.end(), [](unsigned char c) {
    return c >= 0x80 || (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\r' || c == '\t' || c == '\f';
  });
}

}  // namespace

bool is_llvm_bitcode(std::span<const std::byte> bytes) {
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())
      .starts_with(kKinds[0].magic);
}

Error no_code_object_error(std::span<const std::byte> bytes, const std::string& place) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const Kind& kind : kKinds)
    if (text.starts_with(kind.magic)) return {place, kind.what, kind.remedy};
  if (text.find(".amdhsa_kernel") != text.npos && looks_like_text(text))
    return {place, "is AMDGPU assembly, not a code object",
            "assemble it: clang --target=amdgcn-amd-amdhsa -mcpu=gfx942 -x assembler file.s -o kernel.hsaco"};
  if (looks_like_text(text)) return {place, "is a text file", kBuild};
  return {place, "is no code object, fat binary, host program or archive", kGiveCode};
}

}  // namespace wavecast::isa
