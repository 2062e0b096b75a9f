// Semantics of SOPP: branches, barriers, the end, waits, messages. Waits and hints change nothing but time.
// Source: AMD CDNA3 ISA, "SOPP Instructions". Leaves out: trap handlers, thread trace, performance counters.
#include <fmt/core.h>

#include "isa/emulator.h"
#include "isa/semantics/program_jumps.h"
#include "isa/semantics/semantics.h"

namespace wavecast::isa {

uint64_t next_address(const Instruction& instruction, const ExecutionContext& context) {
  return context.kernel.load_base + instruction.address + instruction.size;
}

void jump_to(Wavefront& wave, ExecutionContext& context, uint64_t address) {
  const int64_t index = context.kernel.program->index_of(address - context.kernel.load_base);
  if (index < 0) {
    context.fault(-1, fmt::format("jumps to 0x{:x}, which is no instruction of the code object", address),
                  "a function pointer or return address is wrong");
    return;
  }
  wave.next_pc = static_cast<uint32_t>(index);
}

void branch(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  if (instruction.branch_target < 0) {
    context.fault(-1, "the branch target is no instruction of the code object");
    return;
  }
  wave.next_pc = static_cast<uint32_t>(instruction.branch_target);
}

namespace {

using Condition = bool (*)(const Wavefront& wave);

bool scc_clear(const Wavefront& wave) { return !wave.scc; }
bool scc_set(const Wavefront& wave) { return wave.scc; }
bool vcc_zero(const Wavefront& wave) { return wave.vcc() == 0; }
bool vcc_nonzero(const Wavefront& wave) { return wave.vcc() != 0; }
bool exec_zero(const Wavefront& wave) { return wave.exec() == 0; }
bool exec_nonzero(const Wavefront& wave) { return wave.exec() != 0; }
bool never(const Wavefront&) { return false; }  // debugger conditions: no debugger is attached

template <Condition condition>
void branch_if(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  if (condition(wave)) branch(wave, instruction, context);
}

void nothing(Wavefront&, const Instruction&, ExecutionContext&) {}
void end_program(Wavefront& wave, const Instruction&, ExecutionContext&) { wave.ended = true; }
void barrier(Wavefront& wave, const Instruction&, ExecutionContext&) { wave.at_barrier = true; }
void kill(Wavefront& wave, const Instruction& instruction, ExecutionContext&) {
  wave.ended |= (instruction.immediate & 1) != 0;
}

void halt(Wavefront&, const Instruction& instruction, ExecutionContext& context) {
  if ((instruction.immediate & 1) != 0)
    context.fault(-1, "the wave halts itself and nothing wakes it",
                  "s_sethalt is for trap handlers and debuggers");
}

// LLVM's trap numbers: 2 is llvm.trap and failed assertions, 3 is llvm.debugtrap, which continues without a
// debugger.
void trap(Wavefront&, const Instruction& instruction, ExecutionContext& context) {
  constexpr int32_t kTrapMask = 0xff, kAbort = 2, kDebug = 3;
  const int32_t number = instruction.immediate & kTrapMask;
  if (number == kDebug) return;
  context.fault(-1,
                number == kAbort
                    ? std::string("the kernel aborts (trap 2: failed assertion, abort() or __builtin_trap)")
                    : fmt::format("the kernel traps ({})", number));
}

constexpr auto kBranch = InstructionClass::branch, kWait = InstructionClass::waitcnt,
               kInternal = InstructionClass::internal, kMessage = InstructionClass::message,
               kEnd = InstructionClass::end_program;

constexpr SemanticsRow kRows[] = {
    {"s_nop", InstructionClass::nop, nothing},
    {"s_endpgm", kEnd, end_program},
    {"s_endpgm_saved", kEnd, end_program},
    {"s_endpgm_ordered_ps_done", kEnd, end_program},
    {"s_branch", kBranch, branch},
    {"s_cbranch_scc0", kBranch, branch_if<scc_clear>},
    {"s_cbranch_scc1", kBranch, branch_if<scc_set>},
    {"s_cbranch_vccz", kBranch, branch_if<vcc_zero>},
    {"s_cbranch_vccnz", kBranch, branch_if<vcc_nonzero>},
    {"s_cbranch_execz", kBranch, branch_if<exec_zero>},
    {"s_cbranch_execnz", kBranch, branch_if<exec_nonzero>},
    {"s_cbranch_cdbgsys", kBranch, branch_if<never>},
    {"s_cbranch_cdbguser", kBranch, branch_if<never>},
    {"s_cbranch_cdbgsys_or_user", kBranch, branch_if<never>},
    {"s_cbranch_cdbgsys_and_user", kBranch, branch_if<never>},
    {"s_barrier", InstructionClass::barrier, barrier},
    {"s_setkill", kInternal, kill},
    {"s_waitcnt", kWait, nothing},
    {"s_sethalt", kInternal, halt},
    {"s_sleep", InstructionClass::sleep, nothing},
    {"s_setprio", kInternal, nothing},
    {"s_wakeup", kInternal, nothing},
    {"s_sendmsg", kMessage, nothing},
    {"s_sendmsghalt", kMessage, nullptr},
    {"s_trap", kInternal, trap},
    {"s_icache_inv", InstructionClass::scalar_cache, nothing},
    {"s_incperflevel", kInternal, nothing},
    {"s_decperflevel", kInternal, nothing},
    {"s_ttracedata", kInternal, nothing},
};

}  // namespace

std::span<const SemanticsRow> program_control_rows() { return kRows; }

}  // namespace wavecast::isa
