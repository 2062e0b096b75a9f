// Occupancy against the tables LLVM 22 prints, AMD's tutorial on an MI250, users' reports; and every advice
// re-evaluated.
#include "model/occupancy.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <sstream>

namespace wavecast::model {
namespace {

using Table = std::vector<std::map<std::string, std::string>>;

Table read_table(const std::string& name) {
  std::ifstream stream(std::string(WAVECAST_SOURCE_DIR) + "/tests/data/" + name);
  EXPECT_TRUE(stream) << name;
  Table table;
  std::vector<std::string> header;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> cells;
    std::istringstream cut(line);
    for (std::string cell; std::getline(cut, cell, ',');) cells.push_back(cell);
    if (header.empty()) {
      header = cells;
      continue;
    }
    std::map<std::string, std::string> row;
    for (size_t i = 0; i < header.size(); ++i) row[header[i]] = cells.at(i);
    table.push_back(std::move(row));
  }
  return table;
}

uint32_t number(const std::map<std::string, std::string>& row, const char* column) {
  return static_cast<uint32_t>(std::stoul(row.at(column)));
}

const hardware::Device& device_of(std::string_view target) {
  static const std::map<std::string, hardware::Device, std::less<>> devices = {
      {"gfx908", hardware::load_device("mi100").value()},
      {"gfx90a", hardware::load_device("mi210").value()},
      {"gfx942", hardware::load_device("mi300x").value()},
      {"gfx950", hardware::load_device("mi355x").value()}};
  return devices.find(target)->second;
}

Occupancy occupancy_of(const ResourceUse& use, std::string_view target) {
  Expected<Occupancy> result = occupancy(use, device_of(target));
  EXPECT_TRUE(result) << result.error().place << ": " << result.error().reason;
  return result ? *std::move(result) : Occupancy{};
}

TEST(OccupancyTables, EqualsLlvmForVgprs) {
  const Table table = read_table("llvm22_vgpr_occupancy.csv");
  ASSERT_EQ(table.size(), 160u);
  for (const auto& row : table) {
    const ResourceUse use{.arch_vgprs = number(row, "NumVgprs"), .accum_vgprs = number(row, "NumAgprs")};
    const Occupancy result = occupancy_of(use, row.at("target"));
    EXPECT_EQ(result.waves_per_simd, number(row, "waves_per_simd_llvm22"))
        << row.at("target") << " " << use.arch_vgprs << "+" << use.accum_vgprs;
    EXPECT_EQ(result.allocated_vgprs, number(row, "NumVGPRsForWavesPerEU"))
        << row.at("target") << " " << use.arch_vgprs << "+" << use.accum_vgprs;
  }
}

TEST(OccupancyTables, EqualsLlvmForSgprs) {
  const Table table = read_table("llvm22_sgpr_occupancy.csv");
  ASSERT_EQ(table.size(), 56u);
  for (const auto& row : table)
    EXPECT_EQ(occupancy_of({.sgprs = number(row, "TotalNumSgprs")}, row.at("target")).waves_per_simd,
              number(row, "waves_per_simd_llvm22"))
        << row.at("target") << " " << row.at("TotalNumSgprs");
}

// LLVM does not round LDS up to the granule, the hardware does. Where rounding changes the bytes, the table's
// answer for those rounded bytes is what we must give; elsewhere its own.
TEST(OccupancyTables, EqualsLlvmForLdsUpToTheGranule) {
  const Table table = read_table("llvm22_lds_wg_occupancy.csv");
  ASSERT_EQ(table.size(), 300u);
  int rounded_rows = 0;
  for (const auto& row : table) {
    const uint32_t bytes = number(row, "lds_bytes"), work_items = number(row, "workgroup_size");
    const Occupancy result =
        occupancy_of({.lds_bytes = bytes, .work_group_size = work_items}, row.at("target"));
    const uint32_t granule = row.at("target") == "gfx950" ? 1280 : 512;
    if (bytes % granule == 0) {
      EXPECT_EQ(result.waves_per_simd, number(row, "waves_per_simd_llvm22"))
          << row.at("target") << " " << work_items << " " << bytes;
      continue;
    }
    ++rounded_rows;
    const uint32_t rounded = (bytes + granule - 1) / granule * granule, waves = work_items / 64;
    EXPECT_EQ(result.allocated_lds_bytes, rounded);
    const uint32_t capacity = row.at("target") == "gfx950" ? 163840 : 65536;
    EXPECT_LE(result.work_groups_per_cu, capacity / rounded);
    EXPECT_LE(result.waves_per_simd, number(row, "waves_per_simd_llvm22"));
    EXPECT_EQ(result.waves_per_simd,
              std::min(number(row, "waves_per_simd_llvm22"), (capacity / rounded * waves + 3) / 4))
        << row.at("target") << " " << work_items << " " << bytes;
  }
  EXPECT_GT(rounded_rows, 10);
}

TEST(Occupancy, LdsIsRoundedToTheGranule) {
  // 13107 B would fit 5 times into 64 KiB; in granules of 512 B it is 13312 B and fits 4 times.
  const Occupancy result = occupancy_of({.lds_bytes = 13107, .work_group_size = 256}, "gfx942");
  EXPECT_EQ(result.allocated_lds_bytes, 13312u);
  EXPECT_EQ(result.work_groups_per_cu, 4u);
  EXPECT_EQ(result.limiter, OccupancyLimiter::lds);
}

// AMD's occupancy tutorial on an MI250 (rocprofiler-compute documentation): of 3328 waves, 104 CUs of 32.
TEST(Occupancy, EqualsTheTutorialMeasuredOnMi250) {
  const auto waves_of_104_cus = [](const ResourceUse& use) {
    return 104 * occupancy_of(use, "gfx90a").waves_per_cu;
  };
  const Occupancy registers =
      occupancy_of({.arch_vgprs = 124, .accum_vgprs = 4, .work_group_size = 256}, "gfx90a");
  EXPECT_EQ(registers.allocated_vgprs, 128u);
  EXPECT_EQ(registers.limiter, OccupancyLimiter::vgpr);
  EXPECT_NEAR(waves_of_104_cus({.arch_vgprs = 124, .accum_vgprs = 4, .work_group_size = 256}), 1661.24, 10);
  EXPECT_NEAR(waves_of_104_cus({.lds_bytes = 65536, .work_group_size = 256}), 415.52, 4);
  EXPECT_NEAR(waves_of_104_cus({.arch_vgprs = 64, .sgprs = 80, .work_group_size = 256}), 3291.76, 40);
  EXPECT_EQ(waves_of_104_cus({}), 3328u);
}

TEST(Occupancy, EqualsWhatUsersReport) {
  const auto waves = [](uint32_t arch, uint32_t accum, const char* target) {
    return occupancy_of({.arch_vgprs = arch, .accum_vgprs = accum}, target).waves_per_simd;
  };
  EXPECT_EQ(waves(5, 128, "gfx942"), 3u);  // openxla/xla pull request 47468: AGPRs share the file
  EXPECT_EQ(waves(36, 32, "gfx950"), 7u);  // ROCm/FlyDSL pull request 1027: 36 + 32 -> 72
  EXPECT_EQ(waves(140, 0, "gfx950"), 3u);  // tile-ai/tilelang pull request 2248
  EXPECT_EQ(waves(154, 0, "gfx950"), 3u);
  EXPECT_EQ(waves(207, 0, "gfx950"), 2u);
  EXPECT_EQ(waves(208, 0, "gfx950"), 2u);  // ROCm/llvm-project issue 795: both variants give 2
  EXPECT_EQ(waves(256, 0, "gfx950"), 2u);
}

TEST(Occupancy, WholeWorkGroupsOnly) {
  // 7 waves per SIMD by registers are 28 per CU: one work-group of 16 waves, 4 per SIMD.
  const Occupancy large = occupancy_of({.arch_vgprs = 72, .work_group_size = 1024}, "gfx942");
  EXPECT_EQ(large.limits.vgpr, 7u);
  EXPECT_EQ(large.work_groups_per_cu, 1u);
  EXPECT_EQ(large.waves_per_simd, 4u);
  // 16 work-groups with a barrier per CU: 2 waves each make 32, just all slots; on gfx908's 40 slots they
  // bind.
  EXPECT_EQ(occupancy_of({.work_group_size = 128}, "gfx942").limiter, OccupancyLimiter::wave_slots);
  EXPECT_EQ(occupancy_of({.work_group_size = 128}, "gfx908").limiter, OccupancyLimiter::work_group_slots);
  EXPECT_EQ(occupancy_of({.work_group_size = 64}, "gfx942").work_groups_per_cu, 32u);
  EXPECT_EQ(occupancy_of({.work_group_size = 65}, "gfx942").waves_per_cu, 32u);
}

TEST(Occupancy, RefusesWhatNoCuHolds) {
  const hardware::Device& mi300x = device_of("gfx942");
  for (const auto& [use, says] : {std::pair(ResourceUse{.arch_vgprs = 257}, "256"),
                                  {ResourceUse{.accum_vgprs = 257}, "256"},
                                  {ResourceUse{.sgprs = 200}, "112"},
                                  {ResourceUse{.lds_bytes = 65537}, "65536"},
                                  {ResourceUse{.work_group_size = 0}, "zero"},
                                  {ResourceUse{.work_group_size = 1025}, "1024"},
                                  {ResourceUse{.arch_vgprs = 256, .work_group_size = 1024}, "2 waves"},
                                  {ResourceUse{.arch_vgprs = 0xffffffff}, "256"},
                                  {ResourceUse{.accum_vgprs = 0xffffffff}, "256"},
                                  {ResourceUse{.sgprs = 0xffffffff}, "112"},
                                  {ResourceUse{.lds_bytes = 0xffffffff}, "65536"},
                                  {ResourceUse{.work_group_size = 0xffffffff}, "1024"}}) {
    const Expected<Occupancy> result = occupancy(use, mi300x);
    ASSERT_FALSE(result) << says;
    EXPECT_NE(result.error().reason.find(says), std::string::npos) << result.error().reason;
    EXPECT_FALSE(result.error().remedy.empty());
  }
}

// Applies one step's sentence to `use`; returns the waves per SIMD it promises.
uint32_t apply_step(const std::string& step, ResourceUse& use) {
  static const std::regex change(
      R"((\d+) (VGPRs|AGPRs|SGPRs|bytes of LDS per work-group) fewer \((\d+) instead of (\d+)\))");
  static const std::regex size(R"(work-groups of (\d+) work-items)");
  static const std::regex promise(R"(would give (\d+) waves per SIMD)");
  std::smatch match;
  for (auto it = std::sregex_iterator(step.begin(), step.end(), change); it != std::sregex_iterator(); ++it) {
    const std::string what = (*it)[2];
    uint32_t& member = what == "VGPRs"   ? use.arch_vgprs
                       : what == "AGPRs" ? use.accum_vgprs
                       : what == "SGPRs" ? use.sgprs
                                         : use.lds_bytes;
    EXPECT_EQ(member, std::stoul((*it)[4])) << step;
    EXPECT_EQ(member - std::stoul((*it)[3]), std::stoul((*it)[1])) << step;
    member = static_cast<uint32_t>(std::stoul((*it)[3]));
  }
  if (std::regex_search(step, match, size)) use.work_group_size = static_cast<uint32_t>(std::stoul(match[1]));
  EXPECT_TRUE(std::regex_search(step, match, promise)) << step;
  return static_cast<uint32_t>(std::stoul(match[1]));
}

TEST(NextSteps, ReadWell) {
  const Occupancy result = occupancy_of({.arch_vgprs = 128, .work_group_size = 256}, "gfx942");
  ASSERT_EQ(result.next_steps.size(), 1u);
  EXPECT_EQ(result.next_steps[0], "32 VGPRs fewer (96 instead of 128) would give 5 waves per SIMD");
}

TEST(NextSteps, AreTrueAndMinimal) {
  std::mt19937_64 random(11);
  int steps_seen = 0;
  for (int round = 0; round < 20000; ++round) {
    const char* target = std::array{"gfx908", "gfx90a", "gfx942", "gfx950"}[random() % 4];
    ResourceUse use{.arch_vgprs = static_cast<uint32_t>(random() % 257),
                    .accum_vgprs = random() % 2 ? 0 : static_cast<uint32_t>(random() % 257),
                    .sgprs = static_cast<uint32_t>(random() % 113),
                    .lds_bytes = random() % 2 ? 0 : static_cast<uint32_t>(random() % 65537),
                    .work_group_size = static_cast<uint32_t>(1 + random() % 1024)};
    const Expected<Occupancy> now = occupancy(use, device_of(target));
    if (!now) continue;
    for (const std::string& step : now->next_steps) {
      ++steps_seen;
      ResourceUse changed = use;
      const uint32_t promised = apply_step(step, changed);
      EXPECT_GT(promised, now->waves_per_simd) << step;
      EXPECT_EQ(occupancy_of(changed, target).waves_per_simd, promised) << target << ": " << step;
      // One register or byte more than advised must not reach it.
      for (const auto member : {&ResourceUse::arch_vgprs, &ResourceUse::accum_vgprs, &ResourceUse::sgprs,
                                &ResourceUse::lds_bytes}) {
        if (changed.*member == use.*member) continue;
        ResourceUse one_more = changed;
        ++(one_more.*member);
        EXPECT_LT(occupancy_of(one_more, target).waves_per_simd, promised) << target << ": " << step;
      }
    }
    const bool full = now->waves_per_simd == now->max_waves_per_simd;
    EXPECT_TRUE(!full || now->next_steps.empty()) << now->next_steps.front();
  }
  EXPECT_GT(steps_seen, 5000);
}

TEST(Occupancy, MoreOfAnythingNeverRaisesIt) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 5000; ++round) {
    const ResourceUse use{.arch_vgprs = static_cast<uint32_t>(random() % 200),
                          .accum_vgprs = static_cast<uint32_t>(random() % 200),
                          .sgprs = static_cast<uint32_t>(random() % 100),
                          .lds_bytes = static_cast<uint32_t>(random() % 60000),
                          .work_group_size = static_cast<uint32_t>(1 + random() % 1024)};
    const Expected<Occupancy> base = occupancy(use, device_of("gfx942"));
    for (const auto member : {&ResourceUse::arch_vgprs, &ResourceUse::accum_vgprs, &ResourceUse::sgprs,
                              &ResourceUse::lds_bytes}) {
      ResourceUse more = use;
      more.*member += 1 + static_cast<uint32_t>(random() % 12);
      const Expected<Occupancy> result = occupancy(more, device_of("gfx942"));
      if (result) {
        ASSERT_TRUE(base);
        EXPECT_LE(result->waves_per_cu, base->waves_per_cu);
      }
    }
  }
}

TEST(ResourcesOf, AddsStaticAndDynamicLds) {
  isa::Kernel kernel;
  kernel.descriptor.group_segment_fixed_size = 1024;
  kernel.arch_vgpr_count = 5;
  kernel.accum_vgpr_count = 128;
  const ResourceUse use = resources_of(kernel, 256, 512);
  EXPECT_EQ(use.lds_bytes, 1536u);
  EXPECT_EQ(use.arch_vgprs, 5u);
  EXPECT_EQ(use.work_group_size, 256u);
  EXPECT_EQ(resources_of(kernel, 64, 0xffffffff).lds_bytes, 0xffffffffu);
}

}  // namespace
}  // namespace wavecast::model
