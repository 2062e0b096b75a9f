// The MessagePack metadata reader on hand-written notes: what the AMDGPUUsage tables allow, and what a
// hostile file does. Byte values are those of the MessagePack specification.
#include "isa/metadata_note.h"

#include <gtest/gtest.h>

#include "support/code_object_inputs.h"

namespace wavecast::isa {
namespace {

// A small MessagePack writer, written from the specification.
std::string map(size_t pairs) { return std::string(1, static_cast<char>(0x80 | pairs)); }
std::string array(size_t items) { return std::string(1, static_cast<char>(0x90 | items)); }
std::string text(const std::string& value) {
  return std::string("\xd9") + static_cast<char>(value.size()) + value;
}
std::string number(uint32_t value) {
  std::string out = "\xce";
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
  return out;
}

Expected<CodeObjectMetadata> parse(const std::string& note) {
  const auto* bytes = reinterpret_cast<const std::byte*>(note.data());
  const std::vector<std::byte> exact(bytes, bytes + note.size());
  return parse_metadata(exact, "k.co");
}

std::string with_kernel(const std::string& kernel) {
  return map(1) + text("amdhsa.kernels") + array(1) + kernel;
}

TEST(MetadataNote, ReadsKernelsAndSkipsUnknownKeys) {
  const std::string kernel = map(6) + text(".name") + text("k") + text(".future") + map(1) + text("deep") +
                             array(2) + "\xc0" + "\xc3" + text(".vgpr_count") + number(100000) +
                             text(".sgpr_count") + "\x10" + text(".uses_dynamic_stack") + "\xc3" +
                             text(".args") + array(1) + map(3) + text(".value_kind") + text("by_value") +
                             text(".offset") + "\x08" + text(".size") + std::string("\xcd\x01\x00", 3);
  const auto metadata = parse(map(2) + text("amdhsa.target") + text("amdgcn-amd-amdhsa--gfx942") +
                              text("amdhsa.kernels") + array(1) + kernel);
  ASSERT_TRUE(metadata) << metadata.error().reason;
  EXPECT_EQ(metadata->target, "amdgcn-amd-amdhsa--gfx942");
  ASSERT_EQ(metadata->kernels.size(), 1u);
  const KernelMetadata& read = metadata->kernels[0];
  EXPECT_EQ(read.name, "k");
  EXPECT_EQ(read.vgpr_count, 100000u);
  EXPECT_EQ(read.sgpr_count, 16u);
  EXPECT_EQ(read.uses_dynamic_stack, true);
  EXPECT_FALSE(read.agpr_count);
  ASSERT_TRUE(read.arguments);
  EXPECT_EQ(read.arguments->at(0).offset, 8u);
  EXPECT_EQ(read.arguments->at(0).size, 256u);
}

TEST(MetadataNote, RefusesWrongTypesAndRanges) {
  const std::string k = ".name";
  for (const auto& [note, reason] : std::vector<std::pair<std::string, std::string>>{
           {"", "ends"},
           {array(0), "root is no map"},
           {map(1) + "\x01\x01", "key that is no string"},
           {map(1) + array(1) + "\x01\x01", "key that is no string"},
           {map(1) + text("amdhsa.kernels") + map(0), "amdhsa.kernels is no array"},
           {with_kernel(text("k")), "a kernel is no map"},
           {with_kernel(map(1) + text(".name") + "\x01"), ".name is no string"},
           {with_kernel(map(1) + text(".vgpr_count") + "\xff"), ".vgpr_count is no 32-bit unsigned"},  // -1
           {with_kernel(map(1) + text(".vgpr_count") + std::string("\xcf\0\0\0\1\0\0\0\0", 9)),
            ".vgpr_count is no 32-bit unsigned"},
           {with_kernel(map(1) + text(".vgpr_count") + text("8")), ".vgpr_count is no 32-bit unsigned"},
           {with_kernel(map(1) + text(".reqd_workgroup_size") + array(2) + "\x01\x01"), "has 2 dimensions"},
           {with_kernel(map(1) + text(".reqd_workgroup_size") + array(4) + "\x01\x01\x01\x01"),
            "more than three"},
           {with_kernel(map(1) + text(".args") + array(1) + "\x01"), "a kernel argument is no map"},
           {with_kernel(map(0)), "no .name and no .symbol"},
           {with_kernel(map(1) + text(".args") + array(1) + map(0)), "lacks .offset, .size or .value_kind"},
           {map(1) + text("amdhsa.kernels") + std::string("\xdd\xff\xff\xff\xff", 5), "ends inside"},
           {std::string("\xdf\xff\xff\xff\xff", 5), "ends inside"}}) {
    const auto metadata = parse(note);
    ASSERT_FALSE(metadata) << reason;
    EXPECT_NE(metadata.error().reason.find(reason), std::string::npos)
        << metadata.error().reason << " / " << reason;
    EXPECT_NE(metadata.error().place.find("k.co"), std::string::npos);
    EXPECT_FALSE(metadata.error().remedy.empty());
  }
}

TEST(MetadataNote, DeepNestingCostsNothing) {
  // A million arrays inside each other, as an unknown value: legal, and skipped without recursion.
  const std::string deep(1000000, '\x91');
  const auto legal = parse(map(2) + text("x") + deep + "\xc0" + text("amdhsa.target") + text("t"));
  ASSERT_TRUE(legal) << legal.error().reason;
  EXPECT_EQ(legal->target, "t");
  EXPECT_FALSE(parse(map(1) + text("x") + deep));
  // Arrays of 2^32-1 elements each: the count of values due must not wrap around to an early end.
  std::string wide;
  for (int i = 0; i < 100; ++i) wide += std::string("\xdd\xff\xff\xff\xff", 5);
  EXPECT_FALSE(parse(map(1) + text("x") + wide));
  std::string maps;
  for (int i = 0; i < 100; ++i) maps += std::string("\xdf\xff\xff\xff\xff", 5);
  EXPECT_FALSE(parse(map(1) + text("x") + maps));
}

TEST(MetadataNote, DamageNeverCrashes) {
  const std::string argument = map(3) + text(".offset") + "\x08" + text(".size") + "\x08" +
                               text(".value_kind") + text("global_buffer");
  const std::string note = with_kernel(map(4) + text(".name") + text("k") + text(".vgpr_count") + number(64) +
                                       text(".reqd_workgroup_size") + array(3) + "\x01\x02\x03" +
                                       text(".args") + array(2) + argument + argument);
  ASSERT_TRUE(parse(note));
  const auto* begin = reinterpret_cast<const std::byte*>(note.data());
  const std::vector<std::byte> bytes(begin, begin + note.size());
  test::for_each_cut(bytes, 1,
                     [](const std::vector<std::byte>& cut) { EXPECT_FALSE(parse_metadata(cut, "cut")); });
  int refused = 0;
  test::for_each_damage(bytes, 20000, [&](const std::vector<std::byte>& damaged) {
    refused += !parse_metadata(damaged, "damaged");
  });
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace wavecast::isa
