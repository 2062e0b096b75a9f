// A kernel's code as decoded instructions, with basic blocks and natural loops. Decoded once, shared by all waves.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "isa/code_object.h"
#include "isa/instruction.h"

namespace wavecast::isa {

// Instructions [first, first + count) with one entry and one exit.
struct BasicBlock {
  uint32_t first = 0, count = 0;
  std::vector<uint32_t> successors;  // blocks
  int32_t loop = -1;                 // innermost loop
};

struct Loop {
  uint32_t header = 0;               // block
  std::vector<uint32_t> blocks;
  int32_t parent = -1;
  uint32_t depth = 1;
  uint32_t code_bytes = 0;
};

// The executable code of a code object: all of it, or one kernel with everything that is no other kernel.
struct Program {
  std::string origin;
  Generation generation = Generation::other;
  std::vector<Instruction> instructions;  // by address
  std::vector<BasicBlock> blocks;
  std::vector<Loop> loops;

  // Index of the instruction at an address of the code object, or -1 (not executable, or inside an instruction).
  int64_t index_of(uint64_t address) const;

  uint64_t text_begin = 0;
  std::vector<int32_t> index_by_dword;    // (address - text_begin) / 4 -> index or -1
};

// Decodes every executable segment; with `only`, the code of other kernels is left out (libraries hold thousands, and a
// kernel never calls one). Bytes that are no instruction (padding, data in text) decode to nothing; running into them is
// an error of the emulator. Errors: a target that LLVM MC or the decoder does not know, no executable code.
Expected<std::shared_ptr<const Program>> decode_program(const CodeObject& code_object, const Kernel* only = nullptr);

// One instruction as assembly text, "v_add_u32_e32 v0, s2, v0".
std::string disassemble(const Program& program, const CodeObject& code_object, uint32_t instruction);

}  // namespace wavecast::isa
