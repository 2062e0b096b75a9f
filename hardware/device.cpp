// Devices from YAML: every parameter is found through Device::visit, so this file names none of them.
// Leaves out: what values make sense together (device_checks.cpp).
#include "hardware/device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "hardware/close_names.h"
#include "hardware/device_checks.h"
#include "hardware/file_access.h"
#include "hardware/yaml_reader.h"

namespace wavecast::hardware {
namespace {

using yaml::Entry;
using yaml::Sources;

constexpr std::string_view kFolder = "devices/";

// A device while files are still being laid over it.
struct Draft {
  Device device;
  Sources sources;
  std::set<std::string> given;  // "l2.hit_latency"
};

std::vector<std::string> parameter_paths(Device device) {
  std::vector<std::string> paths;
  device.visit([&](const char* section, const char* name, auto&) {
    paths.push_back(fmt::format("{}.{}", section, name));
  });
  return paths;
}

std::vector<std::string> section_names(Device device) {
  std::vector<std::string> names;
  device.visit([&](const char* section, const char*, auto&) {
    if (names.empty() || names.back() != section) names.emplace_back(section);
  });
  return names;
}

Expected<void> read_section(Draft& draft, const Entry& section, std::string_view origin) {
  const Expected<std::vector<Entry>> pairs = yaml::entries(section.value, origin, section.key);
  if (!pairs) return tl::unexpected(pairs.error());
  for (const Entry& entry : *pairs) {
    bool found = false;
    Expected<void> outcome;
    std::vector<std::string> valid;
    draft.device.visit([&](const char* section_name, const char* name, auto& parameter) {
      if (section_name != section.key) return;
      valid.emplace_back(name);
      if (name != entry.key) return;
      found = true;
      using Quantity = typename std::decay_t<decltype(parameter)>::quantity_type;
      const std::string path = fmt::format("{}.{}", section_name, name);
      Expected<yaml::QuantityText> read =
          yaml::read_parameter(entry.value, origin, path, base_unit_of(Quantity{}), draft.sources);
      if (!read) {
        outcome = tl::unexpected(read.error());
        return;
      }
      parameter.value = Quantity(read->value);
      parameter.provenance = std::move(read->provenance);
      draft.given.insert(path);
    });
    if (!found)
      return yaml::unknown_name(entry.key_node, origin, fmt::format("parameter of {}", section.key),
                                entry.key, valid);
    if (!outcome) return outcome;
  }
  return {};
}

Expected<Draft> read_draft(std::string_view text, std::string_view origin, const std::string& folder,
                           std::vector<std::string> chain);

// What `based_on` names: a shipped device, or beside a file on disk, another file.
Expected<Draft> read_base(const Entry& entry, std::string_view origin, const std::string& folder,
                          std::vector<std::string> chain) {
  const Expected<std::string> name = yaml::text(entry.value, origin, "based_on");
  if (!name) return tl::unexpected(name.error());
  const bool from_disk = !folder.empty() && is_path(*name);
  const std::string path =
      from_disk ? (std::filesystem::path(folder) / *name).lexically_normal().string() : *name;
  if (std::find(chain.begin(), chain.end(), path) != chain.end())
    return fail(yaml::place(origin, entry.value),
                fmt::format("based_on goes in a circle: {} -> {}", fmt::join(chain, " -> "), path),
                "base one of them on nothing");
  constexpr size_t kLongestChain = 16;  // a base of a base of a base is already one too many to read
  if (chain.size() >= kLongestChain)
    return fail(yaml::place(origin, entry.value), "based_on goes more than 16 files deep");
  chain.push_back(path);
  if (from_disk) {
    const Expected<std::string> text = read_file(path);
    if (!text)
      return fail(yaml::place(origin, entry.value), fmt::format("based_on: {} {}", path, text.error().reason),
                  text.error().remedy);
    return read_draft(*text, path, std::filesystem::path(path).parent_path().string() + "/",
                      std::move(chain));
  }
  const std::string file = fmt::format("{}{}.yaml", kFolder, *name);
  const std::string_view* text = find_embedded(file);
  if (!text) return yaml::unknown_name(entry.value, origin, "device", *name, device_names());
  return read_draft(*text, file, "", std::move(chain));
}

Expected<void> read_header_text(std::string& target, const Entry& entry, std::string_view origin) {
  Expected<std::string> value = yaml::text(entry.value, origin, entry.key);
  if (!value) return tl::unexpected(value.error());
  if (value->empty()) return fail(yaml::place(origin, entry.value), fmt::format("{} is empty", entry.key));
  target = *std::move(value);
  return {};
}

Expected<Draft> read_draft(std::string_view text, std::string_view origin, const std::string& folder,
                           std::vector<std::string> chain) {
  const Expected<YAML::Node> root = yaml::parse_document(text, origin);
  if (!root) return tl::unexpected(root.error());
  const Expected<std::vector<Entry>> pairs = yaml::entries(*root, origin, "the file");
  if (!pairs) return tl::unexpected(pairs.error());

  Draft draft;
  for (const Entry& entry : *pairs) {  // first, whatever the order in the file: the rest is laid over it
    if (entry.key != "based_on") continue;
    Expected<Draft> base = read_base(entry, origin, folder, chain);
    if (!base) return base;
    draft = *std::move(base);
  }
  for (const Entry& entry : *pairs) {
    if (entry.key != "inherited") continue;
    const Expected<yaml::Inherited> inherited = yaml::read_inherited(entry.value, origin);
    if (!inherited) return tl::unexpected(inherited.error());
    if (*inherited == yaml::Inherited::assumed)
      draft.device.visit([&](const char*, const char*, auto& parameter) {
        yaml::demote_measurement(parameter.provenance, draft.device.name);
      });
  }
  draft.device.name.clear();
  for (const Entry& entry : *pairs) {
    if (entry.key != "sources") continue;
    const Expected<Sources> sources = yaml::read_sources(entry.value, origin);
    if (!sources) return tl::unexpected(sources.error());
    for (const auto& [name, citation] : *sources) draft.sources[name] = citation;
  }
  const std::vector<std::string> sections = section_names(draft.device);
  std::vector<std::string> valid = {"name", "description", "target", "based_on", "inherited", "sources"};
  valid.insert(valid.end(), sections.begin(), sections.end());
  for (const Entry& entry : *pairs) {
    Expected<void> outcome;
    if (entry.key == "based_on" || entry.key == "inherited" || entry.key == "sources") continue;
    if (entry.key == "name")
      outcome = read_header_text(draft.device.name, entry, origin);
    else if (entry.key == "description")
      outcome = read_header_text(draft.device.description, entry, origin);
    else if (entry.key == "target")
      outcome = read_header_text(draft.device.target, entry, origin);
    else if (std::find(sections.begin(), sections.end(), entry.key) != sections.end())
      outcome = read_section(draft, entry, origin);
    else
      return yaml::unknown_name(entry.key_node, origin, "section", entry.key, valid);
    if (!outcome) return tl::unexpected(outcome.error());
  }
  return draft;
}

Expected<Device> finish(Draft draft, std::string_view origin) {
  if (draft.device.name.empty()) return fail(std::string(origin), "has no name", "add name: ...");
  if (draft.device.target.empty())
    return fail(std::string(origin), "has no target", "add target: gfx942 or another ISA");
  std::vector<std::string> missing;
  for (std::string& path : parameter_paths(draft.device))
    if (!draft.given.contains(path)) missing.push_back(std::move(path));
  if (!missing.empty())
    return fail(std::string(origin),
                fmt::format("lacks {} parameter{}: {}", missing.size(), missing.size() > 1 ? "s" : "",
                            fmt::join(missing, ", ")),
                "add them, or take them from a shipped device with based_on: NAME");
  if (Expected<void> checked = check_device(draft.device); !checked)
    return fail(fmt::format("{}: {}", origin, checked.error().place), checked.error().reason,
                checked.error().remedy);
  return std::move(draft.device);
}

Expected<Device> parse(std::string_view text, std::string_view origin, const std::string& folder,
                       std::vector<std::string> chain) {
  return yaml::guarded<Device>(origin, [&]() -> Expected<Device> {
    Expected<Draft> draft = read_draft(text, origin, folder, std::move(chain));
    if (!draft) return tl::unexpected(draft.error());
    return finish(*std::move(draft), origin);
  });
}

}  // namespace

std::vector<std::string> device_names() { return embedded_names(kFolder); }

Expected<Device> load_device(std::string_view name_or_path) {
  const std::string name(name_or_path);
  if (is_path(name)) {
    const Expected<std::string> text = read_file(name);
    if (!text) return tl::unexpected(text.error());
    const std::string folder = std::filesystem::path(name).parent_path().string();
    return parse(*text, name, folder.empty() ? "./" : folder + "/",
                 {std::filesystem::path(name).lexically_normal().string()});
  }
  const std::string file = fmt::format("{}{}.yaml", kFolder, name);
  if (const std::string_view* text = find_embedded(file)) return parse(*text, file, "", {name});
  return fail(name, "is no known device",
              name_remedy(name, device_names()) + "; or give the path of a YAML file");
}

Expected<Device> parse_device(std::string_view yaml_text, std::string_view origin) {
  return parse(yaml_text, origin, "", {});
}

Expected<Device> with_override(Device device, std::string_view assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string_view::npos)
    return fail(std::string(assignment), "assigns nothing",
                "write SECTION.PARAMETER=VALUE, like l2.capacity_per_xcd=8MiB");
  const std::string path(assignment.substr(0, equals));
  const std::string_view value = assignment.substr(equals + 1);
  bool found = false;
  Expected<void> outcome;
  device.visit([&](const char* section, const char* name, auto& parameter) {
    if (fmt::format("{}.{}", section, name) != path) return;
    found = true;
    using Quantity = typename std::decay_t<decltype(parameter)>::quantity_type;
    const Expected<double> number = parse_quantity(value, base_unit_of(Quantity{}));
    if (!number) {
      outcome = fail(path, fmt::format("'{}' {}", value, number.error().reason), number.error().remedy);
      return;
    }
    std::vector<ConflictingValue> conflicts = std::move(parameter.provenance.conflicts);
    conflicts.push_back(
        {to_string(parameter.value), parameter.provenance.source, "the device's own value, overridden"});
    parameter.value = Quantity(*number);
    parameter.provenance = Provenance{.source = "override",
                                      .conditions = "given by the user",
                                      .conflicts = std::move(conflicts),
                                      .overridden = true};
  });
  if (!found) return fail(path, "is no parameter of a device", name_remedy(path, parameter_paths(device)));
  if (!outcome) return tl::unexpected(outcome.error());
  if (Expected<void> checked = check_device(device); !checked) return tl::unexpected(checked.error());
  return device;
}

std::vector<ParameterRow> parameter_rows(const Device& device) {
  std::vector<ParameterRow> rows;
  Device copy = device;  // visit is not const; the copy costs nothing beside the text made here
  copy.visit([&](const char* section, const char* name, auto& parameter) {
    rows.push_back({fmt::format("{}.{}", section, name), to_string(parameter.value), parameter.value.value(),
                    std::string(base_unit_of(parameter.value)), parameter.provenance});
  });
  return rows;
}

}  // namespace wavecast::hardware
