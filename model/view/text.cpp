// Plain text for people: numbers with units, aligned tables, bars.
#include "model/view/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace wavecast::model {
namespace {

size_t width_of(std::string_view text) {
  // Bytes 10xxxxxx continue a UTF-8 code point.
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

struct Scale {
  double factor;
  std::string_view unit;
};

// Three significant digits without an exponent.
std::string scaled(double value, const std::vector<Scale>& scales) {
  const Scale* scale = &scales.front();
  for (const Scale& candidate : scales)
    if (std::fabs(value) >= candidate.factor * 0.9995) scale = &candidate;  // 999.5 would print as 1000
  const double shown = value / scale->factor;
  const int digits = std::fabs(shown) < 9.995 ? 2 : std::fabs(shown) < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", shown, digits, scale->unit);
}

}  // namespace

std::string format_time(hardware::Nanoseconds time) {
  return scaled(time.value(), {{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}});
}

std::string format_bytes(double bytes) {
  if (std::fabs(bytes) < 1000) return fmt::format("{:.0f} B", bytes);
  return scaled(bytes, {{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}});
}

std::string format_count(double count) {
  std::string digits = fmt::format("{:.0f}", count);
  const size_t first = digits.starts_with('-') ? 1 : 0;
  for (size_t i = digits.size(); i > first + 3; i -= 3) digits.insert(i - 3, " ");
  return digits;
}

std::string format_percent(double share) {
  if (!(share >= 0)) return "-";
  return fmt::format("{:.{}f} %", share * 100, share > 0 && share < 0.0995 ? 1 : 0);
}

std::string bar(double share, int width) {
  const int filled = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * width));
  return std::string(static_cast<size_t>(filled), '#') +
         std::string(static_cast<size_t>(width - filled), '.');
}

std::string TextTable::render(std::string_view indent) const {
  std::vector<size_t> widths;
  for (const auto& row : rows_)
    for (size_t i = 0; i < row.size(); ++i) {
      if (i >= widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], width_of(row[i]));
    }
  std::string out;
  for (const auto& row : rows_) {
    std::string line(indent);
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width_of(row[i]), ' ');
      const bool left = i >= alignment_.size() ? i == 0 : alignment_[i] == 'l';
      line += (i ? "  " : "") + (left ? row[i] + padding : padding + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace wavecast::model
