// The rare kinds of scalar operands: constants, status bits and aperture registers.
#include "isa/semantics/scalar_operands.h"

namespace wavecast::isa {

namespace {

// Both apertures span 4 GiB, so a limit is its base with the low half all ones.
constexpr uint64_t kApertureLowMask = 0xffffffff;

bool status_bit(const Wavefront& wave, uint16_t code) {
  switch (code) {
    case operand_code::kVccz:
      return wave.vcc() == 0;
    case operand_code::kExecz:
      return wave.exec() == 0;
    case operand_code::kScc:
      return wave.scc;
    default:
      return false;
  }
}

}  // namespace

uint32_t read_scalar_special32(const Wavefront& wave, const Instruction& instruction, uint16_t code) {
  if (is_integer_constant(code)) return static_cast<uint32_t>(integer_constant(code));
  if (is_float_constant(code)) return kFloatConstants32[code - operand_code::kFirstFloat];
  if (code == operand_code::kSharedLimit || code == operand_code::kPrivateLimit) return kApertureLowMask;
  return status_bit(wave, code);
}

uint64_t read_scalar_special64(const Wavefront& wave, const Instruction& instruction, uint16_t code,
                               const ExecutionContext& context, LiteralExtension literal) {
  if (code == operand_code::kLiteral) {
    switch (literal) {
      case LiteralExtension::zero:
        return instruction.literal;
      case LiteralExtension::sign:
        return static_cast<uint64_t>(int64_t{static_cast<int32_t>(instruction.literal)});
      case LiteralExtension::high_half:
        return uint64_t{instruction.literal} << 32;
    }
  }
  if (is_integer_constant(code)) return static_cast<uint64_t>(int64_t{integer_constant(code)});
  if (is_float_constant(code)) return kFloatConstants64[code - operand_code::kFirstFloat];
  switch (code) {
    case operand_code::kExecHi:
      return wave.scalar[code];
    case operand_code::kSharedBase:
      return context.shared_aperture;
    case operand_code::kSharedLimit:
      return context.shared_aperture | kApertureLowMask;
    case operand_code::kPrivateBase:
      return context.private_aperture;
    case operand_code::kPrivateLimit:
      return context.private_aperture | kApertureLowMask;
    default:
      return status_bit(wave, code);
  }
}

}  // namespace wavecast::isa
