// Names of the parameter kinds, as YAML files and reports write them.
#include "hardware/parameter.h"

namespace wavecast::hardware {

std::string_view to_string(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::measured:
      return "measured";
    case ParameterKind::fitted:
      return "fitted";
    case ParameterKind::datasheet:
      return "datasheet";
    case ParameterKind::isa_doc:
      return "isa_doc";
    case ParameterKind::assumed:
      return "assumed";
  }
  return "assumed";
}

}  // namespace wavecast::hardware
