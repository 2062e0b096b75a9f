// Lane functions on packed 16-bit halves and on dot products, shared by VOP2 and VOP3P.
// Source: AMD CDNA3 and CDNA4 ISA documents. f16 and bf16 products are exact in f32; sums round one after the
// other.
#pragma once

#include <concepts>

#include "isa/semantics/lane_arithmetic.h"

namespace wavecast::isa::lane {

constexpr uint32_t pack(uint32_t low, uint32_t high) { return (low & 0xffff) | high << 16; }

// Applies an f16 lane function (on float values, see F16) to both halves.
template <auto F>
inline constexpr auto packed_f16 = [](std::same_as<uint32_t> auto... v) {
  const uint32_t low = f32_to_f16(F(f16_to_f32(static_cast<uint16_t>(v))...));
  const uint32_t high = f32_to_f16(F(f16_to_f32(static_cast<uint16_t>(v >> 16))...));
  return pack(low, high);
};
template <auto F>
inline constexpr auto soft_packed_f16 =
    [](Rounding r, auto... v) { return F(r, (v & 0xffff)...) | F(r, (v >> 16 & 0xffff)...) << 16; };
// Applies a function of LaneState and 16-bit values to both halves.
template <class T, auto F>
inline constexpr auto packed_16 = [](const LaneState& s, auto... v) {
  return pack(static_cast<uint16_t>(F(s, static_cast<T>(v)...)),
              static_cast<uint16_t>(F(s, static_cast<T>(v >> 16)...)));
};

inline constexpr auto dot2_f32_f16 = [](uint32_t a, uint32_t b, float c) {
  const float low = f16_to_f32(static_cast<uint16_t>(a)) * f16_to_f32(static_cast<uint16_t>(b));
  const float high = f16_to_f32(static_cast<uint16_t>(a >> 16)) * f16_to_f32(static_cast<uint16_t>(b >> 16));
  return c + low + high;
};
constexpr float bf16_product(uint32_t a, uint32_t b) {
  return std::bit_cast<float>(a << 16) * std::bit_cast<float>(b << 16);
}
inline constexpr auto dot2c_f32_bf16 = [](uint32_t a, uint32_t b, float c) {
  return c + bf16_product(a, b) + bf16_product(a >> 16, b >> 16);
};
inline constexpr auto dot2_f32_bf16 = [](uint32_t a, uint32_t b, float c) {
  return bf16_product(a, b) + bf16_product(a >> 16, b >> 16) + c;
};

// Sum of products of kBits-wide fields; `clamp` saturates the exact sum.
template <int kBits>
inline constexpr auto dot_i32 = [](const LaneState& s, uint32_t a, uint32_t b, uint32_t c) {
  int64_t sum = static_cast<int32_t>(c);
  for (int at = 0; at < 32; at += kBits) {
    const int32_t x = static_cast<int32_t>(a << (32 - kBits - at)) >> (32 - kBits);
    const int32_t y = static_cast<int32_t>(b << (32 - kBits - at)) >> (32 - kBits);
    sum += int64_t{x} * y;
  }
  return static_cast<uint32_t>(narrow<int32_t>(s, sum));
};
template <int kBits>
inline constexpr auto dot_u32 = [](const LaneState& s, uint32_t a, uint32_t b, uint32_t c) {
  constexpr uint32_t kMask = (1u << kBits) - 1;
  uint64_t sum = c;
  for (int at = 0; at < 32; at += kBits) sum += uint64_t{a >> at & kMask} * (b >> at & kMask);
  return narrow<uint32_t>(s, sum);
};

}  // namespace wavecast::isa::lane
