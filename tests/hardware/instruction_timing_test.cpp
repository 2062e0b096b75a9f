// Instruction timing: complete for every class, peaks equal to AMD's published rates, LDS phases well formed.
#include "hardware/instruction_timing.h"

#include <gtest/gtest.h>

#include <set>

#include "hardware/device.h"
#include "isa/instruction_class.h"

namespace wavecast::hardware {
namespace {

InstructionTiming timing_of(std::string_view target) {
  Expected<InstructionTiming> timing = load_instruction_timing(target);
  EXPECT_TRUE(timing) << timing.error().place << ": " << timing.error().reason;
  return timing ? *std::move(timing) : InstructionTiming{};
}

std::string describe(const Error& error) { return error.place + " | " + error.reason + " | " + error.remedy; }

TEST(ShippedTiming, HasEveryInstructionClassAndNoOther) {
  std::set<std::string, std::less<>> classes;
  for (int i = 0; i < isa::kInstructionClassCount; ++i)
    classes.emplace(to_string(static_cast<isa::InstructionClass>(i)));
  EXPECT_EQ(timing_targets(), (std::vector<std::string>{"gfx908", "gfx90a", "gfx942", "gfx950"}));
  for (const std::string& target : timing_targets()) {
    const InstructionTiming timing = timing_of(target);
    EXPECT_EQ(timing.target, target);
    for (const std::string& name : classes)
      EXPECT_TRUE(timing.classes.contains(name)) << target << " lacks " << name;
    for (const auto& [name, entry] : timing.classes) {
      EXPECT_TRUE(classes.contains(name)) << target << " has the unknown class " << name;
      EXPECT_GE(entry.issue->value(), 4) << target << " " << name << ": a wave issues once in 4 cycles";
      EXPECT_FALSE(entry.issue.provenance.source.empty()) << target << " " << name;
      EXPECT_FALSE(entry.latency.provenance.source.empty()) << target << " " << name;
    }
  }
}

// FLOP per cycle and CU that the table gives: each SIMD runs one matrix instruction for its passes of 4
// cycles.
double flops_per_cycle_per_cu(const Device& device, const MatrixTiming& matrix, bool below_8_bit = false) {
  const double passes = below_8_bit && matrix.passes_below_8_bit ? matrix.passes_below_8_bit->value.value()
                                                                 : matrix.passes->value();
  return matrix.flops.value() / (passes * 4) * device.compute_unit.simds_per_cu->value();
}

// Published peaks: ROCm documentation mi100.md, mi250.md, mi300.md and rocprofiler-compute's gfx950 speed of
// light.
TEST(ShippedTiming, MatrixPeaksEqualThePublishedRates) {
  struct Row {
    const char* device;
    const char* instruction;
    double flops_per_cycle_per_cu;
  };
  for (const Row& row : {
           Row{"mi100", "v_mfma_f32_32x32x2f32", 256},
           Row{"mi100", "v_mfma_f32_32x32x8f16", 1024},
           Row{"mi100", "v_mfma_f32_32x32x4bf16", 512},
           Row{"mi210", "v_mfma_f64_16x16x4f64", 256},
           Row{"mi210", "v_mfma_f32_32x32x2f32", 256},
           Row{"mi210", "v_mfma_f32_32x32x8f16", 1024},
           Row{"mi210", "v_mfma_f32_32x32x8bf16_1k", 1024},
           Row{"mi210", "v_mfma_i32_32x32x8i8", 1024},
           Row{"mi300x", "v_mfma_f64_16x16x4_f64", 256},
           Row{"mi300x", "v_mfma_f32_32x32x2_f32", 256},
           Row{"mi300x", "v_mfma_f32_32x32x4_xf32", 1024},
           Row{"mi300x", "v_mfma_f32_16x16x16_f16", 2048},
           Row{"mi300x", "v_mfma_f32_32x32x8_f16", 2048},
           Row{"mi300x", "v_mfma_f32_32x32x8_bf16", 2048},
           Row{"mi300x", "v_mfma_f32_32x32x16_fp8_fp8", 4096},
           Row{"mi300x", "v_mfma_i32_32x32x16_i8", 4096},
           Row{"mi355x", "v_mfma_f64_16x16x4_f64", 128},
           Row{"mi355x", "v_mfma_f32_32x32x16_f16", 4096},
           Row{"mi355x", "v_mfma_f32_16x16x32_bf16", 4096},
           Row{"mi355x", "v_mfma_f32_32x32x64_f8f6f4", 8192},
           Row{"mi355x", "v_mfma_i32_32x32x32_i8", 8192},
       }) {
    const Expected<Device> device = load_device(row.device);
    ASSERT_TRUE(device);
    const InstructionTiming timing = timing_of(device->target);
    const auto found = timing.matrix.find(row.instruction);
    ASSERT_NE(found, timing.matrix.end()) << row.instruction;
    EXPECT_EQ(flops_per_cycle_per_cu(*device, found->second), row.flops_per_cycle_per_cu)
        << row.device << " " << row.instruction;
  }
  const Device mi355x = load_device("mi355x").value();
  EXPECT_EQ(flops_per_cycle_per_cu(mi355x, timing_of("gfx950").matrix.at("v_mfma_f32_32x32x64_f8f6f4"), true),
            16384);
}

TEST(ShippedTiming, VectorPeaksEqualThePublishedRates) {
  struct Row {
    const char* device;
    const char* instruction_class;
    double flops_per_lane, flops_per_cycle_per_cu;  // an FMA is 2, a packed FMA 4
  };
  for (const Row& row :
       {Row{"mi100", "valu", 2, 128}, Row{"mi100", "valu_f64", 2, 64}, Row{"mi210", "valu", 2, 128},
        Row{"mi210", "valu_packed_f32", 4, 256}, Row{"mi210", "valu_f64", 2, 128},
        Row{"mi300x", "valu_packed_f32", 4, 256}, Row{"mi300x", "valu_f64", 2, 128}}) {
    const Device device = load_device(row.device).value();
    const double issue = timing_of(device.target).classes.at(row.instruction_class).issue->value();
    EXPECT_EQ(row.flops_per_lane * 64 / issue * device.compute_unit.simds_per_cu->value(),
              row.flops_per_cycle_per_cu)
        << row.device << " " << row.instruction_class;
  }
}

// TFLOP/s of AMD's tables, which multiply by the CUs and the clock: catches a wrong CU count or clock as
// well.
TEST(ShippedTiming, DevicePeaksEqualTheDataSheets) {
  struct Row {
    const char* device;
    const char* instruction;
    double tflops;
  };
  for (const Row& row :
       {Row{"mi100", "v_mfma_f32_32x32x8f16", 184.6}, Row{"mi300x", "v_mfma_f32_32x32x8_f16", 1307.4},
        Row{"mi300x", "v_mfma_f32_32x32x16_fp8_fp8", 2614.9}, Row{"mi300x", "v_mfma_f64_16x16x4_f64", 163.4},
        Row{"mi250x", "v_mfma_f32_32x32x8bf16_1k", 383.0 / 2}}) {
    const Device device = load_device(row.device).value();
    const double peak = flops_per_cycle_per_cu(device, timing_of(device.target).matrix.at(row.instruction)) *
                        device.topology.xcds->value() * device.topology.cus_per_xcd->value() *
                        device.clock.peak->value();
    EXPECT_NEAR(peak / 1e12 / row.tflops, 1, 0.001) << row.device << " " << row.instruction;
  }
}

TEST(ShippedTiming, LdsCostsEqualTheDocumentedRates) {
  const InstructionTiming timing = timing_of("gfx942");
  const auto port_cycles = [](const LdsWidthTiming& width) {
    return width.cycles_per_phase->value() * static_cast<double>(width.phases.size());
  };
  // AMD (rocprofiler-compute, LDS page): a wave's 4-byte store takes 8 cycles, its 16-byte store 20.
  EXPECT_EQ(port_cycles(timing.lds_write.at(4)), 8);
  EXPECT_EQ(port_cycles(timing.lds_write.at(16)), 20);
  // Conflict-free reads move 64 B per cycle and port, on gfx950 twice that for 8 and 16 bytes.
  for (const int bytes : {4, 8, 16})
    EXPECT_EQ(64 * bytes / port_cycles(timing.lds_read.at(bytes)), 64) << bytes;
  for (const int bytes : {8, 16})
    EXPECT_EQ(64 * bytes / port_cycles(timing_of("gfx950").lds_read.at(bytes)), 128) << bytes;
}

// Conflicts: per phase, the most distinct dwords on one bank, less one. Counters read on an MI300X
// (nod-ai/amd-shark-ai@efa471a docs/empirical-lds): conflicts of 64 reads by lane stride in bytes.
TEST(ShippedTiming, PhasesReproduceTheMeasuredConflictCounters) {
  struct Row {
    int bytes, stride, conflicts;
  };
  const InstructionTiming timing = timing_of("gfx942");
  for (const Row& row : {Row{4, 4, 0}, Row{4, 8, 128}, Row{4, 16, 384}, Row{4, 32, 896}, Row{4, 64, 1920},
                         Row{4, 128, 3968}, Row{4, 512, 3968}, Row{8, 8, 0}, Row{8, 16, 256}, Row{8, 32, 768},
                         Row{8, 64, 1792}, Row{8, 128, 3840}, Row{8, 512, 3840}, Row{16, 16, 0},
                         Row{16, 32, 512}, Row{16, 64, 1536}, Row{16, 128, 3584}, Row{16, 512, 3584}}) {
    const LdsWidthTiming& width = timing.lds_read.at(row.bytes);
    const int banks = static_cast<int>(width.banks.value());
    int conflicts = 0;
    for (const std::vector<int>& phase : width.phases) {
      std::vector<std::set<int>> dwords(banks);
      size_t most = 0;
      for (const int lane : phase)
        for (int byte = 0; byte < row.bytes; byte += 4) {
          const int dword = (lane * row.stride + byte) / 4;
          dwords[dword % banks].insert(dword);
          most = std::max(most, dwords[dword % banks].size());
        }
      conflicts += static_cast<int>(most) - 1;
    }
    EXPECT_EQ(64 * conflicts, row.conflicts) << row.bytes << " B at stride " << row.stride;
  }
}

TEST(ShippedTiming, ConflictCostFitsTheMeasuredTimes) {
  // tingqli/pyhip archive/bank-conflict: 16 waves on one CU read 10000 times each with w-way conflicts of
  // 4-byte reads; microseconds by w. An MI308X at 1420 MHz; 1 and 2 ways are bound by the loop's scalar
  // instructions instead.
  const LdsWidthTiming width = timing_of("gfx942").lds_read.at(4);
  for (const auto& [ways, microseconds] : {std::pair(4, 907.2), {8, 1805.6}, {16, 3600.6}, {32, 7196.0}}) {
    const double conflicts = static_cast<double>(width.phases.size()) * (ways - 1);
    const double port_cycles = width.cycles_per_phase->value() * static_cast<double>(width.phases.size()) +
                               conflicts * width.cycles_per_conflict->value();
    const double predicted = port_cycles / 2 * 16 * 10000 / 1420;  // two ports
    EXPECT_NEAR(predicted / microseconds, 1, 0.03) << ways;
  }
}

TEST(LoadInstructionTiming, UnknownTargetListsTheKnown) {
  const Expected<InstructionTiming> timing = load_instruction_timing("gfx943");
  ASSERT_FALSE(timing);
  EXPECT_NE(timing.error().remedy.find("gfx942"), std::string::npos);
}

TEST(ParseInstructionTiming, ErrorsNameLineAndColumn) {
  struct Case {
    const char* text;
    const char* place;
    const char* says;
  };
  for (const Case& c : {
           Case{"target: a\nbased_on: gfx942\nclases: {}\n", "f:3:1", "classes"},
           Case{"target: a\nbased_on: gfx942\nclasses:\n  valu: { issue: 4 cycles, latency: 4 ns, kind: "
                "isa_doc, source: llvm }\n",
                "f:4:37", "cycles"},
           Case{"target: a\nbased_on: gfx942\nclasses:\n  valu: { issue: 4 cycles, kind: isa_doc, source: "
                "llvm }\n",
                "f:4:3", "latency"},
           Case{"target: a\nbased_on: gfx942\nclasses:\n  valu: { isue: 4 cycles }\n", "f:4:11", "issue"},
           Case{"target: a\nbased_on: gfx942\nlds_read:\n  3: {}\n", "f:4:3", "16"},
           Case{"target: a\nbased_on: gfx942\nlds_read:\n  4: { phases: [\"0-63\", \"3\"] }\n", "f:4:25",
                "two phases"},
           Case{"target: a\nbased_on: gfx942\nlds_read:\n  4: { phases: [\"0-62\"] }\n", "f:4:16",
                "lack lanes"},
           Case{"target: a\nbased_on: gfx942\nlds_read:\n  4: { phases: [\"0-64\"] }\n", "f:4:17", "lane"},
           Case{"target: a\nbased_on: gfx942\nmatrix: {}\n", "f:3:9", "list"},
           Case{"target: a\nbased_on: gfx943\n", "f:2:11", "gfx942"},
           Case{"based_on: gfx942\n", "f", "target"},
           Case{"target: a\n", "f", "barrier"},
       }) {
    const Expected<InstructionTiming> timing = parse_instruction_timing(c.text, "f");
    ASSERT_FALSE(timing) << c.text;
    EXPECT_TRUE(timing.error().place.starts_with(c.place)) << c.text << "\n" << describe(timing.error());
    EXPECT_NE(describe(timing.error()).find(c.says), std::string::npos) << c.text << "\n"
                                                                        << describe(timing.error());
  }
}

TEST(ParseInstructionTiming, InheritedMeasurementsAreAssumptions) {
  const auto of = [](const char* inherited) {
    return parse_instruction_timing(std::string("target: a\nbased_on: gfx942\n") + inherited, "f")
        .value()
        .classes.at("valu")
        .issue.provenance.kind;
  };
  EXPECT_EQ(of(""), ParameterKind::measured);
  EXPECT_EQ(of("inherited: assumed\n"), ParameterKind::assumed);
}

}  // namespace
}  // namespace wavecast::hardware
