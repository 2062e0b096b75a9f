// Readers and writers of scalar operands by their 8-bit code, for every encoding family that takes SGPRs or
// constants. VGPR codes are not handled here. Source: AMD CDNA3 ISA, "Scalar ALU operands"; LLVM 22
// SIRegisterInfo for apertures.
#pragma once

#include <bit>
#include <cstdint>

#include "isa/execution_context.h"
#include "isa/instruction.h"
#include "isa/wavefront.h"

namespace wavecast::isa {

// How a 32-bit literal fills a 64-bit operand.
enum class LiteralExtension : uint8_t { zero, sign, high_half };

// Bits of the float constants 240-248 (0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2 pi)) in each width.
inline constexpr uint16_t kFloatConstants16[9] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                                  0xc000, 0x4400, 0xc400, 0x3118};
inline constexpr uint32_t kFloatConstants32[9] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                                  0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
inline constexpr uint64_t kFloatConstants64[9] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                                                  0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                                                  0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

namespace operand_code {
inline constexpr uint16_t kFirstInteger = 128, kFirstNegative = 193, kLastInteger = 208;  // 0..64, -1..-16
inline constexpr uint16_t kFirstFloat = 240, kLastFloat = 248;
inline constexpr uint16_t kVccz = 251, kExecz = 252;
}  // namespace operand_code

constexpr bool is_scalar_register(uint16_t code) { return code < operand_code::kFirstInteger; }
constexpr bool is_vector_register(uint16_t code) {
  return code >= operand_code::kFirstVgpr && code != operand_code::kNone;
}
constexpr bool is_float_constant(uint16_t code) {
  return code >= operand_code::kFirstFloat && code <= operand_code::kLastFloat;
}
constexpr bool is_integer_constant(uint16_t code) {
  return code >= operand_code::kFirstInteger && code <= operand_code::kLastInteger;
}
// Value of an integer constant code.
constexpr int32_t integer_constant(uint16_t code) {
  return code < operand_code::kFirstNegative ? code - operand_code::kFirstInteger
                                             : operand_code::kFirstNegative - 1 - code;
}

// Constants and status bits; apertures read 0 (base) or ~0 (limit) in 32 bits, the address is in the high
// half.
uint32_t read_scalar_special32(const Wavefront& wave, const Instruction& instruction, uint16_t code);
uint64_t read_scalar_special64(const Wavefront& wave, const Instruction& instruction, uint16_t code,
                               const ExecutionContext& context, LiteralExtension literal);

inline uint32_t read_scalar32(const Wavefront& wave, const Instruction& instruction, uint16_t code) {
  if (is_scalar_register(code)) return wave.scalar[code];
  if (code == operand_code::kLiteral) return instruction.literal;
  return read_scalar_special32(wave, instruction, code);
}

// A pair starting at `code`; the last register has no successor and reads 0 as its high half.
inline uint64_t read_scalar64(const Wavefront& wave, const Instruction& instruction, uint16_t code,
                              const ExecutionContext& context,
                              LiteralExtension literal = LiteralExtension::zero) {
  if (code < operand_code::kExecHi) return wave.scalar64(code);
  return read_scalar_special64(wave, instruction, code, context, literal);
}

// Codes that no instruction may write (constants, kNone) are ignored.
inline void write_scalar32(Wavefront& wave, uint16_t code, uint32_t value) {
  if (is_scalar_register(code)) wave.scalar[code] = value;
}
inline void write_scalar64(Wavefront& wave, uint16_t code, uint64_t value) {
  if (code < operand_code::kExecHi) wave.set_scalar64(code, value);
}

}  // namespace wavecast::isa
