// Small readers of user text: whole numbers, sizes in bytes, and names close to a mistyped one.
#include "model/text_parsing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace wavecast::model {
namespace {

struct SizeUnit {
  std::string_view name;
  uint64_t bytes;
};
constexpr SizeUnit kSizeUnits[] = {{"TiB", uint64_t{1} << 40}, {"GiB", uint64_t{1} << 30}, {"MiB", uint64_t{1} << 20},
                                   {"KiB", uint64_t{1} << 10}, {"kB", 1000},               {"MB", 1000000},
                                   {"GB", 1000000000},         {"B", 1}};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

// Levenshtein distance with neighbouring letters swapped counted once; gives up beyond names of 256 characters.
size_t edit_distance(std::string_view a, std::string_view b) {
  constexpr size_t kLongestName = 256;
  if (a.size() > kLongestName || b.size() > kLongestName) return std::numeric_limits<size_t>::max();
  std::vector<size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

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
    if ((unit.bytes & (unit.bytes - 1)) == 0 && unit.bytes > 1 && bytes >= unit.bytes && bytes % unit.bytes == 0)
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

std::vector<std::string> close_names(std::string_view name, const std::vector<std::string>& candidates, size_t limit) {
  const std::string wanted = lowered(name);
  // A third of the letters may differ: beyond that two words are more different than alike.
  const size_t tolerance = std::max<size_t>(wanted.size() > 1, wanted.size() / 3);
  std::vector<std::pair<size_t, size_t>> scored;  // distance, index
  for (size_t i = 0; i < candidates.size(); ++i) {
    const std::string text = lowered(candidates[i]);
    const bool contains = !wanted.empty() && (text.find(wanted) != std::string::npos || wanted.find(text) != std::string::npos);
    const size_t distance = contains && !text.empty() ? 0 : edit_distance(wanted, text);
    if (distance <= tolerance) scored.emplace_back(distance, i);
  }
  std::sort(scored.begin(), scored.end());
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(limit, scored.size()); ++i) names.push_back(candidates[scored[i].second]);
  return names;
}

std::string suggest(std::string_view name, const std::vector<std::string>& candidates, size_t limit) {
  const auto close = close_names(name, candidates);
  if (!close.empty()) return fmt::format("did you mean '{}'?", fmt::join(close, "' or '"));
  const size_t shown = std::min(limit, candidates.size());
  std::string text = fmt::format("known: {}", fmt::join(candidates.begin(), candidates.begin() + shown, ", "));
  if (shown < candidates.size()) text += fmt::format(" and {} more", candidates.size() - shown);
  return text;
}

}  // namespace wavecast::model
