// SOP1: one-operand scalar arithmetic and logic.
// Source: AMD CDNA3 ISA, "SOP1 Instructions".
#include <bit>

#include "isa/semantics/scalar_alu.h"
#include "isa/semantics/scalar_operands.h"

namespace wavecast::isa {

namespace {

// `old` is the destination before; `scc` holds SCC before and receives SCC after.
template <class Result, class Source>
using Unary = Result (*)(Source value, Result old, bool& scc);

template <class Word>
Word read(const Wavefront& wave, const Instruction& instruction, const ExecutionContext& context) {
  if constexpr (sizeof(Word) == sizeof(uint32_t))
    return read_scalar32(wave, instruction, instruction.src[0]);
  else
    return read_scalar64(wave, instruction, instruction.src[0], context);
}

template <class Result, class Source, Unary<Result, Source> operation>
void unary(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  const Source value = read<Source>(wave, instruction, context);
  bool scc = wave.scc;
  if constexpr (sizeof(Result) == sizeof(uint32_t)) {
    const uint32_t old = is_scalar_register(instruction.vdst) ? wave.scalar[instruction.vdst] : 0;
    write_scalar32(wave, instruction.vdst, operation(value, old, scc));
  } else {
    const uint64_t old = instruction.vdst < operand_code::kExecHi ? wave.scalar64(instruction.vdst) : 0;
    write_scalar64(wave, instruction.vdst, operation(value, old, scc));
  }
  wave.scc = scc;
}
template <Unary<uint32_t, uint32_t> operation>
constexpr Semantics kUnary32 = unary<uint32_t, uint32_t, operation>;
template <Unary<uint64_t, uint64_t> operation>
constexpr Semantics kUnary64 = unary<uint64_t, uint64_t, operation>;
template <Unary<uint32_t, uint64_t> operation>  // 64-bit source, 32-bit result
constexpr Semantics kNarrowing = unary<uint32_t, uint64_t, operation>;
template <Unary<uint64_t, uint32_t> operation>  // 32-bit source, 64-bit result
constexpr Semantics kWidening = unary<uint64_t, uint32_t, operation>;

constexpr uint32_t kNotFound = 0xffffffff;
constexpr unsigned kQuad = 4;  // lanes of a pixel quad

template <class Word>
struct Operations {
  static constexpr int kBits = sizeof(Word) * 8;
  static Word move(Word value, Word, bool&) { return value; }
  static Word move_if(Word value, Word old, bool& scc) { return scc ? value : old; }
  static Word invert(Word value, Word, bool& scc) { return nonzero(static_cast<Word>(~value), scc); }
  static Word reverse(Word value, Word, bool&) {
    Word result = 0;
    for (int i = 0; i < kBits; ++i) result = static_cast<Word>(result << 1 | (value >> i & 1));
    return result;
  }
  static uint32_t count_zeros(Word value, uint32_t, bool& scc) {
    return nonzero(static_cast<uint32_t>(kBits - std::popcount(value)), scc);
  }
  static uint32_t count_ones(Word value, uint32_t, bool& scc) {
    return nonzero(static_cast<uint32_t>(std::popcount(value)), scc);
  }
  static uint32_t first_zero(Word value, uint32_t, bool&) { return first_set(static_cast<Word>(~value)); }
  static uint32_t first_one(Word value, uint32_t, bool&) { return first_set(value); }
  static uint32_t leading_zeros(Word value, uint32_t, bool&) {
    return value == 0 ? kNotFound : static_cast<uint32_t>(std::countl_zero(value));
  }
  // Number of leading bits equal to the sign bit.
  static uint32_t leading_signs(Word value, uint32_t, bool&) {
    const bool negative = value >> (kBits - 1) != 0;
    const Word differences = negative ? static_cast<Word>(~value) : value;
    return differences == 0 ? kNotFound : static_cast<uint32_t>(std::countl_zero(differences));
  }
  // Every bit of a quad of lanes becomes the or of the quad.
  static Word whole_quad(Word value, Word, bool& scc) {
    Word result = 0;
    for (int i = 0; i < kBits; i += kQuad)
      if ((value >> i & 0xf) != 0) result |= Word{0xf} << i;
    return nonzero(result, scc);
  }
  // One bit per quad.
  static Word quad_mask(Word value, Word, bool& scc) {
    Word result = 0;
    for (int i = 0; i < kBits; i += kQuad)
      if ((value >> i & 0xf) != 0) result |= Word{1} << (i / kQuad);
    return nonzero(result, scc);
  }
  static Word clear_bit(uint32_t value, Word old, bool&) { return old & ~(Word{1} << (value & (kBits - 1))); }
  static Word set_bit(uint32_t value, Word old, bool&) { return old | Word{1} << (value & (kBits - 1)); }

