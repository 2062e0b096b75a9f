// Read-modify-write operations; see the header.
#include "isa/semantics/atomics.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "isa/semantics/small_float.h"

namespace wavecast::isa::atomics {
namespace {

uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
int32_t signed32(uint64_t value) { return static_cast<int32_t>(low(value)); }
int64_t signed64(uint64_t value) { return static_cast<int64_t>(value); }
float f32(uint64_t value) { return std::bit_cast<float>(low(value)); }
double f64(uint64_t value) { return std::bit_cast<double>(value); }
uint64_t bits(float value) { return std::bit_cast<uint32_t>(value); }
uint64_t bits(double value) { return std::bit_cast<uint64_t>(value); }

// IEEE 754-2019 minimumNumber / maximumNumber: a NaN loses against a number, -0 is below +0.
template <class T>
T minimum(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class T>
T maximum(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

template <class Add>
uint64_t halves(uint64_t memory, uint64_t data, Add&& add) {
  const uint32_t first = add(static_cast<uint16_t>(memory), static_cast<uint16_t>(data));
  const uint32_t second = add(static_cast<uint16_t>(memory >> 16), static_cast<uint16_t>(data >> 16));
  return first | second << 16;
}

}  // namespace

uint64_t add32(uint64_t memory, uint64_t data, uint64_t) { return low(memory + data); }
uint64_t add64(uint64_t memory, uint64_t data, uint64_t) { return memory + data; }
uint64_t sub32(uint64_t memory, uint64_t data, uint64_t) { return low(memory - data); }
uint64_t sub64(uint64_t memory, uint64_t data, uint64_t) { return memory - data; }
uint64_t rsub32(uint64_t memory, uint64_t data, uint64_t) { return low(data - memory); }
uint64_t rsub64(uint64_t memory, uint64_t data, uint64_t) { return data - memory; }
uint64_t inc32(uint64_t memory, uint64_t data, uint64_t) {
  return low(memory) >= low(data) ? 0 : low(memory + 1);
}
uint64_t inc64(uint64_t memory, uint64_t data, uint64_t) { return memory >= data ? 0 : memory + 1; }
uint64_t dec32(uint64_t memory, uint64_t data, uint64_t) {
  return low(memory) == 0 || low(memory) > low(data) ? low(data) : low(memory - 1);
}
uint64_t dec64(uint64_t memory, uint64_t data, uint64_t) {
  return memory == 0 || memory > data ? data : memory - 1;
}
uint64_t smin32(uint64_t memory, uint64_t data, uint64_t) {
  return low(std::min(signed32(memory), signed32(data)));
}
uint64_t smin64(uint64_t memory, uint64_t data, uint64_t) {
  return std::min(signed64(memory), signed64(data));
}
uint64_t smax32(uint64_t memory, uint64_t data, uint64_t) {
  return low(std::max(signed32(memory), signed32(data)));
}
uint64_t smax64(uint64_t memory, uint64_t data, uint64_t) {
  return std::max(signed64(memory), signed64(data));
}
uint64_t umin32(uint64_t memory, uint64_t data, uint64_t) { return std::min(low(memory), low(data)); }
uint64_t umin64(uint64_t memory, uint64_t data, uint64_t) { return std::min(memory, data); }
uint64_t umax32(uint64_t memory, uint64_t data, uint64_t) { return std::max(low(memory), low(data)); }
uint64_t umax64(uint64_t memory, uint64_t data, uint64_t) { return std::max(memory, data); }
uint64_t bit_and(uint64_t memory, uint64_t data, uint64_t) { return memory & data; }
uint64_t bit_or(uint64_t memory, uint64_t data, uint64_t) { return memory | data; }
uint64_t bit_xor(uint64_t memory, uint64_t data, uint64_t) { return memory ^ data; }
uint64_t swap(uint64_t, uint64_t data, uint64_t) { return data; }
uint64_t compare_swap(uint64_t memory, uint64_t data, uint64_t compare) {
  return memory == compare ? data : memory;
}
uint64_t compare_swap_f32(uint64_t memory, uint64_t data, uint64_t compare) {
  return f32(memory) == f32(compare) ? data : memory;
}
uint64_t compare_swap_f64(uint64_t memory, uint64_t data, uint64_t compare) {
  return f64(memory) == f64(compare) ? data : memory;
}
uint64_t masked_or(uint64_t memory, uint64_t data, uint64_t mask) { return (memory & ~mask) | data; }
uint64_t wrap32(uint64_t memory, uint64_t data, uint64_t add) {
  return low(memory) >= low(data) ? low(memory - data) : low(memory + add);
}
uint64_t add_f32(uint64_t memory, uint64_t data, uint64_t) { return bits(f32(memory) + f32(data)); }
uint64_t add_f64(uint64_t memory, uint64_t data, uint64_t) { return bits(f64(memory) + f64(data)); }
uint64_t min_f32(uint64_t memory, uint64_t data, uint64_t) { return bits(minimum(f32(memory), f32(data))); }
uint64_t min_f64(uint64_t memory, uint64_t data, uint64_t) { return bits(minimum(f64(memory), f64(data))); }
uint64_t max_f32(uint64_t memory, uint64_t data, uint64_t) { return bits(maximum(f32(memory), f32(data))); }
uint64_t max_f64(uint64_t memory, uint64_t data, uint64_t) { return bits(maximum(f64(memory), f64(data))); }

// The f32 sum of two f16 or bf16 numbers is exact enough that rounding it again equals rounding once: f32 has
// more than 2 * 11 + 2 mantissa bits.
uint64_t pk_add_f16(uint64_t memory, uint64_t data, uint64_t) {
  return halves(memory, data,
                [](uint16_t a, uint16_t b) { return float_to_f16(f16_to_float(a) + f16_to_float(b)); });
}
uint64_t pk_add_bf16(uint64_t memory, uint64_t data, uint64_t) {
  return halves(memory, data,
                [](uint16_t a, uint16_t b) { return float_to_bf16(bf16_to_float(a) + bf16_to_float(b)); });
}

}  // namespace wavecast::isa::atomics
