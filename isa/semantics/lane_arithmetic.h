// Lane functions used by several VOP families: float arithmetic with its exact counterparts for directed
// rounding, minimum and maximum with AMD's NaN rules, and small integer helpers. Sources: IEEE 754-2019; AMD
// CDNA3 ISA document.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "isa/semantics/lanes.h"

namespace wavecast::isa::lane {

// Round-to-nearest forms; the f16 types compute in float (see F16 in lanes.h).
inline constexpr auto add = [](auto a, auto b) { return a + b; };
inline constexpr auto subtract = [](auto a, auto b) { return a - b; };
inline constexpr auto subtract_reversed = [](auto a, auto b) { return b - a; };
inline constexpr auto multiply = [](auto a, auto b) { return a * b; };
inline constexpr auto fused = [](auto a, auto b, auto c) { return std::fma(a, b, c); };
inline constexpr auto unfused = [](auto a, auto b, auto c) {
  return a * b + c;
};  // contraction is off in this build

// f16 fused multiply-add: the product is exact in double, the sum is rounded to odd before the rounding to
// f16.
inline constexpr auto fused_f16 = [](float a, float b, float c) {
  return round_to_odd(static_cast<double>(a) * b + static_cast<double>(c));
};
// f16 multiply-add with the product rounded to f16 first.
inline constexpr auto unfused_f16 = [](float a, float b, float c) {
  return f16_to_f32(f32_to_f16(a * b)) + c;
};

// Any rounding mode.
template <const IeeeFormat& F>
inline constexpr auto soft_add = [](Rounding r, uint64_t a, uint64_t b) { return isa::soft_add(F, a, b, r); };
template <const IeeeFormat& F>
inline constexpr auto soft_subtract =
    [](Rounding r, uint64_t a, uint64_t b) { return isa::soft_add(F, a, b ^ F.sign(), r); };
template <const IeeeFormat& F>
inline constexpr auto soft_subtract_reversed =
    [](Rounding r, uint64_t a, uint64_t b) { return isa::soft_add(F, b, a ^ F.sign(), r); };
template <const IeeeFormat& F>
inline constexpr auto soft_multiply =
    [](Rounding r, uint64_t a, uint64_t b) { return isa::soft_mul(F, a, b, r); };
template <const IeeeFormat& F>
inline constexpr auto soft_fused =
    [](Rounding r, uint64_t a, uint64_t b, uint64_t c) { return isa::soft_fma(F, a, b, c, r); };
template <const IeeeFormat& F>
inline constexpr auto soft_unfused = [](Rounding r, uint64_t a, uint64_t b, uint64_t c) {
  return isa::soft_add(F, isa::soft_mul(F, a, b, r), c, r);
};
template <const IeeeFormat& From, const IeeeFormat& To>
inline constexpr auto soft_convert = [](Rounding r, uint64_t a) { return isa::soft_convert(From, To, a, r); };

// Facts of a float format held in an unsigned integer type.
template <class U>
struct FloatBits;
template <>
struct FloatBits<uint16_t> {
  using Signed = int16_t;
  static constexpr uint16_t kInfinity = 0x7c00, kQuiet = 0x0200, kMagnitude = 0x7fff;
};
template <>
struct FloatBits<uint32_t> {
  using Signed = int32_t;
  static constexpr uint32_t kInfinity = 0x7f800000, kQuiet = 0x00400000, kMagnitude = 0x7fffffff;
};
template <>
struct FloatBits<uint64_t> {
  using Signed = int64_t;
  static constexpr uint64_t kInfinity = 0x7ff0000000000000, kQuiet = 0x0008000000000000,
                            kMagnitude = 0x7fffffffffffffff;
};

template <class U>
constexpr bool is_nan(U bits) {
  return (bits & FloatBits<U>::kMagnitude) > FloatBits<U>::kInfinity;
}
template <class U>
constexpr bool is_signalling(U bits) {
  // With the quiet bit flipped, signalling NaNs, and nothing else, lie above infinity with that bit.
  return ((bits ^ FloatBits<U>::kQuiet) & FloatBits<U>::kMagnitude) >
         (FloatBits<U>::kInfinity | FloatBits<U>::kQuiet);
}
template <class U>
constexpr U quieted(U bits) {
  return static_cast<U>(bits | FloatBits<U>::kQuiet);
}

// Integer with the order of the floats it stands for, -0 below +0.
template <class U>
constexpr typename FloatBits<U>::Signed order_key(U bits) {
  using Signed = typename FloatBits<U>::Signed;
  const Signed value = static_cast<Signed>(bits);
  return static_cast<Signed>(value ^ (value < 0 ? static_cast<Signed>(FloatBits<U>::kMagnitude) : Signed{0}));
}

// v_min_*/v_max_*: a NaN loses against a number; in IEEE mode a signalling NaN wins and becomes quiet.
template <bool kMaximum, bool kIeee, class U>
constexpr U extreme(U a, U b) {
  const bool a_first = kMaximum ? order_key(a) >= order_key(b) : order_key(a) < order_key(b);
  const U number = is_nan(a) ? b : is_nan(b) ? a : a_first ? a : b;
  if constexpr (!kIeee) return number;
  const U unless_b_signals = is_signalling(b) ? quieted(b) : number;
  return is_signalling(a) ? quieted(a) : unless_b_signals;
}
template <bool kMaximum, bool kIeee, class U>
constexpr U extreme(U a, U b, U c) {
  return extreme<kMaximum, kIeee>(extreme<kMaximum, kIeee>(a, b), c);
}
// Median; with a NaN among the operands the minimum of the three.
template <bool kIeee, class U>
constexpr U median(U a, U b, U c) {
  const U least = extreme<false, kIeee>(a, b, c);
  const U inner =
      extreme<true, kIeee>(extreme<false, kIeee>(a, b), extreme<false, kIeee>(extreme<true, kIeee>(a, b), c));
  const U without_c = is_nan(c) ? least : inner, without_b = is_nan(b) ? least : without_c;
  return is_nan(a) ? least : without_b;
}
inline constexpr auto float_min = [](const LaneState& s, auto... v) {
  return s.ieee ? extreme<false, true>(v...) : extreme<false, false>(v...);
};
inline constexpr auto float_max = [](const LaneState& s, auto... v) {
  return s.ieee ? extreme<true, true>(v...) : extreme<true, false>(v...);
};
inline constexpr auto float_med3 = [](const LaneState& s, auto... v) {
  return s.ieee ? median<true>(v...) : median<false>(v...);
};
// IEEE 754-2019 minimum/maximum: any NaN gives a quiet NaN.
template <bool kMaximum, class U>
constexpr U extreme_2019(U a, U b) {
  const bool a_first = kMaximum ? order_key(a) >= order_key(b) : order_key(a) < order_key(b);
  return is_nan(a) ? quieted(a) : is_nan(b) ? quieted(b) : a_first ? a : b;
}
template <bool kMaximum>
inline constexpr auto float_extreme3_2019 =
    [](auto a, auto b, auto c) { return extreme_2019<kMaximum>(extreme_2019<kMaximum>(a, b), c); };

inline constexpr auto minimum = [](auto a, auto b) { return a < b ? a : b; };
inline constexpr auto maximum = [](auto a, auto b) { return a > b ? a : b; };
inline constexpr auto minimum3 = [](auto a, auto b, auto c) { return minimum(minimum(a, b), c); };
inline constexpr auto maximum3 = [](auto a, auto b, auto c) { return maximum(maximum(a, b), c); };
inline constexpr auto median3 = [](auto a, auto b, auto c) {
  return maximum(minimum(a, b), minimum(maximum(a, b), c));
};

constexpr uint32_t unsigned24(uint32_t v) { return v & 0xffffff; }
constexpr int32_t signed24(uint32_t v) { return static_cast<int32_t>(v << 8) >> 8; }

// Saturating narrow for `clamp`.
template <class T, class Wide>
constexpr T saturate(Wide v) {
  constexpr Wide kLow = static_cast<Wide>(std::numeric_limits<T>::min()),
                 kHigh = static_cast<Wide>(std::numeric_limits<T>::max());
  return static_cast<T>(v < kLow ? kLow : v > kHigh ? kHigh : v);
}
template <class T, class Wide>
constexpr T narrow(const LaneState& state, Wide v) {
  return state.clamp ? saturate<T>(v) : static_cast<T>(v);
}

}  // namespace wavecast::isa::lane
