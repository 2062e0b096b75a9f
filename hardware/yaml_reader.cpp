// Reading of checked YAML. The structure is walked by hand, never recursively, so that a document's depth,
// aliases or cycles cannot cost more than the few levels that a description has.
#include "hardware/yaml_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "hardware/close_names.h"

namespace wavecast::hardware::yaml {
namespace {

// The largest shipped file has some 30 KiB; the bound keeps hostile input from costing seconds.
constexpr size_t kLargestDocument = 1 << 20;
constexpr size_t kLongestQuoted = 60;

const std::vector<std::string> kParameterKeys = {"value",      "kind",        "source",
                                                 "conditions", "uncertainty", "conflicts"};
const std::vector<std::string> kConflictKeys = {"value", "source", "note"};

std::string clipped(std::string_view name) {
  std::string shown(name.substr(0, kLongestQuoted));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return name.size() > kLongestQuoted ? shown + "..." : shown;
}

// Hears a document and remembers nothing.
class IgnoringHandler : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
  }
  void OnMapEnd() override {}
};

// YAML::Load ignores what follows the first document, and YAML::LoadAll (0.7) never ends on some stray text.
bool has_more_than_one_document(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  IgnoringHandler handler;
  return parser.HandleNextDocument(handler) && parser.HandleNextDocument(handler);
}

Expected<ParameterKind> read_kind(const YAML::Node& node, std::string_view origin) {
  const Expected<std::string> name = text(node, origin, "kind");
  if (!name) return tl::unexpected(name.error());
  std::vector<std::string> valid;
  for (ParameterKind kind : {ParameterKind::measured, ParameterKind::fitted, ParameterKind::datasheet,
                             ParameterKind::isa_doc, ParameterKind::assumed}) {
    if (to_string(kind) == *name) return kind;
    valid.emplace_back(to_string(kind));
  }
  return unknown_name(node, origin, "kind", *name, valid);
}

Expected<ConflictingValue> read_conflict(const YAML::Node& node, std::string_view origin,
                                         std::string_view what, std::string_view base_unit,
                                         const Sources& sources) {
  const Expected<std::vector<Entry>> pairs = entries(node, origin, fmt::format("a conflict of {}", what));
  if (!pairs) return tl::unexpected(pairs.error());
  ConflictingValue conflict;
  for (const Entry& entry : *pairs) {
    const Expected<std::string> value = entry.key == "source" ? resolve_source(entry.value, origin, sources)
                                                              : text(entry.value, origin, entry.key);
    if (!value) return tl::unexpected(value.error());
    if (entry.key == "value")
      conflict.value = *value;
    else if (entry.key == "source")
      conflict.source = *value;
    else if (entry.key == "note")
      conflict.note = *value;
    else
      return unknown_name(entry.key_node, origin, "key", entry.key, kConflictKeys);
  }
  if (conflict.value.empty() || conflict.source.empty())
    return fail(place(origin, node), fmt::format("a conflict of {} lacks its value or source", what),
                "write { value: ..., source: ..., note: ... }");
  if (const Expected<double> number = parse_quantity(conflict.value, base_unit); !number)
    return fail(
        place(origin, node),
        fmt::format("a conflict of {}: '{}' {}", what, clipped(conflict.value), number.error().reason),
        number.error().remedy);
  return conflict;
}

Expected<double> read_quantity(const YAML::Node& node, std::string_view origin, std::string_view what,
                               std::string_view base_unit) {
  const Expected<std::string> value = text(node, origin, what);
  if (!value) return tl::unexpected(value.error());
  const Expected<double> number = parse_quantity(*value, base_unit);
  if (number) return *number;
  return fail(place(origin, node), fmt::format("{}: '{}' {}", what, clipped(*value), number.error().reason),
              number.error().remedy);
}

}  // namespace

std::string place(std::string_view origin, const YAML::Node& node) {
  const YAML::Mark mark = node.Mark();
  if (mark.is_null()) return std::string(origin);
  return fmt::format("{}:{}:{}", origin, mark.line + 1, mark.column + 1);
}

