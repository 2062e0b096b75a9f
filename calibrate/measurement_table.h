// Measurements on real hardware as CSV tables: comment lines with source and conditions, a header row, then
// rows. The tables stand in calibrate/measurements/; a value keeps the unit that its column name carries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/error.h"

namespace wavecast::calibrate {

class MeasurementTable {
 public:
  // Reads a table from text; `origin` is what errors call it. Every row must have as many fields as the
  // header. Errors: no header, no comment that names a source, a row of another length (file:line).
  static model::Expected<MeasurementTable> parse(std::string_view text, std::string origin);
  static model::Expected<MeasurementTable> load(const std::string& path);

  const std::string& source() const { return source_; }  // the comment lines, joined
  size_t rows() const { return rows_.size(); }
  const std::vector<std::string>& columns() const { return columns_; }

  // Field by row and column name. Errors: unknown column (lists the known), not a number.
  model::Expected<std::string> text(size_t row, std::string_view column) const;
  model::Expected<double> number(size_t row, std::string_view column) const;

 private:
  std::string origin_, source_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace wavecast::calibrate
