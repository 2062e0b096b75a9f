// Files that carry code objects, made with LLVM's bundler, assembler, linker and archiver; what the loader
// finds in them is compared with what went in and with llvm-objdump and clang-offload-bundler.
#include "isa/code_object_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "support/code_object_inputs.h"

namespace wavecast::isa {
namespace {

using test::InputBuilder;

CodeObjectFile open_file(const std::string& path) {
  auto file = CodeObjectFile::open(path);
  if (!file) throw std::runtime_error(file.error().place + ": " + file.error().reason);
  return std::move(*file);
}

Error error_of(const std::string& path) {
  const auto file = CodeObjectFile::open(path);
  if (file) {
    ADD_FAILURE() << path << " was opened";
    return {};
  }
  EXPECT_FALSE(file.error().reason.empty()) << path;
  EXPECT_FALSE(file.error().remedy.empty()) << path;
  return file.error();
}

// "gfx90a:kernel gfx942:kernel ..." of all entries, loaded.
std::string contents(const CodeObjectFile& file) {
  std::string text;
  for (size_t i = 0; i < file.entries().size(); ++i) {
    const auto object = file.load(i);
    if (!object) return object.error().place + ": " + object.error().reason;
    text += (text.empty() ? "" : " ") + to_string(file.entries()[i].target);
    for (const Kernel& kernel : object->kernels) text += ":" + kernel.name;
  }
  return text;
}

// Two code objects and the fat binaries around them.
class CodeObjectFiles : public testing::Test {
 protected:
  void SetUp() override {
    first_ = build_.plain_code_object("a.co", {"alpha"}, "gfx90a");
    second_ = build_.plain_code_object("b.co", {"alpha", "beta"}, "gfx942");
  }
  std::string bundle(const std::string& name, const std::string& options = "",
                     const std::string& environment = "") {
    return build_.bundle(
        name,
        {{"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", first_}, {"hipv4-amdgcn-amd-amdhsa--gfx942", second_}},
        options, environment);
  }
  static constexpr const char* kBoth = "gfx90a:xnack-:alpha gfx942:alpha:beta";

