// The interpreter loop: waves of one work-group take turns, each until its slice, a barrier or its end.
// Leaves out: time. The order in which waves run is fixed, so results repeat.
#include <fmt/core.h>

#include <algorithm>

#include "isa/emulator.h"
#include "isa/emulator/faults.h"
#include "isa/emulator/launch_limits.h"
#include "isa/emulator/special_modes.h"
#include "isa/emulator/start_state.h"
#include "isa/execution_context.h"

namespace wavecast::isa {

namespace {

// Instructions of one wave before the next gets its turn: long enough that registers stay in the host's
// caches, short enough that a wave waiting for another one's LDS flag does not spin for long.
constexpr uint64_t kTimeSlice = 4096;
// Registers of both files are always there, so that no instruction can reach beyond host memory; only the
// allocated part is ever touched. The last entries absorb wide operands that begin at the end of a file.
constexpr uint32_t kFileSize = 256, kGuardRegisters = 32;

constexpr uint32_t kNoCode = 0xffffffff;  // next_pc after an instruction that is followed by no other

enum class WaveStop : uint8_t { slice_over, barrier, ended, fault };

struct StepResult {
  WaveStop stop = WaveStop::slice_over;
  uint64_t executed = 0;
};

// Problems that exist before the instruction runs. Returns false if there is one.
bool may_execute(const Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  if (instruction.execute == nullptr) {
    context.fault(
        -1, fmt::format("'{}' has no emulation", instruction.mnemonic),
        "use `inspect` to list what a kernel executes; occupancy and inspect work without emulation");
    return false;
  }
  if (instruction.vgpr_end > wave.vgpr_count || instruction.agpr_end > wave.agpr_count) {
    context.fault(
        -1,
        fmt::format("the instruction names v{} or a{}, the kernel has {} VGPRs and {} AGPRs",
                    instruction.vgpr_end - 1, instruction.agpr_end - 1, wave.vgpr_count, wave.agpr_count),
        "the kernel descriptor and the code disagree");
    return false;
  }
  return true;
}

template <bool kTraced>
StepResult run_wave(Wavefront& wave, const Program& program, ExecutionContext& context,
                    InstructionCounts& counts, uint64_t budget) {
  const Instruction* code = program.instructions.data();
  StepResult result;
  for (; result.executed < budget; ++result.executed) {
    const uint32_t pc = wave.pc;
    const Instruction& instruction = code[pc];
    wave.next_pc = instruction.next_is_code ? pc + 1 : kNoCode;
    // One test for the usual case; may_execute finds out which of the three it is.
    const bool usual = (instruction.execute != nullptr) & (instruction.vgpr_end <= wave.vgpr_count) &
                       (instruction.agpr_end <= wave.agpr_count);
    if (!usual && !may_execute(wave, instruction, context)) return {WaveStop::fault, result.executed};
    size_t accesses = 0;
    if constexpr (kTraced) accesses = context.trace->accesses.size();
    if ((wave.mode & (kModeGprIndexing | kModeVectorSkip)) != 0) [[unlikely]]
      execute_in_special_mode(wave, instruction, context);
    else
      instruction.execute(wave, instruction, context);
    if constexpr (kTraced) {
      const bool accessed = context.trace->accesses.size() != accesses;
      context.trace->records.push_back(
          {pc, accessed ? static_cast<uint32_t>(accesses) : TraceRecord::kNoAccess});
    }
    ++counts[static_cast<size_t>(instruction.instruction_class)];
    ++context.clock;
    if (context.faulted) [[unlikely]]
      return {WaveStop::fault, result.executed};
    if (wave.ended) return {WaveStop::ended, result.executed + 1};
    if (wave.next_pc == kNoCode) [[unlikely]] {
      context.fault(-1, "execution runs on into bytes that are no instruction",
                    "the kernel misses an s_endpgm or a branch");
      return {WaveStop::fault, result.executed + 1};
    }
    wave.pc = wave.next_pc;
    if (wave.at_barrier) return {WaveStop::barrier, result.executed + 1};
  }
  return result;
}

}  // namespace

struct WorkGroup::Impl {
  Impl(const LoadedKernel& kernel, Memory& guest_memory, EmulationLimits emulation_limits)
      : loaded(&kernel),
        memory(&guest_memory),
        limits(emulation_limits),
        waves(kernel.waves_per_work_group),
        allowances(kernel.waves_per_work_group) {
    const Generation generation = kernel.program->generation;
    const uint32_t granule = lds_granule(generation);
    lds.resize((kernel.lds_bytes + granule - 1) / granule * granule);
    const RegisterCounts registers = allocated_registers(kernel.kernel->descriptor, generation);
    for (Wavefront& wave : waves) {
      wave.registers = std::make_unique_for_overwrite<VectorRegister[]>(2 * (kFileSize + kGuardRegisters));
      wave.vgpr = wave.registers.get();
      wave.agpr = wave.vgpr + kFileSize + kGuardRegisters;
      wave.vgpr_count = registers.arch;
      wave.agpr_count = registers.accum;
    }
  }

