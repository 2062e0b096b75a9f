// SOP2: two-operand scalar arithmetic and logic. An operation is a function of values and SCC; templates add
// operand access. Source: AMD CDNA3 ISA, "SOP2 Instructions" (what SCC means is stated there per opcode).
#include <bit>

#include "isa/semantics/scalar_alu.h"
#include "isa/semantics/scalar_operands.h"

namespace wavecast::isa {

namespace {

// `scc` holds SCC before, and receives SCC after.
using Binary32 = uint32_t (*)(uint32_t a, uint32_t b, bool& scc);
using Binary64 = uint64_t (*)(uint64_t a, uint64_t b, bool& scc);

template <Binary32 operation>
void binary32(Wavefront& wave, const Instruction& instruction, ExecutionContext&) {
  const uint32_t a = read_scalar32(wave, instruction, instruction.src[0]);
  const uint32_t b = read_scalar32(wave, instruction, instruction.src[1]);
  bool scc = wave.scc;
  write_scalar32(wave, instruction.vdst, operation(a, b, scc));
  wave.scc = scc;
}

template <Binary64 operation>
void binary64(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  const uint64_t a = read_scalar64(wave, instruction, instruction.src[0], context);
  const uint64_t b = read_scalar64(wave, instruction, instruction.src[1], context);
  bool scc = wave.scc;
  write_scalar64(wave, instruction.vdst, operation(a, b, scc));
  wave.scc = scc;
}

// 64-bit value, 32-bit shift count or field description. A literal is sign-extended for signed values.
template <Binary64 operation, LiteralExtension literal>
void shift64(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  const uint64_t a = read_scalar64(wave, instruction, instruction.src[0], context, literal);
  const uint32_t b = read_scalar32(wave, instruction, instruction.src[1]);
  bool scc = wave.scc;
  write_scalar64(wave, instruction.vdst, operation(a, b, scc));
  wave.scc = scc;
}

// s_bfm_b64 takes two 32-bit operands.
template <Binary64 operation>
void mask64(Wavefront& wave, const Instruction& instruction, ExecutionContext&) {
  bool scc = wave.scc;
  write_scalar64(wave, instruction.vdst,
                 operation(read_scalar32(wave, instruction, instruction.src[0]),
                           read_scalar32(wave, instruction, instruction.src[1]), scc));
}

template <class Word>
Word nonzero(Word value, bool& scc) {
  scc = value != 0;
  return value;
}

constexpr uint32_t kSignBit = 0x80000000;

// Sum of up to 33 bits plus carry; SCC = carry out.
uint32_t carry(uint64_t sum, bool& scc) {
  scc = sum >> 32 != 0;
  return static_cast<uint32_t>(sum);
}
uint32_t add_u32(uint32_t a, uint32_t b, bool& scc) { return carry(uint64_t{a} + b, scc); }
uint32_t addc_u32(uint32_t a, uint32_t b, bool& scc) { return carry(uint64_t{a} + b + scc, scc); }
uint32_t sub_u32(uint32_t a, uint32_t b, bool& scc) {
  scc = b > a;
  return a - b;
}
uint32_t subb_u32(uint32_t a, uint32_t b, bool& scc) {
  const uint64_t subtrahend = uint64_t{b} + scc;
  scc = subtrahend > a;
  return static_cast<uint32_t>(a - subtrahend);
}
uint32_t add_i32(uint32_t a, uint32_t b, bool& scc) {
  const uint32_t sum = a + b;
  scc = (~(a ^ b) & (a ^ sum) & kSignBit) != 0;
  return sum;
}
uint32_t sub_i32(uint32_t a, uint32_t b, bool& scc) {
  const uint32_t difference = a - b;
  scc = ((a ^ b) & (a ^ difference) & kSignBit) != 0;
  return difference;
}
template <unsigned shift>
uint32_t shift_add_u32(uint32_t a, uint32_t b, bool& scc) {
  return carry((uint64_t{a} << shift) + b, scc);
}
uint32_t absdiff_i32(uint32_t a, uint32_t b, bool& scc) {
  const uint32_t difference = a - b;
  return nonzero((difference & kSignBit) != 0 ? 0 - difference : difference, scc);
}

template <class Value>
uint32_t min(uint32_t a, uint32_t b, bool& scc) {
  scc = static_cast<Value>(a) < static_cast<Value>(b);
  return scc ? a : b;
}
template <class Value>
uint32_t max(uint32_t a, uint32_t b, bool& scc) {
  scc = static_cast<Value>(a) >= static_cast<Value>(b);
  return scc ? a : b;
}

uint32_t mul_i32(uint32_t a, uint32_t b, bool&) { return a * b; }
uint32_t mul_hi_u32(uint32_t a, uint32_t b, bool&) { return static_cast<uint32_t>(uint64_t{a} * b >> 32); }
uint32_t mul_hi_i32(uint32_t a, uint32_t b, bool&) {
  return static_cast<uint32_t>(
      static_cast<uint64_t>(int64_t{static_cast<int32_t>(a)} * static_cast<int32_t>(b)) >> 32);
}

// The same for both widths; shift counts use the low 5 or 6 bits.
template <class Word>
struct Logic {
  static constexpr Word kBits = sizeof(Word) * 8;
  static constexpr Word kShiftMask = kBits - 1;
  static Word select(Word a, Word b, bool& scc) { return scc ? a : b; }
  static Word bit_and(Word a, Word b, bool& scc) { return nonzero<Word>(a & b, scc); }
  static Word bit_or(Word a, Word b, bool& scc) { return nonzero<Word>(a | b, scc); }
  static Word bit_xor(Word a, Word b, bool& scc) { return nonzero<Word>(a ^ b, scc); }
  static Word and_not(Word a, Word b, bool& scc) { return nonzero<Word>(a & ~b, scc); }
  static Word or_not(Word a, Word b, bool& scc) { return nonzero<Word>(a | ~b, scc); }
  static Word nand(Word a, Word b, bool& scc) { return nonzero<Word>(~(a & b), scc); }
  static Word nor(Word a, Word b, bool& scc) { return nonzero<Word>(~(a | b), scc); }
  static Word xnor(Word a, Word b, bool& scc) { return nonzero<Word>(~(a ^ b), scc); }
  static Word shift_left(Word a, Word b, bool& scc) { return nonzero<Word>(a << (b & kShiftMask), scc); }
  static Word shift_right(Word a, Word b, bool& scc) { return nonzero<Word>(a >> (b & kShiftMask), scc); }
  static Word shift_right_signed(Word a, Word b, bool& scc) {
    return nonzero<Word>(static_cast<Word>(static_cast<std::make_signed_t<Word>>(a) >> (b & kShiftMask)),
                         scc);
  }
  // a = field width, b = first bit.
  static Word field_mask(Word a, Word b, bool&) {
    return ((Word{1} << (a & kShiftMask)) - 1) << (b & kShiftMask);
  }
  // b: first bit in the low bits, width in 22:16. A width of a register or more takes all that is left.
  static Word extract(Word a, Word b, bool& scc) { return nonzero<Word>(field(a, b), scc); }
  static Word extract_signed(Word a, Word b, bool& scc) {
    const Word width = b >> 16 & 0x7f;
    const Word shifted = static_cast<Word>(static_cast<std::make_signed_t<Word>>(a) >> (b & kShiftMask));
    if (width == 0) return nonzero<Word>(0, scc);
    if (width >= kBits) return nonzero<Word>(shifted, scc);
    const Word unused = kBits - width;
    return nonzero<Word>(
        static_cast<Word>(static_cast<std::make_signed_t<Word>>(shifted << unused) >> unused), scc);
  }

