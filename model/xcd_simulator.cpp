// The event loop: looks at SIMDs in time order until everything has ended or the budget is used, then adds
// up.
#include "model/xcd_simulator.h"

#include <algorithm>

#include "model/xcd_simulation.h"

namespace wavecast::model {
namespace {

constexpr uint64_t kCheckpointInstructions = 2048;  // fine enough to see a steady state in small budgets

// A kernel that ran before is still in the instruction caches if it fits.
bool code_fits(const XcdSpec& spec, const isa::LoadedKernel& kernel) {
  return kernel.kernel->code_size <=
         uint64_t{spec.instruction.sets} * spec.instruction.ways * spec.instruction.line;
}

template <class Statistics, class Caches>
Statistics sum_of(const Caches& caches) {
  Statistics total;
  for (const auto& cache : caches) {
    const auto& s = cache.statistics();
    total.requests += s.requests;
    total.hits += s.hits;
    total.misses += s.misses;
    total.duplicate_misses += s.duplicate_misses;
    total.busy += s.busy;
  }
  return total;
}

}  // namespace

XcdSimulation::XcdSimulation(const XcdSpec& spec, const XcdWorkload& workload)
    : spec_(spec), workload_(workload), memory_(spec_, workload.initial) {
  cus_.reserve(spec.cus);
  for (uint32_t cu = 0; cu < spec.cus; ++cu) cus_.emplace_back(spec_, memory_);
  simds_.resize(size_t{spec.cus} * spec.simds_per_cu);
  for (uint32_t i = 0; i < simds_.size(); ++i) {
    simds_[i].cu = i / spec.simds_per_cu;
    simds_[i].phase = i % spec.simds_per_cu % kSlotCycles;
  }
  const bool warm_code = workload.initial.warm && code_fits(spec, *workload.kernel);
  for (uint32_t cu = 0; cu < spec.cus; cu += std::max(1u, spec.scalar.cus_sharing))
    scalar_caches_.emplace_back(spec.scalar, memory_, false);
  for (uint32_t cu = 0; cu < spec.cus; cu += std::max(1u, spec.instruction.cus_sharing))
    instruction_caches_.emplace_back(spec.instruction, memory_, warm_code);
  // Consecutive work-groups go to different shader engines.
  const uint32_t per_engine = (spec.cus + spec.shader_engines - 1) / spec.shader_engines;
  for (uint32_t i = 0; i < per_engine; ++i)
    for (uint32_t engine = 0; engine < spec.shader_engines; ++engine)
      if (const uint32_t cu = engine * per_engine + i; i < per_engine && cu < spec.cus)
        cu_order_.push_back(cu);
}

void XcdSimulation::schedule(uint32_t simd_index, Cycle cycle) {
  SimdState& simd = simds_[simd_index];
  const Cycle aligned = cycle + ((simd.phase - cycle) % kSlotCycles + kSlotCycles) % kSlotCycles;
  if (simd.scheduled >= 0 && simd.scheduled <= aligned) return;
  simd.scheduled = aligned;
  events_.push({aligned, simd_index});
}

Expected<XcdResult> XcdSimulation::run() {
  dispatch(0);
  uint64_t next_checkpoint = kCheckpointInstructions;
  while (!events_.empty() && !error_ && result_.instructions < workload_.max_instructions) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.cycle;
    if (event.simd >= simds_.size()) {
      if (event.simd == kDispatcher)
        dispatch_pending_ = false;
      else
        --cus_[event.simd - simds_.size()].resident_work_groups;
      dispatch(event.cycle);
      continue;
    }
    SimdState& simd = simds_[event.simd];
    if (simd.scheduled != event.cycle) continue;  // superseded by an earlier look
    simd.scheduled = -1;
    look(simd, event.cycle);
    if (result_.instructions >= next_checkpoint) {
      result_.checkpoints.push_back({now_, result_.instructions});
      next_checkpoint += kCheckpointInstructions;
      if (workload_.progress) workload_.progress(result_.instructions);
    }
  }
  if (error_) return tl::unexpected(*error_);
  return finish();
}

XcdResult XcdSimulation::finish() {
  result_.finished = next_work_group_ == workload_.work_groups.size() && events_.empty();
  result_.cycles = result_.finished ? last_end_ : now_;
  for (const SimdState& simd : simds_)  // waves that were cut off; none if finished
    for (uint32_t slot : simd.waves) {
      const WaveState& wave = waves_[slot];
      const ResidentGroup& group = groups_[wave.group];
      if (!wave.ended && wave.launched < now_ && result_.timeline.size() < workload_.max_timeline_slices)
        result_.timeline.push_back({group.cu, wave.simd % spec_.simds_per_cu, slot, group.number, wave.wave,
                                    static_cast<double>(wave.launched), static_cast<double>(now_), false});
    }
  for (const ResidentGroup& group : groups_)
    if (group.stream)
      for (int c = 0; c < isa::kInstructionClassCount; ++c) result_.counts[c] += group.stream->counts()[c];
  result_.write_back_end =
      result_.finished
          ? std::max(result_.cycles, whole(memory_.write_back_all(static_cast<double>(result_.cycles))))
          : result_.cycles;
  for (const ComputeUnitState& cu : cus_) {
    const VectorL1Statistics& s = cu.vector_l1.statistics();
    VectorL1Statistics& total = result_.vector_l1;
    total.instructions += s.instructions;
    total.quad_accesses += s.quad_accesses;
    total.line_lookups += s.line_lookups;
    total.hits += s.hits;
    total.misses += s.misses;
    total.read_requests += s.read_requests;
    total.write_requests += s.write_requests;
    total.atomic_requests += s.atomic_requests;
    total.bytes += s.bytes;
    total.address_busy += s.address_busy;
    total.data_busy += s.data_busy;
  }
  result_.scalar_l1 = sum_of<SharedL1Statistics>(scalar_caches_);
  result_.instruction_l1 = sum_of<SharedL1Statistics>(instruction_caches_);
  result_.memory = memory_.statistics();
  return std::move(result_);
}

std::string_view to_string(StallReason reason) {
  static constexpr std::string_view kNames[kStallReasons] = {"issuing",
                                                             "waiting for vector memory",
                                                             "waiting for LDS",
                                                             "waiting for scalar memory",
                                                             "register dependency",
                                                             "barrier",
                                                             "VALU busy",
                                                             "matrix unit busy",
                                                             "issue port busy",
                                                             "instruction fetch",
                                                             "wave launch"};
  return kNames[static_cast<int>(reason)];
}

Expected<XcdResult> simulate_xcd(const XcdSpec& spec, const XcdWorkload& workload) {
  return XcdSimulation(spec, workload).run();
}

}  // namespace wavecast::model
