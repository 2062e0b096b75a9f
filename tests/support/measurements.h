// The project's measurement tables for tests; a missing or malformed table ends the test with its message.
#pragma once

#include <stdexcept>

#include "calibrate/measurement_table.h"

namespace wavecast::test {

class Measurements {
 public:
  explicit Measurements(const std::string& name)
      : table_(
            value(calibrate::MeasurementTable::load(WAVECAST_SOURCE_DIR "/calibrate/measurements/" + name))) {
  }

  size_t rows() const { return table_.rows(); }
  std::string text(size_t row, std::string_view column) const { return value(table_.text(row, column)); }
  double number(size_t row, std::string_view column) const { return value(table_.number(row, column)); }

 private:
  template <class T>
  static T value(model::Expected<T> expected) {
    if (!expected) throw std::runtime_error(expected.error().place + ": " + expected.error().reason);
    return std::move(*expected);
  }
  calibrate::MeasurementTable table_;
};

}  // namespace wavecast::test
