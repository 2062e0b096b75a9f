// Views of a prediction: the JSON has the contract's keys, the CSV rocprofv3's columns, the trace is valid
// and its slices say what the time line says. The prediction is invented, so that every number has one
// expected place.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "model/view/device_view.h"
#include "model/view/emulation_view.h"
#include "model/view/occupancy_view.h"
#include "model/view/prediction_view.h"
#include "model/view/text.h"

namespace wavecast::model {
namespace {

using nlohmann::json;

Prediction invented() {
  Prediction p;
  p.device = "mi300x";
  p.target = "gfx942";
  p.kernel = "scale(float*, \"x\", unsigned int)";  // a quote, to try the escapes
  p.time = hardware::Nanoseconds(12345);
  p.time_low = hardware::Nanoseconds(11000);
  p.time_high = hardware::Nanoseconds(14000);
  p.clock = hardware::Hertz(2.1e9);
  p.cycles = hardware::Cycles(25924.5);
  p.bound = "hbm";
  p.work_groups = 1000;
  p.waves = 4000;
  p.occupancy.waves_per_simd = 4;
  p.occupancy.work_groups_per_cu = 4;
  p.occupancy.max_waves_per_simd = 8;
  p.occupancy.limiter = OccupancyLimiter::vgpr;
  p.occupancy.limits = {8, 4, 8, 6, 16};
  p.occupancy.allocated_lds_bytes = 1024;
  p.occupancy.next_steps = {"8 VGPRs fewer would give 5 waves per SIMD"};
  p.breakdown = {{"hbm", 0.75}, {"issue", 0.25}};
  p.bounds = {{"hbm", hardware::Nanoseconds(10000)}, {"valu", hardware::Nanoseconds(2000)}};
  p.traffic.l1_bytes = 1e6;
  p.traffic.hbm_read_bytes = 2e6;
  p.traffic.l2_hit_rate = 0.5;
  p.counters = {{"SQ_WAVES", 4000}, {"SQ_INSTS_VALU", 123456}};
  p.sampled = {10, 5000, 8, 4000, true, 0.02, ""};
  p.assumed_parameters = {{"l2.hit_latency", 0.4}};
  p.warnings = {"something"};
  for (uint32_t wave = 0; wave < 8; ++wave)
    p.timeline.push_back({wave % 2, wave / 2 % 4, 3, wave / 4, wave % 4, 100.0 * wave, 100.0 * wave + 2100});
  return p;
}

DispatchFacts dispatch() {
  DispatchFacts facts;
  facts.grid = {10, 100, 1};
  facts.block = {256, 1, 1};
  facts.lds_bytes = 1000;
  facts.scratch_bytes = 16;
  facts.arch_vgprs = 64;
  facts.accum_vgprs = 8;
  facts.sgprs = 32;
  return facts;
}

TEST(PredictionJson, HasTheContractsKeys) {
  const json document = json::parse(prediction_json(invented(), dispatch(), "1.2.3"));
  for (const char* key : {"tool_version",
                          "device",
                          "target",
                          "kernel",
                          "model",
                          "time_us",
                          "time_us_low",
                          "time_us_high",
                          "cycles",
                          "clock_mhz",
                          "bound",
                          "work_groups",
                          "waves",
                          "occupancy",
                          "breakdown",
                          "traffic",
                          "counters",
                          "sampled",
                          "assumed_parameters",
                          "warnings"})
    EXPECT_TRUE(document.contains(key)) << key;
  for (const char* key : {"waves_per_simd", "work_groups_per_cu", "limiter"})
    EXPECT_TRUE(document["occupancy"].contains(key)) << key;
  for (const char* key : {"l1_bytes", "l2_bytes", "infinity_cache_bytes", "hbm_read_bytes", "hbm_write_bytes",
                          "l1_hit_rate", "l2_hit_rate", "infinity_cache_hit_rate"})
    EXPECT_TRUE(document["traffic"].contains(key)) << key;
  for (const char* key : {"work_groups_emulated", "wave_instructions_emulated", "work_groups_simulated"})
    EXPECT_TRUE(document["sampled"].contains(key)) << key;
  EXPECT_EQ(document["tool_version"], "1.2.3");
  EXPECT_DOUBLE_EQ(document["time_us"], 12.345);
  EXPECT_DOUBLE_EQ(document["time_us_low"], 11);
  EXPECT_DOUBLE_EQ(document["clock_mhz"], 2100);
  EXPECT_EQ(document["model"], "cycle");
  EXPECT_EQ(document["breakdown"][0]["what"], "hbm");
  EXPECT_EQ(document["breakdown"][0]["share"], 0.75);
  EXPECT_EQ(document["counters"]["SQ_WAVES"], 4000);
  EXPECT_EQ(document["kernel"], invented().kernel);
  EXPECT_TRUE(document["traffic"]["l1_hit_rate"].is_null());  // not used
  EXPECT_EQ(document["traffic"]["l2_hit_rate"], 0.5);
}

TEST(PredictionJson, SurvivesNamesThatAreNoText) {
  Prediction p = invented();
  p.kernel = "\xff\xfe\x01";
  EXPECT_TRUE(json::accept(prediction_json(p, dispatch(), "0")));
  EXPECT_TRUE(json::accept(perfetto_trace(p, "0")));
}

TEST(PredictionText, StartsWithTheAnswer) {
  const std::string text = prediction_text(invented(), dispatch());
  const std::string first = text.substr(0, text.find('\n'));
  EXPECT_EQ(first, "12.3 µs (11.0 µs to 14.0 µs), bound by hbm, confidence medium (±12 %)");
  size_t position = 0;
  for (const char* part : {"warning: something", "Limits", "Where the time goes", "Memory traffic",
                           "Occupancy", "8 VGPRs fewer", "SQ_INSTS_VALU", "extrapolated", "l2.hit_latency"}) {
    const size_t found = text.find(part, position);
    ASSERT_NE(found, std::string::npos) << part;
    position = found;
  }
}

std::vector<std::string> csv_cells(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += line[i];
  }
  return cells;
}

TEST(CounterCsv, HasTheColumnsOfRocprofv3) {
  std::istringstream stream(counter_csv(invented(), dispatch()));
  std::string line;
  std::getline(stream, line);
  // As printed by rocprofv3 (rocprofiler-sdk documentation, "Kernel counter collection").
  EXPECT_EQ(line,
            "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\",\"Thread_Id\","
            "\"Grid_Size\",\"Kernel_Id\",\"Kernel_Name\",\"Workgroup_Size\","
            "\"LDS_Block_Size\",\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_Count\",\"SGPR_Count\","
            "\"Counter_Name\",\"Counter_Value\",\"Start_Timestamp\",\"End_Timestamp\"");
  const auto header = csv_cells(line);
  std::map<std::string, std::map<std::string, std::string>> rows;
  while (std::getline(stream, line)) {
    const auto cells = csv_cells(line);
    ASSERT_EQ(cells.size(), header.size()) << line;
    std::map<std::string, std::string> row;
    for (size_t i = 0; i < cells.size(); ++i) row[header[i]] = cells[i];
    rows[row["Counter_Name"]] = row;
  }
  ASSERT_EQ(rows.size(), 2u);
  auto& waves = rows["SQ_WAVES"];
  EXPECT_EQ(waves["Grid_Size"], "256000");
  EXPECT_EQ(waves["Workgroup_Size"], "256");
  EXPECT_EQ(waves["LDS_Block_Size"], "1024");
  EXPECT_EQ(waves["VGPR_Count"], "64");
  EXPECT_EQ(waves["Accum_VGPR_Count"], "8");
  EXPECT_EQ(waves["SGPR_Count"], "32");
  EXPECT_EQ(waves["Kernel_Name"], invented().kernel);
  EXPECT_EQ(std::stod(waves["Counter_Value"]), 4000);
  EXPECT_EQ(std::stoll(waves["End_Timestamp"]) - std::stoll(waves["Start_Timestamp"]), 12345);
}

TEST(Trace, IsValidAndSaysWhatTheTimeLineSays) {
  const Prediction p = invented();
  const json document = json::parse(perfetto_trace(p, "0"));
  std::set<std::pair<int, int>> named;
  std::set<int> processes;
  size_t waves = 0;
  double kernel_us = 0;
  for (const json& event : document["traceEvents"]) {
    if (event["ph"] == "M") {
      if (event["name"] == "process_name") processes.insert(event["pid"].get<int>());
      if (event["name"] == "thread_name") named.insert({event["pid"].get<int>(), event["tid"].get<int>()});
      continue;
    }
    ASSERT_EQ(event["ph"], "X");
    EXPECT_TRUE(named.count({event["pid"], event["tid"]})) << event;
    EXPECT_GE(event["ts"].get<double>(), 0);
    EXPECT_GT(event["dur"].get<double>(), 0);
    if (event["cat"] == "kernel") {
      kernel_us = event["dur"];
    } else {
      const TimelineSlice& slice = p.timeline[waves++];
      EXPECT_EQ(event["pid"], slice.cu + 1);
      EXPECT_NEAR(event["ts"].get<double>(), slice.begin_cycle / 2100,
                  1e-3);  // 2100 cycles are a microsecond
      EXPECT_NEAR(event["dur"].get<double>(), 1, 1e-3);
    }
  }
  EXPECT_EQ(waves, p.timeline.size());
  EXPECT_EQ(processes, (std::set<int>{0, 1, 2}));
  EXPECT_NEAR(kernel_us, 12.345, 1e-3);
}

TEST(Trace, WithoutTimelineIsStillValid) {
  Prediction p = invented();
  p.timeline.clear();
  EXPECT_TRUE(json::accept(perfetto_trace(p, "0")));
}

TEST(OccupancyViews, JsonHasTheContractsKeysAndTextTheAnswerFirst) {
  OccupancyRequest request{"mi300x", "gfx942", "", {}};
  request.use.arch_vgprs = 100;
  request.use.scratch_bytes = 12;
  const Occupancy occupancy = invented().occupancy;
  const json document = json::parse(occupancy_json(request, occupancy, "0"));
  EXPECT_EQ(document["waves_per_simd"], 4);
  EXPECT_EQ(document["work_groups_per_cu"], 4);
  EXPECT_EQ(document["limiter"], "vgpr");
  for (const char* key : {"vgpr", "sgpr", "lds", "waves", "work_group_slots", "scratch"})
    EXPECT_TRUE(document["limits"].contains(key)) << key;
  EXPECT_EQ(document["limits"]["vgpr"], 4);
  EXPECT_EQ(document["limits"]["lds"], 6);
  EXPECT_EQ(document["limits"]["waves"], 8);
  EXPECT_EQ(document["next_steps"].size(), 1u);
  const std::string text = occupancy_text(request, occupancy);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "4 waves per SIMD of 8 (50 %), 4 work-groups per CU, limited by VGPRs");
  EXPECT_NE(text.find("scratch: 12 B"), std::string::npos);
}

