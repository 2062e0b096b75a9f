// How a functional run is shown: verdict and size first, then counts by class.
#include "model/view/emulation_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/view/json.h"
#include "model/view/text.h"

namespace wavecast::model {
namespace {

double rate(const EmulationReport& report) {
  return report.seconds > 0 ? double(report.summary.wave_instructions) / report.seconds : 0;
}

std::string tolerance(const BufferCheck& check) {
  if (check.relative_tolerance == 0 && check.absolute_tolerance == 0) return "exactly";
  return fmt::format("within rtol {} atol {}", check.relative_tolerance, check.absolute_tolerance);
}

std::string check_text(const EmulationReport& report) {
  const BufferCheck& check = *report.check;
  const CheckResult& result = report.check_result;
  std::string out;
  if (result.passed())
    out = fmt::format("check passed: {} elements of '{}' equal {} {} ({})\n",
                      format_count(double(result.elements)), check.buffer, check.equals_path,
                      tolerance(check), to_string(check.type));
  else
    out = fmt::format("check FAILED: {} of {} elements of '{}' differ from {} ({}, {})\n",
                      format_count(double(result.mismatches)), format_count(double(result.elements)),
                      check.buffer, check.equals_path, to_string(check.type), tolerance(check));
  out += fmt::format("  largest error {:.3g} absolute, {:.3g} relative\n", result.largest_absolute_error,
                     result.largest_relative_error);
  if (result.first.empty()) return out;
  TextTable table("rrr");
  table.add({"element", "got", "expected"});
  for (const Mismatch& mismatch : result.first)
    table.add({std::to_string(mismatch.element), mismatch.got, mismatch.want});
  return out + table.render();
}

}  // namespace

std::string emulation_text(const EmulationReport& report) {
  std::string out = report.check ? check_text(report) : "";
  out += fmt::format("{} wave instructions of {} work-groups in {} ({}/s)\n",
                     format_count(double(report.summary.wave_instructions)),
                     format_count(double(report.summary.work_groups)),
                     format_time(hardware::Nanoseconds(report.seconds * 1e9)), format_count(rate(report)));
  out += fmt::format("  {} for {}, grid {},{},{} of {},{},{}\n", report.kernel, report.target, report.grid.x,
                     report.grid.y, report.grid.z, report.block.x, report.block.y, report.block.z);
  std::vector<std::pair<uint64_t, std::string_view>> rows;
  for (int i = 0; i < isa::kInstructionClassCount; ++i)
    if (report.summary.counts[i])
      rows.emplace_back(report.summary.counts[i], isa::to_string(static_cast<isa::InstructionClass>(i)));
  std::sort(rows.rbegin(), rows.rend());
  TextTable table("lrr");
  for (const auto& [count, name] : rows)
    table.add(
        {std::string(name), format_count(double(count)),
         format_percent(double(count) / double(std::max<uint64_t>(1, report.summary.wave_instructions)))});
  if (!rows.empty()) out += "\nExecuted wave instructions by class\n" + table.render();
  for (const auto& [buffer, file] : report.dumps) out += fmt::format("  wrote {} to {}\n", buffer, file);
  return out;
}

std::string emulation_json(const EmulationReport& report, std::string_view tool_version) {
  Json json;
  json["tool_version"] = tool_version;
  json["device"] = report.device;
  json["target"] = report.target;
  json["kernel"] = report.kernel;
  json["grid_work_groups"] = Json::array({report.grid.x, report.grid.y, report.grid.z});
  json["block_work_items"] = Json::array({report.block.x, report.block.y, report.block.z});
  json["work_groups"] = report.summary.work_groups;
  json["wave_instructions"] = report.summary.wave_instructions;
  json["seconds"] = report.seconds;
  json["wave_instructions_per_second"] = rate(report);
  json["counts"] = Json::object();
  for (int i = 0; i < isa::kInstructionClassCount; ++i)
    if (report.summary.counts[i])
      json["counts"][std::string(isa::to_string(static_cast<isa::InstructionClass>(i)))] =
          report.summary.counts[i];
  if (report.check) {
    const CheckResult& result = report.check_result;
    Json first = Json::array();
    for (const Mismatch& mismatch : result.first)
      first.push_back({{"element", mismatch.element}, {"got", mismatch.got}, {"expected", mismatch.want}});
    json["check"] = {{"buffer", report.check->buffer},
                     {"passed", result.passed()},
                     {"elements", result.elements},
                     {"mismatches", result.mismatches},
                     {"largest_absolute_error", result.largest_absolute_error},
                     {"largest_relative_error", result.largest_relative_error},
                     {"first_mismatches", first}};
  }
  json["dumps"] = Json::array();
  for (const auto& [buffer, file] : report.dumps)
    json["dumps"].push_back({{"buffer", buffer}, {"file", file}});
  return to_text(json);
}

}  // namespace wavecast::model