Expected<YAML::Node> parse_document(std::string_view text, std::string_view origin) {
  if (text.size() > kLargestDocument)
    return fail(std::string(origin),
                fmt::format("has {} bytes; a description has at most {}", text.size(), kLargestDocument));
  const std::string copy(text);
  if (has_more_than_one_document(copy))
    return fail(std::string(origin), "holds several YAML documents, or text that belongs to none",
                "keep one mapping per file");
  const YAML::Node document = YAML::Load(copy);
  if (!document.IsDefined() || document.IsNull())
    return fail(std::string(origin), "is empty", "see the files in hardware/devices/ for the format");
  if (!document.IsMap())
    return fail(place(origin, document), "the file is no mapping", "write 'name: value' lines");
  return document;
}

Expected<std::vector<Entry>> entries(const YAML::Node& node, std::string_view origin, std::string_view what) {
  if (!node.IsMap())
    return fail(place(origin, node), fmt::format("{} is no mapping", what), "write 'name: value' lines");
  std::vector<Entry> pairs;
  std::set<std::string, std::less<>> seen;
  for (const auto& pair : node) {
    if (!pair.first.IsScalar())
      return fail(place(origin, pair.first), fmt::format("a key in {} is no plain name", what));
    pairs.push_back({pair.first.Scalar(), pair.first, pair.second});
    if (!seen.insert(pairs.back().key).second)
      return fail(place(origin, pair.first),
                  fmt::format("'{}' stands twice in {}", clipped(pairs.back().key), what),
                  "remove one of them");
  }
  return pairs;
}

Expected<std::string> text(const YAML::Node& node, std::string_view origin, std::string_view what) {
  if (node.IsScalar()) return node.Scalar();
  return fail(place(origin, node), fmt::format("{} is no single value", what), "write one value");
}

tl::unexpected<Error> unknown_name(const YAML::Node& node, std::string_view origin, std::string_view what,
                                   std::string_view name, const std::vector<std::string>& valid) {
  return fail(place(origin, node), fmt::format("unknown {} '{}'", what, clipped(name)),
              name_remedy(name, valid));
}

Expected<Sources> read_sources(const YAML::Node& node, std::string_view origin) {
  const Expected<std::vector<Entry>> pairs = entries(node, origin, "sources");
  if (!pairs) return tl::unexpected(pairs.error());
  Sources sources;
  for (const Entry& entry : *pairs) {
    const Expected<std::string> citation = text(entry.value, origin, "a source");
    if (!citation) return tl::unexpected(citation.error());
    sources[entry.key] = *citation;
  }
  return sources;
}

Expected<std::string> resolve_source(const YAML::Node& node, std::string_view origin,
                                     const Sources& sources) {
  const Expected<std::string> written = text(node, origin, "source");
  if (!written) return written;
  const size_t space = written->find(' ');
  const std::string_view head = std::string_view(*written).substr(0, space);
  const auto known = sources.find(head);
  if (known != sources.end())
    return space == std::string::npos ? known->second : known->second + ", " + written->substr(space + 1);
  const bool one_word = space == std::string::npos && head.find_first_of("/@.") == std::string_view::npos;
  if (!one_word) return written;
  std::vector<std::string> valid;
  for (const auto& [name, citation] : sources) valid.push_back(name);
  return unknown_name(node, origin, "source", head, valid);
}

bool is_provenance_key(std::string_view key) {
  return key != "value" &&
         std::find(kParameterKeys.begin(), kParameterKeys.end(), key) != kParameterKeys.end();
}

