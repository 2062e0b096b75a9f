// Looks every static instruction up in the timing tables once, so that the simulator reads plain cycle
// numbers.
#include "model/resolved_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace wavecast::model {
namespace {

using isa::InstructionClass;

constexpr uint16_t kCyclesPerPass = 4;  // structural: MFMA passes are counted in quad-cycles
constexpr uint16_t kCyclesPerWaitState =
    4;  // structural: s_nop counts issue slots of the wave, one per four cycles
constexpr uint16_t kSleepUnitCycles = 64;  // structural: s_sleep counts 64-cycle units (AMD ISA documents)

IssuePort port_of(InstructionClass c) {
  if (isa::is_valu(c)) return IssuePort::valu;
  if (c == InstructionClass::salu || isa::is_scalar_memory(c)) return IssuePort::scalar;
  if (isa::is_lds(c)) return IssuePort::lds;
  if (isa::is_vector_memory(c)) return IssuePort::vector_memory;
  if (c == InstructionClass::branch) return IssuePort::branch;
  return IssuePort::internal;
}

uint16_t whole_cycles(hardware::Cycles cycles) { return static_cast<uint16_t>(std::lround(cycles.value())); }

ResolvedInstruction::Range scoreboard_range(const isa::RegisterRange& range) {
  switch (range.file) {
    case isa::RegisterFile::vgpr:
      return {range.first, range.count};
    case isa::RegisterFile::agpr:
      return {static_cast<uint16_t>(kScoreboardAgprs + range.first), range.count};
    case isa::RegisterFile::scalar:
      return {static_cast<uint16_t>(kScoreboardScalars + range.first), range.count};
    case isa::RegisterFile::scc:
      return {kScoreboardScc, 1};
  }
  return {0, 0};
}

void resolve_registers(const isa::Instruction& instruction, ResolvedInstruction& out) {
  auto fits = [](const ResolvedInstruction::Range& r) { return r.first + r.count <= kScoreboardEntries; };
  for (int i = 0; i < instruction.read_count; ++i)
    if (auto range = scoreboard_range(instruction.reads[i]); fits(range)) out.read[out.reads++] = range;
  for (int i = 0; i < instruction.write_count; ++i)
    if (auto range = scoreboard_range(instruction.writes[i]); fits(range)) out.write[out.writes++] = range;
  constexpr int kSourceC = 2;  // MFMA: D = A*B + C, the third source
  if (out.matrix && instruction.src[kSourceC] >= isa::operand_code::kFirstVgpr &&
      instruction.src[kSourceC] != isa::operand_code::kNone && out.writes > 0) {
    const uint16_t code = instruction.src[kSourceC];
    const auto first = static_cast<uint16_t>(code >= isa::operand_code::kFirstAgpr
                                                 ? kScoreboardAgprs + code - isa::operand_code::kFirstAgpr
                                                 : code - isa::operand_code::kFirstVgpr);
    out.accumulator = {first, out.write[0].count};
  }
}

// Nearest width that the table has, not smaller than `bytes`.
const hardware::LdsWidthTiming* lds_width(const std::map<int, hardware::LdsWidthTiming>& table, int bytes) {
  auto found = table.lower_bound(std::max(1, bytes));
  return found == table.end() ? nullptr : &found->second;
}

Expected<void> resolve_lds(const isa::Instruction& instruction, const hardware::InstructionTiming& timing,
                           ResolvedInstruction& out) {
  // Flat addresses and loads to LDS may use the LDS port too.
  const bool may_touch_lds = isa::is_lds(out.instruction_class) || isa::is_flat(out.instruction_class) ||
                             out.instruction_class == InstructionClass::vmem_load_to_lds;
  if (!may_touch_lds) return {};
  const bool writes = out.instruction_class == InstructionClass::lds_write ||
                      out.instruction_class == InstructionClass::flat_store ||
                      out.instruction_class == InstructionClass::vmem_load_to_lds;
  out.lds = lds_width(writes ? timing.lds_write : timing.lds_read,
                      instruction.memory_bytes ? instruction.memory_bytes : 4);
  if (!out.lds)
    return fail(fmt::format("timing of {}", timing.target),
                fmt::format("no LDS timing for {} bytes per lane, needed by {}", instruction.memory_bytes,
                            instruction.mnemonic),
                "add the width to lds_read or lds_write in the timing file");
  return {};
}

Expected<void> resolve_matrix(const isa::Instruction& instruction, const hardware::InstructionTiming& timing,
                              ResolvedInstruction& out) {
  if (out.instruction_class != InstructionClass::matrix) return {};
  auto found = timing.matrix.find(instruction.mnemonic);
  if (found == timing.matrix.end())
    return fail(fmt::format("timing of {}", timing.target),
                fmt::format("no passes known for {}", instruction.mnemonic),
                "add the mnemonic to the matrix table of the timing file");
  out.matrix = true;
  const hardware::MatrixTiming& row = found->second;
  constexpr int kFirstNarrowFormat =
      2;  // structural: f8f6f4 formats 0 and 1 (cbsz for A, blgp for B) have 8 bits
  const bool narrow = row.passes_below_8_bit && instruction.cbsz >= kFirstNarrowFormat &&
                      instruction.blgp >= kFirstNarrowFormat;
  const hardware::Count passes = narrow ? **row.passes_below_8_bit : *row.passes;
  out.matrix_cycles = static_cast<uint16_t>(passes.value() * kCyclesPerPass);
  out.forwarding_credit = out.latency_cycles;
  out.latency_cycles = static_cast<uint16_t>(out.latency_cycles + out.matrix_cycles);
  out.issue_cycles = std::max(out.issue_cycles, whole_cycles(*row.valu_blocked));
  return {};
}

Expected<ResolvedInstruction> resolve(const isa::Instruction& instruction,
                                      const hardware::InstructionTiming& timing) {
  ResolvedInstruction out;
  out.instruction_class = instruction.instruction_class;
  out.address = instruction.address;
  out.port = port_of(instruction.instruction_class);
  out.writes_memory = instruction.is_store || instruction.is_atomic;
  out.vmcnt = instruction.vmcnt;
  out.lgkmcnt = instruction.lgkmcnt;
  out.has_wait = instruction.instruction_class == InstructionClass::waitcnt;
  out.wait = instruction.wait;
  auto found = timing.classes.find(to_string(instruction.instruction_class));
  if (found == timing.classes.end())
    return fail(fmt::format("timing of {}", timing.target),
                fmt::format("no entry for instruction class {}, needed by {}",
                            to_string(instruction.instruction_class), instruction.mnemonic),
                "add the class to the timing file");
  out.issue_cycles = whole_cycles(*found->second.issue);
  out.latency_cycles = whole_cycles(*found->second.latency);
  const auto count = static_cast<uint32_t>(instruction.immediate);
  if (instruction.instruction_class == InstructionClass::nop)
    out.extra_slots = static_cast<uint16_t>((count & 0xf) * kCyclesPerWaitState);
  if (instruction.instruction_class == InstructionClass::sleep)
    out.extra_slots = static_cast<uint16_t>((count & 0x7f) * kSleepUnitCycles);
  if (auto matrix = resolve_matrix(instruction, timing, out); !matrix) return tl::unexpected(matrix.error());
  if (auto lds = resolve_lds(instruction, timing, out); !lds) return tl::unexpected(lds.error());
  resolve_registers(instruction, out);
  out.resolved = true;
  return out;
}

}  // namespace

ResolvedProgram resolve_program(std::shared_ptr<const isa::Program> program,
                                const hardware::InstructionTiming& timing) {
  ResolvedProgram resolved;
  resolved.timing = &timing;
  resolved.instructions.reserve(program->instructions.size());
  for (const isa::Instruction& instruction : program->instructions)
    resolved.instructions.push_back(resolve(instruction, timing).value_or(ResolvedInstruction{}));
  resolved.program = std::move(program);
  return resolved;
}

Error problem(const ResolvedProgram& program, uint32_t instruction) {
  auto again = resolve(program.program->instructions[instruction], *program.timing);
  return again ? Error{} : again.error();
}

}  // namespace wavecast::model
