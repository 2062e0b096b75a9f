// How long instructions occupy and delay one compute unit, per ISA target (gfx942, ...), never per product.
// Keyed by the names of isa::InstructionClass, which this folder only knows as strings; model/ joins the two.
// Sources stand beside every value in hardware/timing/*.yaml.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hardware/parameter.h"

namespace wavecast::hardware {

// Issue cycles: how long the executing unit is busy. Latency: issue until a dependent instruction of the same
// wave can issue (memory classes: address path only; the memory model adds the rest).
struct ClassTiming {
  Parameter<Cycles> issue;
  Parameter<Cycles> latency;
};

// One MFMA or SMFMAC instruction; one pass is 4 cycles of the matrix unit. The class `matrix` has as latency what a
// reader other than an accumulating MFMA waits beyond the passes.
struct MatrixTiming {
  Parameter<Count> passes;
  Parameter<Cycles> valu_blocked;                     // until the SIMD takes a VALU instruction: 4 if they overlap, or all passes
  Count flops;                                        // per wave instruction, multiply and add counted apart
  std::optional<Parameter<Count>> passes_below_8_bit; // f8f6f4 with neither A nor B of 8-bit elements (cbsz, blgp > 1)
};

// LDS access of one width: lanes in a phase are served together; conflicts are counted inside a phase.
struct LdsWidthTiming {
  std::vector<std::vector<int>> phases;  // lane numbers
  Count banks;                           // of 4 bytes
  Parameter<Cycles> cycles_per_phase;    // conflict-free port occupancy
  Parameter<Cycles> cycles_per_conflict; // added per conflict
  Parameter<Cycles> latency;             // issue to result for a single conflict-free access
};

struct InstructionTiming {
  std::string target;
  std::map<std::string, ClassTiming, std::less<>> classes;
  std::map<std::string, MatrixTiming, std::less<>> matrix;      // by mnemonic without encoding suffix
  std::map<int, LdsWidthTiming> lds_read;                       // by bytes per lane: 1 2 4 8 12 16
  std::map<int, LdsWidthTiming> lds_write;
  Parameter<Cycles> branch_taken;        // refetch after a taken branch
  Parameter<Cycles> barrier;             // last wave arrives until the others can issue
  Parameter<Cycles> lds_issue_overhead;  // per LDS instruction on its port
};

// Targets that have a timing file, sorted.
std::vector<std::string> timing_targets();

// Timing for a target. Errors: unknown target (lists the known), bad file with file:line:column.
Expected<InstructionTiming> load_instruction_timing(std::string_view target);
Expected<InstructionTiming> parse_instruction_timing(std::string_view yaml_text, std::string_view origin);

}  // namespace wavecast::hardware
