// How devices are shown: a list, one device with every parameter and its source, and the difference of two.
#include "model/view/device_view.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "model/view/json.h"
#include "model/view/text.h"

namespace wavecast::model {
namespace {

double cus(const hardware::Device& device) {
  return device.topology.xcds->value() * device.topology.cus_per_xcd->value();
}

std::string kind_text(const hardware::Provenance& provenance) {
  return provenance.overridden ? "set by user" : std::string(to_string(provenance.kind));
}

std::string uncertainty(const hardware::Provenance& provenance) {
  return provenance.relative_uncertainty > 0 ? fmt::format("±{:.0f} %", provenance.relative_uncertainty * 100)
                                             : "";
}

Json row_json(const hardware::ParameterRow& row) {
  Json conflicts = Json::array();
  for (const auto& other : row.provenance.conflicts)
    conflicts.push_back({{"value", other.value}, {"source", other.source}, {"note", other.note}});
  return {{"path", row.path},
          {"value", row.value},
          {"number", row.number},
          {"unit", row.unit},
          {"kind", to_string(row.provenance.kind)},
          {"source", row.provenance.source},
          {"conditions", row.provenance.conditions},
          {"relative_uncertainty", row.provenance.relative_uncertainty},
          {"conflicts", conflicts},
          {"overridden", row.provenance.overridden}};
}

// Rows of both devices by path, those with equal numbers left out.
std::vector<std::pair<hardware::ParameterRow, hardware::ParameterRow>> differences(
    const hardware::Device& a, const hardware::Device& b) {
  std::map<std::string, hardware::ParameterRow> other;
  for (auto& row : hardware::parameter_rows(b)) other.emplace(row.path, row);
  std::vector<std::pair<hardware::ParameterRow, hardware::ParameterRow>> rows;
  for (auto& row : hardware::parameter_rows(a)) {
    const auto found = other.find(row.path);
    if (found != other.end() && found->second.number != row.number) rows.emplace_back(row, found->second);
  }
  return rows;
}

}  // namespace

std::string device_list_text(const std::vector<hardware::Device>& devices) {
  TextTable table("llrrrl");
  table.add({"device", "target", "CUs", "peak clock", "HBM bandwidth", "description"});
  for (const hardware::Device& device : devices)
    table.add({device.name, device.target, fmt::format("{:.0f}", cus(device)), to_string(*device.clock.peak),
               to_string(*device.hbm.peak_bandwidth_per_device), device.description});
  return fmt::format("{} devices\n\n", devices.size()) + table.render();
}

std::string device_list_json(const std::vector<hardware::Device>& devices, std::string_view tool_version) {
  Json json;
  json["tool_version"] = tool_version;
  json["devices"] = Json::array();
  for (const hardware::Device& device : devices)
    json["devices"].push_back(
        {{"name", device.name},
         {"target", device.target},
         {"description", device.description},
         {"compute_units", cus(device)},
         {"peak_clock_mhz", device.clock.peak->value() / 1e6},
         {"hbm_peak_bandwidth_bytes_per_second", device.hbm.peak_bandwidth_per_device->value()}});
  return to_text(json);
}

std::string device_text(const hardware::Device& device) {
  const auto rows = hardware::parameter_rows(device);
  size_t assumed = 0;
  for (const auto& row : rows) assumed += row.provenance.kind == hardware::ParameterKind::assumed;
  std::string out = fmt::format("{} ({}): {}\n  {} parameters, {} of them assumed\n\n", device.name,
                                device.target, device.description, rows.size(), assumed);
  TextTable table("lrlrl");
  table.add({"parameter", "value", "kind", "±", "source"});
  for (const auto& row : rows) {
    std::string source = row.provenance.source;
    if (!row.provenance.conditions.empty()) source += fmt::format(" [{}]", row.provenance.conditions);
    table.add({row.path, row.value, kind_text(row.provenance), uncertainty(row.provenance), source});
    for (const auto& other : row.provenance.conflicts)
      table.add({"", other.value, "not used", "",
                 fmt::format("{}{}{}", other.source, other.note.empty() ? "" : ": ", other.note)});
  }
  return out + table.render();
}

std::string device_json(const hardware::Device& device, std::string_view tool_version) {
  Json json;
  json["tool_version"] = tool_version;
  json["name"] = device.name;
  json["target"] = device.target;
  json["description"] = device.description;
  json["parameters"] = Json::array();
  for (const auto& row : hardware::parameter_rows(device)) json["parameters"].push_back(row_json(row));
  return to_text(json);
}

std::string device_diff_text(const hardware::Device& a, const hardware::Device& b) {
  const auto rows = differences(a, b);
  std::string out = fmt::format("{} and {} differ in {} parameters\n", a.name, b.name, rows.size());
  if (a.target != b.target) out += fmt::format("  targets {} and {}\n", a.target, b.target);
  if (rows.empty()) return out;
  TextTable table("lrrrll");
  table.add({"parameter", a.name, b.name, "ratio", "kind", "kind"});
  for (const auto& [left, right] : rows)
    table.add({left.path, left.value, right.value,
               left.number != 0 ? fmt::format("{:.3g}", right.number / left.number) : "-",
               kind_text(left.provenance), kind_text(right.provenance)});
  return out + "\n" + table.render();
}

std::string device_diff_json(const hardware::Device& a, const hardware::Device& b,
                             std::string_view tool_version) {
  Json json;
  json["tool_version"] = tool_version;
  json["a"] = a.name;
  json["b"] = b.name;
  json["differences"] = Json::array();
  for (const auto& [left, right] : differences(a, b))
    json["differences"].push_back({{"path", left.path}, {"a", row_json(left)}, {"b", row_json(right)}});
  return to_text(json);
}

}  // namespace wavecast::model
