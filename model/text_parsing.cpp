// Small readers of user text: whole numbers and sizes in bytes.
#include "model/text_parsing.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace wavecast::model {
namespace {

struct SizeUnit {
  std::string_view name;
  uint64_t bytes;
};
constexpr SizeUnit kSizeUnits[] = {{"TiB", uint64_t{1} << 40},
                                   {"GiB", uint64_t{1} << 30},
                                   {"MiB", uint64_t{1} << 20},
                                   {"KiB", uint64_t{1} << 10},
                                   {"kB", 1000},
                                   {"MB", 1000000},
                                   {"GB", 1000000000},
                                   {"B", 1}};

}  // namespace

std::optional<uint64_t> parse_unsigned(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<uint64_t> parse_byte_size(std::string_view text) {
  uint64_t unit = 1;
  for (const SizeUnit& candidate : kSizeUnits) {
    if (!text.ends_with(candidate.name)) continue;
    text.remove_suffix(candidate.name.size());
    while (text.ends_with(' ')) text.remove_suffix(1);
    unit = candidate.bytes;
    if (text.starts_with("0x")) return std::nullopt;  // 0xAB would read as 0xA bytes
    break;
  }
  const auto count = parse_unsigned(text);
  if (!count || *count > std::numeric_limits<uint64_t>::max() / unit) return std::nullopt;
  return *count * unit;
}

std::string format_byte_size(uint64_t bytes) {
  for (const SizeUnit& unit : kSizeUnits)
    if ((unit.bytes & (unit.bytes - 1)) == 0 && unit.bytes > 1 && bytes >= unit.bytes &&
        bytes % unit.bytes == 0)
      return fmt::format("{} {}", bytes / unit.bytes, unit.name);
  return fmt::format("{} B", bytes);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace wavecast::model
