// Element types: names, sizes, and conversion between text, doubles and bits.
// Narrow floats use the conversions of the emulator, so that a buffer holds what the hardware would hold.
#include "model/element_type.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "isa/semantics/small_float.h"
#include "model/text_parsing.h"

namespace wavecast::model {
namespace {

struct TypeFacts {
  std::string_view name;
  uint8_t bytes;
  bool floating, has_sign;
};

constexpr std::array<TypeFacts, 12> kTypes = {{{"i8", 1, false, true},
                                               {"u8", 1, false, false},
                                               {"i16", 2, false, true},
                                               {"u16", 2, false, false},
                                               {"i32", 4, false, true},
                                               {"u32", 4, false, false},
                                               {"i64", 8, false, true},
                                               {"u64", 8, false, false},
                                               {"f16", 2, true, true},
                                               {"bf16", 2, true, true},
                                               {"f32", 4, true, true},
                                               {"f64", 8, true, true}}};

const TypeFacts& facts(ElementType type) { return kTypes[static_cast<size_t>(type)]; }

uint64_t low_bytes(uint64_t bits, uint32_t bytes) {
  return bytes == 8 ? bits : bits & ((uint64_t{1} << bytes * 8) - 1);
}

int64_t sign_extend(uint64_t bits, uint32_t bytes) {
  const int shift = 64 - static_cast<int>(bytes) * 8;
  return static_cast<int64_t>(bits << shift) >> shift;
}

std::string range_text(ElementType type) {
  const uint32_t width = size_of(type) * 8;
  if (is_signed(type)) {
    const int64_t low = std::numeric_limits<int64_t>::min() >> (64 - width);
    return fmt::format("{} to {}", low, ~low);
  }
  return fmt::format("0 to {}", std::numeric_limits<uint64_t>::max() >> (64 - width));
}

Expected<uint64_t> parse_integer(ElementType type, std::string_view text) {
  const bool negative = text.starts_with('-');
  const auto magnitude = parse_unsigned(negative ? text.substr(1) : text);
  if (!magnitude) {
    return fail("", fmt::format("'{}' is not an integer of type {}", text, to_string(type)),
                fmt::format("write a number from {}", range_text(type)));
  }
  const uint32_t width = size_of(type) * 8;
  const uint64_t largest = std::numeric_limits<uint64_t>::max() >> (64 - width + (is_signed(type) ? 1 : 0));
  // Hexadecimal names a bit pattern: 0xffffffff is a legal i32.
  const bool pattern = !negative && text.size() > 1 && (text[1] == 'x' || text[1] == 'X');
  const uint64_t limit = pattern    ? std::numeric_limits<uint64_t>::max() >> (64 - width)
                         : negative ? (is_signed(type) ? largest + 1 : 0)
                                    : largest;
  if (*magnitude > limit) {
    return fail("", fmt::format("'{}' is out of the range of {}", text, to_string(type)),
                fmt::format("{} holds {}", to_string(type), range_text(type)));
  }
  return low_bytes(negative ? 0 - *magnitude : *magnitude, size_of(type));
}

Expected<uint64_t> parse_floating(ElementType type, std::string_view text) {
  std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || end != digits.data() + digits.size() || error == std::errc::invalid_argument) {
    return fail("", fmt::format("'{}' is not a number of type {}", text, to_string(type)),
                "write a decimal number such as 1.5, -3e-4, inf or nan");
  }
  const uint64_t bits = element_from_double(type, value);
  if (error == std::errc::result_out_of_range ||
      (std::isfinite(value) && std::isinf(element_to_double(type, bits)))) {
    return fail("", fmt::format("'{}' is out of the range of {}", text, to_string(type)),
                "write inf for infinity");
  }
  return bits;
}

}  // namespace

std::optional<ElementType> parse_element_type(std::string_view name) {
  for (size_t i = 0; i < kTypes.size(); ++i)
    if (kTypes[i].name == name) return static_cast<ElementType>(i);
  return std::nullopt;
}

std::string_view to_string(ElementType type) { return facts(type).name; }
uint32_t size_of(ElementType type) { return facts(type).bytes; }
bool is_floating(ElementType type) { return facts(type).floating; }
bool is_signed(ElementType type) { return facts(type).has_sign; }

Expected<uint64_t> parse_element(ElementType type, std::string_view text) {
  return is_floating(type) ? parse_floating(type, text) : parse_integer(type, text);
}

uint64_t element_from_double(ElementType type, double value) {
  switch (type) {
    case ElementType::f16:
      return isa::encode_float(isa::kF16, value);
    case ElementType::bf16:
      return isa::encode_float(isa::kBf16, value);
    case ElementType::f32:
      return std::bit_cast<uint32_t>(static_cast<float>(value));
    case ElementType::f64:
      return std::bit_cast<uint64_t>(value);
    default:
      break;
  }
  if (!std::isfinite(value)) return 0;
  // 2^64 is the period of the widest integer; the remainder is exact and fits after the sign is split off.
  const double wrapped = std::fmod(std::trunc(value), 0x1p64);
  const uint64_t magnitude = static_cast<uint64_t>(std::fabs(wrapped));
  return low_bytes(wrapped < 0 ? 0 - magnitude : magnitude, size_of(type));
}

double element_to_double(ElementType type, uint64_t bits) {
  switch (type) {
    case ElementType::f16:
      return isa::decode_float(isa::kF16, static_cast<uint32_t>(bits));
    case ElementType::bf16:
      return isa::decode_float(isa::kBf16, static_cast<uint32_t>(bits));
    case ElementType::f32:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case ElementType::f64:
      return std::bit_cast<double>(bits);
    default:
      break;
  }
  if (is_signed(type)) return static_cast<double>(sign_extend(bits, size_of(type)));
  return static_cast<double>(bits);
}

std::string element_to_text(ElementType type, uint64_t bits) {
  if (type == ElementType::f64) return fmt::format("{}", element_to_double(type, bits));
  if (is_floating(type)) return fmt::format("{}", static_cast<float>(element_to_double(type, bits)));
  if (is_signed(type)) return fmt::format("{}", sign_extend(bits, size_of(type)));
  return fmt::format("{}", bits);
}

}  // namespace wavecast::model
