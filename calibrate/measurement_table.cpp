// Reads measurement tables. Fields are separated by commas; quoting is not used in these tables and is
// refused.
#include "calibrate/measurement_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace wavecast::calibrate {
namespace {

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> fields;
  while (true) {
    const size_t comma = line.find(',');
    fields.emplace_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace

model::Expected<MeasurementTable> MeasurementTable::parse(std::string_view text, std::string origin) {
  MeasurementTable table;
  table.origin_ = std::move(origin);
  int line_number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++line_number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) continue;
    if (line.front() == '#') {
      table.source_ += (table.source_.empty() ? "" : " ") +
                       std::string(line.substr(line.find_first_not_of("# ") == std::string_view::npos
                                                   ? line.size()
                                                   : line.find_first_not_of("# ")));
      continue;
    }
    const std::string place = fmt::format("{}:{}", table.origin_, line_number);
    if (line.find('"') != std::string_view::npos)
      return model::fail(place, "quoted field", "write fields without quotes and commas");
    std::vector<std::string> fields = split(line);
    if (table.columns_.empty()) {
      table.columns_ = std::move(fields);
    } else if (fields.size() != table.columns_.size()) {
      return model::fail(place,
                         fmt::format("{} fields, the header has {}", fields.size(), table.columns_.size()),
                         "give every column a value");
    } else {
      table.rows_.push_back(std::move(fields));
    }
  }
  if (table.columns_.empty())
    return model::fail(table.origin_, "no header row", "name the columns in the first row");
  if (table.source_.find("ource") == std::string::npos)
    return model::fail(table.origin_, "says no source", "begin the file with a line '# Source: ...'");
  return table;
}

model::Expected<MeasurementTable> MeasurementTable::load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return model::fail(path, "cannot be opened", "check the path and its permissions");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return parse(text, path);
}

model::Expected<std::string> MeasurementTable::text(size_t row, std::string_view column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  if (found == columns_.end())
    return model::fail(origin_, fmt::format("no column '{}'", column),
                       fmt::format("the columns are {}", fmt::join(columns_, ", ")));
  if (row >= rows_.size())
    return model::fail(origin_, fmt::format("no row {}", row),
                       fmt::format("there are {} rows", rows_.size()));
  return rows_[row][static_cast<size_t>(found - columns_.begin())];
}

model::Expected<double> MeasurementTable::number(size_t row, std::string_view column) const {
  auto field = text(row, column);
  if (!field) return tl::unexpected(field.error());
  char* end = nullptr;
  const double value = std::strtod(field->c_str(), &end);
  if (field->empty() || *end != '\0')
    return model::fail(origin_, fmt::format("'{}' in row {}, column {} is no number", *field, row, column),
                       "correct the table");
  return value;
}

}  // namespace wavecast::calibrate
