// Bit fields of the memory encodings; see encoding_fields.h. Each fills operands and modifiers of one
// instruction. Source: AMD CDNA3 ISA, "Microcode Formats".
#pragma once

#include "isa/encoding_fields.h"

namespace wavecast::isa {

constexpr bool is_vgpr_code(uint16_t operand) {
  return operand >= operand_code::kFirstVgpr && operand < operand_code::kFirstAgpr;
}

void read_smem(Instruction& out, const EncodedWords& words, const OpcodeShape& shape);
void read_ds(Instruction& out, const EncodedWords& words, const OpcodeShape& shape, Generation generation);
void read_buffer(Instruction& out, const EncodedWords& words, const OpcodeShape& shape,
                 Generation generation);
void read_flat(Instruction& out, const EncodedWords& words, const OpcodeShape& shape, Generation generation);

}  // namespace wavecast::isa
