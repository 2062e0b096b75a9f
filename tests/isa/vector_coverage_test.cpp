// Every vector ALU opcode that LLVM decodes for a target must have a row with semantics. Opcodes are found by
// trying every opcode field of every VOP encoding, so a new LLVM with new instructions makes this test say
// which are missing.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "isa/decoder.h"
#include "isa/semantics/semantics.h"

namespace wavecast::isa {
namespace {

// Encodings with harmless operands; variants because some opcodes want VGPR pairs, scalars or VCC in some
// field.
std::vector<std::array<uint32_t, 2>> candidate_words() {
  std::vector<std::array<uint32_t, 2>> words;
  constexpr uint32_t kV2 = 256 + 2, kV6 = 256 + 6, kV8 = 256 + 8;
  for (uint32_t op = 0; op < 256; ++op)
    for (const uint32_t source : {kV2, 8u}) words.push_back({0x3fu << 25 | 4u << 17 | op << 9 | source, 0});
  for (uint32_t op = 0; op < 62; ++op) words.push_back({op << 25 | 4u << 17 | 6u << 9 | kV2, 0x12345});
  for (uint32_t op = 0; op < 256; ++op) words.push_back({0x3eu << 25 | op << 17 | 6u << 9 | kV2, 0});
  for (uint32_t op = 0; op < 1024; ++op)
    for (const uint32_t third : {0u, kV8})
      for (const uint32_t second : {kV6, 0u})
        for (const uint32_t scalar : {0u, 10u << 8})
          words.push_back({0x34u << 26 | op << 16 | scalar | 4, third << 18 | second << 9 | kV2});
  for (uint32_t op = 0; op < 128; ++op)
    for (const uint32_t third : {0u, kV8})
      for (const uint32_t second : {kV6, 0u})
        words.push_back({0x1a7u << 23 | op << 16 | 1u << 14 | 4, 3u << 27 | third << 18 | second << 9 | kV2});
  return words;
}

// What has no semantics on purpose: interpolation of graphics attributes, and a partitioning step of the
// graphics pipe; no compute kernel can meaningfully contain them.
const std::set<std::string_view> kGraphics = {"v_interp_p1ll_f16", "v_interp_p1lv_f16",
                                              "v_interp_p2_legacy_f16", "v_interp_p2_f16",
                                              "v_screen_partition_4se_b32"};

class VectorCoverage : public ::testing::TestWithParam<const char*> {};

TEST_P(VectorCoverage, EveryOpcodeHasSemantics) {
  auto decoder = Decoder::create(TargetId{GetParam()});
  ASSERT_TRUE(decoder);
  std::set<std::string_view> known, missing;
  for (const auto& words : candidate_words()) {
    std::array<std::byte, 16> bytes{};
    std::memcpy(bytes.data(), words.data(), sizeof words);
    Instruction instruction;
    if (!decoder->decode(bytes, 0, instruction) || !instruction.mnemonic.starts_with("v_") ||
        instruction.encoding == Encoding::mai)
      continue;
    known.insert(instruction.mnemonic);
    const SemanticsRow* row = find_semantics(instruction.mnemonic);
    if (row == nullptr || row->execute == nullptr) missing.insert(instruction.mnemonic);
  }
  std::string list;
  for (std::string_view mnemonic : missing)
    if (!kGraphics.contains(mnemonic)) list += " " + std::string(mnemonic);
  EXPECT_EQ(list, "") << "no semantics on " << GetParam();
  EXPECT_GT(known.size(), 400u);  // the search itself works
  RecordProperty("vector_mnemonics", static_cast<int>(known.size()));
}

INSTANTIATE_TEST_SUITE_P(Targets, VectorCoverage, ::testing::Values("gfx908", "gfx90a", "gfx942", "gfx950"),
                         [](const auto& info) { return std::string(info.param); });

// No mnemonic may have two rows: the second would be dead.
TEST(VectorRows, MnemonicsAreUnique) {
  std::set<std::string_view> seen;
  for (auto family : {vop1_rows(), vop2_rows(), vopc_rows(), vop3_rows(), vop3p_rows(), matrix_rows()})
    for (const SemanticsRow& row : family) EXPECT_TRUE(seen.insert(row.mnemonic).second) << row.mnemonic;
  EXPECT_GT(seen.size(), 550u);
}

}  // namespace
}  // namespace wavecast::isa
