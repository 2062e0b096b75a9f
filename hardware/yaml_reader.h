// Shared by the device and the timing loader: YAML text to checked values with file:line:column in every
// error. yaml-cpp throws; everything here is called inside guarded(), which turns exceptions into errors.
// Leaves out: YAML tags, merge keys and multi-document files, which are refused or ignored.
#pragma once

#include <yaml-cpp/yaml.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hardware/error.h"
#include "hardware/parameter.h"

namespace wavecast::hardware::yaml {

// A value with its provenance, not yet typed: the number is in the base unit it was read for.
struct QuantityText {
  double value = 0;
  Provenance provenance;
};

// The `sources:` section: short names for long citations. Children of `based_on` inherit them.
using Sources = std::map<std::string, std::string, std::less<>>;

// "mi300x.yaml:12:3"
std::string place(std::string_view origin, const YAML::Node& node);

// Text of one document, read whole. Errors: too large, no YAML, several documents, no mapping at the top.
Expected<YAML::Node> parse_document(std::string_view text, std::string_view origin);

// Key-value pairs of a mapping in file order. Errors: no mapping, a key that is no plain text, a key twice.
struct Entry {
  std::string key;
  YAML::Node key_node;
  YAML::Node value;
};
Expected<std::vector<Entry>> entries(const YAML::Node& node, std::string_view origin, std::string_view what);

// Text of a scalar. Errors: a list, mapping or nothing.
Expected<std::string> text(const YAML::Node& node, std::string_view origin, std::string_view what);

// The error for a name that is not among the valid ones, with the close names.
tl::unexpected<Error> unknown_name(const YAML::Node& node, std::string_view origin, std::string_view what,
                                   std::string_view name, const std::vector<std::string>& valid);

Expected<Sources> read_sources(const YAML::Node& node, std::string_view origin);

// "rrze gpu-latency" with rrze among the sources: the citation, then ", gpu-latency". Other text is taken as
// it is. Errors: a single word that is no source's short name.
Expected<std::string> resolve_source(const YAML::Node& node, std::string_view origin, const Sources& sources);

// Reads one parameter: "213 cycles" alone (an assumption of the file's author), or
// { value, kind, source, conditions, uncertainty, conflicts: [{ value, source, note }] }.
// Errors: unknown key, kind or unit, no kind, no source, no uncertainty where the kind has one.
Expected<QuantityText> read_parameter(const YAML::Node& node, std::string_view origin, std::string_view what,
                                      std::string_view base_unit, const Sources& sources);

// The provenance keys of a mapping (kind, source, conditions, uncertainty, conflicts); other keys are left
// alone.
Expected<Provenance> read_provenance(const YAML::Node& node, std::string_view origin, std::string_view what,
                                     std::string_view base_unit, const Sources& sources);
bool is_provenance_key(std::string_view key);

// What `inherited:` says about values that come from `based_on`.
enum class Inherited { as_is, assumed };
Expected<Inherited> read_inherited(const YAML::Node& node, std::string_view origin);

// Turns an inherited measurement into what it is for another product or target: an assumption, with the
// reason.
void demote_measurement(Provenance& provenance, std::string_view measured_on);

// Runs `read`; a yaml-cpp exception becomes an error at `origin`.
template <class T>
Expected<T> guarded(std::string_view origin, const std::function<Expected<T>()>& read) {
  try {
    return read();
  } catch (const YAML::Exception& exception) {
    const std::string where = exception.mark.is_null()
                                  ? std::string(origin)
                                  : std::string(origin) + ":" + std::to_string(exception.mark.line + 1) +
                                        ":" + std::to_string(exception.mark.column + 1);
    return fail(where, "is not valid YAML: " + exception.msg,
                "see the files in hardware/devices/ for the format");
  }
}

}  // namespace wavecast::hardware::yaml
