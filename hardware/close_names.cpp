// Levenshtein distance, two swapped neighbours counted once (the commonest slip); names here are short.
#include "hardware/close_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace wavecast::hardware {
namespace {

constexpr size_t kLongestName = 80;  // longer text is no misspelt name of ours, and keeps the distance cheap
constexpr size_t kMostSuggestions = 3;
constexpr size_t kLongestList = 20;  // a list that still reads as one sentence

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t substituted = last[j] + (a[i] == b[j] ? 0 : 1);
      row[j + 1] = std::min({substituted, last[j + 1] + 1, row[j] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j]) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::vector<std::string> close_names(std::string_view name, const std::vector<std::string>& valid) {
  if (name.size() > kLongestName) return {};
  std::vector<std::pair<size_t, std::string>> scored;
  for (const std::string& candidate : valid) {
    // A parameter's last part alone ("hit_latency" for "l2.hit_latency") is the commonest shortening.
    const size_t dot = candidate.rfind('.');
    const bool same_tail = dot != std::string::npos && candidate.substr(dot + 1) == name;
    const size_t distance = same_tail ? 0 : edit_distance(name, candidate);
    if (distance <= std::max<size_t>(1, std::max(name.size(), candidate.size()) / 3))
      scored.emplace_back(distance, candidate);
  }
  std::sort(scored.begin(), scored.end());
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(kMostSuggestions, scored.size()); ++i) names.push_back(scored[i].second);
  return names;
}

std::string name_remedy(std::string_view name, const std::vector<std::string>& valid) {
  const std::vector<std::string> close = close_names(name, valid);
  if (!close.empty() && valid.size() > kLongestList)
    return fmt::format("did you mean '{}'?", fmt::join(close, "' or '"));
  const std::string list = fmt::format("valid: {}", fmt::join(valid, ", "));
  if (close.empty()) return list;
  return fmt::format("did you mean '{}'? {}", fmt::join(close, "' or '"), list);
}

}  // namespace wavecast::hardware