  void start(Dim3 work_group);
  Expected<bool> advance(uint64_t instructions, std::span<WaveTrace> traces);
  // Runs one wave for one slice. Nothing was executed if it waits, has ended or has no allowance left.
  Expected<uint64_t> step(uint32_t index, WaveTrace* trace);
  void release_barrier();
  bool all_ended() const {
    return std::all_of(waves.begin(), waves.end(), [](const Wavefront& wave) { return wave.ended; });
  }
  tl::unexpected<Error> error(const Wavefront& wave, const Fault& fault) const {
    return tl::unexpected(make_error(*loaded, id, wave.wave_in_work_group, wave.pc, fault));
  }

  const LoadedKernel* loaded;
  Memory* memory;
  EmulationLimits limits;
  Dim3 id;
  std::vector<Wavefront> waves;
  std::vector<uint64_t> allowances;  // instructions left in this advance, per wave
  std::vector<std::byte> lds;
  InstructionCounts counts{};
  uint64_t executed = 0, clock = 0;
  uint32_t memory_hint = 0;
};

void WorkGroup::Impl::start(Dim3 work_group) {
  id = work_group;
  executed = 0;
  counts = {};
  std::fill(lds.begin(), lds.end(), std::byte{0});
  for (uint32_t i = 0; i < waves.size(); ++i) start_wave(waves[i], *loaded, id, i, *memory);
}

Expected<uint64_t> WorkGroup::Impl::step(uint32_t index, WaveTrace* trace) {
  Wavefront& wave = waves[index];
  if (wave.ended || wave.at_barrier || allowances[index] == 0) return uint64_t{0};
  if (wave.instructions_executed >= limits.max_instructions_per_wave)
    return error(wave,
                 {fmt::format("the wave executed {} instructions, the limit", wave.instructions_executed),
                  "raise the limit if the kernel is that long; a wave waiting for another work-group never "
                  "ends here"});
  const uint64_t budget = std::min(
      {kTimeSlice, allowances[index], limits.max_instructions_per_wave - wave.instructions_executed});
  ExecutionContext context{*loaded, *memory};
  context.generation = loaded->program->generation;
  context.lds = lds;
  context.shared_aperture = kSharedAperture;
  context.private_aperture = kPrivateAperture;
  context.trace = trace;
  context.memory_hint = memory_hint;
  context.clock = clock;
  const StepResult result = trace != nullptr
                                ? run_wave<true>(wave, *loaded->program, context, counts, budget)
                                : run_wave<false>(wave, *loaded->program, context, counts, budget);
  memory_hint = context.memory_hint;
  clock = context.clock;
  wave.instructions_executed += result.executed;
  executed += result.executed;
  allowances[index] -= result.executed;
  if (result.stop == WaveStop::fault)
    return error(wave, {context.fault_reason, context.fault_remedy, context.fault_lane});
  if (trace != nullptr) trace->complete = wave.ended;
  return result.executed;
}

// Waves that have ended do not count: the barrier opens when every live wave is there.
void WorkGroup::Impl::release_barrier() {
  const bool all_there = std::all_of(waves.begin(), waves.end(),
                                     [](const Wavefront& wave) { return wave.ended || wave.at_barrier; });
  if (!all_there) return;
  for (Wavefront& wave : waves) wave.at_barrier = false;
}

Expected<bool> WorkGroup::Impl::advance(uint64_t instructions, std::span<WaveTrace> traces) {
  std::fill(allowances.begin(), allowances.end(), instructions);
  for (bool progress = true; progress;) {
    progress = false;
    for (uint32_t i = 0; i < waves.size(); ++i) {
      const auto stepped = step(i, i < traces.size() ? &traces[i] : nullptr);
      if (!stepped) return tl::unexpected(stepped.error());
      progress |= *stepped != 0;
    }
    release_barrier();
  }
  return all_ended();
}

WorkGroup::WorkGroup(const LoadedKernel& kernel, Memory& memory, Dim3 id, EmulationLimits limits)
    : impl_(std::make_unique<Impl>(kernel, memory, limits)) {
  impl_->start(id);
}
WorkGroup::~WorkGroup() = default;
WorkGroup::WorkGroup(WorkGroup&&) noexcept = default;
WorkGroup& WorkGroup::operator=(WorkGroup&&) noexcept = default;

void WorkGroup::restart(Dim3 id) { impl_->start(id); }
Expected<bool> WorkGroup::advance(uint64_t instructions, std::span<WaveTrace> traces) {
  return impl_->advance(instructions, traces);
}
std::span<const Wavefront> WorkGroup::waves() const { return impl_->waves; }
Dim3 WorkGroup::id() const { return impl_->id; }
uint64_t WorkGroup::instructions_executed() const { return impl_->executed; }
const InstructionCounts& WorkGroup::counts() const { return impl_->counts; }

}  // namespace wavecast::isa
