// Archive headers by hand: the formats' corner cases, and damage. Real archives are in
// code_object_file_test.cpp.
#include "isa/archive.h"

#include <gtest/gtest.h>

#include "support/code_object_inputs.h"

namespace wavecast::isa {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

// A 60-byte header: name[16] date[12] uid[6] gid[6] mode[8] size[10] magic[2].
std::string header(std::string name, const std::string& size) {
  name.resize(16, ' ');
  std::string padded_size = size;
  padded_size.resize(10, ' ');
  return name + "0           0     0     644     " + padded_size + "`\n";
}

TEST(Archives, MembersOfEveryNamingStyle) {
  const std::string text = "!<arch>\n" + header("/", "4") + "abcd" + header("//", "20") +
                           "a_very_long_name.o/\n" + header("short.o/", "3") + "xyz\n" + header("/0", "2") +
                           "hi" + header("#1/8", "12") + std::string("bsd.o\0\0\0", 8) + "data" +
                           header("plain", "0");
  const auto archive = read_archive(bytes_of(text), "l.a");
  ASSERT_TRUE(archive) << archive.error().reason;
  EXPECT_FALSE(archive->thin);
  std::string found;
  for (const ArchiveMember& member : archive->members)
    found += member.name + "=" + text.substr(member.offset, member.size) + ";";
  EXPECT_EQ(found, "short.o=xyz;a_very_long_name.o=hi;bsd.o=data;plain=;");
}

TEST(Archives, ThinMembersHaveNoData) {
  const std::string text =
      "!<thin>\n" + header("//", "14") + "sub/one.o/\nxx\n" + header("/0", "1000000") + header("two.o/", "5");
  const auto archive = read_archive(bytes_of(text), "l.a");
  ASSERT_TRUE(archive) << archive.error().reason;
  EXPECT_TRUE(archive->thin);
  ASSERT_EQ(archive->members.size(), 2u);
  EXPECT_EQ(archive->members[0].name, "sub/one.o");
  EXPECT_EQ(archive->members[1].name, "two.o");
}

TEST(Archives, MalformedHeadersAreRefused) {
  for (const auto& [text, reason] : std::vector<std::pair<std::string, std::string>>{
           {header("a/", "10") + "short", "has 10 bytes by its header, but 5 are left"},
           {header("a/", "9999999999"), "has 9999999999 bytes by its header, but 0 are left"},
           {header("a/", "-1") + "x", "malformed header"},
           {header("a/", "x") + "x", "malformed header"},
           {header("a/", "").substr(0, 40), "truncated header"},
           {header("/5", "0"), "outside the name table"},
           {header("/x", "0"), "outside the name table"},
           {header("#1/9", "4") + "abcd", "malformed name"},
           {header("#1/", "4") + "abcd", "malformed name"}}) {
    const auto archive = read_archive(bytes_of("!<arch>\n" + text), "l.a");
    ASSERT_FALSE(archive) << reason;
    EXPECT_NE(archive.error().reason.find(reason), std::string::npos) << archive.error().reason;
    EXPECT_NE(archive.error().place.find("l.a, archive member at byte 8"), std::string::npos)
        << archive.error().place;
  }
}

TEST(Archives, DamageNeverCrashes) {
  for (const char* magic : {"!<arch>\n", "!<thin>\n"}) {
    const auto bytes =
        bytes_of(magic + header("//", "20") + "a_very_long_name.o/\n" + header("/0", "2") + "hi" +
                 header("#1/8", "12") + "bsd_name" + "data" + header("x.o/", "1") + "x\n");
    const auto check = [&](const std::vector<std::byte>& input) {
      if (!is_archive(input)) return;
      const auto archive = read_archive(input, "l.a");
      if (!archive || archive->thin) return;
      for (const ArchiveMember& member : archive->members) {
        ASSERT_LE(member.offset, input.size());
        ASSERT_LE(member.size, input.size() - member.offset);
      }
    };
    test::for_each_cut(bytes, 1, check);
    test::for_each_damage(bytes, 10000, check);
  }
}

}  // namespace
}  // namespace wavecast::isa
