// Executes real work-groups of a kernel on real argument buffers, as the hardware would start them: SGPR/VGPR start
// state, AQL packet, kernarg segment with hidden arguments, LDS and scratch. Source: LLVM 22 AMDGPUUsage "Kernel Dispatch"
// and "Initial Kernel Execution State". Leaves out: timing, traps and debugger, GDS, concurrent work-groups.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isa/code_object.h"
#include "isa/memory.h"
#include "isa/program.h"
#include "isa/wave_trace.h"
#include "isa/wavefront.h"

namespace wavecast::isa {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

// A launch as HIP states it: grid in work-groups, block in work-items, explicit kernel arguments already laid out.
struct Launch {
  Dim3 grid, block;
  uint32_t dynamic_lds = 0;            // bytes
  std::vector<std::byte> kernarg{};      // explicit arguments at their offsets; hidden ones are filled by the loader
};

// A code object in guest memory, relocated. Its variables keep their values from launch to launch.
struct LoadedCodeObject {
  std::shared_ptr<const CodeObject> code_object;
  uint64_t load_base = 0;              // guest address of code object address 0
  uint64_t region_address = 0;         // of the memory region, for Memory::release

  // The program that contains `kernel`, decoded on first use and shared by all later launches. Not thread-safe.
  // Errors as decode_program.
  Expected<std::shared_ptr<const Program>> program_for(const Kernel& kernel);

 private:
  std::shared_ptr<const Program> whole_;  // small code objects are decoded in one piece
  std::map<uint64_t, std::shared_ptr<const Program>> by_entry_;
};

// Copies the segments into `memory` and applies the relocations.
// Errors: relocatable code object, unresolved symbol, unknown relocation, no memory.
Expected<LoadedCodeObject> load_code_object(std::shared_ptr<const CodeObject> code_object, Memory& memory);

// A kernel placed in guest memory and ready to run: image loaded and relocated, kernarg and AQL packet written.
struct LoadedKernel {
  std::shared_ptr<const Program> program;
  std::shared_ptr<const CodeObject> code_object;
  const Kernel* kernel = nullptr;
  Launch launch;
  uint64_t load_base = 0;              // guest address of code object address 0
  uint64_t kernarg_address = 0, dispatch_packet_address = 0, queue_address = 0;
  // Scratch of one work-group, reused by all: one region per wave, so that overrunning it is seen. 0 without scratch.
  uint64_t scratch_address = 0;        // of wave 0
  uint64_t scratch_wave_stride = 0;    // bytes from one wave's scratch to the next
  uint32_t scratch_bytes_per_lane = 0; // multiple of 4; a wave's scratch is 64 times that
  uint32_t entry = 0;                  // instruction index
  uint32_t lds_bytes = 0;              // static + dynamic
  uint32_t waves_per_work_group = 0;
  std::vector<uint64_t> regions;       // guest memory of this launch, for release_launch
};

// Writes the kernarg segment with its hidden arguments, the AQL packet and the queue, and reserves scratch.
// Errors: LDS or block beyond the ISA's limits or the kernel's, kernarg too short, entry that is no instruction.
Expected<LoadedKernel> prepare_launch(LoadedCodeObject& loaded, const Kernel& kernel, Launch launch, Memory& memory);
// Gives the launch's own memory back; the code object stays loaded.
void release_launch(const LoadedKernel& kernel, Memory& memory);

// Both steps for a single launch. The kernel must belong to `code_object`.
// Errors: those of load_code_object and prepare_launch.
Expected<LoadedKernel> load_kernel(std::shared_ptr<const CodeObject> code_object, const Kernel& kernel, Launch launch, Memory& memory);

// Per-class counts of executed wave instructions, indexed by InstructionClass.
using InstructionCounts = std::array<uint64_t, kInstructionClassCount>;

struct EmulationLimits {
  uint64_t max_instructions_per_wave = uint64_t{1} << 40;
};

// One work-group in execution; can be advanced in steps so that a consumer sees traces while they grow.
class WorkGroup {
 public:
  WorkGroup(const LoadedKernel& kernel, Memory& memory, Dim3 id, EmulationLimits limits = {});
  ~WorkGroup();
  WorkGroup(WorkGroup&&) noexcept;
  WorkGroup& operator=(WorkGroup&&) noexcept;

  // Becomes the work-group `id` of the same kernel at its start, without giving memory back.
  void restart(Dim3 id);

  // Runs every wave for at most `instructions` more wave instructions (a wave at a barrier waits for the others).
  // Appends to `traces` (one per wave) if it is not empty. Returns true when all waves have ended.
  // Errors: instruction without semantics, memory fault, barrier deadlock, instruction limit; each names kernel,
  // instruction, address, work-group, wave and, for memory, lane and nearest region.
  Expected<bool> advance(uint64_t instructions, std::span<WaveTrace> traces);

  std::span<const Wavefront> waves() const;
  Dim3 id() const;
  uint64_t instructions_executed() const;   // wave instructions of all waves
  const InstructionCounts& counts() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Runs all work-groups of the grid in order, for full functional results. `progress` may be null.
struct EmulationSummary {
  uint64_t work_groups = 0, wave_instructions = 0;
  InstructionCounts counts{};
};
Expected<EmulationSummary> run_grid(const LoadedKernel& kernel, Memory& memory, EmulationLimits limits = {},
                                    const std::function<void(uint64_t done, uint64_t total)>& progress = {});

}  // namespace wavecast::isa
