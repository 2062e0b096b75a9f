// Semantics of VOPC: comparisons into a lane mask (VCC or an SGPR pair); v_cmpx also writes EXEC. Inactive
// lanes give 0. Source: AMD CDNA3 ISA document, "VOPC Instructions".
#include "isa/semantics/lane_arithmetic.h"
#include "isa/semantics/vector_rows.h"

namespace wavecast::isa {

namespace {

using enum InstructionClass;

constexpr auto never = [](auto, auto) { return false; };
constexpr auto always = [](auto, auto) { return true; };
constexpr auto less = [](auto a, auto b) { return a < b; };
constexpr auto equal = [](auto a, auto b) { return a == b; };
constexpr auto less_equal = [](auto a, auto b) { return a <= b; };
constexpr auto greater = [](auto a, auto b) { return a > b; };
constexpr auto unequal = [](auto a, auto b) { return a != b; };
constexpr auto greater_equal = [](auto a, auto b) { return a >= b; };
// Float only: `lg` is ordered and unequal, the n-forms negate and so hold for NaN.
constexpr auto less_or_greater = [](auto a, auto b) { return a < b || a > b; };
constexpr auto ordered = [](auto a, auto b) { return a == a && b == b; };
constexpr auto unordered = [](auto a, auto b) { return a != a || b != b; };
constexpr auto not_greater_equal = [](auto a, auto b) { return !(a >= b); };
constexpr auto not_less_greater = [](auto a, auto b) { return !(a < b || a > b); };
constexpr auto not_greater = [](auto a, auto b) { return !(a > b); };
constexpr auto not_less_equal = [](auto a, auto b) { return !(a <= b); };
constexpr auto not_equal = [](auto a, auto b) { return !(a == b); };
constexpr auto not_less = [](auto a, auto b) { return !(a < b); };

// Bits of the class mask: 0 signalling NaN, 1 quiet NaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, 6 +0, 7
// +denormal, 8 +normal, 9 +inf.
template <class U>
bool in_class(U value, uint32_t mask) {
  constexpr U kInfinity = lane::FloatBits<U>::kInfinity;
  const bool negative = (value & ~lane::FloatBits<U>::kMagnitude & static_cast<U>(~U{0})) != 0;
  const U magnitude = value & lane::FloatBits<U>::kMagnitude;
  const uint32_t nan = magnitude > kInfinity ? (value & lane::FloatBits<U>::kQuiet ? 2u : 1u) : 0u;
  const uint32_t infinite = magnitude == kInfinity ? (negative ? 1u << 2 : 1u << 9) : 0u;
  const uint32_t zero = magnitude == 0 ? (negative ? 1u << 5 : 1u << 6) : 0u;
  const bool has_exponent = (magnitude & kInfinity) != 0;
  const uint32_t normal = has_exponent && magnitude < kInfinity ? (negative ? 1u << 3 : 1u << 8) : 0u;
  const uint32_t denormal = !has_exponent && magnitude != 0 ? (negative ? 1u << 4 : 1u << 7) : 0u;
  return ((nan | infinite | zero | normal | denormal) & mask) != 0;
}

// Both v_cmp_ and v_cmpx_.
#define WAVECAST_COMPARE(name, instruction_class, types, function)         \
  {"v_cmp_" name, instruction_class, compare<bool types, function>}, {     \
    "v_cmpx_" name, instruction_class, compare<bool types, function, true> \
  }

#define WAVECAST_COMPARE_INTEGER(suffix, instruction_class, T)                  \
  WAVECAST_COMPARE("f_" suffix, instruction_class, (T, T), never),              \
      WAVECAST_COMPARE("lt_" suffix, instruction_class, (T, T), less),          \
      WAVECAST_COMPARE("eq_" suffix, instruction_class, (T, T), equal),         \
      WAVECAST_COMPARE("le_" suffix, instruction_class, (T, T), less_equal),    \
      WAVECAST_COMPARE("gt_" suffix, instruction_class, (T, T), greater),       \
      WAVECAST_COMPARE("ne_" suffix, instruction_class, (T, T), unequal),       \
      WAVECAST_COMPARE("ge_" suffix, instruction_class, (T, T), greater_equal), \
      WAVECAST_COMPARE("t_" suffix, instruction_class, (T, T), always)

#define WAVECAST_COMPARE_FLOAT(suffix, instruction_class, T, M)                      \
  WAVECAST_COMPARE("f_" suffix, instruction_class, (T, T), never),                   \
      WAVECAST_COMPARE("lt_" suffix, instruction_class, (T, T), less),               \
      WAVECAST_COMPARE("eq_" suffix, instruction_class, (T, T), equal),              \
      WAVECAST_COMPARE("le_" suffix, instruction_class, (T, T), less_equal),         \
      WAVECAST_COMPARE("gt_" suffix, instruction_class, (T, T), greater),            \
      WAVECAST_COMPARE("lg_" suffix, instruction_class, (T, T), less_or_greater),    \
      WAVECAST_COMPARE("ge_" suffix, instruction_class, (T, T), greater_equal),      \
      WAVECAST_COMPARE("o_" suffix, instruction_class, (T, T), ordered),             \
      WAVECAST_COMPARE("u_" suffix, instruction_class, (T, T), unordered),           \
      WAVECAST_COMPARE("nge_" suffix, instruction_class, (T, T), not_greater_equal), \
      WAVECAST_COMPARE("nlg_" suffix, instruction_class, (T, T), not_less_greater),  \
      WAVECAST_COMPARE("ngt_" suffix, instruction_class, (T, T), not_greater),       \
      WAVECAST_COMPARE("nle_" suffix, instruction_class, (T, T), not_less_equal),    \
      WAVECAST_COMPARE("neq_" suffix, instruction_class, (T, T), not_equal),         \
      WAVECAST_COMPARE("nlt_" suffix, instruction_class, (T, T), not_less),          \
      WAVECAST_COMPARE("tru_" suffix, instruction_class, (T, T), always),            \
      WAVECAST_COMPARE("class_" suffix, instruction_class, (M, U32), in_class<M::Value>)

constexpr SemanticsRow kRows[] = {
    WAVECAST_COMPARE_INTEGER("i16", valu, I16),        WAVECAST_COMPARE_INTEGER("u16", valu, U16),
    WAVECAST_COMPARE_INTEGER("i32", valu, I32),        WAVECAST_COMPARE_INTEGER("u32", valu, U32),
    WAVECAST_COMPARE_INTEGER("i64", valu_int64, I64),  WAVECAST_COMPARE_INTEGER("u64", valu_int64, U64),
    WAVECAST_COMPARE_FLOAT("f16", valu, F16, M16),     WAVECAST_COMPARE_FLOAT("f32", valu, F32, M32),
    WAVECAST_COMPARE_FLOAT("f64", valu_f64, F64, M64),
};

}  // namespace

std::span<const SemanticsRow> vopc_rows() { return kRows; }

}  // namespace wavecast::isa
