// Target IDs against LLVM's assembler (e_flags) and the AMDGPUUsage tables.
#include "isa/target.h"

#include <gtest/gtest.h>

#include <cstring>

#include "support/code_object_inputs.h"

namespace wavecast::isa {
namespace {

TEST(TargetId, ReadsEveryWayOfWritingOne) {
  struct Case {
    const char* text;
    TargetId expected;
  };
  const Case cases[] = {
      {"gfx942", {"gfx942"}},
      {"gfx90a:xnack-", {"gfx90a", FeatureSetting::unspecified, FeatureSetting::off}},
      {"gfx90a:sramecc+:xnack-", {"gfx90a", FeatureSetting::on, FeatureSetting::off}},
      {"gfx90a:xnack-:sramecc+", {"gfx90a", FeatureSetting::on, FeatureSetting::off}},
      {"amdgcn-amd-amdhsa--gfx908:sramecc-", {"gfx908", FeatureSetting::off}},
      {"hip-amdgcn-amd-amdhsa-gfx906", {"gfx906"}},
      {"hipv4-amdgcn-amd-amdhsa--gfx942:xnack+", {"gfx942", FeatureSetting::unspecified, FeatureSetting::on}},
      {"hipv4-amdgcn-amd-amdhsa--gfx9-4-generic:sramecc+", {"gfx9-4-generic", FeatureSetting::on}},
      {"openmp-amdgcn-amd-amdhsa--gfx10-3-generic", {"gfx10-3-generic"}},
  };
  for (const Case& c : cases) {
    const auto target = parse_target_id(c.text);
    ASSERT_TRUE(target) << c.text << ": " << target.error().reason;
    EXPECT_EQ(*target, c.expected) << c.text;
    EXPECT_EQ(*parse_target_id(to_string(*target)), *target);
  }
}

TEST(TargetId, RefusesWhatIsNone) {
  for (const char* text : {"", "host-x86_64-unknown-linux--", "gfx", "gfx94x", "gfx942:", "gfx942:xnack",
                           "gfx942:+", "gfx942:tgsplit+", "gfx942:xnack+:xnack-",
                           "gfx942:xnack+:", "hip-amdgcn-amd-amdhsa--", "sm_90", "gfx-generic-", "Gfx942"}) {
    const auto target = parse_target_id(text);
    ASSERT_FALSE(target) << text;
    EXPECT_FALSE(target.error().reason.empty());
    EXPECT_NE(target.error().remedy.find("gfx942"), std::string::npos);
  }
}

// The assembler writes e_flags for each processor and feature setting; reading them back must give the same
// target.
class ElfFlags : public testing::TestWithParam<int> {};

TEST_P(ElfFlags, AreWhatTheAssemblerWrites) {
  const int version = GetParam();
  const test::InputBuilder build;
  std::vector<std::string> targets = {"gfx900:xnack-",
                                      "gfx906:sramecc+:xnack-",
                                      "gfx906:sramecc-:xnack+",
                                      "gfx908:sramecc+:xnack+",
                                      "gfx908:sramecc-:xnack-",
                                      "gfx90a:sramecc+:xnack-",
                                      "gfx90a:sramecc-:xnack+",
                                      "gfx942:sramecc+:xnack-",
                                      "gfx950:sramecc-:xnack+",
                                      "gfx1010:xnack+",
                                      "gfx1030",
                                      "gfx1100",
                                      "gfx803",
                                      "gfx90a",
                                      "gfx908:xnack+",
                                      "gfx942:sramecc-",
                                      "gfx942",
                                      "gfx1201"};
  if (version >= 6)
    for (const char* target : {"gfx9-4-generic:sramecc+:xnack-", "gfx9-generic", "gfx10-1-generic:xnack-",
                               "gfx10-3-generic", "gfx11-generic", "gfx12-generic"})
      targets.push_back(target);
  for (const std::string& target : targets) {
    const auto bytes =
        test::read_bytes(build.object("t.o",
                                      ".amdgcn_target \"amdgcn-amd-amdhsa--" + target +
                                          "\"\n.amdhsa_code_object_version " + std::to_string(version) + "\n",
                                      target));
    constexpr size_t kFlagsAt = 48;  // e_flags of an ELF-64 header
    ASSERT_GT(bytes.size(), kFlagsAt + 4);
    uint32_t flags = 0;
    std::memcpy(&flags, bytes.data() + kFlagsAt, sizeof(flags));
    const auto read = target_of_elf_flags(flags, version);
    ASSERT_TRUE(read) << target;
    EXPECT_EQ(to_string(*read), target) << "v" << version;
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, ElfFlags, testing::Values(4, 5, 6));

// LLVM 22 no longer writes v3, so these are AMDGPUUsage's numbers: machine | 0x100 xnack | 0x200 sramecc.
TEST(ElfFlagsOfVersion3, HaveOneBitPerFeature) {
  EXPECT_EQ(to_string(*target_of_elf_flags(0x02f, 3)), "gfx906:sramecc-:xnack-");
  EXPECT_EQ(to_string(*target_of_elf_flags(0x12f, 3)), "gfx906:sramecc-:xnack+");
  EXPECT_EQ(to_string(*target_of_elf_flags(0x230, 3)), "gfx908:sramecc+:xnack-");
  EXPECT_EQ(to_string(*target_of_elf_flags(0x33f, 3)), "gfx90a:sramecc+:xnack+");
  EXPECT_EQ(to_string(*target_of_elf_flags(0x02a, 3)), "gfx803");
  EXPECT_EQ(to_string(*target_of_elf_flags(0x036, 3)), "gfx1030");
}

TEST(ElfFlagsOfUnknownMachines, AreNothing) {
  EXPECT_FALSE(target_of_elf_flags(0x00, 5));  // EF_AMDGPU_MACH_NONE
  EXPECT_FALSE(target_of_elf_flags(0x01, 5));  // R600
  EXPECT_FALSE(target_of_elf_flags(0xff, 5));
}

TEST(Generations, AreTheEmulatedProcessors) {
  EXPECT_EQ(generation_of("gfx908"), Generation::gfx908);
  EXPECT_EQ(generation_of("gfx90a"), Generation::gfx90a);
  EXPECT_EQ(generation_of("gfx942"), Generation::gfx942);
  EXPECT_EQ(generation_of("gfx950"), Generation::gfx950);
  EXPECT_EQ(generation_of("gfx1100"), Generation::other);
  EXPECT_EQ(generation_of(""), Generation::other);
}

TEST(RunsOn, EqualProcessorsAndGenericTargets) {
  EXPECT_TRUE(runs_on({"gfx942"}, "gfx942"));
  EXPECT_FALSE(runs_on({"gfx90a"}, "gfx942"));
  EXPECT_FALSE(runs_on({"gfx942"}, "gfx950"));
  EXPECT_TRUE(runs_on({"gfx9-4-generic"}, "gfx942"));
  EXPECT_TRUE(runs_on({"gfx9-4-generic"}, "gfx950"));
  EXPECT_FALSE(runs_on({"gfx9-4-generic"}, "gfx90a"));
  EXPECT_TRUE(runs_on({"gfx9-generic"}, "gfx906"));
  for (const char* cdna : {"gfx908", "gfx90a", "gfx942", "gfx950"})
    EXPECT_FALSE(runs_on({"gfx9-generic"}, cdna)) << cdna;
  EXPECT_FALSE(runs_on({"gfx942"}, ""));
  EXPECT_FALSE(runs_on({""}, ""));
}

}  // namespace
}  // namespace wavecast::isa
