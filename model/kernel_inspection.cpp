// What can be said of a kernel without running it: instruction mix, loops, code size.
#include "model/kernel_inspection.h"

#include <algorithm>
#include <limits>
#include <set>

namespace wavecast::model {
namespace {

// End of the kernel's code: its symbol's size, else the next kernel's entry, else the end of the text.
uint64_t end_of_code(const isa::CodeObject& code_object, const isa::Kernel& kernel) {
  if (kernel.code_size) return kernel.entry_address + kernel.code_size;
  uint64_t end = std::numeric_limits<uint64_t>::max();
  for (const isa::Kernel& other : code_object.kernels)
    if (other.entry_address > kernel.entry_address) end = std::min(end, other.entry_address);
  return end;
}

uint32_t first_at_or_after(const isa::Program& program, uint64_t address) {
  const auto found = std::lower_bound(
      program.instructions.begin(), program.instructions.end(), address,
      [](const isa::Instruction& instruction, uint64_t wanted) { return instruction.address < wanted; });
  return static_cast<uint32_t>(found - program.instructions.begin());
}

void add_loops(KernelInspection& facts, const isa::Program& program) {
  for (const isa::Loop& loop : program.loops) {
    const uint32_t header = program.blocks[loop.header].first;
    if (header < facts.first_instruction || header >= facts.last_instruction) continue;
    LoopFacts row{program.instructions[header].address, loop.depth, static_cast<uint32_t>(loop.blocks.size()),
                  0, 0};
    for (uint32_t block : loop.blocks) {
      const isa::BasicBlock& body = program.blocks[block];
      row.instructions += body.count;
      for (uint32_t i = 0; i < body.count; ++i) row.code_bytes += program.instructions[body.first + i].size;
    }
    facts.loops.push_back(row);
  }
  std::sort(facts.loops.begin(), facts.loops.end(),
            [](const LoopFacts& a, const LoopFacts& b) { return a.address < b.address; });
}

}  // namespace

KernelInspection inspect_kernel(const isa::CodeObject& code_object, const isa::Kernel& kernel,
                                const isa::Program& program) {
  KernelInspection facts;
  facts.first_instruction = first_at_or_after(program, kernel.entry_address);
  facts.last_instruction = first_at_or_after(program, end_of_code(code_object, kernel));
  std::set<std::string> missing;
  for (uint32_t i = facts.first_instruction; i < facts.last_instruction; ++i) {
    const isa::Instruction& instruction = program.instructions[i];
    ++facts.instructions;
    facts.code_bytes += instruction.size;
    ++facts.mix[static_cast<size_t>(instruction.instruction_class)];
    if (!instruction.execute) missing.emplace(instruction.mnemonic);
  }
  facts.not_executable.assign(missing.begin(), missing.end());
  for (const isa::BasicBlock& block : program.blocks)
    if (block.first >= facts.first_instruction && block.first < facts.last_instruction) ++facts.blocks;
  add_loops(facts, program);
  return facts;
}

}  // namespace wavecast::model