 private:
  static Word field(Word a, Word b) {
    const Word width = b >> 16 & 0x7f;
    const Word shifted = a >> (b & kShiftMask);
    return width >= kBits ? shifted : shifted & ((Word{1} << width) - 1);
  }
};

uint32_t pack_ll(uint32_t a, uint32_t b, bool&) { return (a & 0xffff) | b << 16; }
uint32_t pack_lh(uint32_t a, uint32_t b, bool&) { return (a & 0xffff) | (b & 0xffff0000); }
uint32_t pack_hh(uint32_t a, uint32_t b, bool&) { return a >> 16 | (b & 0xffff0000); }

using L32 = Logic<uint32_t>;
using L64 = Logic<uint64_t>;
constexpr auto kSalu = InstructionClass::salu;
constexpr auto kZero = LiteralExtension::zero, kSign = LiteralExtension::sign;

constexpr SemanticsRow kRows[] = {
    {"s_add_u32", kSalu, binary32<add_u32>},
    {"s_sub_u32", kSalu, binary32<sub_u32>},
    {"s_add_i32", kSalu, binary32<add_i32>},
    {"s_sub_i32", kSalu, binary32<sub_i32>},
    {"s_addc_u32", kSalu, binary32<addc_u32>},
    {"s_subb_u32", kSalu, binary32<subb_u32>},
    {"s_min_i32", kSalu, binary32<min<int32_t>>},
    {"s_min_u32", kSalu, binary32<min<uint32_t>>},
    {"s_max_i32", kSalu, binary32<max<int32_t>>},
    {"s_max_u32", kSalu, binary32<max<uint32_t>>},
    {"s_cselect_b32", kSalu, binary32<L32::select>},
    {"s_cselect_b64", kSalu, binary64<L64::select>},
    {"s_and_b32", kSalu, binary32<L32::bit_and>},
    {"s_and_b64", kSalu, binary64<L64::bit_and>},
    {"s_or_b32", kSalu, binary32<L32::bit_or>},
    {"s_or_b64", kSalu, binary64<L64::bit_or>},
    {"s_xor_b32", kSalu, binary32<L32::bit_xor>},
    {"s_xor_b64", kSalu, binary64<L64::bit_xor>},
    {"s_andn2_b32", kSalu, binary32<L32::and_not>},
    {"s_andn2_b64", kSalu, binary64<L64::and_not>},
    {"s_orn2_b32", kSalu, binary32<L32::or_not>},
    {"s_orn2_b64", kSalu, binary64<L64::or_not>},
    {"s_nand_b32", kSalu, binary32<L32::nand>},
    {"s_nand_b64", kSalu, binary64<L64::nand>},
    {"s_nor_b32", kSalu, binary32<L32::nor>},
    {"s_nor_b64", kSalu, binary64<L64::nor>},
    {"s_xnor_b32", kSalu, binary32<L32::xnor>},
    {"s_xnor_b64", kSalu, binary64<L64::xnor>},
    {"s_lshl_b32", kSalu, binary32<L32::shift_left>},
    {"s_lshl_b64", kSalu, shift64<L64::shift_left, kZero>},
    {"s_lshr_b32", kSalu, binary32<L32::shift_right>},
    {"s_lshr_b64", kSalu, shift64<L64::shift_right, kZero>},
    {"s_ashr_i32", kSalu, binary32<L32::shift_right_signed>},
    {"s_ashr_i64", kSalu, shift64<L64::shift_right_signed, kSign>},
    {"s_bfm_b32", kSalu, binary32<L32::field_mask>},
    {"s_bfm_b64", kSalu, mask64<L64::field_mask>},
    {"s_mul_i32", kSalu, binary32<mul_i32>},
    {"s_bfe_u32", kSalu, binary32<L32::extract>},
    {"s_bfe_i32", kSalu, binary32<L32::extract_signed>},
    {"s_bfe_u64", kSalu, shift64<L64::extract, kZero>},
    {"s_bfe_i64", kSalu, shift64<L64::extract_signed, kSign>},
    {"s_absdiff_i32", kSalu, binary32<absdiff_i32>},
    {"s_mul_hi_u32", kSalu, binary32<mul_hi_u32>},
    {"s_mul_hi_i32", kSalu, binary32<mul_hi_i32>},
    {"s_lshl1_add_u32", kSalu, binary32<shift_add_u32<1>>},
    {"s_lshl2_add_u32", kSalu, binary32<shift_add_u32<2>>},
    {"s_lshl3_add_u32", kSalu, binary32<shift_add_u32<3>>},
    {"s_lshl4_add_u32", kSalu, binary32<shift_add_u32<4>>},
    {"s_pack_ll_b32_b16", kSalu, binary32<pack_ll>},
    {"s_pack_lh_b32_b16", kSalu, binary32<pack_lh>},
    {"s_pack_hh_b32_b16", kSalu, binary32<pack_hh>},
};

}  // namespace

std::span<const SemanticsRow> scalar_binary_rows() { return kRows; }

}  // namespace wavecast::isa