TEST(EmulationViews, ReportCountsAndTheCheck) {
  EmulationReport report;
  report.device = "mi300x";
  report.summary.work_groups = 4;
  report.summary.wave_instructions = 100;
  report.summary.counts[0] = 60;
  report.summary.counts[1] = 40;
  report.seconds = 0.5;
  report.check = BufferCheck{"C", "c.bin", ElementType::f32, 0, 0};
  report.check_result.elements = 10;
  report.check_result.mismatches = 1;
  report.check_result.first = {{3, "1.5", "2"}};
  const json document = json::parse(emulation_json(report, "0"));
  EXPECT_EQ(document["wave_instructions_per_second"], 200);
  EXPECT_EQ(document["check"]["passed"], false);
  EXPECT_EQ(document["check"]["first_mismatches"][0]["expected"], "2");
  EXPECT_EQ(document["counts"].size(), 2u);
  EXPECT_TRUE(emulation_text(report).starts_with("check FAILED: 1 of 10"));
}

TEST(TextNumbers, ReadWell) {
  EXPECT_EQ(format_time(hardware::Nanoseconds(0)), "0.00 ns");
  EXPECT_EQ(format_time(hardware::Nanoseconds(999.6)), "1.00 µs");
  EXPECT_EQ(format_time(hardware::Nanoseconds(12345)), "12.3 µs");
  EXPECT_EQ(format_time(hardware::Nanoseconds(2.5e9)), "2.50 s");
  EXPECT_EQ(format_count(1234567), "1 234 567");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(-1234), "-1 234");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(5.3e12), "5.30 TB");
  EXPECT_EQ(format_percent(-1), "-");
  TextTable table("lr");
  table.add({"µs", "1"});
  table.add({"abc", "100"});
  EXPECT_EQ(table.render(""), "µs     1\nabc  100\n");
}

}  // namespace
}  // namespace wavecast::model
