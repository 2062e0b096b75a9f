// Inner loops of matrix instructions: element decoding and multiply-add of small matrices.
// Order of accumulation: k ascending, one f32 (f64) fused multiply-add per element, round to nearest even. AMD does not
// publish the hardware's order; for any order the result differs from the exact one by at most
// ((1 + u)^k - 1) * (|c| + sum |a b|), u = 2^-24 (2^-53). Leaves out: NaN payloads and MODE.
#include <bit>
#include <cmath>
#include <cstring>

#include "isa/semantics/matrix.h"
#include "isa/semantics/small_float.h"

namespace wavecast::isa::matrix {
namespace {

using Lanes = std::array<float, kLanes>;

// f32 rounded to the 10 mantissa bits of xf32.
float round_to_xf32(uint32_t bits) {
  constexpr uint32_t kDropped = 13;
  const uint32_t rounded = bits + ((1u << (kDropped - 1)) - 1) + (bits >> kDropped & 1);
  const bool finite = (bits & 0x7f800000) != 0x7f800000;
  return std::bit_cast<float>(finite ? rounded & ~((1u << kDropped) - 1) : bits);
}

template <size_t kCodes>
void look_up(const std::array<float, kCodes>& table, const uint32_t* words, int shift, Lanes& values) {
  for (int lane = 0; lane < kLanes; ++lane) values[lane] = table[words[lane] >> shift & (kCodes - 1)];
}

// 8-bit floats by arithmetic, which the compiler vectorises: the exponent is rebiased by a multiplication, exactly and
// including denormals; codes that are no numbers are patched afterwards.
template <int kMantissaBits, int kBias, SpecialValues kSpecial>
void decode_float8(const uint32_t* words, int shift, Lanes& values) {
  constexpr uint32_t kSignBit = 0x80, kMagnitude = 0x7f;
  constexpr FloatFormat kFormat{7 - kMantissaBits, kMantissaBits, kBias, kSpecial};
  const float rebias = std::bit_cast<float>(static_cast<uint32_t>(127 + 127 - kBias) << 23);
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t code = words[lane] >> shift & 0xff, magnitude = code & kMagnitude;
    uint32_t bits = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude << (23 - kMantissaBits)) * rebias);
    if constexpr (kSpecial == SpecialValues::fnuz) {
      bits = code == kSignBit ? 0x7fc00000 : bits;
    } else {
      const uint32_t special = kSpecial == SpecialValues::ieee && magnitude == kFormat.largest_finite() + 1 ? 0x7f800000 : 0x7fc00000;
      bits = magnitude > kFormat.largest_finite() ? special : bits;
    }
    values[lane] = std::bit_cast<float>(bits | (code & kSignBit) << 24);
  }
}

// 6-bit elements straddle registers.
template <size_t kCodes>
void look_up_packed(Wavefront& wave, uint16_t code, const std::array<float, kCodes>& table, int bits, int e, Lanes& values) {
  const int bit = e * bits;
  const VectorRegister& low = wave.vector(static_cast<uint16_t>(code + bit / 32));
  const bool straddles = bit % 32 + bits > 32;
  const VectorRegister& high = wave.vector(static_cast<uint16_t>(code + bit / 32 + straddles));
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint64_t window = low.lane[lane] | uint64_t{high.lane[lane]} << 32;
    values[lane] = table[window >> bit % 32 & (kCodes - 1)];
  }
}

// Rows of n floats stay in host registers while k runs; two rows at a time share the loads of B.
template <class Real, int kColumns>
void multiply_rows(Real* d, const Real* a, const Real* b, int m, int k) {
  for (int i = 0; i < m; i += 2) {
    Real first[kColumns], second[kColumns];
    std::memcpy(first, d + i * kColumns, sizeof first);
    std::memcpy(second, d + (i + 1) * kColumns, sizeof second);
    for (int step = 0; step < k; ++step) {
      const Real* row = b + step * kColumns;
      const Real x = a[step * m + i], y = a[step * m + i + 1];
      for (int j = 0; j < kColumns; ++j) first[j] = std::fma(x, row[j], first[j]);
      for (int j = 0; j < kColumns; ++j) second[j] = std::fma(y, row[j], second[j]);
    }
    std::memcpy(d + i * kColumns, first, sizeof first);
    std::memcpy(d + (i + 1) * kColumns, second, sizeof second);
  }
}

}  // namespace

void decode_elements(Wavefront& wave, uint16_t code, Element element, bool ocp, int e, Lanes& values) {
  const int bits = bits_of(element);
  if (element == Element::fp6) return look_up_packed(wave, code, kFp6Values, bits, e, values);
  if (element == Element::bf6) return look_up_packed(wave, code, kBf6Values, bits, e, values);
  const int per_register = 32 / bits;
  const uint32_t* words = wave.vector(static_cast<uint16_t>(code + e / per_register)).lane.data();
  const int shift = e % per_register * bits;
  switch (element) {
    case Element::f32: std::memcpy(values.data(), words, sizeof values); return;
    case Element::xf32:
      for (int lane = 0; lane < kLanes; ++lane) values[lane] = round_to_xf32(words[lane]);
      return;
    case Element::f16:
      for (int lane = 0; lane < kLanes; ++lane) values[lane] = f16_to_float(static_cast<uint16_t>(words[lane] >> shift));
      return;
    case Element::bf16:
      for (int lane = 0; lane < kLanes; ++lane) values[lane] = bf16_to_float(static_cast<uint16_t>(words[lane] >> shift));
      return;
    case Element::i8:
      for (int lane = 0; lane < kLanes; ++lane) values[lane] = static_cast<float>(static_cast<int8_t>(words[lane] >> shift));
      return;
    case Element::fp8:
      return ocp ? decode_float8<3, kFp8Ocp.bias, kFp8Ocp.special>(words, shift, values)
                 : decode_float8<3, kFp8Fnuz.bias, kFp8Fnuz.special>(words, shift, values);
    case Element::bf8:
      return ocp ? decode_float8<2, kBf8Ocp.bias, kBf8Ocp.special>(words, shift, values)
                 : decode_float8<2, kBf8Fnuz.bias, kBf8Fnuz.special>(words, shift, values);
    case Element::fp4: return look_up(kFp4Values, words, shift, values);
    default: return;
  }
}

void multiply_add(float* d, const float* a, const float* b, int m, int n, int k) {
  switch (n) {
    case 4: return multiply_rows<float, 4>(d, a, b, m, k);
    case 16: return multiply_rows<float, 16>(d, a, b, m, k);
    default: return multiply_rows<float, 32>(d, a, b, m, k);
  }
}

void multiply_add(double* d, const double* a, const double* b, int m, int n, int k) {
  if (n == 4) return multiply_rows<double, 4>(d, a, b, m, k);
  multiply_rows<double, 16>(d, a, b, m, k);
}

}  // namespace wavecast::isa::matrix
