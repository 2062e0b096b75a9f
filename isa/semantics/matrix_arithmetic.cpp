// Inner loops of matrix instructions: element decoding and multiply-add of small matrices.
// Order of accumulation: k ascending, one f32 (f64) fused multiply-add per element, round to nearest even.
// AMD does not publish the hardware's order; for any order the result differs from the exact one by at most
// ((1 + u)^k - 1) * (|c| + sum |a b|), u = 2^-24 (2^-53). Leaves out: NaN payloads and MODE.
#include <bit>
#include <cmath>
#include <cstring>

#include "isa/semantics/matrix.h"
#include "isa/semantics/small_float.h"

namespace wavecast::isa::matrix {
namespace {

// f32 rounded to the 10 mantissa bits of xf32.
float round_to_xf32(uint32_t bits) {
  constexpr uint32_t kDropped = 13;
  const uint32_t rounded = bits + ((1u << (kDropped - 1)) - 1) + (bits >> kDropped & 1);
  const bool finite = (bits & 0x7f800000) != 0x7f800000;
  return std::bit_cast<float>(finite ? rounded & ~((1u << kDropped) - 1) : bits);
}

// 8-bit floats by arithmetic, which the compiler vectorises: the exponent is rebiased by a multiplication,
// exactly and including denormals; codes that are no numbers are patched afterwards.
template <int kMantissaBits, int kBias, SpecialValues kSpecial>
float decode_float8(uint32_t code) {
  constexpr uint32_t kSignBit = 0x80, kMagnitude = 0x7f;
  constexpr FloatFormat kFormat{7 - kMantissaBits, kMantissaBits, kBias, kSpecial};
  const float rebias = std::bit_cast<float>(static_cast<uint32_t>(127 + 127 - kBias) << 23);
  const uint32_t magnitude = code & kMagnitude;
  uint32_t bits = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude << (23 - kMantissaBits)) * rebias);
  if constexpr (kSpecial == SpecialValues::fnuz) {
    bits = code == kSignBit ? 0x7fc00000 : bits;
  } else {
    const bool infinity = kSpecial == SpecialValues::ieee && magnitude == kFormat.largest_finite() + 1;
    bits = magnitude > kFormat.largest_finite() ? (infinity ? 0x7f800000 : 0x7fc00000) : bits;
  }
  return std::bit_cast<float>(bits | (code & kSignBit) << 24);
}

// All elements of registers that hold a whole number of them; `decode` takes the element's bits,
// zero-extended.
template <int kBits, class Decode>
void decode_aligned(Wavefront& wave, uint16_t code, int count, float* values, Decode&& decode) {
  constexpr int kPerRegister = 32 / kBits;
  constexpr uint32_t kMask = kBits == 32 ? ~0u : (1u << kBits % 32) - 1;
  for (int e = 0; e < count; e += kPerRegister) {
    const uint32_t* words = wave.vector(static_cast<uint16_t>(code + e / kPerRegister)).lane.data();
    for (int within = 0; within < kPerRegister; ++within) {
      float* lanes = values + (e + within) * kLanes;
      for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = decode(words[lane] >> within * kBits & kMask);
    }
  }
}

// 6-bit elements straddle registers.
void decode_packed(Wavefront& wave, uint16_t code, const std::array<float, 64>& table, int count,
                   float* values) {
  constexpr int kBits = 6;
  for (int e = 0; e < count; ++e) {
    const int bit = e * kBits;
    const bool straddles = bit % 32 + kBits > 32;
    const uint32_t* low = wave.vector(static_cast<uint16_t>(code + bit / 32)).lane.data();
    const uint32_t* high = wave.vector(static_cast<uint16_t>(code + bit / 32 + straddles)).lane.data();
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint64_t window = low[lane] | uint64_t{high[lane]} << 32;
      values[e * kLanes + lane] = table[window >> bit % 32 & 63];
    }
  }
}

// kRows rows of C stay in host registers while k runs, and share the loads of B.
template <int kColumns, int kRows, class Real>
void multiply_rows(const Real* const* a, const Real* const* b, int k, const void* const* c, void* const* d,
                   int m) {
  for (int i = 0; i < m; i += kRows) {
    Real sum[kRows][kColumns];
    for (int r = 0; r < kRows; ++r) std::memcpy(sum[r], c[i + r], sizeof sum[r]);
    for (int step = 0; step < k; ++step) {
      const Real* column = a[step] + i;
      const Real* row = b[step];
      for (int r = 0; r < kRows; ++r)
        for (int j = 0; j < kColumns; ++j) sum[r][j] = std::fma(column[r], row[j], sum[r][j]);
    }
    for (int r = 0; r < kRows; ++r) std::memcpy(d[i + r], sum[r], sizeof sum[r]);
  }
}

}  // namespace

void decode_elements(Wavefront& wave, uint16_t code, Element element, bool ocp, int count, float* values) {
  switch (element) {
    case Element::f32:
      return decode_aligned<32>(wave, code, count, values,
                                [](uint32_t x) { return std::bit_cast<float>(x); });
    case Element::xf32:
      return decode_aligned<32>(wave, code, count, values, round_to_xf32);
    case Element::f16:
      return decode_aligned<16>(wave, code, count, values,
                                [](uint32_t x) { return f16_to_float(static_cast<uint16_t>(x)); });
    case Element::bf16:
      return decode_aligned<16>(wave, code, count, values,
                                [](uint32_t x) { return std::bit_cast<float>(x << 16); });
    case Element::i8:
      return decode_aligned<8>(wave, code, count, values, [](uint32_t x) {
        return static_cast<float>(static_cast<int32_t>(x << 24) >> 24);
      });
    case Element::fp8:
      if (ocp)
        return decode_aligned<8>(wave, code, count, values, decode_float8<3, kFp8Ocp.bias, kFp8Ocp.special>);
      return decode_aligned<8>(wave, code, count, values, decode_float8<3, kFp8Fnuz.bias, kFp8Fnuz.special>);
    case Element::bf8:
      if (ocp)
        return decode_aligned<8>(wave, code, count, values, decode_float8<2, kBf8Ocp.bias, kBf8Ocp.special>);
      return decode_aligned<8>(wave, code, count, values, decode_float8<2, kBf8Fnuz.bias, kBf8Fnuz.special>);
    case Element::fp4:
      return decode_aligned<4>(wave, code, count, values, [](uint32_t x) { return kFp4Values[x]; });
    case Element::fp6:
      return decode_packed(wave, code, kFp6Values, count, values);
    case Element::bf6:
      return decode_packed(wave, code, kBf6Values, count, values);
    case Element::f64:
    case Element::selected:
      break;  // not decoded to f32; resolved by the caller
  }
}

void multiply_add(const float* const* a, const float* const* b, int k, const void* const* c, void* const* d,
                  int m, int n) {
  switch (n) {
    case 4:
      return multiply_rows<4, 4>(a, b, k, c, d, m);
    case 16:
      return multiply_rows<16, 4>(a, b, k, c, d, m);
    default:
      return multiply_rows<32, 2>(a, b, k, c, d, m);
  }
}

void multiply_add(const double* const* a, const double* const* b, int k, const void* const* c, void* const* d,
                  int m, int n) {
  if (n == 4) return multiply_rows<4, 4>(a, b, k, c, d, m);
  multiply_rows<16, 2>(a, b, k, c, d, m);
}

}  // namespace wavecast::isa::matrix
