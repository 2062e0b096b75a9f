// Works on a copy of the instruction: indexing is rare, and no semantics function has to know about it.
#include "isa/emulator/special_modes.h"

namespace wavecast::isa {

namespace {

constexpr uint32_t kIndexMask = 0xff, kEnableShift = 12, kDestinationEnable = 3;

bool is_arch_vgpr(uint16_t code) {
  return code >= operand_code::kFirstVgpr && code < operand_code::kFirstAgpr;
}

// False if the register lies outside the wave's allocation.
bool shift(uint16_t& code, uint32_t index, const Wavefront& wave) {
  if (!is_arch_vgpr(code)) return true;
  const uint32_t number = code - operand_code::kFirstVgpr + index;
  if (number >= wave.vgpr_count) return false;
  code = static_cast<uint16_t>(operand_code::kFirstVgpr + number);
  return true;
}

}  // namespace

void execute_in_special_mode(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  const InstructionClass c = instruction.instruction_class;
  if ((wave.mode & kModeVectorSkip) != 0 && (is_valu(c) || is_lds(c) || is_vector_memory(c))) return;
  if ((wave.mode & kModeGprIndexing) == 0 || !is_valu(c)) {
    instruction.execute(wave, instruction, context);
    return;
  }
  const uint32_t m0 = wave.scalar[operand_code::kM0];
  const uint32_t index = m0 & kIndexMask, enables = m0 >> kEnableShift;
  Instruction shifted = instruction;
  for (uint32_t source = 0; source < kDestinationEnable; ++source)
    if ((enables >> source & 1) != 0 && !shift(shifted.src[source], index, wave))
      shifted.src[source] = operand_code::kFirstVgpr;  // hardware reads v0 instead
  if ((enables >> kDestinationEnable & 1) != 0 && !shift(shifted.vdst, index, wave))
    return;  // and drops the write
  shifted.execute(wave, shifted, context);
}

}  // namespace wavecast::isa
