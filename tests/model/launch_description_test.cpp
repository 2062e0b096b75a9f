// Launch descriptions: the --arg grammar, launch files with positions of errors, buffer contents against
// closed forms, and the kernarg segment against the layout rules of AMDGPUUsage.
#include "model/launch_description.h"

#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <random>
#include <set>

#include "model/buffer_contents.h"
#include "model/text_parsing.h"

namespace wavecast::model {
namespace {

template <class T>
std::vector<T> contents(const BufferDescription& buffer) {
  std::vector<T> values(buffer.bytes / sizeof(T));
  const auto ok = fill_buffer(buffer, std::as_writable_bytes(std::span(values)));
  EXPECT_TRUE(ok) << (ok ? "" : ok.error().reason);
  return values;
}

template <class T>
std::vector<T> contents(const std::string& argument) {
  LaunchDescription launch;
  const auto ok = add_arguments(launch, {argument});
  EXPECT_TRUE(ok) << argument << ": " << (ok ? "" : ok.error().reason);
  return ok ? contents<T>(launch.buffers.at(0)) : std::vector<T>{};
}

std::vector<uint8_t> value_bytes(const std::string& argument) {
  LaunchDescription launch;
  const auto ok = add_arguments(launch, {argument});
  EXPECT_TRUE(ok) << argument << ": " << (ok ? "" : ok.error().reason);
  std::vector<uint8_t> bytes;
  if (ok)
    for (std::byte byte : launch.arguments.at(0).bytes) bytes.push_back(static_cast<uint8_t>(byte));
  return bytes;
}

Error argument_error(const std::vector<std::string>& arguments) {
  LaunchDescription launch;
  const auto ok = add_arguments(launch, arguments);
  EXPECT_FALSE(ok) << arguments.back();
  return ok ? Error() : ok.error();
}

using Bytes = std::vector<uint8_t>;

TEST(Arguments, ScalarsAreLittleEndianBytesOfTheirType) {
  EXPECT_EQ(value_bytes("u32:4096"), (Bytes{0x00, 0x10, 0x00, 0x00}));
  EXPECT_EQ(value_bytes("i32:-2"), (Bytes{0xfe, 0xff, 0xff, 0xff}));
  EXPECT_EQ(value_bytes("i8:-128"), (Bytes{0x80}));
  EXPECT_EQ(value_bytes("u64:18446744073709551615"), (Bytes(8, 0xff)));
  EXPECT_EQ(value_bytes("i64:-9223372036854775808"), (Bytes{0, 0, 0, 0, 0, 0, 0, 0x80}));
  EXPECT_EQ(value_bytes("i32:0xffffffff"), (Bytes(4, 0xff)));
  EXPECT_EQ(value_bytes("f32:1.5"), (Bytes{0x00, 0x00, 0xc0, 0x3f}));
  EXPECT_EQ(value_bytes("f64:-1"), (Bytes{0, 0, 0, 0, 0, 0, 0xf0, 0xbf}));
  EXPECT_EQ(value_bytes("f16:1"), (Bytes{0x00, 0x3c}));
  EXPECT_EQ(value_bytes("bf16:-2"), (Bytes{0x00, 0xc0}));
  EXPECT_EQ(value_bytes("f32:inf"), (Bytes{0x00, 0x00, 0x80, 0x7f}));
  EXPECT_EQ(value_bytes("hex:0011aaFF"), (Bytes{0x00, 0x11, 0xaa, 0xff}));
}

TEST(Arguments, BuffersNullAndSame) {
  LaunchDescription launch;
  ASSERT_TRUE(add_arguments(launch, {"buf:4KiB", "null", "u32:7", "same:0", "buf:1GiB:zero"}));
  ASSERT_EQ(launch.arguments.size(), 5u);
  ASSERT_EQ(launch.buffers.size(), 2u);
  EXPECT_EQ(launch.buffers[0].bytes, 4096u);
  EXPECT_EQ(launch.buffers[1].bytes, uint64_t{1} << 30);
  EXPECT_EQ(launch.buffers[1].name, "argument 4");
  EXPECT_EQ(launch.arguments[3].buffer, launch.arguments[0].buffer);
  EXPECT_FALSE(launch.arguments[1].buffer);
}

TEST(Arguments, ErrorsNameTheArgumentAndTheGrammar) {
  const Error unknown = argument_error({"u32:1", "int:4"});
  EXPECT_NE(unknown.place.find("argument 1"), std::string::npos) << unknown.place;
  EXPECT_NE(unknown.place.find("int:4"), std::string::npos) << unknown.place;
  EXPECT_NE(unknown.remedy.find("buf:SIZE"), std::string::npos) << unknown.remedy;
  EXPECT_NE(argument_error({"u8:256"}).remedy.find("0 to 255"), std::string::npos);
  EXPECT_NE(argument_error({"i8:128"}).remedy.find("-128 to 127"), std::string::npos);
  EXPECT_NE(argument_error({"buf:4096:random:f31"}).remedy.find("bf16"), std::string::npos);
  EXPECT_NE(argument_error({"buf:10:iota:f32"}).reason.find("10 bytes"), std::string::npos);
  EXPECT_NE(argument_error({"u32:1", "same:0"}).reason.find("no buffer"), std::string::npos);
  for (const char* bad : {"",
                          ":",
                          "u32",
                          "u32:",
                          "u32:x",
                          "u32:-1",
                          "u32:1 ",
                          "f32:",
                          "f32:1.5x",
                          "f16:1e9",
                          "hex:",
                          "hex:0",
                          "hex:0g",
                          "buf:",
                          "buf:0",
                          "buf:-4",
                          "buf:4XiB",
                          "buf:4096:",
                          "buf:4096:random",
                          "buf:4096:random:f32:1",
                          "buf:4096:random:f32:2:1",
                          "buf:4096:random:f32:0:inf",
                          "buf:4096:random:f32:seed=x",
                          "buf:4096:fill:f32",
                          "buf:4096:file:",
                          "buf:99999999999999999999",
                          "buf:17179869184GiB",
                          "same:",
                          "same:0",
                          "same:x",
                          "nul"})
    argument_error({bad});
}

TEST(Contents, IotaCountsAndRestartsWhereTheTypeEnds) {
  const auto words = contents<uint32_t>("buf:64KiB:iota:u32");
  for (uint32_t i = 0; i < words.size(); ++i) ASSERT_EQ(words[i], i);
  const auto bytes = contents<uint8_t>("buf:1024:iota:u8");
  for (size_t i = 0; i < bytes.size(); ++i) ASSERT_EQ(bytes[i], i % 256);
  const auto floats = contents<float>("buf:4096:iota:f32");
  for (size_t i = 0; i < floats.size(); ++i) ASSERT_EQ(floats[i], static_cast<float>(i));
  const auto halves = contents<uint16_t>("buf:8192:iota:f16");  // 4096 elements, integers exact up to 2048
  EXPECT_EQ(halves[1], 0x3c00);
  EXPECT_EQ(halves[2047], 0x67ff);
  EXPECT_EQ(halves[2048], 0x0000);
}

TEST(Contents, FillRepeatsTheValue) {
  for (float value : contents<float>("buf:4096:fill:f32:-2.5")) ASSERT_EQ(value, -2.5f);
  for (uint64_t value : contents<uint64_t>("buf:4096:fill:u64:0xfedcba9876543210"))
    ASSERT_EQ(value, 0xfedcba9876543210u);
  for (uint16_t value : contents<uint16_t>("buf:4096:fill:bf16:1")) ASSERT_EQ(value, 0x3f80);
}

TEST(Contents, RandomIsDeterministicAndDiffersBySeed) {
  const auto one = contents<uint32_t>("buf:64KiB:random:u32:seed=1"),
             again = contents<uint32_t>("buf:64KiB:random:u32:seed=1"),
             two = contents<uint32_t>("buf:64KiB:random:u32:seed=2");
  EXPECT_EQ(one, again);
  EXPECT_EQ(one, contents<uint32_t>("buf:64KiB:random:u32"));  // seed 1 is the default
  EXPECT_NE(one, two);
  // Neighbouring seeds must not be shifted copies of one sequence.
  std::set<uint32_t> values(one.begin(), one.end());
  size_t shared = 0;
  for (uint32_t value : two) shared += values.count(value);
  EXPECT_LT(shared, 4u);  // 2^14 draws of 2^32 against 2^14: 0.06 expected
  // A shorter buffer is the beginning of a longer one.
  const auto prefix = contents<uint32_t>("buf:1028:random:u32:seed=1");
  EXPECT_TRUE(std::equal(prefix.begin(), prefix.end(), one.begin()));
}

// Mean and variance of a uniform distribution, within five standard errors; the ends are never left.
template <class T>
void expect_uniform(const std::string& argument, double low, double high) {
  const auto values = contents<T>(argument);
  double sum = 0, squares = 0;
  for (T raw : values) {
    const double value = static_cast<double>(raw);
    ASSERT_GE(value, low) << argument;
    ASSERT_LE(value, high) << argument;
    sum += value;
    squares += value * value;
  }
  // Variance: width^2 / 12, of integers ((width + 1)^2 - 1) / 12; the variance's own standard error is
  // sqrt(0.8 / n) of it.
  const double n = static_cast<double>(values.size()), mean = sum / n, variance = squares / n - mean * mean;
  const double width = high - low,
               expected = std::is_integral_v<T> ? ((width + 1) * (width + 1) - 1) / 12 : width * width / 12;
  // 8- and 16-bit types draw from 2^16 equal steps, so each value's probability is off by up to 2^-16.
  EXPECT_NEAR(mean, (low + high) / 2, 5 * std::sqrt(expected / n) + width * 0x1p-16) << argument;
  EXPECT_NEAR(variance / expected, 1, 5 * std::sqrt(0.8 / n) + 0x1p-12) << argument;
}

TEST(Contents, RandomIsUniformInItsRange) {
  expect_uniform<float>("buf:1MiB:random:f32", 0, 1);
  expect_uniform<float>("buf:1MiB:random:f32:-3:5:seed=9", -3, 5);
  expect_uniform<double>("buf:2MiB:random:f64:10:11", 10, 11);
  expect_uniform<int32_t>("buf:1MiB:random:i32:-1000:1000", -1000, 1000);
  expect_uniform<uint32_t>("buf:1MiB:random:u32", 0, 4294967295.0);
  expect_uniform<int64_t>("buf:2MiB:random:i64:-5000000000:5000000000", -5e9, 5e9);
  expect_uniform<int8_t>("buf:1MiB:random:i8", -128, 127);
  expect_uniform<int8_t>("buf:1MiB:random:i8:-4:4", -4, 4);
  expect_uniform<uint16_t>("buf:1MiB:random:u16:100:60000", 100, 60000);
}

TEST(Contents, RandomHalvesStayInRange) {
  for (uint16_t bits : contents<uint16_t>("buf:64KiB:random:f16")) ASSERT_LE(bits, 0x3c00);  // 0 to 1
  for (uint16_t bits : contents<uint16_t>("buf:64KiB:random:bf16")) ASSERT_LE(bits, 0x3f80);
  double sum = 0;
  const auto halves = contents<uint16_t>("buf:1MiB:random:f16:-1:1");
  for (uint16_t bits : halves) sum += element_to_double(ElementType::f16, bits);
  EXPECT_NEAR(sum / static_cast<double>(halves.size()), 0, 5 * 0.577 / std::sqrt(double(halves.size())));
}

TEST(Contents, FillingIsFast) {
  // 64 MiB of any type well under a second even on a loaded machine.
  for (const char* type : {"f32", "f16", "i8", "u64"}) {
    BufferDescription buffer{"b", uint64_t{64} << 20, {}};
    buffer.init.kind = BufferInit::Kind::random;
    buffer.init.type = *parse_element_type(type);
    std::vector<std::byte> memory(buffer.bytes);
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(fill_buffer(buffer, memory));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    EXPECT_LT(seconds, 2.0) << type;
    RecordProperty(type, std::to_string(seconds));
  }
}

TEST(Contents, FileMustHaveTheBuffersSize) {
  const std::string path = ::testing::TempDir() + "wavecast_contents.bin";
  std::ofstream(path, std::ios::binary) << "0123456789abcdef";
  EXPECT_EQ(contents<char>("buf:16:file:" + path)[10], 'a');
  for (uint64_t bytes : {8u, 32u}) {
    std::vector<std::byte> memory(bytes);
    BufferDescription buffer{"b", bytes, {}};
    buffer.init.kind = BufferInit::Kind::file;
    buffer.init.path = path;
    const auto ok = fill_buffer(buffer, memory);
    ASSERT_FALSE(ok);
    EXPECT_NE(ok.error().reason.find("16 bytes"), std::string::npos) << ok.error().reason;
  }
}

TEST(Check, TolerancesAndNans) {
  BufferCheck check;
  check.type = ElementType::f32;
  const std::vector<float> want = {1, 100, 0, NAN, 5}, got = {1.001f, 100.05f, 1e-7f, NAN, NAN};
  auto result = compare_elements(check, std::as_bytes(std::span(got)), std::as_bytes(std::span(want)));
  EXPECT_EQ(result.mismatches, 4u);  // all but NaN against NaN
  check.relative_tolerance = 2e-3;
  check.absolute_tolerance = 1e-6;
  result = compare_elements(check, std::as_bytes(std::span(got)), std::as_bytes(std::span(want)));
  EXPECT_EQ(result.mismatches, 1u);
  ASSERT_EQ(result.first.size(), 1u);
  EXPECT_EQ(result.first[0].element, 4u);
  EXPECT_EQ(result.first[0].want, "5");
}

TEST(Check, LargeIntegersDifferEvenIfTheirDoublesAreEqual) {
  BufferCheck check;
  check.type = ElementType::u64;
  const std::vector<uint64_t> want = {uint64_t{1} << 60}, got = {(uint64_t{1} << 60) + 1};
  EXPECT_EQ(compare_elements(check, std::as_bytes(std::span(got)), std::as_bytes(std::span(want))).mismatches,
            1u);
}

TEST(Dimensions, OneToThreePositiveNumbers) {
  EXPECT_EQ(*parse_dim3("4", "--grid"), (isa::Dim3{4, 1, 1}));
  EXPECT_EQ(*parse_dim3("4,5,6", "--grid"), (isa::Dim3{4, 5, 6}));
  for (const char* bad : {"", "0", "1,0", "1,2,3,4", "1,", "x", "-1", "4294967296", "1 2"}) {
    const auto size = parse_dim3(bad, "--grid");
    ASSERT_FALSE(size) << bad;
    EXPECT_NE(size.error().place.find("--grid"), std::string::npos);
  }
}

constexpr const char* kLaunchFile = R"(code_object: gemm.co
kernel: some_asm_gemm
grid: [12, 4, 1]            # work-groups
block: [256, 1, 1]
dynamic_lds: 0
buffers:
  A: { bytes: 320KiB, init: random, type: i8, seed: 1 }
  C: { bytes: 196608, init: zero }
kernarg_size: 208
kernarg:
  - { offset: 0, buffer: C }
  - { offset: 16, buffer: A, buffer_offset: 64 }
  - { offset: 80, null: true }
  - { offset: 96, u32: 64 }
  - { offset: 112, hex: "0011" }
check: { buffer: C, equals: expected.bin, type: bf16, rtol: 1e-2 }
)";

TEST(LaunchFile, ReadsTheDocumentedForm) {
  const auto launch = parse_launch_file(kLaunchFile, "some/folder/launch.yaml");
  ASSERT_TRUE(launch) << launch.error().place << ": " << launch.error().reason;
  EXPECT_EQ(launch->code_object, "some/folder/gemm.co");
  EXPECT_EQ(launch->kernel, "some_asm_gemm");
  EXPECT_EQ(launch->grid, (isa::Dim3{12, 4, 1}));
  EXPECT_EQ(launch->buffers.size(), 2u);
  EXPECT_EQ(launch->buffers[0].bytes, 327680u);
  EXPECT_EQ(launch->buffers[0].init.kind, BufferInit::Kind::random);
  ASSERT_EQ(launch->arguments.size(), 5u);
  EXPECT_EQ(launch->arguments[1].buffer, 0u);
  EXPECT_EQ(launch->arguments[1].buffer_offset, 64u);
  EXPECT_EQ(launch->arguments[2].kind, ArgumentDescription::Kind::null);
  EXPECT_EQ(launch->arguments[3].kernarg_offset, 96u);
  ASSERT_TRUE(launch->check);
  EXPECT_EQ(launch->check->type, ElementType::bf16);
  EXPECT_EQ(launch->check->relative_tolerance, 1e-2);
}

TEST(LaunchFile, ArgumentsMayBeWrittenAsOnTheCommandLine) {
  const auto launch = parse_launch_file(
      "kernel: k\nkernarg: [\"buf:4KiB:iota:f32\", u32:7, same:0, null, {f32: 1.5}]\n", "l.yaml");
  ASSERT_TRUE(launch) << launch.error().place << ": " << launch.error().reason;
  ASSERT_EQ(launch->arguments.size(), 5u);
  EXPECT_EQ(launch->arguments[2].buffer, 0u);
  EXPECT_EQ(launch->arguments[3].kind, ArgumentDescription::Kind::null);
}

// A launch file with one mistake, and where the message must point.
struct Mistake {
  const char* yaml;
  const char* place;   // line:column
  const char* reason;  // part of the reason or remedy
};

TEST(LaunchFile, ErrorsPointAtTheMistake) {
  for (const Mistake& mistake : {
           Mistake{"kernel: k\ngird: [1]\n", ":2:1", "did you mean 'grid'"},
           Mistake{"kernel: k\ngrid: [1, 0]\n", ":2:7", "zero"},
           Mistake{"kernel: k\ngrid: [1, 2, 3, 4]\n", ":2:7", "three"},
           Mistake{"kernel: k\nblock: {x: 1}\n", ":2:8", "list"},
           Mistake{"kernel: k\nkernel: j\n", ":2:1", "twice"},
           Mistake{"buffers:\n  A: { init: zero }\n", ":2:6", "bytes"},
           Mistake{"buffers:\n  A: { bytes: big }\n", ":2:15", "whole number"},
           Mistake{"buffers:\n  A: { bytes: 16, init: randon, type: f32 }\n", ":2:39", "no meaning"},
           Mistake{"buffers:\n  A: { bytes: 16, init: random, type: f33 }\n", ":2:25", "f33"},
           Mistake{"buffers:\n  A: { bytes: 10, init: random, type: f32 }\n", ":2:6", "multiple of 4"},
           Mistake{"buffers:\n  A: { bytes: 16, init: zero, seed: 3 }\n", ":2:37", "seed"},
           Mistake{"buffers:\n  A: { bytes: 16 }\nkernarg:\n  - { buffer: B }\n", ":4:15", "valid: A"},
           Mistake{"kernarg:\n  - { u32: 1, f32: 2 }\n", ":2:15", "both"},
           Mistake{"kernarg:\n  - { u33: 1 }\n", ":2:7", "u32"},
           Mistake{"kernarg:\n  - { u32: -1 }\n", ":2:12", "u32"},
           Mistake{"kernarg:\n  - { offset: 8 }\n", ":2:5", "no value"},
           Mistake{"kernarg:\n  - { offset: 8, u32: 1 }\n  - { u32: 1 }\n", ":3:5", "offset"},
           Mistake{"kernarg_size: 64\nkernarg:\n  - { u32: 1 }\n", ":1:15", "offset"},
           Mistake{"check: { buffer: C, equals: x }\n", ":1:18", "no such buffer"},
           Mistake{"buffers: { C: { bytes: 4 } }\ncheck: { buffer: C, equals: x, rtol: -1 }\n", ":2:38",
                   "rtol"},
           Mistake{"kernel: [\n", ":2:1", "YAML"},
           Mistake{"a: b: c\n", ":1:5", "YAML"},
           Mistake{"- 1\n", ":1:1", "mapping"},
       }) {
    const auto launch = parse_launch_file(mistake.yaml, "l.yaml");
    ASSERT_FALSE(launch) << mistake.yaml;
    const Error& error = launch.error();
    EXPECT_EQ(error.place, std::string("l.yaml") + mistake.place) << mistake.yaml << error.reason;
    EXPECT_NE((error.reason + " " + error.remedy).find(mistake.reason), std::string::npos)
        << mistake.yaml << error.reason << " / " << error.remedy;
  }
}

TEST(LaunchFile, EmptyMissingAndFolder) {
  EXPECT_FALSE(parse_launch_file("", "l.yaml"));
  EXPECT_FALSE(parse_launch_file("kernel: a\n---\nkernel: b\n", "l.yaml"));
  EXPECT_FALSE(load_launch_file(::testing::TempDir() + "wavecast_missing.yaml"));
  EXPECT_FALSE(load_launch_file(::testing::TempDir()));
}

// Whatever the bytes are, the reader answers with a value or an error that has a place and a reason.
void expect_answer(const std::string& text) {
  const auto launch = parse_launch_file(text, "l.yaml");
  if (launch) return;
  EXPECT_FALSE(launch.error().place.empty());
  EXPECT_FALSE(launch.error().reason.empty());
}

TEST(LaunchFile, EveryCutIsAnsweredWithoutACrash) {
  const std::string whole = kLaunchFile;
  for (size_t length = 0; length <= whole.size(); ++length) expect_answer(whole.substr(0, length));
}

TEST(LaunchFile, ThousandsOfDamagedFilesAreAnsweredWithoutACrash) {
  std::mt19937 random(7);
  const std::string whole = kLaunchFile;
  for (int round = 0; round < 6000; ++round) {
    std::string text = whole;
    for (unsigned flips = 1 + random() % 4; flips > 0; --flips)
      text[random() % text.size()] = static_cast<char>(random());
    expect_answer(text);
  }
  expect_answer(std::string(100000, '['));
  expect_answer(std::string(100000, '{'));
  expect_answer("&a [*a, *a]\n");
  expect_answer("kernarg: &a\n  - *a\n");
}

// A kernel as the metadata of "void scale(float*, float, unsigned int)" describes it.
isa::Kernel scale_kernel() {
  isa::Kernel kernel;
  kernel.name = "_Z5scalePffj";
  kernel.demangled = "scale(float*, float, unsigned int)";
  kernel.has_argument_metadata = true;
  kernel.kernarg_segment_size = 272;
  kernel.arguments = {{"", "", "global_buffer", 0, 8},
                      {"", "", "by_value", 8, 4},
                      {"", "", "by_value", 12, 4},
                      {"", "", "hidden_block_count_x", 16, 4}};
  return kernel;
}

Expected<std::vector<std::byte>> lay_out(const std::vector<std::string>& arguments, const isa::Kernel& kernel,
                                         std::vector<uint64_t> addresses = {0x123456789a0000}) {
  LaunchDescription launch;
  const auto ok = add_arguments(launch, arguments);
  EXPECT_TRUE(ok);
  addresses.resize(launch.buffers.size());
  return lay_out_kernarg(launch, kernel, addresses);
}

TEST(Kernarg, FollowsTheMetadata) {
  const auto bytes = lay_out({"buf:4096", "f32:1.5", "u32:7"}, scale_kernel());
  ASSERT_TRUE(bytes) << bytes.error().reason;
  ASSERT_EQ(bytes->size(), 16u);
  uint64_t address = 0;
  float factor = 0;
  uint32_t count = 0;
  std::memcpy(&address, bytes->data(), 8);
  std::memcpy(&factor, bytes->data() + 8, 4);
  std::memcpy(&count, bytes->data() + 12, 4);
  EXPECT_EQ(address, 0x123456789a0000u);
  EXPECT_EQ(factor, 1.5f);
  EXPECT_EQ(count, 7u);
}

struct BadArguments {
  std::vector<std::string> arguments;
  const char* message;  // part of place, reason or remedy
};

TEST(Kernarg, MessagesSayWhatTheKernelTakes) {
  for (const BadArguments& bad :
       {BadArguments{{"buf:4096"}, "kernel takes 3 arguments: float*, float, unsigned int; got 1"},
        BadArguments{{"buf:4096", "f32:1", "u32:1", "u32:1"}, "got 4"},
        BadArguments{{"u64:1", "f32:1", "u32:1"}, "takes a pointer here (float*)"},
        BadArguments{{"buf:4096", "f64:1", "u32:1"}, "takes 4 bytes here (float), 'f64:1' has 8"},
        BadArguments{{"buf:4096", "u32:1", "u32:1"}, "takes float here, 'u32:1' is an integer"},
        BadArguments{{"buf:4096", "f32:1", "f32:1"}, "u32:.., i32:.."},
        BadArguments{{"buf:4096", "same:0", "u32:1"}, "takes a value of 4 bytes"},
        BadArguments{{"buf:4096", "f32:1", "null"}, "argument 2 (null)"}}) {
    const auto bytes = lay_out(bad.arguments, scale_kernel());
    ASSERT_FALSE(bytes) << bad.message;
    const std::string text = bytes.error().place + " " + bytes.error().reason + " " + bytes.error().remedy;
    EXPECT_NE(text.find(bad.message), std::string::npos) << text;
  }
  EXPECT_TRUE(lay_out({"null", "hex:0000803f", "i32:-1"}, scale_kernel()));
}

TEST(Kernarg, MetadataNamesWinOverTheSignature) {
  isa::Kernel kernel = scale_kernel();
  kernel.arguments[0].name = "a";
  kernel.arguments[0].type_name = "double*";
  EXPECT_EQ(describe_arguments(kernel), "double* a, float, unsigned int");
  kernel.demangled = kernel.name = "scale";
  kernel.arguments[0].type_name.clear();
  EXPECT_EQ(describe_arguments(kernel), "pointer a, 4-byte value, 4-byte value");
  // Nothing is known of the types: any scalar of the right size fits.
  EXPECT_TRUE(lay_out({"buf:4096", "u32:1", "f32:1"}, kernel));
}

TEST(Kernarg, TemplateArgumentsAndFunctionPointersDoNotSplitTheSignature) {
  isa::Kernel kernel = scale_kernel();
  kernel.demangled =
      "void scale<float, int>(std::pair<float, int>*, void (*)(int, int), unsigned int) [clone .kd]";
  EXPECT_EQ(argument_types(kernel),
            (std::vector<std::string>{"std::pair<float, int>*", "void (*)(int, int)", "unsigned int"}));
  kernel.demangled = "(anonymous namespace)::scale";
  EXPECT_EQ(argument_types(kernel), (std::vector<std::string>{"", "", ""}));
}

TEST(Kernarg, ExplicitLayoutsPlaceBytesWhereTheySay) {
  isa::Kernel kernel;
  kernel.name = kernel.demangled = "some_asm_gemm";
  const auto launch = parse_launch_file(kLaunchFile, "l.yaml");
  ASSERT_TRUE(launch);
  const auto bytes = lay_out_kernarg(*launch, kernel, {0x10000, 0x20000});
  ASSERT_TRUE(bytes) << bytes.error().reason;
  ASSERT_EQ(bytes->size(), 208u);
  uint64_t c = 0, a = 0;
  uint32_t m = 0;
  std::memcpy(&c, bytes->data(), 8);
  std::memcpy(&a, bytes->data() + 16, 8);
  std::memcpy(&m, bytes->data() + 96, 4);
  EXPECT_EQ(c, 0x20000u);
  EXPECT_EQ(a, 0x10040u);
  EXPECT_EQ(m, 64u);
  EXPECT_EQ((*bytes)[113], std::byte{0x11});
}

TEST(Kernarg, ExplicitLayoutsAreChecked) {
  isa::Kernel kernel;
  kernel.name = kernel.demangled = "asm";
  struct Case {
    const char* yaml;
    const char* message;
  };
  for (const Case& bad : {Case{"kernarg_size: 16\nkernarg: [{offset: 12, u64: 1}]\n", "outside"},
                          Case{"kernarg: [{offset: 0, u64: 1}, {offset: 4, u32: 1}]\n", "overlap"},
                          Case{"kernarg: [{offset: 4000000000, u32: 1}]\n", "4000000004"},
                          Case{"kernarg: [u32:1]\n", "not describe"}}) {
    const auto launch = parse_launch_file(bad.yaml, "l.yaml");
    ASSERT_TRUE(launch) << launch.error().reason;
    const auto bytes = lay_out_kernarg(*launch, kernel, {});
    ASSERT_FALSE(bytes) << bad.yaml;
    EXPECT_NE(bytes.error().reason.find(bad.message), std::string::npos) << bytes.error().reason;
  }
}

hardware::Device small_device() {
  hardware::Device device;
  device.name = "toy";
  device.compute_unit.max_work_group_size.value = hardware::Count(1024);
  device.lds.capacity_per_cu.value = hardware::Bytes(65536);
  return device;
}

TEST(Limits, EachIsNamedWithBothNumbers) {
  isa::Kernel kernel = scale_kernel();
  kernel.max_flat_work_group_size = 512;
  kernel.descriptor.group_segment_fixed_size = 60000;
  LaunchDescription good;
  good.grid = {100, 1, 1};
  good.block = {256, 1, 1};
  EXPECT_TRUE(check_limits(good, kernel, small_device()));
  const auto expect = [&](auto change, const char* message) {
    LaunchDescription launch = good;
    change(launch);
    const auto ok = check_limits(launch, kernel, small_device());
    ASSERT_FALSE(ok) << message;
    EXPECT_NE((ok.error().place + " " + ok.error().reason + " " + ok.error().remedy).find(message),
              std::string::npos)
        << ok.error().reason;
  };
  expect([](auto& l) { l.block = {2048, 1, 1}; }, "toy holds at most 1024");
  expect([](auto& l) { l.block = {1024, 1, 1}; }, "__launch_bounds__(1024)");
  expect([](auto& l) { l.block = {65536, 65536, 65536}; }, "at most 1024");
  expect([](auto& l) { l.grid = {0, 0, 0}; }, "--grid");
  expect([](auto& l) { l.block = {0, 0, 0}; }, "--block");
  expect([](auto& l) { l.grid = {2147483648u, 1, 1}; }, "2147483647");
  expect([](auto& l) { l.grid = {1u << 24, 1, 1}; }, "4294967295");
  expect([](auto& l) { l.grid = {1u << 23, 1u << 30, 1u << 30}; }, "64-bit");
  expect([](auto& l) { l.dynamic_lds = 8192; }, "68192 bytes per work-group (60000 static + 8192 dynamic)");
  kernel.required_work_group_size = {64, 4, 1};
  expect([](auto&) {}, "--block 64,4,1");
}

TEST(Buffers, AreFoundByNameAndArgumentNumber) {
  LaunchDescription launch;
  ASSERT_TRUE(add_arguments(launch, {"u32:1", "buf:16", "buf:32"}));
  EXPECT_EQ(*find_buffer(launch, "argument 2"), 1u);
  EXPECT_EQ(*find_buffer(launch, "1"), 0u);
  EXPECT_FALSE(find_buffer(launch, "0"));
  EXPECT_FALSE(find_buffer(launch, "3"));
  EXPECT_NE(find_buffer(launch, "C").error().remedy.find("argument 1"), std::string::npos);
}

TEST(Text, SizesInBytes) {
  EXPECT_EQ(parse_byte_size("4096"), 4096u);
  EXPECT_EQ(parse_byte_size("64 KiB"), 65536u);
  EXPECT_EQ(parse_byte_size("2GB"), 2000000000u);
  EXPECT_EQ(parse_byte_size("0x10"), 16u);
  EXPECT_FALSE(parse_byte_size("0x1B"));
  EXPECT_FALSE(parse_byte_size("16777216TiB"));
  EXPECT_FALSE(parse_byte_size("KiB"));
}

}  // namespace
}  // namespace wavecast::model
