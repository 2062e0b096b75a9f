// Each verb on real code objects: exit status 0, the documented JSON, and figures that can be checked by
// hand.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cli/process.h"

namespace wavecast::test {
namespace {

using nlohmann::json;

json json_of(std::vector<std::string> arguments, const std::string& input = "/dev/null") {
  arguments.push_back("--json");
  const Finished result = run_wavecast(arguments, input);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  if (!json::accept(result.out)) throw std::runtime_error("no JSON document: " + result.out);
  return json::parse(result.out);
}

std::string answer(const std::vector<std::string>& arguments) {
  const Finished result = run_wavecast(arguments);
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}

TEST(Version, AndHelp) {
  EXPECT_TRUE(answer({"--version"}).starts_with("wavecast "));
  EXPECT_NE(answer({"--help"}).find("predict"), std::string::npos);
  EXPECT_NE(answer({"predict", "--help"}).find("--grid"), std::string::npos);
}

TEST(Inspect, ListsCodeObjectsAndKernels) {
  const json listing = json_of({"inspect", kernel_file("transpose")});
  ASSERT_EQ(listing["code_objects"].size(), 1u);
  EXPECT_EQ(listing["code_objects"][0]["target"].get<std::string>().substr(0, 6), "gfx942");
  EXPECT_EQ(listing["code_objects"][0]["kernels"].size(), 2u);
  const std::string text = answer({"inspect", kernel_file("transpose")});
  EXPECT_NE(text.find("transpose_padded"), std::string::npos);
}

TEST(Inspect, ReadsFatBinariesAndStandardInput) {
  const std::string program = std::string(WAVECAST_KERNEL_DIR) + "/bin/vector_add_program";
  const json listing = json_of({"inspect", program});
  EXPECT_EQ(listing["code_objects"].size(), 2u);  // gfx90a and gfx942
  EXPECT_EQ(json_of({"inspect", program, "--target", "gfx90a"})["code_objects"].size(), 1u);
  EXPECT_EQ(json_of({"inspect", "-"}, kernel_file("vector_add"))["code_objects"].size(), 1u);
}

TEST(Inspect, ShowsAKernelInFull) {
  const json report = json_of({"inspect", kernel_file("sgemm"), "-k", "sgemm", "--disassemble"});
  EXPECT_EQ(report["kernel"]["max_work_group_size"], 256);  // __launch_bounds__(256, 3)
  EXPECT_GT(report["kernel"]["lds_bytes"], 0);
  EXPECT_FALSE(report["loops"].empty());
  uint64_t mix = 0;
  for (const auto& [name, count] : report["instruction_mix"].items()) mix += count.get<uint64_t>();
  EXPECT_EQ(mix, report["instructions"]);
  EXPECT_EQ(report["disassembly"].size(), report["instructions"]);
  size_t explicit_arguments = 0;
  for (const json& argument : report["arguments"]) explicit_arguments += !argument["hidden"].get<bool>();
  EXPECT_EQ(explicit_arguments, 8u);
  EXPECT_EQ(report["arguments"][0]["type"], "float const*");
  const std::string text = answer({"inspect", kernel_file("sgemm"), "-k", "sgemm", "--disassemble"});
  for (const char* part :
       {"Resources", "Arguments", "Instruction mix", "Loops", "instruction cache", "s_endpgm"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(Occupancy, WithoutAFile) {
  // LLVM 22: 128 VGPRs are 4 waves per SIMD on gfx942; 4 waves a work-group.
  const json report =
      json_of({"occupancy", "--vgprs", "128", "--sgprs", "32", "--lds", "0", "--block", "256"});
  EXPECT_EQ(report["waves_per_simd"], 4);
  EXPECT_EQ(report["work_groups_per_cu"], 4);
  EXPECT_EQ(report["limiter"], "vgpr");
  for (const char* key : {"vgpr", "sgpr", "lds", "waves", "work_group_slots", "scratch"})
    EXPECT_TRUE(report["limits"].contains(key)) << key;
  EXPECT_FALSE(report["next_steps"].empty());
  // 5 arch + 128 acc VGPRs: 3 waves, not 8 (the AccVGPRs share the file).
  EXPECT_EQ(json_of({"occupancy", "--vgprs", "5", "--agprs", "128", "--sgprs", "32", "--lds", "0", "--block",
                     "64"})["waves_per_simd"],
            3);
  EXPECT_EQ(json_of({"occupancy", "--vgprs", "32", "--sgprs", "32", "--lds", "32KiB", "--block",
                     "256"})["waves_per_simd"],
            2);
}

TEST(Occupancy, OfAKernelCountsDynamicLds) {
  const json plain = json_of({"occupancy", kernel_file("vector_add"), "-k", "vector_add", "--block", "256"});
  EXPECT_EQ(plain["waves_per_simd"], 8);
  const json with_lds = json_of({"occupancy", kernel_file("vector_add"), "-k", "vector_add", "--block", "256",
                                 "--dynamic-lds", "32KiB"});
  EXPECT_EQ(with_lds["waves_per_simd"], 2);
  EXPECT_EQ(with_lds["limiter"], "lds");
}

TEST(Device, ListShowDiffAndOverrides) {
  const json list = json_of({"device", "list"});
  bool found = false;
  for (const json& device : list["devices"])
    found = found || (device["name"] == "mi300x" && device["compute_units"] == 304);
  EXPECT_TRUE(found);
  const json shown = json_of({"device", "show", "mi300x", "--set", "l2.capacity_per_xcd=8MiB"});
  size_t overridden = 0;
  for (const json& row : shown["parameters"]) {
    EXPECT_FALSE(row["source"].get<std::string>().empty() && row["kind"] != "assumed") << row["path"];
    if (!row["overridden"]) continue;
    ++overridden;
    EXPECT_EQ(row["path"], "l2.capacity_per_xcd");
    EXPECT_EQ(row["number"], 8 << 20);
  }
  EXPECT_EQ(overridden, 1u);
  const json diff = json_of({"device", "diff", "mi300x", "mi300x", "--set", "l2.capacity_per_xcd=8MiB"});
  ASSERT_EQ(diff["differences"].size(), 1u);
  EXPECT_EQ(diff["differences"][0]["path"], "l2.capacity_per_xcd");
  EXPECT_TRUE(json_of({"device", "diff", "mi300x", "mi300x"})["differences"].empty());
}

const std::vector<std::string> kVectorAdd = {
    "-k",    "vector_add", "--grid", "16",        "--block", "256",     "--arg", "buf:16KiB:iota:f32",
    "--arg", "same:0",     "--arg",  "buf:16KiB", "--arg",   "u32:4096"};

std::vector<std::string> with(std::string verb, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {std::move(verb), kernel_file("vector_add")};
  arguments.insert(arguments.end(), kVectorAdd.begin(), kVectorAdd.end());
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(Emulate, DumpsTheBufferThatTheKernelWrote) {
  const std::string file = temporary("c.bin");
  const json report = json_of(with("emulate", {"--dump", "2=" + file}));
  EXPECT_EQ(report["work_groups"], 16);
  EXPECT_GT(report["counts"]["vmem_load"], 0);
  EXPECT_EQ(report["counts"]["vmem_store"], 64);  // one store per wave
  const std::string bytes = file_text(file);
  ASSERT_EQ(bytes.size(), 16384u);
  for (int i = 0; i < 4096; ++i) {
    float value = 0;
    std::memcpy(&value, bytes.data() + i * 4, 4);
    ASSERT_EQ(value, 2.0f * static_cast<float>(i));
  }
}

// A launch file whose check passes, and the same with one element changed.
TEST(Emulate, ChecksAgainstAFile) {
  std::vector<float> expected(4096);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] = 2.0f * static_cast<float>(i);
  const auto write = [](const std::string& path, const std::vector<float>& values) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * 4));
  };
  const std::string good = temporary("good.bin"), bad = temporary("bad.bin"),
                    launch = temporary("launch.yaml");
  write(good, expected);
  expected[77] = -1;
  write(bad, expected);
  const auto run = [&](const std::string& file) {
    std::ofstream(launch)
        << "code_object: " << kernel_file("vector_add")
        << "\nkernel: vector_add\ngrid: 16\nblock: [256]\nbuffers:\n"
        << "  A: { bytes: 16KiB, init: iota, type: f32 }\n  C: { bytes: 16KiB }\n"
        << "kernarg: [{buffer: A}, {buffer: A}, {buffer: C}, {u32: 4096}]\ncheck: { buffer: C, equals: "
        << file << ", type: f32 }\n";
    return run_wavecast({"emulate", "--launch", launch});
  };
  const Finished passed = run(good);
  EXPECT_EQ(passed.status, 0) << passed.err;
  EXPECT_TRUE(passed.out.starts_with("check passed: 4 096 elements")) << passed.out;
  const Finished failed = run(bad);
  EXPECT_EQ(failed.status, 1);
  EXPECT_TRUE(failed.out.starts_with("check FAILED: 1 of 4 096 elements")) << failed.out;
  EXPECT_NE(failed.out.find("77"), std::string::npos) << failed.out;
}

TEST(Emulate, FaultsAreBadInputWithThePlace) {
  const Finished result =
      run_wavecast({"emulate", kernel_file("vector_add"), "-k", "vector_add", "--grid", "16", "--block",
                    "256", "--arg", "null", "--arg", "buf:16KiB", "--arg", "buf:16KiB", "--arg", "u32:4096"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("vector_add"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("work-group"), std::string::npos) << result.err;
}

TEST(Predict, TextJsonTraceAndCountersAgree) {
  const std::string trace_file = temporary("trace.json"), counter_file = temporary("counters.csv");
  const json report = json_of(with("predict", {"--trace", trace_file, "--counters", counter_file}));
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
    EXPECT_TRUE(report.contains(key)) << key;
  EXPECT_EQ(report["device"], "mi300x");
  EXPECT_EQ(report["work_groups"], 16);
  EXPECT_EQ(report["waves"], 64);
  EXPECT_EQ(report["counters"]["SQ_WAVES"], 64);
  EXPECT_LE(report["time_us_low"].get<double>(), report["time_us"].get<double>());
  EXPECT_GE(report["time_us_high"].get<double>(), report["time_us"].get<double>());
  double shares = 0;
  for (const json& row : report["breakdown"]) shares += row["share"].get<double>();
  EXPECT_NEAR(shares, 1, 1e-6);

  const json trace = json::parse(file_text(trace_file));
  size_t slices = 0;
  for (const json& event : trace["traceEvents"]) slices += event["ph"] == "X" && event["cat"] == "wave";
  EXPECT_GT(slices, 0u);
  const std::string counters = file_text(counter_file);
  EXPECT_TRUE(counters.starts_with("\"Correlation_Id\",\"Dispatch_Id\""));
  EXPECT_NE(counters.find("\"SQ_WAVES\",64.000000"), std::string::npos) << counters;

  const std::string text = answer(with("predict"));
  EXPECT_NE(text.substr(0, text.find('\n')).find("bound by"), std::string::npos) << text;
}

TEST(Predict, AnalyticModelClockAndCaches) {
  const json analytic = json_of(with("predict", {"--model", "analytic"}));
  EXPECT_EQ(analytic["model"], "analytic");
  EXPECT_GT(analytic["time_us"].get<double>(), 0);
  EXPECT_EQ(json_of(with("predict", {"--clock", "1000"}))["clock_mhz"], 1000);
  EXPECT_EQ(json_of(with("predict", {"--clock", "1.5GHz"}))["clock_mhz"], 1500);
  EXPECT_GE(json_of(with("predict", {"--caches", "cold"}))["time_us"].get<double>(),
            json_of(with("predict", {"--caches", "warm"}))["time_us"].get<double>());
}

}  // namespace
}  // namespace wavecast::test
