// A value with its provenance: where it comes from, under which conditions, how sure we are.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hardware/units.h"

namespace wavecast::hardware {

// How a value came to be known, from most to least trusted when they disagree: measured and fitted
// (from measurements on the named hardware), datasheet and isa_doc (AMD's documents or compiler), assumed.
enum class ParameterKind { measured, fitted, datasheet, isa_doc, assumed };

std::string_view to_string(ParameterKind kind);

// A source that says something else than the value in use. Kept so that conflicts stay visible.
struct ConflictingValue {
  std::string value;   // with unit, as the source gives it
  std::string source;
  std::string note;    // why the model does not use it
};

struct Provenance {
  ParameterKind kind = ParameterKind::assumed;
  std::string source;       // document, repository@commit or measurement table
  std::string conditions;   // SKU, clock, software; empty if none apply
  double relative_uncertainty = 0;  // one standard deviation over the value; 0 = exact by definition
  std::vector<ConflictingValue> conflicts;
  bool overridden = false;  // set by --set
};

// A typed hardware parameter. Reads like its value: `device.l2.latency->value()` or `*device.l2.latency`.
template <class Q>
struct Parameter {
  using quantity_type = Q;
  Q value{};
  Provenance provenance;

  constexpr const Q& operator*() const { return value; }
  constexpr const Q* operator->() const { return &value; }
};

}  // namespace wavecast::hardware
