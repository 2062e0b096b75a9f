// The YAML readers on damaged and hostile text: always a value or an error, never a crash or a hang.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

#include "hardware/device.h"
#include "hardware/embedded_files.h"
#include "hardware/instruction_timing.h"

namespace wavecast::hardware {
namespace {

// Reads the text as both kinds of file; whatever comes back must be usable.
void read_both(const std::string& text) {
  const Expected<Device> device = parse_device(text, "hostile");
  if (device) {
    EXPECT_FALSE(parameter_rows(*device).empty());
  } else {
    EXPECT_FALSE(device.error().reason.empty());
  }
  const Expected<InstructionTiming> timing = parse_instruction_timing(text, "hostile");
  if (!timing) EXPECT_FALSE(timing.error().reason.empty());
}

std::string shipped_text(std::string_view name) {
  for (const EmbeddedFile& file : embedded_files())
    if (file.name == name) return std::string(file.text);
  ADD_FAILURE() << name << " is not embedded";
  return {};
}

TEST(HostileInput, TextCutAnywhere) {
  for (const auto& [name, step] : {std::pair("devices/mi308x.yaml", 1),
                                   {"devices/mi300x.yaml", 61},
                                   {"timing/gfx90a.yaml", 13},
                                   {"timing/gfx942.yaml", 67}}) {
    const std::string text = shipped_text(name);
    for (size_t length = 0; length < text.size(); length += step) read_both(text.substr(0, length));
  }
}

TEST(HostileInput, FlippedBytes) {
  std::mt19937_64 random(20240801);
  for (const auto& [name, rounds] : {std::pair("devices/mi308x.yaml", 1500),
                                     {"devices/mi300x.yaml", 150},
                                     {"timing/gfx90a.yaml", 300},
                                     {"timing/gfx942.yaml", 100}}) {
    const std::string text = shipped_text(name);
    for (int round = 0; round < rounds; ++round) {
      std::string damaged = text;
      for (uint64_t flips = 1 + random() % 8; flips > 0; --flips)
        damaged[random() % damaged.size()] = static_cast<char>(random());
      read_both(damaged);
    }
  }
}

TEST(HostileInput, RandomBytesAndRandomPunctuation) {
  std::mt19937_64 random(7);
  constexpr std::string_view kPunctuation = "{}[]:,-&*!|>'\"%@`?#\n\t ~<=0a";
  for (int round = 0; round < 3000; ++round) {
    std::string text(random() % 300, ' ');
    for (char& c : text)
      c = round % 2 ? static_cast<char>(random()) : kPunctuation[random() % kPunctuation.size()];
    read_both(text);
  }
}

std::string repeated(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

TEST(HostileInput, DeepNestingAliasesAndCycles) {
  const auto start = std::chrono::steady_clock::now();
  for (const char* part :
       {"[", "{", "- ", "{a: ", "? ", "[{", "!", "&a ", "'", "\"", "|\n", "a: &a\n ", "-\n"})
    read_both(repeated(part, 20000));
  std::string deep;
  for (int level = 0; level < 1000; ++level) deep += std::string(level, ' ') + "a:\n";
  read_both(deep);
  read_both("name: &a [*a]\nbased_on: mi300x\n");
  read_both("name: a\nbased_on: mi300x\nl2: &l { hit_latency: *l }\n");
  read_both("name: a\nbased_on: mi300x\nsources: &s { s: *s }\n");
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 60; ++i)
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + ", *a" +
            std::to_string(i - 1) + "]\n";
  read_both(bomb + "matrix: *a59\nlds_read: *a59\n");
  read_both(
      "name: a\nbased_on: mi300x\nl2: { hit_latency: { value: 3 cycles, kind: assumed, source: x y, "
      "uncertainty: 1 %, conflicts: &c [*c, *c] } }\n");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(HostileInput, LongTextIsRefused) {
  const Expected<Device> device = parse_device(std::string(4 << 20, 'a'), "hostile");
  ASSERT_FALSE(device);
  EXPECT_NE(device.error().reason.find("bytes"), std::string::npos);
}

TEST(HostileInput, BasedOnCannotEscapeTheShippedNames) {
  for (const char* name :
       {"../../../etc/passwd", "/dev/zero", "./x.yaml", "mi300x.yaml", "\"\\0\"", "mi300x\\n"}) {
    read_both(std::string("name: a\nbased_on: ") + name + "\n");
    EXPECT_FALSE(parse_device(std::string("name: a\nbased_on: ") + name + "\n", "hostile")) << name;
  }
  EXPECT_FALSE(load_device("/dev/zero"));
  EXPECT_FALSE(load_device("."));
  EXPECT_FALSE(load_device(std::string("mi300x\0", 7)));
}

TEST(HostileInput, OverridesOfAnyBytes) {
  const Device device = load_device("mi300x").value();
  std::mt19937_64 random(3);
  const std::vector<ParameterRow> rows = parameter_rows(device);
  for (int round = 0; round < 5000; ++round) {
    const ParameterRow& row = rows[random() % rows.size()];
    std::string value(random() % 12, ' ');
    for (char& c : value) c = "0123456789.e+-nainf KMGBiHzs/%cyles"[random() % 35];
    const Expected<Device> changed = with_override(device, row.path + "=" + value + " " + row.unit);
    if (!changed) EXPECT_FALSE(changed.error().reason.empty());
  }
}

}  // namespace
}  // namespace wavecast::hardware