 private:
  template <class Value>
  static Value nonzero(Value value, bool& scc) {
    scc = value != 0;
    return value;
  }
  static uint32_t first_set(Word value) {
    return value == 0 ? kNotFound : static_cast<uint32_t>(std::countr_zero(value));
  }
};

uint32_t sign_extend_8(uint32_t value, uint32_t, bool&) {
  return static_cast<uint32_t>(int32_t{static_cast<int8_t>(value)});
}
uint32_t sign_extend_16(uint32_t value, uint32_t, bool&) {
  return static_cast<uint32_t>(int32_t{static_cast<int16_t>(value)});
}
uint32_t absolute(uint32_t value, uint32_t, bool& scc) {
  const uint32_t result = static_cast<int32_t>(value) < 0 ? 0 - value : value;
  scc = result != 0;
  return result;
}
uint64_t replicate_bits(uint32_t value, uint64_t, bool&) {
  uint64_t result = 0;
  for (int i = 0; i < 32; ++i) result |= (value >> i & 1 ? uint64_t{3} : 0) << (2 * i);
  return result;
}

using O32 = Operations<uint32_t>;
using O64 = Operations<uint64_t>;
constexpr auto kSalu = InstructionClass::salu;

constexpr SemanticsRow kRows[] = {
    {"s_mov_b32", kSalu, kUnary32<O32::move>},
    {"s_mov_b64", kSalu, kUnary64<O64::move>},
    {"s_cmov_b32", kSalu, kUnary32<O32::move_if>},
    {"s_cmov_b64", kSalu, kUnary64<O64::move_if>},
    {"s_not_b32", kSalu, kUnary32<O32::invert>},
    {"s_not_b64", kSalu, kUnary64<O64::invert>},
    {"s_wqm_b32", kSalu, kUnary32<O32::whole_quad>},
    {"s_wqm_b64", kSalu, kUnary64<O64::whole_quad>},
    {"s_brev_b32", kSalu, kUnary32<O32::reverse>},
    {"s_brev_b64", kSalu, kUnary64<O64::reverse>},
    {"s_bcnt0_i32_b32", kSalu, kUnary32<O32::count_zeros>},
    {"s_bcnt0_i32_b64", kSalu, kNarrowing<O64::count_zeros>},
    {"s_bcnt1_i32_b32", kSalu, kUnary32<O32::count_ones>},
    {"s_bcnt1_i32_b64", kSalu, kNarrowing<O64::count_ones>},
    {"s_ff0_i32_b32", kSalu, kUnary32<O32::first_zero>},
    {"s_ff0_i32_b64", kSalu, kNarrowing<O64::first_zero>},
    {"s_ff1_i32_b32", kSalu, kUnary32<O32::first_one>},
    {"s_ff1_i32_b64", kSalu, kNarrowing<O64::first_one>},
    {"s_flbit_i32_b32", kSalu, kUnary32<O32::leading_zeros>},
    {"s_flbit_i32_b64", kSalu, kNarrowing<O64::leading_zeros>},
    {"s_flbit_i32", kSalu, kUnary32<O32::leading_signs>},
    {"s_flbit_i32_i64", kSalu, kNarrowing<O64::leading_signs>},
    {"s_sext_i32_i8", kSalu, kUnary32<sign_extend_8>},
    {"s_sext_i32_i16", kSalu, kUnary32<sign_extend_16>},
    {"s_bitset0_b32", kSalu, kUnary32<O32::clear_bit>},
    {"s_bitset0_b64", kSalu, kWidening<O64::clear_bit>},
    {"s_bitset1_b32", kSalu, kUnary32<O32::set_bit>},
    {"s_bitset1_b64", kSalu, kWidening<O64::set_bit>},
    {"s_quadmask_b32", kSalu, kUnary32<O32::quad_mask>},
    {"s_quadmask_b64", kSalu, kUnary64<O64::quad_mask>},
    {"s_abs_i32", kSalu, kUnary32<absolute>},
    {"s_bitreplicate_b64_b32", kSalu, kWidening<replicate_bits>},
};

}  // namespace

std::span<const SemanticsRow> scalar_unary_rows() { return kRows; }

}  // namespace wavecast::isa
