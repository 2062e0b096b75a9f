// SOPC and SOPK: compares into SCC and operations with a 16-bit constant.
// Source: AMD CDNA3 ISA, "SOPC Instructions" and "SOPK Instructions".
#include "isa/semantics/scalar_alu.h"
#include "isa/semantics/scalar_operands.h"

namespace wavecast::isa {

namespace {

template <class Value>
using Compare = bool (*)(Value a, Value b);

template <class Value>
struct Order {
  static bool eq(Value a, Value b) { return a == b; }
  static bool ne(Value a, Value b) { return a != b; }
  static bool gt(Value a, Value b) { return a > b; }
  static bool ge(Value a, Value b) { return a >= b; }
  static bool lt(Value a, Value b) { return a < b; }
  static bool le(Value a, Value b) { return a <= b; }
};

template <class Value, Compare<Value> compare>
void compare32(Wavefront& wave, const Instruction& instruction, ExecutionContext&) {
  wave.scc = compare(static_cast<Value>(read_scalar32(wave, instruction, instruction.src[0])),
                     static_cast<Value>(read_scalar32(wave, instruction, instruction.src[1])));
}

template <Compare<uint64_t> compare>
void compare64(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  wave.scc = compare(read_scalar64(wave, instruction, instruction.src[0], context),
                     read_scalar64(wave, instruction, instruction.src[1], context));
}

// The constant is sign-extended for signed compares and zero-extended for unsigned ones.
template <class Value, Compare<Value> compare>
void compare_constant(Wavefront& wave, const Instruction& instruction, ExecutionContext&) {
  const Value constant = std::is_signed_v<Value>
                             ? static_cast<Value>(instruction.immediate)
                             : static_cast<Value>(static_cast<uint16_t>(instruction.immediate));
  wave.scc = compare(static_cast<Value>(read_scalar32(wave, instruction, instruction.src[0])), constant);
}

template <class Word, bool wanted>
void test_bit(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  const uint32_t position = read_scalar32(wave, instruction, instruction.src[1]) & (sizeof(Word) * 8 - 1);
  Word value = 0;
  if constexpr (sizeof(Word) == sizeof(uint32_t))
    value = read_scalar32(wave, instruction, instruction.src[0]);
  else
    value = read_scalar64(wave, instruction, instruction.src[0], context);
  wave.scc = (value >> position & 1) == Word{wanted};
}

void move_constant(Wavefront& wave, const Instruction& instruction, ExecutionContext&) {
  write_scalar32(wave, instruction.vdst, static_cast<uint32_t>(instruction.immediate));
}
void move_constant_if(Wavefront& wave, const Instruction& instruction, ExecutionContext&) {
  if (wave.scc) write_scalar32(wave, instruction.vdst, static_cast<uint32_t>(instruction.immediate));
}
void add_constant(Wavefront& wave, const Instruction& instruction, ExecutionContext&) {
  constexpr uint32_t kSignBit = 0x80000000;
  const uint32_t a = read_scalar32(wave, instruction, instruction.src[0]);
  const auto b = static_cast<uint32_t>(instruction.immediate);
  const uint32_t sum = a + b;
  wave.scc = (~(a ^ b) & (a ^ sum) & kSignBit) != 0;
  write_scalar32(wave, instruction.vdst, sum);
}
void multiply_constant(Wavefront& wave, const Instruction& instruction, ExecutionContext&) {
  write_scalar32(
      wave, instruction.vdst,
      read_scalar32(wave, instruction, instruction.src[0]) * static_cast<uint32_t>(instruction.immediate));
}

using S32 = Order<int32_t>;
using U32 = Order<uint32_t>;
using U64 = Order<uint64_t>;
constexpr auto kSalu = InstructionClass::salu;

constexpr SemanticsRow kRows[] = {
    {"s_cmp_eq_i32", kSalu, compare32<int32_t, S32::eq>},
    {"s_cmp_lg_i32", kSalu, compare32<int32_t, S32::ne>},
    {"s_cmp_gt_i32", kSalu, compare32<int32_t, S32::gt>},
    {"s_cmp_ge_i32", kSalu, compare32<int32_t, S32::ge>},
    {"s_cmp_lt_i32", kSalu, compare32<int32_t, S32::lt>},
    {"s_cmp_le_i32", kSalu, compare32<int32_t, S32::le>},
    {"s_cmp_eq_u32", kSalu, compare32<uint32_t, U32::eq>},
    {"s_cmp_lg_u32", kSalu, compare32<uint32_t, U32::ne>},
    {"s_cmp_gt_u32", kSalu, compare32<uint32_t, U32::gt>},
    {"s_cmp_ge_u32", kSalu, compare32<uint32_t, U32::ge>},
    {"s_cmp_lt_u32", kSalu, compare32<uint32_t, U32::lt>},
    {"s_cmp_le_u32", kSalu, compare32<uint32_t, U32::le>},
    {"s_cmp_eq_u64", kSalu, compare64<U64::eq>},
    {"s_cmp_lg_u64", kSalu, compare64<U64::ne>},
    {"s_bitcmp0_b32", kSalu, test_bit<uint32_t, false>},
    {"s_bitcmp1_b32", kSalu, test_bit<uint32_t, true>},
    {"s_bitcmp0_b64", kSalu, test_bit<uint64_t, false>},
    {"s_bitcmp1_b64", kSalu, test_bit<uint64_t, true>},
    {"s_movk_i32", kSalu, move_constant},
    {"s_cmovk_i32", kSalu, move_constant_if},
    {"s_cmpk_eq_i32", kSalu, compare_constant<int32_t, S32::eq>},
    {"s_cmpk_lg_i32", kSalu, compare_constant<int32_t, S32::ne>},
    {"s_cmpk_gt_i32", kSalu, compare_constant<int32_t, S32::gt>},
    {"s_cmpk_ge_i32", kSalu, compare_constant<int32_t, S32::ge>},
    {"s_cmpk_lt_i32", kSalu, compare_constant<int32_t, S32::lt>},
    {"s_cmpk_le_i32", kSalu, compare_constant<int32_t, S32::le>},
    {"s_cmpk_eq_u32", kSalu, compare_constant<uint32_t, U32::eq>},
    {"s_cmpk_lg_u32", kSalu, compare_constant<uint32_t, U32::ne>},
    {"s_cmpk_gt_u32", kSalu, compare_constant<uint32_t, U32::gt>},
    {"s_cmpk_ge_u32", kSalu, compare_constant<uint32_t, U32::ge>},
    {"s_cmpk_lt_u32", kSalu, compare_constant<uint32_t, U32::lt>},
    {"s_cmpk_le_u32", kSalu, compare_constant<uint32_t, U32::le>},
    {"s_addk_i32", kSalu, add_constant},
    {"s_mulk_i32", kSalu, multiply_constant},
};

}  // namespace

std::span<const SemanticsRow> scalar_compare_rows() { return kRows; }

}  // namespace wavecast::isa
