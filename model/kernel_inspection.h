// What can be said of a kernel without running it: instruction mix, loops, code size. Static counts, no time.
// Leaves out: code of functions that the kernel calls, which belongs to no kernel alone.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/code_object.h"
#include "isa/instruction_class.h"
#include "isa/program.h"

namespace wavecast::model {

struct LoopFacts {
  uint64_t address = 0;  // of the header, in the code object
  uint32_t depth = 1;    // 1: outermost
  uint32_t blocks = 0, instructions = 0;
  uint32_t code_bytes = 0;  // of the loop's blocks, inner loops included
};

struct KernelInspection {
  uint32_t first_instruction = 0, last_instruction = 0;  // [first, last) in Program::instructions
  uint32_t instructions = 0, blocks = 0;
  uint64_t code_bytes = 0;
  std::array<uint64_t, isa::kInstructionClassCount> mix{};  // instructions by class
  std::vector<LoopFacts> loops;                             // by address
  std::vector<std::string> not_executable;  // mnemonics that the emulator cannot run yet, sorted
};

// The instructions between the kernel's entry and its end (symbol size, or the next kernel's entry).
KernelInspection inspect_kernel(const isa::CodeObject& code_object, const isa::Kernel& kernel,
                                const isa::Program& program);

}  // namespace wavecast::model
