// Element types of buffers and scalar arguments, as users name them: i8 .. u64, f16, bf16, f32, f64.
// An element travels as its bits in the low bytes of a uint64_t. Leaves out: packed and 8-bit float types,
// which users give as raw bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/error.h"

namespace wavecast::model {

enum class ElementType : uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64 };

// The names above, for messages.
inline constexpr std::string_view kElementTypeNames = "i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64";

std::optional<ElementType> parse_element_type(std::string_view name);
std::string_view to_string(ElementType type);
uint32_t size_of(ElementType type);  // bytes
bool is_floating(ElementType type);
bool is_signed(ElementType type);  // true for floating types too

// Bits of a number written in decimal, 0x hexadecimal (integers) or C floating-point notation, inf and nan
// (floating types). Errors (place left empty): no number of this type, or out of its range (says the range).
Expected<uint64_t> parse_element(ElementType type, std::string_view text);

// The nearest element to `value`; floating types round once to nearest even, integers round toward zero and
// wrap.
uint64_t element_from_double(ElementType type, double value);

// The value of an element; 64-bit integers beyond 2^53 round.
double element_to_double(ElementType type, uint64_t bits);

// The value as text: exact for integers, shortest round-trip form for floating types.
std::string element_to_text(ElementType type, uint64_t bits);

}  // namespace wavecast::model