Expected<Provenance> read_provenance(const YAML::Node& node, std::string_view origin, std::string_view what,
                                     std::string_view base_unit, const Sources& sources) {
  const Expected<std::vector<Entry>> pairs = entries(node, origin, what);
  if (!pairs) return tl::unexpected(pairs.error());
  Provenance provenance;
  bool has_kind = false, has_uncertainty = false;
  for (const Entry& entry : *pairs) {
    if (entry.key == "kind") {
      const Expected<ParameterKind> kind = read_kind(entry.value, origin);
      if (!kind) return tl::unexpected(kind.error());
      provenance.kind = *kind;
      has_kind = true;
    } else if (entry.key == "source") {
      Expected<std::string> source = resolve_source(entry.value, origin, sources);
      if (!source) return tl::unexpected(source.error());
      provenance.source = *std::move(source);
    } else if (entry.key == "conditions") {
      Expected<std::string> conditions = text(entry.value, origin, "conditions");
      if (!conditions) return tl::unexpected(conditions.error());
      provenance.conditions = *std::move(conditions);
    } else if (entry.key == "uncertainty") {
      const Expected<double> ratio = read_quantity(entry.value, origin, "uncertainty", RatioDimension::kUnit);
      if (!ratio) return tl::unexpected(ratio.error());
      if (*ratio < 0)
        return fail(place(origin, entry.value), "uncertainty is negative",
                    "write a share of the value, like 5 %");
      provenance.relative_uncertainty = *ratio;
      has_uncertainty = true;
    } else if (entry.key == "conflicts") {
      if (!entry.value.IsSequence())
        return fail(place(origin, entry.value), "conflicts is no list",
                    "write - { value: ..., source: ..., note: ... }");
      for (const YAML::Node& item : entry.value) {
        Expected<ConflictingValue> conflict = read_conflict(item, origin, what, base_unit, sources);
        if (!conflict) return tl::unexpected(conflict.error());
        provenance.conflicts.push_back(*std::move(conflict));
      }
    }
  }
  if (!has_kind)
    return fail(place(origin, node), fmt::format("{} does not say of which kind it is", what),
                "add kind: measured, fitted, datasheet, isa_doc or assumed");
  if (provenance.source.empty())
    return fail(place(origin, node), fmt::format("{} does not say where it comes from", what),
                "add source: ...");
  const bool documented =
      provenance.kind == ParameterKind::datasheet || provenance.kind == ParameterKind::isa_doc;
  if (!documented && !has_uncertainty)
    return fail(place(origin, node),
                fmt::format("{} is {} and does not say how sure it is", what, to_string(provenance.kind)),
                "add uncertainty: one standard deviation as a share, like 5 %");
  return provenance;
}

Expected<Inherited> read_inherited(const YAML::Node& node, std::string_view origin) {
  const Expected<std::string> word = text(node, origin, "inherited");
  if (!word) return tl::unexpected(word.error());
  if (*word == "as_is") return Inherited::as_is;
  if (*word == "assumed") return Inherited::assumed;
  return unknown_name(node, origin, "value of inherited", *word, {"as_is", "assumed"});
}

void demote_measurement(Provenance& provenance, std::string_view measured_on) {
  if (provenance.kind != ParameterKind::measured && provenance.kind != ParameterKind::fitted) return;
  provenance.kind = ParameterKind::assumed;
  provenance.conditions = fmt::format("no figure found; taken over from {}{}{}", measured_on,
                                      provenance.conditions.empty() ? "" : ": ", provenance.conditions);
}

Expected<QuantityText> read_parameter(const YAML::Node& node, std::string_view origin, std::string_view what,
                                      std::string_view base_unit, const Sources& sources) {
  QuantityText result;
  if (node.IsScalar()) {
    const Expected<double> number = read_quantity(node, origin, what, base_unit);
    if (!number) return tl::unexpected(number.error());
    result.value = *number;
    result.provenance.source = std::string(origin);
    result.provenance.conditions = "given without a source";
    return result;
  }
  const Expected<std::vector<Entry>> pairs = entries(node, origin, what);
  if (!pairs) return tl::unexpected(pairs.error());
  bool has_value = false;
  for (const Entry& entry : *pairs) {
    if (entry.key == "value") {
      const Expected<double> number = read_quantity(entry.value, origin, what, base_unit);
      if (!number) return tl::unexpected(number.error());
      result.value = *number;
      has_value = true;
    } else if (!is_provenance_key(entry.key)) {
      return unknown_name(entry.key_node, origin, "key", entry.key, kParameterKeys);
    }
  }
  if (!has_value) return fail(place(origin, node), fmt::format("{} has no value", what), "add value: ...");
  Expected<Provenance> provenance = read_provenance(node, origin, what, base_unit, sources);
  if (!provenance) return tl::unexpected(provenance.error());
  result.provenance = *std::move(provenance);
  return result;
}

}  // namespace wavecast::hardware::yaml