  InputBuilder build_;
  std::string first_, second_;
};

TEST_F(CodeObjectFiles, RawCodeObject) {
  const CodeObjectFile file = open_file(second_);
  ASSERT_EQ(file.entries().size(), 1u);
  EXPECT_EQ(file.entries()[0].offset, 0u);
  EXPECT_EQ(file.entries()[0].size, std::filesystem::file_size(second_));
  EXPECT_EQ(file.entries()[0].member, "");
  EXPECT_EQ(contents(file), "gfx942:alpha:beta");
  const auto object = file.load(0);
  EXPECT_EQ(object->origin, second_);
  EXPECT_FALSE(file.load(1));
}

TEST_F(CodeObjectFiles, UncompressedBundle) {
  const std::string path = bundle("u.hipfb");
  const CodeObjectFile file = open_file(path);
  EXPECT_EQ(contents(file), kBoth);
  // An entry's place in the file is its image, byte by byte.
  const auto bytes = test::read_bytes(path), image = test::read_bytes(second_);
  const CodeObjectEntry& entry = file.entries()[1];
  ASSERT_EQ(entry.size, image.size());
  EXPECT_TRUE(std::equal(image.begin(), image.end(), bytes.begin() + static_cast<ptrdiff_t>(entry.offset)));
  // clang-offload-bundler lists the same entries, in its own order.
  const std::string listed = build_.run_for_text("clang-offload-bundler-22 -list -type=o -input=" + path);
  for (const char* id : {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-\n", "hipv4-amdgcn-amd-amdhsa--gfx942\n"})
    EXPECT_NE(listed.find(id), std::string::npos) << listed;
  EXPECT_EQ(std::count(listed.begin(), listed.end(), '\n'), 3) << listed;  // and the host's
}

TEST_F(CodeObjectFiles, CompressedBundleVersions2And3) {
  for (const char* version : {"2", "3"}) {
    const CodeObjectFile file =
        open_file(bundle("c.hipfb", "-compress", std::string("COMPRESSED_BUNDLE_FORMAT_VERSION=") + version));
    EXPECT_EQ(contents(file), kBoth) << "v" << version;
    EXPECT_TRUE(file.entries()[1].compressed);
    const auto object = file.load(1);
    EXPECT_EQ(*object->storage, test::read_bytes(second_));
  }
}

TEST_F(CodeObjectFiles, SeveralBundlesBehindEachOther) {
  const std::string plain = bundle("u.hipfb"), packed = bundle("c.hipfb", "-compress");
  build_.run("cp " + plain + " " + build_.path("all") + " && truncate -s %4096 " + build_.path("all") +
             " && cat " + packed + " >> " + build_.path("all") + " && truncate -s %4096 " +
             build_.path("all") + " && cat " + plain + " >> " + build_.path("all") + " && truncate -s +100 " +
             build_.path("all"));
  const CodeObjectFile file = open_file(build_.path("all"));
  EXPECT_EQ(contents(file), std::string(kBoth) + " " + kBoth + " " + kBoth);
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(file.entries()[i].bundle, i / 2);
  build_.run("printf rubbish >> " + build_.path("all"));
  const Error error = error_of(build_.path("all"));
  EXPECT_NE(error.reason.find("no offload bundle"), std::string::npos);
  EXPECT_NE(error.place.find(build_.path("all")), std::string::npos);
}

TEST_F(CodeObjectFiles, HostObjectsExecutablesAndLibraries) {
  const std::string plain = bundle("u.hipfb"), packed = bundle("c.hipfb", "-compress");
  const std::string one = build_.host_object("one.o", plain), two = build_.host_object("two.o", packed);
  EXPECT_EQ(contents(open_file(one)), kBoth);
  build_.run("ld.lld-22 -shared " + one + " " + two + " -o " + build_.path("lib.so"));
  build_.run("ld.lld-22 -e host_function " + one + " -o " + build_.path("program"));
  build_.run("ld.lld-22 -r " + one + " -o " + build_.path("merged.o"));
  const CodeObjectFile library = open_file(build_.path("lib.so"));
  EXPECT_EQ(contents(library), std::string(kBoth) + " " + kBoth);
  EXPECT_EQ(library.entries()[0].member, ".hip_fatbin");
  EXPECT_EQ(contents(open_file(build_.path("program"))), kBoth);
  EXPECT_EQ(contents(open_file(build_.path("merged.o"))), kBoth);
  // llvm-objdump extracts the same images, as FILE.BUNDLE.ID.
  build_.run("cd " + build_.path("") + " && llvm-objdump-22 --offloading program > " +
             build_.path("stdout.txt"));
  const CodeObjectFile program = open_file(build_.path("program"));
  EXPECT_EQ(*program.load(0)->storage,
            test::read_bytes(build_.path("program.0.hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-")));
  EXPECT_EQ(*program.load(1)->storage,
            test::read_bytes(build_.path("program.0.hipv4-amdgcn-amd-amdhsa--gfx942")));
}

TEST_F(CodeObjectFiles, WrapperPointsToTheFatBinary) {
  const std::string plain = bundle("u.hipfb");
  const std::string wrapper =
      ".section .hipFatBinSegment,\"aw\",@progbits\n.p2align 3\n.long 0x48495046\n.long 1\n.quad "
      "fat_binary\n.quad 0\n";
  // In another section and behind other bytes, so that only the wrapper or a search finds it.
  const std::string object = build_.host_object("w.o", plain, ".mine", ".ascii \"not zero\"\n" + wrapper);
  build_.run("ld.lld-22 -e host_function -no-pie " + object + " -o " + build_.path("fixed"));
  build_.run("ld.lld-22 -e host_function -pie " + object + " -o " + build_.path("pie"));
  build_.run("ld.lld-22 -shared -z rel " + object + " -o " + build_.path("addend_in_place.so"));
  for (const char* name : {"fixed", "pie", "addend_in_place.so"}) {
    const CodeObjectFile file = open_file(build_.path(name));
    EXPECT_EQ(contents(file), kBoth) << name;
    EXPECT_EQ(file.entries()[0].member, ".mine");
  }
}

TEST_F(CodeObjectFiles, BundlesInOtherSectionsAreSearchedFor) {
  const std::string plain = bundle("u.hipfb"), packed = bundle("c.hipfb", "-compress");
  // Look-alikes in front: the bare magics, as in a program that reads bundles.
  build_.run("(printf 'xx__CLANG_OFFLOAD_BUNDLE__CCOB CCOB'; cat " + plain + "; printf CCOB; cat " + packed +
             ") > " + build_.path("mixed"));
  const std::string object = build_.host_object("m.o", build_.path("mixed"), ".data.device");
  EXPECT_EQ(contents(open_file(object)), std::string(kBoth) + " " + kBoth);
  build_.run("ld.lld-22 -e host_function " + object + " -o " + build_.path("p") +
             " && llvm-strip-22 --strip-sections " + build_.path("p"));
  EXPECT_EQ(contents(open_file(build_.path("p"))), std::string(kBoth) + " " + kBoth);
}

TEST_F(CodeObjectFiles, SectionsNamedAfterTargets) {
  build_.write("host.s", std::string(".text\nf: ret\n"));
  build_.run("llvm-mc-22 -triple=x86_64-unknown-linux-gnu -filetype=obj " + build_.path("host.s") + " -o " +
             build_.path("host.o"));
  // With a real host object the bundler adds one section per target to it.
  build_.run(
      "clang-offload-bundler-22 -type=o "
      "-targets=host-x86_64-unknown-linux-gnu-,hip-amdgcn-amd-amdhsa--gfx90a,"
      "hip-amdgcn-amd-amdhsa--gfx942 -input=" +
      build_.path("host.o") + " -input=" + first_ + " -input=" + second_ +
      " -output=" + build_.path("fat.o"));
  EXPECT_EQ(contents(open_file(build_.path("fat.o"))), "gfx90a:alpha gfx942:alpha:beta");
}

TEST_F(CodeObjectFiles, Archives) {
  const std::string one = build_.host_object("a_member_with_a_rather_long_name.o", bundle("u.hipfb"));
  const std::string two = build_.host_object("odd.o", bundle("c.hipfb", "-compress"));
  const std::string inputs = one + " " + first_ + " " + two + " " + build_.path("u.hipfb");
  const std::string expected = std::string(kBoth) + " gfx90a:alpha " + kBoth + " " + kBoth;
  for (const char* format : {"gnu", "bsd", "darwin"}) {
    const std::string path = build_.path(std::string(format) + ".a");
    build_.run("llvm-ar-22 --format=" + std::string(format) + " rcs " + path + " " + inputs);
    const CodeObjectFile file = open_file(path);
    EXPECT_EQ(contents(file), expected) << format;
    EXPECT_EQ(file.entries()[0].member, "a_member_with_a_rather_long_name.o") << format;
    EXPECT_NE(file.load(2)->origin.find(path + "(a.co)"), std::string::npos) << file.load(2)->origin;
  }
  build_.run("cd " + build_.path("") + " && llvm-ar-22 --thin rcs thin.a " + inputs);
  EXPECT_EQ(contents(open_file(build_.path("thin.a"))), expected);
  const auto detached = CodeObjectFile::from_memory(test::read_bytes(build_.path("thin.a")), "memory");
  ASSERT_FALSE(detached);
  EXPECT_NE(detached.error().reason.find("thin archive"), std::string::npos);
  std::filesystem::remove(two);
  const Error error = error_of(build_.path("thin.a"));
  EXPECT_NE(error.place.find("odd.o"), std::string::npos) << error.place;
}

TEST_F(CodeObjectFiles, StandardInput) {
  const std::string path = bundle("c.hipfb", "-compress");
  const int saved = ::dup(STDIN_FILENO);
  ASSERT_GE(saved, 0);
  ASSERT_NE(std::freopen(path.c_str(), "r", stdin), nullptr);
  auto redirected = CodeObjectFile::open("-");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::dup2(ends[0], STDIN_FILENO);
  ::close(ends[0]);
  std::thread writer([&] {
    const auto bytes = test::read_bytes(path);
    EXPECT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(ends[1]);
  });
  auto piped = CodeObjectFile::open("-");
  writer.join();
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ASSERT_TRUE(redirected && piped);
  EXPECT_EQ(contents(*redirected), kBoth);
  EXPECT_EQ(contents(*piped), kBoth);
  EXPECT_EQ(piped->origin(), "standard input");
}

TEST_F(CodeObjectFiles, ListingReadsHeadersOnly) {
  // Damage at the end of a long compressed stream: listing does not get there, loading reports it.
  std::mt19937 random(1);
  std::vector<std::byte> noise(size_t{1} << 20);
  for (std::byte& b : noise) b = static_cast<std::byte>(random());
  second_ = build_.code_object(
      "b.co",
      test::code_object_source({}, "gfx942", 5, ".data\n.incbin \"" + build_.write("noise", noise) + "\"\n"),
      "gfx942");
  auto bytes = test::read_bytes(bundle("c.hipfb", "-compress -compression-level=1"));
  bytes[bytes.size() - 100] ^= std::byte{0xff};
  const auto file = CodeObjectFile::from_memory(bytes, "damaged.hipfb");
  ASSERT_TRUE(file) << file.error().reason;
  EXPECT_EQ(file->entries().size(), 2u);
  const auto object = file->load(1);
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().place, "damaged.hipfb, bundle 0, gfx942");
}

TEST_F(CodeObjectFiles, EntriesThatAreNoCodeAreExplained) {
  build_.write(
      "k.ll",
      std::string("target triple = \"amdgcn-amd-amdhsa\"\ndefine amdgpu_kernel void @k() { ret void }\n"));
  build_.run("llvm-as-22 " + build_.path("k.ll") + " -o " + build_.path("k.bc"));
  const std::string bitcode = build_.path("k.bc");
  const std::string mixed = build_.bundle("mixed", {{"hip-spirv64-amd-amdhsa--amdgcnspirv",
                                                     build_.write("s.spv", std::string("\x03\x02\x23\x07"))},
                                                    {"hipv4-amdgcn-amd-amdhsa--gfx90a", bitcode},
                                                    {"hipv4-amdgcn-amd-amdhsa--gfx942", second_}});
  const CodeObjectFile file = open_file(mixed);
  EXPECT_EQ(contents(file), "gfx942:alpha:beta");
  ASSERT_EQ(file.skipped().size(), 2u);
  EXPECT_NE(file.skipped()[0].find("amdgcnspirv: is no AMDGPU machine code"), std::string::npos)
      << file.skipped()[0];
  EXPECT_NE(file.skipped()[1].find("gfx90a: is LLVM bitcode"), std::string::npos) << file.skipped()[1];

  const std::string only_bitcode = build_.bundle("rdc", {{"hipv4-amdgcn-amd-amdhsa--gfx90a", bitcode}});
  EXPECT_NE(error_of(only_bitcode).reason.find("-fgpu-rdc"), std::string::npos);
  // Inside a compressed bundle that shows on loading.
  const CodeObjectFile packed =
      open_file(build_.bundle("packed", {{"hipv4-amdgcn-amd-amdhsa--gfx90a", bitcode}}, "-compress"));
  const auto object = packed.load(0);
  ASSERT_FALSE(object);
  EXPECT_NE(object.error().reason.find("LLVM bitcode"), std::string::npos);
  // An image of another target than its entry says.
  const CodeObjectFile swapped =
      open_file(build_.bundle("swapped", {{"hipv4-amdgcn-amd-amdhsa--gfx90a", second_}}));
  ASSERT_FALSE(swapped.load(0));
  EXPECT_NE(swapped.load(0).error().reason.find("listed for gfx90a, but holds code for gfx942"),
            std::string::npos);
}

TEST_F(CodeObjectFiles, OtherFilesAreNamed) {
  const auto reason = [&](const std::string& name, const std::string& text) {
    return error_of(build_.write(name, text)).reason;
  };
  EXPECT_NE(reason("i.png", "\x89PNG\r\n\x1a\n0000").find("PNG image"), std::string::npos);
  EXPECT_NE(reason("t.txt", "hello\n").find("text file"), std::string::npos);
  EXPECT_NE(reason("z.gz", "\x1f\x8b\x08").find("gzip"), std::string::npos);
  EXPECT_NE(reason("k.s", ".amdhsa_kernel k\n").find("assembly"), std::string::npos);
  EXPECT_NE(reason("b.txt", "# __CLANG_OFFLOAD_BUNDLE____START__ hip\n").find("bundle of text"),
            std::string::npos);
  EXPECT_NE(reason("r", std::string("\x00\x01\x02\x03", 4)).find("no code object"), std::string::npos);
  EXPECT_EQ(reason("empty", ""), "is empty");
  EXPECT_EQ(error_of(build_.path("")).reason, "is a folder");
  EXPECT_NE(error_of(build_.path("nothing_here")).reason.find("No such file"), std::string::npos);
  EXPECT_NE(error_of("/dev/zero").reason.find("device"), std::string::npos);
  EXPECT_NE(error_of(build_.write("a.a", "!<arch>\n")).reason.find("archive without"), std::string::npos);
  build_.write("host.s", std::string(".text\nf: ret\n"));
  build_.run("llvm-mc-22 -triple=x86_64-unknown-linux-gnu -filetype=obj " + build_.path("host.s") + " -o " +
             build_.path("host.o"));
  EXPECT_EQ(error_of(build_.path("host.o")).reason, "is a host program or library without AMDGPU code");
  EXPECT_NE(error_of(build_.bundle("only_host", {})).reason.find("no entry for an AMDGPU"),
            std::string::npos);
  const Error error = error_of(build_.path("i.png"));
  EXPECT_EQ(error.place, build_.path("i.png"));
}

TEST_F(CodeObjectFiles, ThinArchivesDoNotWaitForPipes) {
  ASSERT_EQ(::mkfifo(build_.path("pipe").c_str(), 0600), 0);
  std::string header = "!<thin>\npipe/           0           0     0     644     5         `\n";
  ASSERT_EQ(header.size(), 68u);
  EXPECT_NE(error_of(build_.write("pipe.a", header)).reason.find("no regular file"), std::string::npos);
}

// Opens, and loads whatever is listed. Nothing may crash, hang or lie outside the file.
void survive(std::vector<std::byte> bytes) {
  const size_t size = bytes.size();
  const auto file = CodeObjectFile::from_memory(std::move(bytes), "damaged");
  if (!file) {
    ASSERT_FALSE(file.error().reason.empty());
    return;
  }
  for (size_t i = 0; i < file->entries().size(); ++i) {
    const CodeObjectEntry& entry = file->entries()[i];
    if (!entry.compressed) {
      ASSERT_LE(entry.offset, size);
      ASSERT_LE(entry.size, size - entry.offset);
    }
    const auto object = file->load(i);
    if (!object) ASSERT_FALSE(object.error().reason.empty());
  }
}

TEST_F(CodeObjectFiles, DamagedInputsNeverCrash) {
  const std::string plain = bundle("u.hipfb", "-bundle-align=1"), packed = bundle("c.hipfb", "-compress"),
                    host = build_.host_object("h.o", plain),
                    strange = build_.host_object("s.o", packed, ".strange");
  build_.run("llvm-ar-22 rcs " + build_.path("l.a") + " " + first_ + " " + strange + " " + packed);
  for (const std::string& path : {plain, packed, host, strange, build_.path("l.a")}) {
    SCOPED_TRACE(path);
    const auto bytes = test::read_bytes(path);
    test::for_each_cut(bytes, std::max<size_t>(1, bytes.size() / 2000), survive);
    test::for_each_damage(bytes, 2000, survive);
  }
}

// Cuts at every length and damage where it hurts: in the headers.
TEST_F(CodeObjectFiles, DamagedHeadersNeverCrash) {
  for (const std::string& path : {bundle("u.hipfb"), bundle("c.hipfb", "-compress")}) {
    SCOPED_TRACE(path);
    auto bytes = test::read_bytes(path);
    constexpr size_t kHeaders = 256;
    for (size_t size = 0; size < kHeaders; ++size) {
      const auto file =
          CodeObjectFile::from_memory({bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size)}, "cut");
      EXPECT_FALSE(file) << size;
    }
    const std::vector<std::byte> front(bytes.begin(), bytes.begin() + kHeaders);
    test::for_each_damage(front, 4000, [&](const std::vector<std::byte>& damaged) {
      std::copy(damaged.begin(), damaged.end(), bytes.begin());
      survive(bytes);
    });
  }
}

}  // namespace
}  // namespace wavecast::isa
