// Issue in the simulated XCD: when a wave's next instruction may go and what it waits for, and what happens
// when it goes.
#include <algorithm>

#include "model/lds_banks.h"
#include "model/xcd_simulation.h"

namespace wavecast::model {
namespace {

using isa::InstructionClass;

constexpr uint64_t kFetchBytes = 64;  // structural: instruction cache requests are 64-byte lines

}  // namespace

void XcdSimulation::wait_for_fetch(WaveState& wave, uint64_t address) {
  const uint64_t line = address / kFetchBytes;
  if (line == wave.fetched_line) return;
  wave.fetched_line = line;
  SharedL1& cache = instruction_caches_[simds_[wave.simd].cu / std::max(1u, spec_.instruction.cus_sharing)];
  const double available = cache.access(static_cast<double>(wave.ready), line * kFetchBytes, kFetchBytes);
  // Waves fetch ahead: a hit is hidden, only what a miss adds to it delays the wave.
  wait_for(wave, available - spec_.instruction.hit_latency, StallReason::fetch);
}

void XcdSimulation::wait_for_counters(WaveState& wave, const ResolvedInstruction& instruction) {
  const StallReason lgkm = wave.lgkm_is_scalar ? StallReason::wait_scalar_memory : StallReason::wait_lds;
  if (instruction.instruction_class ==
      InstructionClass::end_program) {  // the hardware waits for everything first
    wait_for(wave, wave.scalar_and_lds.time_until(0), lgkm);
    wait_for(wave, wave.vector_memory.time_until(0), StallReason::wait_vector_memory);
    return;
  }
  if (instruction.has_wait) {
    if (instruction.wait.lgkmcnt != isa::WaitCounts::kNoWait)
      wait_for(wave, wave.scalar_and_lds.time_until(instruction.wait.lgkmcnt), lgkm);
    if (instruction.wait.vmcnt != isa::WaitCounts::kNoWait)
      wait_for(wave, wave.vector_memory.time_until(instruction.wait.vmcnt), StallReason::wait_vector_memory);
  }
  if (instruction.vmcnt)
    wait_for(wave, wave.vector_memory.time_until(kMaxVmcnt - 1), StallReason::wait_vector_memory);
  if (instruction.lgkmcnt) wait_for(wave, wave.scalar_and_lds.time_until(kMaxLgkmcnt - 1), lgkm);
}

void XcdSimulation::wait_for_registers(WaveState& wave, const ResolvedInstruction& instruction) {
  if (wave.long_latency_until <= wave.ready) return;
  Cycle ready = 0;
  auto latest = [&](const ResolvedInstruction::Range& range, const std::vector<Cycle>& board) {
    for (uint16_t r = range.first; r < range.first + range.count; ++r) ready = std::max(ready, board[r]);
  };
  for (int i = 0; i < instruction.reads; ++i) {
    const auto& range = instruction.read[i];
    const bool accumulator = instruction.matrix && range.first == instruction.accumulator.first &&
                             range.count == instruction.accumulator.count;
    latest(range, accumulator ? wave.forwarded : wave.scoreboard);
  }
  if (!instruction.matrix)
    for (int i = 0; i < instruction.writes; ++i) latest(instruction.write[i], wave.scoreboard);
  wait_for(wave, static_cast<double>(ready), StallReason::dependency);
}

void XcdSimulation::set_ready(WaveState& wave, Cycle earliest, StallReason reason) {
  wave.ready = earliest;
  wave.reason = reason;
  ResidentGroup& group = groups_[wave.group];
  const isa::TraceRecord* next = group.stream->peek(wave.wave);
  if (!next) {
    error_ = group.stream->error()
                 ? *group.stream->error()
                 : Error{"simulation", "a wave ended without s_endpgm", "report this as a bug"};
    wave.ready = kNever;
    return;
  }
  const ResolvedInstruction& instruction = workload_.program->instructions[next->instruction];
  wait_for_fetch(wave, instruction.address);
  wait_for_counters(wave, instruction);
  wait_for_registers(wave, instruction);
}

void XcdSimulation::account(WaveState& wave, Cycle now) {
  const Cycle from = wave.last_issue;
  const Cycle own = std::min<Cycle>(kSlotCycles, now - from);
  result_.wave_cycles[static_cast<int>(StallReason::issuing)] += static_cast<double>(own);
  const Cycle waited = std::max<Cycle>(0, wave.ready - (from + own)),
              blocked = std::max<Cycle>(0, now - std::max(wave.ready, from + own));
  result_.wave_cycles[static_cast<int>(wave.reason)] += static_cast<double>(waited);
  // After it was ready the wave lost to a busy unit or to an older wave.
  const bool slot_rounding = blocked < kSlotCycles;
  const auto& next =
      workload_.program->instructions[groups_[wave.group].stream->peek(wave.wave)->instruction];
  const StallReason busy = slot_rounding && waited > 0    ? wave.reason
                           : next.matrix                  ? StallReason::matrix_busy
                           : next.port == IssuePort::valu ? StallReason::valu_busy
                                                          : StallReason::port_busy;
  result_.wave_cycles[static_cast<int>(busy)] += static_cast<double>(blocked);
}

void XcdSimulation::look(SimdState& simd, Cycle now) {
  std::array<bool, kIssuePorts> taken{};
  Cycle next = kNever;
  // Waves may leave the list while it is walked (end of a work-group), so walk a copy of the indices.
  thread_local std::vector<uint32_t> order;
  order.assign(simd.waves.begin(), simd.waves.end());
  for (uint32_t slot : order) {
    WaveState& wave = waves_[slot];
    if (wave.ended || wave.at_barrier) continue;
    Cycle retry = std::max(wave.ready, now + 1);
    if (wave.ready <= now && try_issue(simd, wave, now, taken, retry)) {
      if (error_) return;
      if (wave.ended || wave.at_barrier) continue;
      retry = wave.ready;
    }
    next = std::min(next, retry);
  }
  if (next < kNever) schedule(static_cast<uint32_t>(&simd - simds_.data()), std::max(next, now + 1));
}

bool XcdSimulation::try_issue(SimdState& simd, WaveState& wave, Cycle now,
                              std::array<bool, kIssuePorts>& taken, Cycle& retry) {
  ResidentGroup& group = groups_[wave.group];
  const isa::TraceRecord record = *group.stream->peek(wave.wave);
  const ResolvedInstruction& instruction = workload_.program->instructions[record.instruction];
  const auto port = static_cast<size_t>(instruction.port);
  if (instruction.port != IssuePort::internal && taken[port]) {
    retry = now + kSlotCycles;
    return false;
  }
  if (instruction.port == IssuePort::valu && simd.valu_free > now) {
    retry = simd.valu_free;
    return false;
  }
  if (instruction.matrix && simd.matrix_free > now) {
    retry = simd.matrix_free;
    return false;
  }
  if (!instruction.resolved) {
    error_ = problem(*workload_.program, record.instruction);
    return true;
  }
  taken[port] = true;
  account(wave, now);
  group.stream->pop(wave.wave);
  wave.last_issue = now;
  ++result_.instructions;
  issue(simd, wave, record, instruction, now);
  return true;
}

void XcdSimulation::issue(SimdState& simd, WaveState& wave, const isa::TraceRecord& record,
                          const ResolvedInstruction& instruction, Cycle now) {
  Cycle next = now + kSlotCycles + instruction.extra_slots;
  switch (instruction.port) {
    case IssuePort::valu:
      simd.valu_free = now + instruction.issue_cycles;
      result_.valu_busy += instruction.issue_cycles;
      if (instruction.matrix) {
        simd.matrix_free = now + instruction.matrix_cycles;
        result_.matrix_busy += instruction.matrix_cycles;
      }
      next = std::max(next, now + Cycle{instruction.issue_cycles});
      break;
    case IssuePort::scalar:
    case IssuePort::vector_memory:
    case IssuePort::lds:
      if (instruction.vmcnt || instruction.lgkmcnt) issue_memory(simd, wave, record, instruction, now);
      break;
    case IssuePort::branch:
    case IssuePort::internal:
      break;
  }
  write_scoreboard(wave, instruction, now);
  if (instruction.instruction_class == InstructionClass::end_program) return end_wave(now, wave);
  if (instruction.instruction_class == InstructionClass::barrier) return arrive_at_barrier(wave, now);
  StallReason reason = StallReason::issuing;
  if (instruction.port == IssuePort::branch) {
    const isa::TraceRecord* target = groups_[wave.group].stream->peek(wave.wave);
    if (target && target->instruction != record.instruction + 1) {
      next += whole(workload_.program->timing->branch_taken->value());
      reason = StallReason::fetch;
    }
  }
  set_ready(wave, next, reason);
}

void XcdSimulation::write_scoreboard(WaveState& wave, const ResolvedInstruction& instruction, Cycle now) {
  // A result of the usual latency is there at the wave's next slot; only longer ones are tracked.
  if (instruction.latency_cycles <= kSlotCycles ||
      (instruction.port != IssuePort::valu && instruction.port != IssuePort::scalar) || instruction.lgkmcnt)
    return;
  const Cycle ready = now + instruction.latency_cycles;
  for (int i = 0; i < instruction.writes; ++i)
    for (uint16_t r = instruction.write[i].first; r < instruction.write[i].first + instruction.write[i].count;
         ++r) {
      wave.scoreboard[r] = ready;
      if (r < kScoreboardScalars)
        wave.forwarded[r] = instruction.matrix ? ready - instruction.forwarding_credit : ready;
    }
  wave.long_latency_until = std::max(wave.long_latency_until, ready);
}

double XcdSimulation::lds_access(SimdState& simd, const isa::WaveTrace& trace,
                                 const isa::MemoryAccess* access, const ResolvedInstruction& instruction,
                                 Cycle now) {
  const auto index = static_cast<uint32_t>(&simd - simds_.data()) % spec_.simds_per_cu;
  double& port = cus_[simd.cu].lds_port_free[index * spec_.lds.ports / spec_.simds_per_cu];
  const hardware::LdsWidthTiming& width = *instruction.lds;
  if (instruction.instruction_class == InstructionClass::lds_cross_lane) {  // uses the port, not the banks
    const double start = std::max(static_cast<double>(now), port);
    port = start + instruction.issue_cycles;
    result_.lds_busy += instruction.issue_cycles;
    return start + instruction.latency_cycles;
  }
  LdsCost cost{static_cast<uint32_t>(width.phases.size()), 0};
  if (access) cost = lds_cost(trace, *access, width);
  const double conflicts = cost.conflicts * width.cycles_per_conflict->value();
  const double busy = workload_.program->timing->lds_issue_overhead->value() +
                      cost.phases * width.cycles_per_phase->value() + conflicts;
  const double start = std::max(static_cast<double>(now), port);
  port = start + busy;
  result_.lds_busy += busy;
  result_.lds_conflicts += cost.conflicts;
  ++result_.lds_instructions;
  return start + width.latency->value() + conflicts;
}

// One access of a vector memory instruction: to memory, or to LDS where a flat address or a load to LDS goes.
double XcdSimulation::vector_access(SimdState& simd, const isa::WaveTrace& trace,
                                    const isa::MemoryAccess& access, const ResolvedInstruction& instruction,
                                    Cycle now) {
  if (access.space == isa::AddressSpace::lds && instruction.lds)
    return lds_access(simd, trace, &access, instruction, now);
  const auto time = static_cast<double>(now);
  coalesce(trace, access, spec_.l1.line, instruction.writes_memory, coalesced_);
  VectorL1& l1 = cus_[simd.cu].vector_l1;
  if (isa::is_vector_atomic(instruction.instruction_class)) return l1.atomic(time, coalesced_);
  return instruction.writes_memory ? l1.store(time, coalesced_) : l1.load(time, coalesced_);
}

void XcdSimulation::issue_memory(SimdState& simd, WaveState& wave, const isa::TraceRecord& record,
                                 const ResolvedInstruction& instruction, Cycle now) {
  const isa::WaveTrace& trace = groups_[wave.group].stream->trace(wave.wave);
  const isa::MemoryAccess* access =
      record.access == isa::TraceRecord::kNoAccess ? nullptr : &trace.accesses[record.access];
  const auto time = static_cast<double>(now);
  wave.vector_memory.retire(time);
  wave.scalar_and_lds.retire(time);
  double done = time + spec_.l1.hit_latency;  // nothing recorded: no lane was active
  if (instruction.port == IssuePort::lds) {
    done = lds_access(simd, trace, access, instruction, now);
  } else if (instruction.port == IssuePort::scalar) {
    SharedL1& cache = scalar_caches_[simd.cu / std::max(1u, spec_.scalar.cus_sharing)];
    done = access ? cache.access(time, access->base, access->bytes) : time + spec_.scalar.hit_latency;
  } else if (access) {
    done = time;
    for (uint32_t i = 0; i <= access->more; ++i)
      done = std::max(done, vector_access(simd, trace, access[i], instruction, now));
  } else if (instruction.instruction_class == InstructionClass::vector_cache) {
    cus_[simd.cu].vector_l1.invalidate();
    done = time + instruction.latency_cycles;
  }
  if (instruction.vmcnt) wave.vector_memory.push(done);
  if (instruction.lgkmcnt) {
    wave.scalar_and_lds.push(done);
    wave.lgkm_is_scalar = instruction.port == IssuePort::scalar;
  }
}

void XcdSimulation::arrive_at_barrier(WaveState& wave, Cycle now) {
  ResidentGroup& group = groups_[wave.group];
  wave.at_barrier = true;
  if (++group.at_barrier == group.live) release_barrier(group, now);
}

void XcdSimulation::release_barrier(ResidentGroup& group, Cycle now) {
  group.at_barrier = 0;
  const Cycle release = now + whole(workload_.program->timing->barrier->value());
  for (uint32_t slot : group.waves) {
    WaveState& wave = waves_[slot];
    if (!wave.at_barrier) continue;
    wave.at_barrier = false;
    set_ready(wave, std::max(release, wave.last_issue + kSlotCycles), StallReason::barrier);
    schedule(wave.simd, wave.ready);
  }
}

}  // namespace wavecast::model
