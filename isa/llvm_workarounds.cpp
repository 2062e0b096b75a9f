// One function per pattern, each with what goes wrong inside LLVM.
#include "isa/llvm_workarounds.h"

namespace wavecast::isa {

namespace {

constexpr uint32_t kVop2PkFmacF16 = 60, kVop2MadmkF16 = 36, kVop2MadakF16 = 37;
constexpr uint32_t kSdwaMarker = 249, kDppMarker = 250;

// A literal is read behind the eight bytes of an instruction that cannot have one (gfx9 has none in VOP3).
bool has_long_form_literal(const EncodedWords& words, unsigned first_bit) {
  const auto encoding = encoding_of(words.word[first_bit / 32]);
  if (encoding != Encoding::vop3 && encoding != Encoding::vop3p) return false;
  for (unsigned source : {32u, 41u, 50u})
    if (words.bits(first_bit + source, 9) == operand_code::kLiteral) return true;
  return false;
}
// A scalar result in the 8-bit field of VOP3 whose value is no scalar register.
bool has_impossible_scalar_result(const EncodedWords& words) {
  constexpr uint32_t kFirstNonCompareOpcode = 0x100, kReadLane = 0x289, kScalarRegisters = 128;
  if (encoding_of(words.word[0]) != Encoding::vop3) return false;
  const uint32_t opcode = words.bits(16, 10);
  return (opcode < kFirstNonCompareOpcode || opcode == kReadLane) && words.bits(0, 8) >= kScalarRegisters;
}

bool is_scaled_matrix(const EncodedWords& words) {
  constexpr uint32_t kScalePrefix = 0xd3ac;  // v_mfma_ld_scale_b32, the first half of the 16-byte form
  return words.word[0] >> 16 == kScalePrefix;
}

// f8f6f4 MFMA with a constant as matrix: the pass that sets the width of its registers expects registers.
bool is_mixed_format_matrix_of_constants(const EncodedWords& words, unsigned first_bit) {
  constexpr uint32_t k16x16x128 = 0xd3ad, k32x32x64 = 0xd3ae;
  const uint32_t identity = words.word[first_bit / 32] >> 16;
  if (identity != k16x16x128 && identity != k32x32x64) return false;
  return words.bits(first_bit + 32, 9) < operand_code::kFirstVgpr ||
         words.bits(first_bit + 41, 9) < operand_code::kFirstVgpr;
}

bool is_buffer_with_literal_offset(const EncodedWords& words) {
  const auto encoding = encoding_of(words.word[0]);
  return (encoding == Encoding::mubuf || encoding == Encoding::mtbuf) &&
         words.bits(56, 8) == operand_code::kLiteral;
}

// Decodes into an opcode with too few operands, on which the printer fails.
bool is_packed_with_second_word(const EncodedWords& words) {
  const uint32_t first_source = words.bits(0, 9);
  return encoding_of(words.word[0]) == Encoding::vop2 && words.bits(25, 6) == kVop2PkFmacF16 &&
         (first_source == kSdwaMarker || first_source == kDppMarker);
}

// The printer knows neither selector 7 nor treatment 3 of unused bits. The fields exist per encoding.
bool has_reserved_selector(const EncodedWords& words) {
  constexpr uint32_t kReservedSelector = 7, kReservedUnused = 3;
  const auto encoding = encoding_of(words.word[0]);
  if (encoding != Encoding::vop1 && encoding != Encoding::vop2 && encoding != Encoding::vopc) return false;
  if (words.bits(0, 9) != kSdwaMarker) return false;
  if (words.bits(48, 3) == kReservedSelector) return true;
  if (encoding != Encoding::vop1 && words.bits(56, 3) == kReservedSelector) return true;
  return encoding != Encoding::vopc &&
         (words.bits(40, 3) == kReservedSelector || words.bits(43, 2) == kReservedUnused);
}

// A 16-bit constant equal to the literal marker is taken for it, with an operand type that has no literal.
bool is_f16_constant_like_marker(const EncodedWords& words) {
  const uint32_t opcode = words.bits(25, 6);
  return encoding_of(words.word[0]) == Encoding::vop2 &&
         (opcode == kVop2MadmkF16 || opcode == kVop2MadakF16) && words.word[1] == operand_code::kLiteral;
}

}  // namespace

bool make_safe_for_llvm(EncodedWords& words) {
  const unsigned second_half = 64;
  for (unsigned first_bit : {0u, second_half}) {
    if (first_bit != 0 && !is_scaled_matrix(words)) break;
    if (has_long_form_literal(words, first_bit) || is_mixed_format_matrix_of_constants(words, first_bit))
      return false;
  }
  if (is_buffer_with_literal_offset(words) || is_packed_with_second_word(words)) return false;
  if (has_reserved_selector(words) || has_impossible_scalar_result(words)) return false;
  if (is_f16_constant_like_marker(words)) words.word[1] = 0;
  return true;
}

}  // namespace wavecast::isa
