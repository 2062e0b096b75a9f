// Devices: shipped files against published counts and against each other, the loader's errors, inheritance,
// overrides.
#include "hardware/device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "hardware/embedded_files.h"
#include "hardware/instruction_timing.h"

namespace wavecast::hardware {
namespace {

Device shipped(std::string_view name) {
  Expected<Device> device = load_device(name);
  EXPECT_TRUE(device) << device.error().place << ": " << device.error().reason;
  return device ? *std::move(device) : Device{};
}

std::string describe(const Error& error) { return error.place + " | " + error.reason + " | " + error.remedy; }

testing::AssertionResult contains(const std::string& text, std::string_view part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

TEST(ShippedDevices, AllLoadAndAreNamedAfterTheirFile) {
  EXPECT_EQ(device_names(), (std::vector<std::string>{"mi100", "mi210", "mi250x", "mi300a", "mi300x",
                                                      "mi308x", "mi325x", "mi350x", "mi355x"}));
  for (const std::string& name : device_names()) {
    const Device device = shipped(name);
    EXPECT_EQ(device.name, name);
    EXPECT_TRUE(load_instruction_timing(device.target)) << device.target;
  }
}

TEST(ShippedDevices, EveryParameterSaysWhereItComesFrom) {
  for (const std::string& name : device_names())
    for (const ParameterRow& row : parameter_rows(shipped(name))) {
      EXPECT_FALSE(row.provenance.source.empty()) << name << " " << row.path;
      if (row.provenance.kind != ParameterKind::assumed) continue;
      EXPECT_GT(row.provenance.conditions.size(), 5u)
          << name << " " << row.path << ": an assumption without a reason";
    }
}

// AMD's GPU specification tables (ROCm documentation, gpu-arch-specs): CUs, L2 in all XCDs, Infinity Cache,
// memory, LDS per CU.
TEST(ShippedDevices, AgreeWithTheSpecificationTables) {
  struct Row {
    const char* name;
    double cus, l2_mib, infinity_cache_mib, memory_gib, lds_kib;
  };
  for (const Row& row : {Row{"mi100", 120, 8, 0, 32, 64}, Row{"mi210", 104, 8, 0, 64, 64},
                         Row{"mi250x", 110, 8, 0, 64, 64}, Row{"mi300a", 228, 24, 256, 128, 64},
                         Row{"mi300x", 304, 32, 256, 192, 64}, Row{"mi325x", 304, 32, 256, 256, 64},
                         Row{"mi350x", 256, 32, 256, 288, 160}, Row{"mi355x", 256, 32, 256, 288, 160}}) {
    const Device device = shipped(row.name);
    const double xcds = device.topology.xcds->value();
    EXPECT_EQ(xcds * device.topology.cus_per_xcd->value(), row.cus) << row.name;
    EXPECT_EQ(xcds * device.l2.capacity_per_xcd->value() / (1 << 20), row.l2_mib) << row.name;
    EXPECT_EQ(device.infinity_cache.capacity_per_device->value() / (1 << 20), row.infinity_cache_mib)
        << row.name;
    EXPECT_EQ(device.hbm.capacity_per_device->value() / (1 << 30), row.memory_gib) << row.name;
    EXPECT_EQ(device.lds.capacity_per_cu->value() / 1024, row.lds_kib) << row.name;
    // The documented 128 B/cycle of LDS, 256 on gfx950.
    EXPECT_EQ(device.lds.request_ports_per_cu->value() * device.lds.bandwidth_per_port->value(),
              row.lds_kib == 160 ? 256 : 128)
        << row.name;
  }
}

TEST(ShippedDevices, LatenciesGrowWithDistance) {
  for (const std::string& name : device_names()) {
    const Device device = shipped(name);
    const Hertz clock = *device.clock.peak;
    const double l1 = to_time(*device.vector_l1.hit_latency, clock).value(),
                 l2 = to_time(*device.l2.hit_latency, clock).value();
    EXPECT_LT(l1, l2) << name;
    EXPECT_LT(l2, device.hbm.latency->value()) << name;
    if (device.infinity_cache.capacity_per_device->value() == 0) continue;
    EXPECT_LT(l2, device.infinity_cache.hit_latency->value()) << name;
    EXPECT_LT(device.infinity_cache.hit_latency->value(), device.hbm.latency->value()) << name;
  }
}

TEST(ShippedDevices, MeasurementsOfAnotherProductAreAssumptions) {
  const Device mi325x = shipped("mi325x");
  EXPECT_EQ(shipped("mi300x").tlb.miss_latency.provenance.kind, ParameterKind::measured);
  EXPECT_EQ(mi325x.tlb.miss_latency.provenance.kind, ParameterKind::assumed);
  EXPECT_TRUE(contains(mi325x.tlb.miss_latency.provenance.conditions, "mi300x"));
  EXPECT_EQ(mi325x.l2.hit_latency.provenance.kind, ParameterKind::measured);
}

TEST(ShippedDevices, KeepConflictingSourcesVisible) {
  const auto& conflicts = shipped("mi300x").l2.hit_latency.provenance.conflicts;
  EXPECT_TRUE(std::any_of(conflicts.begin(), conflicts.end(), [](const ConflictingValue& c) {
    return c.value == "288 cycles" && contains(c.source, "mt4g");
  }));
}

TEST(LoadDevice, UnknownNameSuggestsCloseOnes) {
  const Expected<Device> device = load_device("mi30x");
  ASSERT_FALSE(device);
  EXPECT_TRUE(contains(device.error().remedy, "mi300x"));
  EXPECT_FALSE(load_device(""));
  EXPECT_FALSE(load_device("/does/not/exist.yaml"));
  EXPECT_FALSE(load_device("/"));
}

TEST(ParseDevice, ErrorsNameLineAndColumnAndTheAlternatives) {
  struct Case {
    const char* text;
    const char* place;
    const char* says;
  };
  for (const Case& c : {
           Case{"name: a\nbased_on: mi300x\nl2:\n  hit_latensy: 3 cycles\n", "f:4:3", "hit_latency"},
           Case{"name: a\nbased_on: mi300x\nl2x:\n  hit_latency: 3 cycles\n", "f:3:1", "l2"},
           Case{"name: a\nbased_on: mi300x\nl2:\n  hit_latency: 3 MiB\n", "f:4:16", "cycles"},
           Case{"name: a\nbased_on: mi300x\nl2:\n  hit_latency: [3]\n", "f:4:16", "mapping"},
           Case{"name: a\nbased_on: mi300x\nl2:\n  hit_latency: { value: 3 cycles, kind: guessed, source: me "
                "}\n",
                "f:4:41", "assumed"},
           Case{"name: a\nbased_on: mi300x\nl2:\n  hit_latency: { value: 3 cycles, kind: measured, source: "
                "my bench }\n",
                "f:4:16", "uncertainty"},
           Case{"name: a\nbased_on: mi300x\nl2:\n  hit_latency: { value: 3 cycles, kind: datasheet, source: "
                "speks }\n",
                "f:4:60", "specs"},
           Case{"name: a\nbased_on: mi300x\nl2:\n  hit_latency: { value: 3 cycles, source: specs }\n",
                "f:4:16", "kind"},
           Case{"name: a\nbased_on: mi3000x\n", "f:2:11", "mi300x"},
           Case{"name: a\nbased_on: mi300x\nname: b\n", "f:3:1", "twice"},
           Case{"name: a\nbased_on: mi300x\nl2: 3\n", "f:3:5", "mapping"},
           Case{"name: [a\nbased_on: mi300x\n", "f:", "YAML"},
           Case{"- a\n", "f:1:1", "mapping"},
           Case{"", "f", "empty"},
           Case{"name: a\n---\nname: b\n", "f", "several"},
           Case{"based_on: mi300x\n", "f", "name"},
       }) {
    const Expected<Device> device = parse_device(c.text, "f");
    ASSERT_FALSE(device) << c.text;
    EXPECT_TRUE(device.error().place.starts_with(c.place)) << c.text << "\n" << describe(device.error());
    EXPECT_TRUE(contains(describe(device.error()), c.says)) << c.text;
  }
}

TEST(ParseDevice, ListsWhatIsMissing) {
  const Expected<Device> device = parse_device("name: a\ntarget: gfx942\nclock: { peak: 1 GHz }\n", "f");
  ASSERT_FALSE(device);
  for (const char* path : {"topology.xcds", "hbm.latency", "clock.board_power"})
    EXPECT_TRUE(contains(device.error().reason, path));
  EXPECT_FALSE(contains(device.error().reason, "clock.peak"));
}

TEST(ParseDevice, RefusesValuesNoModelCanComputeWith) {
  for (const char* change :
       {"topology: { xcds: 0 }", "topology: { xcds: -8 }", "topology: { xcds: 1.5 }",
        "topology: { cus_per_xcd: 1e300 }", "clock: { peak: 0 Hz }", "clock: { peak: -1 GHz }",
        "l2: { line: 100 B }", "l2: { capacity_per_xcd: 1024 B }", "l2: { capacity_per_xcd: 1000 TiB }",
        "l2: { channels_per_xcd: 1000000 }", "l2: { channel_interleave: 64 B }",
        "hbm: { read_efficiency: 120 % }", "compute_unit: { vgprs_unified: 2 }",
        "compute_unit: { vgpr_granule: 1024 }", "lds: { allocation_granule: 128 KiB }",
        "infinity_cache: { read_bandwidth_per_device: 0 B/s }", "vector_l1: { hit_latency: nan cycles }",
        "vector_l1: { hit_latency: -1 cycles }"}) {
    const Expected<Device> device =
        parse_device(std::string("name: a\nbased_on: mi300x\n") + change + "\n", "f");
    EXPECT_FALSE(device) << change;
  }
}

TEST(ParseDevice, BasedOnKeepsTheRest) {
  const Expected<Device> device =
      parse_device("name: variant\nbased_on: mi300x\nl2:\n  capacity_per_xcd: 8 MiB\n", "f");
  ASSERT_TRUE(device) << describe(device.error());
  EXPECT_EQ(device->name, "variant");
  EXPECT_EQ(device->target, "gfx942");
  std::vector<std::string> changed;
  const std::vector<ParameterRow> before = parameter_rows(shipped("mi300x")), after = parameter_rows(*device);
  for (size_t i = 0; i < before.size(); ++i)
    if (before[i].number != after[i].number) changed.push_back(after[i].path);
  EXPECT_EQ(changed, std::vector<std::string>{"l2.capacity_per_xcd"});
}

TEST(LoadDevice, FilesMayBaseOnFilesButNotInACircle) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "wavecast_device_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "a.yaml") << "name: a\nbased_on: ./b.yaml\n";
  std::ofstream(folder / "b.yaml") << "name: b\nbased_on: ./a.yaml\n";
  std::ofstream(folder / "c.yaml") << "name: c\nbased_on: ./d.yaml\n";
  std::ofstream(folder / "d.yaml") << "name: d\nbased_on: mi210\nclock: { peak: 1 GHz }\n";
  const Expected<Device> circle = load_device((folder / "a.yaml").string());
  ASSERT_FALSE(circle);
  EXPECT_TRUE(contains(circle.error().reason, "circle"));
  const Expected<Device> chain = load_device((folder / "c.yaml").string());
  ASSERT_TRUE(chain) << describe(chain.error());
  EXPECT_EQ(chain->clock.peak->value(), 1e9);
  std::filesystem::remove_all(folder);
}

TEST(WithOverride, ChangesOneParameterAndSaysSo) {
  const Device before = shipped("mi300x");
  const Expected<Device> after = with_override(before, "l2.capacity_per_xcd=8MiB");
  ASSERT_TRUE(after);
  EXPECT_EQ(after->l2.capacity_per_xcd->value(), 8 << 20);
  EXPECT_TRUE(after->l2.capacity_per_xcd.provenance.overridden);
  EXPECT_EQ(after->l2.capacity_per_xcd.provenance.conflicts.back().value, "4 MiB");
}

TEST(WithOverride, ErrorsListCloseParameters) {
  const Device device = shipped("mi300x");
  const Expected<Device> unknown = with_override(device, "l2.capacity=8MiB");
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(contains(unknown.error().remedy, "l2.capacity_per_xcd"));
  EXPECT_TRUE(contains(with_override(device, "hit_latency=1cycles").error().remedy, "l2.hit_latency"));
  EXPECT_FALSE(with_override(device, "l2.capacity_per_xcd"));
  EXPECT_FALSE(with_override(device, "l2.capacity_per_xcd=8"));
  EXPECT_FALSE(with_override(device, "l2.capacity_per_xcd=0 B"));
  EXPECT_FALSE(with_override(device, "clock.peak=-1GHz"));
  EXPECT_FALSE(with_override(device, ""));
}

TEST(ParameterRows, ListEveryParameterOnceAndReadBack) {
  const Device device = shipped("mi300x");
  std::set<std::string> paths;
  for (const ParameterRow& row : parameter_rows(device)) {
    EXPECT_TRUE(paths.insert(row.path).second) << row.path;
    EXPECT_EQ(parse_quantity(row.value, row.unit).value(), row.number) << row.path;
  }
  EXPECT_TRUE(paths.contains("l2.hit_latency"));
}

}  // namespace
}  // namespace wavecast::hardware
