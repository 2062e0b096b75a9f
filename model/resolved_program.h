// A program joined with the timing of its target: per static instruction, which unit takes it, for how long,
// and what a dependent instruction waits for. The only place where isa and hardware meet: instruction class x
// gfx target. Leaves out: what depends on addresses (caches, bank conflicts) and on other waves.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hardware/instruction_timing.h"
#include "isa/program.h"
#include "model/error.h"

namespace wavecast::model {

// Issue ports of a CU: one instruction of each per cycle, from different waves of the SIMD whose turn it is.
enum class IssuePort : uint8_t { valu, scalar, vector_memory, lds, branch, internal };
inline constexpr int kIssuePorts = 6;

struct ResolvedInstruction {
  isa::InstructionClass instruction_class{};
  IssuePort port = IssuePort::internal;
  bool matrix = false;         // runs on the matrix unit after issue
  bool writes_memory = false;  // store or atomic: travels as write segments
  bool has_wait = false;
  bool resolved = false;           // false: the timing tables lack it; see ResolvedProgram::problem
  uint16_t issue_cycles = 4;       // the port's unit is busy
  uint16_t latency_cycles = 4;     // until a dependent instruction of the wave may issue
  uint16_t matrix_cycles = 0;      // matrix unit busy
  uint16_t forwarding_credit = 0;  // latency that the next MFMA does not see when it takes the result as SrcC
  uint16_t extra_slots = 0;        // s_nop, s_sleep: further cycles before the wave's next instruction
  uint8_t vmcnt = 0, lgkmcnt = 0;  // increments
  isa::WaitCounts wait;
  uint8_t reads = 0, writes = 0;
  struct Range {
    uint16_t first;
    uint16_t count;
  };  // scoreboard entries, see kScoreboardEntries
  std::array<Range, 6> read{};
  std::array<Range, 4> write{};
  Range accumulator{0, 0};  // MFMA SrcC: forwarded inside the matrix unit
  uint64_t address = 0;     // bytes, for the instruction cache
  const hardware::LdsWidthTiming* lds = nullptr;
};

// Scoreboard numbering: arch VGPRs, AGPRs, scalar registers by operand code, SCC.
inline constexpr uint16_t kScoreboardAgprs = 256, kScoreboardScalars = 512, kScoreboardScc = 640,
                          kScoreboardEntries = 641;

struct ResolvedProgram {
  std::shared_ptr<const isa::Program> program;
  const hardware::InstructionTiming* timing = nullptr;  // outlives this object
  std::vector<ResolvedInstruction> instructions;        // parallel to program->instructions
};

// Code that never runs must not stop a prediction, so an instruction that the tables lack is only marked; ask
// problem() when it is executed.
ResolvedProgram resolve_program(std::shared_ptr<const isa::Program> program,
                                const hardware::InstructionTiming& timing);

// What the tables lack for an instruction with `resolved == false`: class, MFMA mnemonic or LDS width, and
// the file.
Error problem(const ResolvedProgram& program, uint32_t instruction);

}  // namespace wavecast::model
