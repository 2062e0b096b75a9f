// Scalar instructions on the wave's own state: EXEC masks, calls and returns, indexed SGPRs, hardware
// registers. Source: AMD CDNA3 ISA, "SOP1/SOPK Instructions", "Hardware Registers". Leaves out: fork/join and
// trap returns.
#include <fmt/core.h>

#include "isa/emulator.h"
#include "isa/semantics/program_jumps.h"
#include "isa/semantics/scalar_alu.h"
#include "isa/semantics/scalar_operands.h"

namespace wavecast::isa {

namespace {

using Mask = uint64_t (*)(uint64_t source, uint64_t exec);

uint64_t mask_and(uint64_t source, uint64_t exec) { return source & exec; }
uint64_t mask_or(uint64_t source, uint64_t exec) { return source | exec; }
uint64_t mask_xor(uint64_t source, uint64_t exec) { return source ^ exec; }
uint64_t mask_nand(uint64_t source, uint64_t exec) { return ~(source & exec); }
uint64_t mask_nor(uint64_t source, uint64_t exec) { return ~(source | exec); }
uint64_t mask_xnor(uint64_t source, uint64_t exec) { return ~(source ^ exec); }
uint64_t mask_and_not_exec(uint64_t source, uint64_t exec) { return source & ~exec; }
uint64_t mask_or_not_exec(uint64_t source, uint64_t exec) { return source | ~exec; }
uint64_t mask_not_source_and(uint64_t source, uint64_t exec) { return ~source & exec; }
uint64_t mask_not_source_or(uint64_t source, uint64_t exec) { return ~source | exec; }

enum class Saved : uint8_t { old_exec, new_exec };

template <Mask operation, Saved saved>
void change_exec(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  const uint64_t source = read_scalar64(wave, instruction, instruction.src[0], context);
  const uint64_t before = wave.exec(), after = operation(source, before);
  write_scalar64(wave, instruction.vdst, saved == Saved::old_exec ? before : after);
  wave.set_exec(after);
  wave.scc = after != 0;
}
template <Mask operation>
constexpr Semantics kSaveExec = change_exec<operation, Saved::old_exec>;
template <Mask operation>
constexpr Semantics kWriteExec = change_exec<operation, Saved::new_exec>;

void get_pc(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  write_scalar64(wave, instruction.vdst, next_address(instruction, context));
}
void set_pc(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  jump_to(wave, context, read_scalar64(wave, instruction, instruction.src[0], context));
}
void swap_pc(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  const uint64_t target = read_scalar64(wave, instruction, instruction.src[0], context);
  write_scalar64(wave, instruction.vdst, next_address(instruction, context));
  jump_to(wave, context, target);
}
void call(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  write_scalar64(wave, instruction.vdst, next_address(instruction, context));
  branch(wave, instruction, context);
}

// SGPRs that M0 can index; out of range reads s0 and drops writes.
constexpr uint32_t kIndexableRegisters = 102;

template <class Word>
void move_relative_source(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  constexpr uint32_t kCount = sizeof(Word) / sizeof(uint32_t);
  const uint64_t index = uint64_t{instruction.src[0]} + wave.scalar[operand_code::kM0];
  const auto code = static_cast<uint16_t>(index + kCount <= kIndexableRegisters ? index : 0);
  if constexpr (kCount == 1)
    write_scalar32(wave, instruction.vdst, wave.scalar[code]);
  else
    write_scalar64(wave, instruction.vdst, wave.scalar64(code));
}

template <class Word>
void move_relative_destination(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  constexpr uint32_t kCount = sizeof(Word) / sizeof(uint32_t);
  const uint64_t index = uint64_t{instruction.vdst} + wave.scalar[operand_code::kM0];
  if (index + kCount > kIndexableRegisters) return;
  const auto code = static_cast<uint16_t>(index);
  if constexpr (kCount == 1)
    write_scalar32(wave, code, read_scalar32(wave, instruction, instruction.src[0]));
  else
    write_scalar64(wave, code, read_scalar64(wave, instruction, instruction.src[0], context));
}

// VGPR indexing: MODE bit 27 turns it on, M0 holds the index (7:0) and which operands it moves (15:12).
constexpr uint32_t kGprIndexing = 1u << 27, kIndexMask = 0xff, kEnableMask = 0xf000;
constexpr unsigned kEnableShift = 12;

void set_index_on(Wavefront& wave, const Instruction& instruction, ExecutionContext&) {
  uint32_t& m0 = wave.scalar[operand_code::kM0];
  const uint32_t index = read_scalar32(wave, instruction, instruction.src[0]) & kIndexMask;
  m0 = (m0 & ~(kIndexMask | kEnableMask)) | index |
       (static_cast<uint32_t>(instruction.immediate) << kEnableShift & kEnableMask);
  wave.mode |= kGprIndexing;
}
void set_index(Wavefront& wave, const Instruction& instruction, ExecutionContext&) {
  uint32_t& m0 = wave.scalar[operand_code::kM0];
  m0 = (m0 & ~kIndexMask) | (read_scalar32(wave, instruction, instruction.src[0]) & kIndexMask);
}
void set_index_off(Wavefront& wave, const Instruction&, ExecutionContext&) { wave.mode &= ~kGprIndexing; }
void set_index_mode(Wavefront& wave, const Instruction& instruction, ExecutionContext&) {
  uint32_t& m0 = wave.scalar[operand_code::kM0];
  m0 = (m0 & ~kEnableMask) | (static_cast<uint32_t>(instruction.immediate) << kEnableShift & kEnableMask);
}

// VSKIP (MODE bit 28): vector instructions are passed over.
void set_vector_skip(Wavefront& wave, const Instruction& instruction, ExecutionContext&) {
  constexpr uint32_t kVectorSkip = 1u << 28, kBitMask = 31;
  const uint32_t position = read_scalar32(wave, instruction, instruction.src[1]) & kBitMask;
  const bool on = (read_scalar32(wave, instruction, instruction.src[0]) >> position & 1) != 0;
  wave.mode = on ? wave.mode | kVectorSkip : wave.mode & ~kVectorSkip;
}

// s_getreg/s_setreg: register in simm16[5:0], first bit in 10:6, width - 1 in 15:11.
struct HardwareField {
  uint32_t id, offset, mask;
  explicit HardwareField(const Instruction& instruction) {
    const auto simm16 = static_cast<uint32_t>(instruction.immediate);
    const uint32_t width = (simm16 >> 11 & 0x1f) + 1;
    id = simm16 & 0x3f;
    offset = simm16 >> 6 & 0x1f;
    mask = static_cast<uint32_t>((uint64_t{1} << width) - 1);
  }
};
constexpr uint32_t kMode = 1, kStatus = 2, kHardwareId = 4, kGprAllocation = 5, kLdsAllocation = 6;

uint32_t status_register(const Wavefront& wave, const ExecutionContext& context) {
  constexpr unsigned kExecz = 9, kVccz = 10, kInWorkGroup = 11, kValid = 16;
  const bool grouped = context.kernel.waves_per_work_group > 1;
  return uint32_t{wave.scc} | uint32_t{wave.exec() == 0} << kExecz | uint32_t{wave.vcc() == 0} << kVccz |
         uint32_t{grouped} << kInWorkGroup | 1u << kValid;
}

// Where the wave would run: waves go round the four SIMDs. CU, shader engine and XCD read 0: placement is no
// matter of the emulator.
uint32_t hardware_id(const Wavefront& wave) {
  constexpr uint32_t kSimds = 4;
  constexpr unsigned kSimdShift = 4;
  return wave.wave_in_work_group / kSimds | wave.wave_in_work_group % kSimds << kSimdShift;
}

uint32_t hardware_register(const Wavefront& wave, const ExecutionContext& context, uint32_t id) {
  constexpr unsigned kVgprSize = 8, kLdsSize = 12;
  constexpr size_t kLdsUnit = 256;  // bytes of one count in LDS_ALLOC (64 dwords)
  switch (id) {
    case kMode:
      return wave.mode;
    case kStatus:
      return status_register(wave, context);
    case kHardwareId:
      return hardware_id(wave);
    case kGprAllocation:
      return context.kernel.kernel->descriptor.granulated_vgpr_count() << kVgprSize;
    case kLdsAllocation:
      return static_cast<uint32_t>(context.lds.size() / kLdsUnit) << kLdsSize;
    default:
      return 0;  // trap status, IB_STS, XCC_ID, trap handler addresses: nothing there
  }
}

void get_hardware_register(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  const HardwareField field(instruction);
  write_scalar32(wave, instruction.vdst,
                 hardware_register(wave, context, field.id) >> field.offset & field.mask);
}
// Only MODE can be written without privilege.
void set_hardware_register(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  const HardwareField field(instruction);
  if (field.id != kMode) return;
  const uint32_t mask = field.mask << field.offset;
  const uint32_t value = read_scalar32(wave, instruction, instruction.src[0]) << field.offset;
  wave.mode = (wave.mode & ~mask) | (value & mask);
}

constexpr auto kSalu = InstructionClass::salu, kBranch = InstructionClass::branch,
               kInternal = InstructionClass::internal;

constexpr SemanticsRow kRows[] = {
    {"s_and_saveexec_b64", kSalu, kSaveExec<mask_and>},
    {"s_or_saveexec_b64", kSalu, kSaveExec<mask_or>},
    {"s_xor_saveexec_b64", kSalu, kSaveExec<mask_xor>},
    {"s_andn2_saveexec_b64", kSalu, kSaveExec<mask_and_not_exec>},
    {"s_orn2_saveexec_b64", kSalu, kSaveExec<mask_or_not_exec>},
    {"s_nand_saveexec_b64", kSalu, kSaveExec<mask_nand>},
    {"s_nor_saveexec_b64", kSalu, kSaveExec<mask_nor>},
    {"s_xnor_saveexec_b64", kSalu, kSaveExec<mask_xnor>},
    {"s_andn1_saveexec_b64", kSalu, kSaveExec<mask_not_source_and>},
    {"s_orn1_saveexec_b64", kSalu, kSaveExec<mask_not_source_or>},
    {"s_andn1_wrexec_b64", kSalu, kWriteExec<mask_not_source_and>},
    {"s_andn2_wrexec_b64", kSalu, kWriteExec<mask_and_not_exec>},
    {"s_getpc_b64", kSalu, get_pc},
    {"s_setpc_b64", kBranch, set_pc},
    {"s_swappc_b64", kBranch, swap_pc},
    {"s_call_b64", kBranch, call},
    {"s_movrels_b32", kSalu, move_relative_source<uint32_t>},
    {"s_movrels_b64", kSalu, move_relative_source<uint64_t>},
    {"s_movreld_b32", kSalu, move_relative_destination<uint32_t>},
    {"s_movreld_b64", kSalu, move_relative_destination<uint64_t>},
    {"s_set_gpr_idx_on", kInternal, set_index_on},
    {"s_set_gpr_idx_idx", kInternal, set_index},
    {"s_set_gpr_idx_off", kInternal, set_index_off},
    {"s_set_gpr_idx_mode", kInternal, set_index_mode},
    {"s_setvskip", kInternal, set_vector_skip},
    {"s_getreg_b32", kSalu, get_hardware_register},
    {"s_setreg_b32", kSalu, set_hardware_register},
    {"s_setreg_imm32_b32", kSalu, set_hardware_register},
    // Divergence stacks and trap returns: no compiler emits them for compute.
    {"s_cbranch_i_fork", kBranch, nullptr},
    {"s_cbranch_g_fork", kBranch, nullptr},
    {"s_cbranch_join", kBranch, nullptr},
    {"s_rfe_b64", kBranch, nullptr},
    {"s_rfe_restore_b64", kBranch, nullptr},
};

}  // namespace

std::span<const SemanticsRow> scalar_state_rows() { return kRows; }

}  // namespace wavecast::isa
