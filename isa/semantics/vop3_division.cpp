// Semantics of the division helpers v_div_scale, v_div_fmas, v_div_fixup and of v_trig_preop_f64. Sources:
// AMD CDNA3 ISA document, "VOP3 Instructions", with three readings that make the documented sequence
// correctly rounded: a denominator whose reciprocal is denormal is scaled down, v_div_fmas scales up for
// quotient estimates of 2 and above and down otherwise, in one rounding with its multiply-add, and
// v_div_fixup takes a NaN estimate for an overflow.
#include <cmath>

#include "isa/semantics/lane_arithmetic.h"
#include "isa/semantics/vector_rows.h"

namespace wavecast::isa {

namespace {

using enum InstructionClass;

// Limits of v_div_scale per format: the scale exponent, the exponent difference from which the denominator is
// scaled, the numerator exponent up to which both are scaled, and the one below which v_div_fixup gives zero.
template <class U>
struct Division;
template <>
struct Division<uint32_t> {
  using Type = R32;
  static constexpr const IeeeFormat& kFormat = kIeee32;
  static constexpr int kScale = 64, kLargeQuotient = 96, kTinyNumerator = 23, kUnderflow = -150;
};
template <>
struct Division<uint64_t> {
  using Type = R64;
  static constexpr const IeeeFormat& kFormat = kIeee64;
  static constexpr int kScale = 128, kLargeQuotient = 768, kTinyNumerator = 53, kUnderflow = -1075;
};

template <class U>
int exponent_field(U bits) {
  return static_cast<int>((bits & lane::FloatBits<U>::kMagnitude) >> Division<U>::kFormat.mantissa_bits);
}

// True if |a / b| is below the smallest normal number; a and b are finite and not zero.
template <class U>
bool quotient_is_denormal(U a, U b) {
  static constexpr IeeeFormat kFormat = Division<U>::kFormat;
  const auto split = [](U bits, int& exponent) {
    const uint64_t magnitude = bits & lane::FloatBits<U>::kMagnitude;
    const uint64_t mantissa = magnitude & ((uint64_t{1} << kFormat.mantissa_bits) - 1);
    exponent = static_cast<int>(magnitude >> kFormat.mantissa_bits);
    if (exponent) return mantissa | uint64_t{1} << kFormat.mantissa_bits;
    const int shift = std::countl_zero(mantissa) - (63 - kFormat.mantissa_bits);
    exponent = 1 - shift;
    return mantissa << shift;
  };
  int exponent_a, exponent_b;
  const uint64_t mantissa_a = split(a, exponent_a), mantissa_b = split(b, exponent_b);
  return exponent_a - exponent_b - (mantissa_a < mantissa_b ? 1 : 0) < 1 - kFormat.bias();
}

// One lane of v_div_scale: s0 is scaled if it is the operand to be scaled; `flag` tells v_div_fmas to undo
// it.
template <class U>
U div_scale_lane(U s0, U denominator, U numerator, bool& flag) {
  using D = Division<U>;
  constexpr U kMagnitude = lane::FloatBits<U>::kMagnitude;
  const auto scaled = [&](int by) {
    return static_cast<U>(soft_convert(D::kFormat, D::kFormat, s0, Rounding::nearest_even, by));
  };
  const bool is_denominator = s0 == denominator, is_numerator = s0 == numerator;
  const int e1 = exponent_field(denominator), e2 = exponent_field(numerator);
  constexpr int kInfinityExponent = (1 << D::kFormat.exponent_bits) - 1;
  flag = false;
  if ((denominator & kMagnitude) == 0 || (numerator & kMagnitude) == 0)
    return lane::FloatBits<U>::kInfinity | lane::FloatBits<U>::kQuiet;
  if (e2 - e1 >= D::kLargeQuotient) {
    flag = true;
    return is_denominator ? scaled(D::kScale) : s0;
  }
  if (e1 == 0) return scaled(D::kScale);
  if (e1 == kInfinityExponent || e2 == kInfinityExponent) return s0;  // v_div_fixup decides these
  constexpr U kOne = static_cast<U>(U(D::kFormat.bias()) << D::kFormat.mantissa_bits);
  const bool reciprocal_denormal = quotient_is_denormal<U>(kOne, denominator);
  const bool quotient_denormal = quotient_is_denormal<U>(numerator, denominator);
  if (reciprocal_denormal && quotient_denormal) {
    flag = true;
    return is_denominator ? scaled(-D::kScale) : s0;
  }
  if (reciprocal_denormal) return scaled(-D::kScale);
  if (quotient_denormal) {
    flag = true;
    return is_numerator ? scaled(D::kScale) : s0;
  }
  return e2 <= D::kTinyNumerator ? scaled(D::kScale) : s0;
}

template <class U>
void div_scale(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  using D = Division<U>;
  using T = typename D::Type;
  LaneOperation operation(wave, instruction, context);
  LaneBuffer buffers[3], result;
  const uint32_t* s0 = operation.source(T::kFormat, 0, buffers[0]);
  const uint32_t* s1 = operation.source(T::kFormat, 1, buffers[1]);
  const uint32_t* s2 = operation.source(T::kFormat, 2, buffers[2]);
  // Most divisions need no scaling in any lane; these bounds on the exponents are safely inside that case.
  constexpr int kBias = D::kFormat.bias();
  uint32_t any = 0;
  for (int i = 0; i < kLanes; ++i) {
    const int e1 = exponent_field(T::get(s1, i)), e2 = exponent_field(T::get(s2, i));
    any |= e1 < 1 || e1 > 2 * kBias - 2 || e2 <= D::kTinyNumerator || e2 > 2 * kBias ||
           e2 - e1 >= D::kLargeQuotient || e2 - e1 < 2 - kBias;
  }
  if (!any) {
    for (int i = 0; i < kLanes; ++i) T::put(result.lane, i, T::get(s0, i));
    operation.write(T::kFormat, result, false);
    operation.write_mask(0);
    return;
  }
  uint64_t flags = 0;
  for (int i = 0; i < kLanes; ++i) {
    bool flag;
    T::put(result.lane, i, div_scale_lane<U>(T::get(s0, i), T::get(s1, i), T::get(s2, i), flag));
    flags |= static_cast<uint64_t>(flag) << i;
  }
  operation.write(T::kFormat, result, false);
  operation.write_mask(flags);
}

template <class U>
void div_fmas(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  using D = Division<U>;
  using T = typename D::Type;
  using Float = std::conditional_t<sizeof(U) == 4, F32, F64>;
  LaneOperation operation(wave, instruction, context);
  LaneBuffer buffers[3], result;
  const uint32_t* a = operation.source(T::kFormat, 0, buffers[0]);
  const uint32_t* b = operation.source(T::kFormat, 1, buffers[1]);
  const uint32_t* c = operation.source(T::kFormat, 2, buffers[2]);
  const uint64_t scaled = wave.vcc();
  const Rounding rounding = operation.rounding(T::kFormat);
  for (int i = 0; i < kLanes; ++i)
    Float::put(result.lane, i, std::fma(Float::get(a, i), Float::get(b, i), Float::get(c, i)));
  if (scaled & operation.active() || rounding != Rounding::nearest_even) {
    for (int i = 0; i < kLanes; ++i) {
      const bool flag = scaled >> i & 1;
      if (!flag && rounding == Rounding::nearest_even) continue;
      const bool up = exponent_field(T::get(c, i)) > D::kFormat.bias();
      const int scale = flag ? (up ? D::kScale : -D::kScale) : 0;
      T::put_raw(result.lane, i,
                 soft_fma(D::kFormat, T::raw(a, i), T::raw(b, i), T::raw(c, i), rounding, scale));
    }
  }
  operation.write(T::kFormat, result, false);
}

// Special cases of the quotient of numerator (third source) and denominator (second); otherwise the estimate
// with the right sign. Written as selects of rising priority.
template <class U>
U div_fixup(U estimate, U denominator, U numerator) {
  using B = lane::FloatBits<U>;
  constexpr U kSign = static_cast<U>(~B::kMagnitude);
  const U sign = (denominator ^ numerator) & kSign;
  const U d = denominator & B::kMagnitude, n = numerator & B::kMagnitude;
  U result = lane::is_nan(estimate) ? static_cast<U>(sign | B::kInfinity)
                                    : static_cast<U>((estimate & B::kMagnitude) | sign);
  if constexpr (sizeof(U) > 2) {
    const bool vanishes = exponent_field(numerator) - exponent_field(denominator) < Division<U>::kUnderflow;
    result = vanishes ? sign : result;
  }
  result = d == B::kInfinity || n == 0 ? sign : result;
  result = d == 0 || n == B::kInfinity ? static_cast<U>(sign | B::kInfinity) : result;
  const bool invalid = (d == 0 && n == 0) || (d == B::kInfinity && n == B::kInfinity);
  result = invalid ? static_cast<U>(kSign | B::kInfinity | B::kQuiet) : result;
  result = lane::is_nan(denominator) ? lane::quieted(denominator) : result;
  return lane::is_nan(numerator) ? lane::quieted(numerator) : result;
}

// The first 1201 fraction bits of 2 / pi, most significant first; a mathematical constant (the test
// recomputes it).
constexpr uint64_t kTwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b0000};

// 53 bits of 2 / pi from a position given by the segment number and the exponent of the argument, at their
// true weight (times 2^128 for arguments of 2^945 and above, which the caller scales down).
double trig_preop(uint64_t argument, uint32_t segment) {
  const int exponent = static_cast<int>(argument >> 52 & 0x7ff);
  int shift = static_cast<int>(segment & 31) * 53;
  if (exponent > 1077) shift += exponent - 1077;
  const auto word = [](int index) {
    return index < static_cast<int>(std::size(kTwoOverPi)) ? kTwoOverPi[index] : 0;
  };
  const int index = shift / 64, offset = shift % 64;
  const uint64_t aligned = offset ? word(index) << offset | word(index + 1) >> (64 - offset) : word(index);
  return std::ldexp(static_cast<double>(aligned >> 11), -53 - shift + (exponent >= 1968 ? 128 : 0));
}

constexpr SemanticsRow kRows[] = {
    {"v_div_scale_f32", valu, div_scale<uint32_t>},
    {"v_div_scale_f64", valu_f64, div_scale<uint64_t>},
    {"v_div_fmas_f32", valu, div_fmas<uint32_t>},
    {"v_div_fmas_f64", valu_f64, div_fmas<uint64_t>},
    {"v_div_fixup_f32", valu, vector<R32(R32, R32, R32), div_fixup<uint32_t>>},
    {"v_div_fixup_f64", valu_f64, vector<R64(R64, R64, R64), div_fixup<uint64_t>>},
    {"v_div_fixup_f16", valu, vector<Keep<R16>(R16, R16, R16), div_fixup<uint16_t>>},
    {"v_div_fixup_legacy_f16", valu, vector<R16(R16, R16, R16), div_fixup<uint16_t>>},
    {"v_trig_preop_f64", valu_f64, vector<F64(R64, U32), trig_preop>},
};

}  // namespace

std::span<const SemanticsRow> vop3_division_rows() { return kRows; }

}  // namespace wavecast::isa
