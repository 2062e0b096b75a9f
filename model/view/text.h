// Plain text for people: numbers with units, aligned tables, bars. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hardware/units.h"

namespace wavecast::model {

// Three significant digits in a readable unit: "812 ns", "12.3 µs", "4.56 ms".
std::string format_time(hardware::Nanoseconds time);

// Three significant digits with a decimal prefix: "12.3 GB".
std::string format_bytes(double bytes);

// Whole numbers with thousands separated: "1 234 567".
std::string format_count(double count);

// "37 %" from 0.37; "-" for a negative number (not known).
std::string format_percent(double share);

// A bar of `width` characters filled in proportion to `share` (0..1).
std::string bar(double share, int width = 20);

// Rows of cells, columns padded to their widest cell (counted in code points). The first column and those
// marked 'l' in `alignment` are flush left, others flush right.
class TextTable {
 public:
  explicit TextTable(std::string alignment) : alignment_(std::move(alignment)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  std::string render(std::string_view indent = "  ") const;

 private:
  std::string alignment_;  // one letter per column, l or r
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace wavecast::model
