// Small readers of user text: whole numbers and sizes in bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wavecast::model {

// A whole number in decimal or 0x hexadecimal, nothing before or after it. Nothing if it is none or exceeds
// 64 bits.
std::optional<uint64_t> parse_unsigned(std::string_view text);

// Bytes: a whole number alone, or with B, KiB, MiB, GiB, TiB (powers of 1024) or kB, MB, GB (powers of 1000).
std::optional<uint64_t> parse_byte_size(std::string_view text);

// Bytes as text with the largest unit that divides them: "64 KiB", "4100 B".
std::string format_byte_size(uint64_t bytes);

// Text cut at a separator: "a:b:" gives {"a", "b", ""}.
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace wavecast::model
