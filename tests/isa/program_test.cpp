// Decoded programs: addresses, branch targets, blocks and loops of small sources whose structure is known.
#include "isa/program.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/assembler.h"

namespace wavecast::isa {
namespace {

std::shared_ptr<const Program> decode(const CodeObject& code_object) {
  auto program = decode_program(code_object);
  if (!program) throw std::runtime_error(program.error().reason);
  return *program;
}

// Instructions of the kernel only; linkers pad text with s_code_end or zeros.
uint32_t entry_of(const Program& program, const CodeObject& code_object) {
  return static_cast<uint32_t>(program.index_of(code_object.kernels.at(0).entry_address));
}

TEST(Program, ResolvesBranchTargets) {
  const CodeObject code_object = test::assemble(
      test::kernel_source(
          "s_cbranch_scc1 forward\ns_mov_b32 s0, 0x12345678\nforward: s_branch backward\nbackward: s_endpgm",
          "gfx942"),
      "gfx942");
  const auto program = decode(code_object);
  const uint32_t entry = entry_of(*program, code_object);
  const auto& instructions = program->instructions;
  EXPECT_EQ(instructions[entry].branch_target, static_cast<int32_t>(entry + 2));
  EXPECT_EQ(instructions[entry + 1].size, 8);
  EXPECT_EQ(instructions[entry + 2].branch_target, static_cast<int32_t>(entry + 3));
  EXPECT_EQ(program->index_of(instructions[entry + 1].address + 4), -1);  // inside the literal
  EXPECT_EQ(program->index_of(instructions[entry].address + 2), -1);
  EXPECT_EQ(program->index_of(0), -1);
  EXPECT_EQ(disassemble(*program, code_object, entry + 1), "s_mov_b32 s0, 0x12345678");
}

TEST(Program, BytesThatAreNoInstructionDecodeToNothing) {
  const CodeObject code_object = test::assemble(
      test::kernel_source("s_branch over\n.long 0xffffffff\n.long 0xf1234567\nover: s_endpgm", "gfx942"),
      "gfx942");
  const auto program = decode(code_object);
  const uint32_t entry = entry_of(*program, code_object);
  EXPECT_FALSE(program->instructions[entry].next_is_code);
  EXPECT_EQ(program->instructions[entry].branch_target, static_cast<int32_t>(entry + 1));
  EXPECT_EQ(program->index_of(program->instructions[entry].address + 4), -1);
}

TEST(Program, FindsNestedLoops) {
  const CodeObject code_object = test::assemble(test::kernel_source(R"(
    s_mov_b32 s0, 0
  outer:
    s_mov_b32 s1, 0
  inner:
    s_add_u32 s1, s1, 1
    s_cmp_lt_u32 s1, 10
    s_cbranch_scc1 inner
    s_cmp_eq_u32 s0, 3
    s_cbranch_scc1 skip
    s_nop 0
  skip:
    s_add_u32 s0, s0, 1
    s_cmp_lt_u32 s0, 5
    s_cbranch_scc1 outer
    s_endpgm)",
                                                                    "gfx942"),
                                                "gfx942");
  const auto program = decode(code_object);
  ASSERT_EQ(program->loops.size(), 2u);
  const Loop &outer = program->loops[0], &inner = program->loops[1];
  EXPECT_EQ(outer.depth, 1u);
  EXPECT_EQ(inner.depth, 2u);
  EXPECT_EQ(inner.parent, 0);
  EXPECT_EQ(inner.blocks.size(), 1u);
  EXPECT_EQ(outer.blocks.size(), 5u);  // head, inner, if, then, tail
  EXPECT_EQ(inner.code_bytes, 12u);
  EXPECT_EQ(outer.code_bytes, 4u + 12u + 8u + 4u + 12u);
  EXPECT_EQ(program->blocks[inner.header].loop, 1);
  EXPECT_EQ(program->blocks[outer.header].loop, 0);
  const uint32_t entry = entry_of(*program, code_object);
  EXPECT_EQ(program->blocks[program->blocks[0].loop < 0 ? 0 : 1].loop, -1);
  EXPECT_EQ(program->instructions[entry].mnemonic, "s_mov_b32");
}

TEST(Program, EveryInstructionIsInOneBlockAndEdgesLeadToBlocks) {
  const CodeObject code_object =
      test::assemble(test::kernel_source("a: s_cbranch_scc0 c\nb: s_cbranch_vccz a\nc: s_cbranch_execz "
                                         "b\ns_call_b64 s[4:5], f\ns_endpgm\nf: s_setpc_b64 s[4:5]",
                                         "gfx90a"),
                     "gfx90a");
  const auto program = decode(code_object);
  uint32_t covered = 0;
  for (const BasicBlock& block : program->blocks) {
    EXPECT_EQ(block.first, covered);
    covered += block.count;
    for (uint32_t successor : block.successors) EXPECT_LT(successor, program->blocks.size());
    EXPECT_LE(block.successors.size(), 2u);
  }
  EXPECT_EQ(covered, program->instructions.size());
}

TEST(Program, RefusesProcessorsWithoutDecoder) {
  CodeObject code_object = test::assemble(test::kernel_source("s_endpgm", "gfx942"), "gfx942");
  code_object.target.processor = "gfx1100";
  const auto program = decode_program(code_object);
  ASSERT_FALSE(program);
  EXPECT_NE(program.error().place.find("gfx1100"), std::string::npos);
}

}  // namespace
}  // namespace wavecast::isa
