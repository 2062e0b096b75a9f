// The event loop: looks at SIMDs in time order, issues what is ready, launches work-groups into free places.
#include "model/xcd_simulator.h"

#include <bit>
#include <cmath>
#include <deque>
#include <queue>

#include "model/compute_unit.h"
#include "model/lds_banks.h"
#include "model/work_group_stream.h"

namespace wavecast::model {
namespace {

using isa::InstructionClass;

constexpr Cycle kSlotCycles = 4;  // structural: each SIMD has its turn every fourth cycle
constexpr Cycle kNever = INT64_MAX / 4;
constexpr uint64_t kCheckpointInstructions = 2048;
constexpr uint32_t kDispatcher =
    ~uint32_t{0};                     // event of the dispatcher; numbers after the SIMDs free a place on a CU
constexpr uint64_t kFetchBytes = 64;  // structural: instruction cache requests are 64-byte lines

Cycle whole(double time) { return static_cast<Cycle>(std::ceil(time)); }

struct ResidentGroup {
  std::unique_ptr<WorkGroupStream> stream;
  std::vector<uint32_t> waves;
  uint64_t number = 0;
  uint32_t cu = 0, live = 0, at_barrier = 0;
};

class Simulator {
 public:
  Simulator(const XcdSpec& spec, const XcdWorkload& workload);
  Expected<XcdResult> run();

 private:
  struct Event {
    Cycle cycle;
    uint32_t simd;
    bool operator>(const Event& other) const { return cycle > other.cycle; }
  };

  // Dispatcher.
  void dispatch(Cycle now);
  int choose_cu() const;
  void launch(Cycle now, uint32_t cu);
  void end_wave(Cycle now, WaveState& wave);

  // Issue.
  void look(SimdState& simd, Cycle now);
  bool try_issue(SimdState& simd, WaveState& wave, Cycle now, std::array<bool, kIssuePorts>& taken,
                 Cycle& retry);
  void issue(SimdState& simd, WaveState& wave, const isa::TraceRecord& record,
             const ResolvedInstruction& instruction, Cycle now);
  void issue_memory(SimdState& simd, WaveState& wave, const isa::TraceRecord& record,
                    const ResolvedInstruction& instruction, Cycle now);
  double lds_access(SimdState& simd, const isa::WaveTrace& trace, const isa::MemoryAccess* access,
                    const ResolvedInstruction& instruction, Cycle now);
  void write_scoreboard(WaveState& wave, const ResolvedInstruction& instruction, Cycle now);
  void arrive_at_barrier(WaveState& wave, Cycle now);
  void release_barrier(ResidentGroup& group, Cycle now);

  // When the wave's next instruction may issue, and why not earlier.
  void set_ready(WaveState& wave, Cycle earliest, StallReason reason);
  void wait_for(WaveState& wave, double time, StallReason reason) {
    if (time > static_cast<double>(wave.ready)) {
      wave.ready = whole(time);
      wave.reason = reason;
    }
  }
  void wait_for_counters(WaveState& wave, const ResolvedInstruction& instruction);
  void wait_for_registers(WaveState& wave, const ResolvedInstruction& instruction);
  void wait_for_fetch(WaveState& wave, uint64_t address);

  void schedule(uint32_t simd_index, Cycle cycle);
  void account(WaveState& wave, Cycle now);
  XcdResult finish();

  const XcdSpec spec_;
  const XcdWorkload& workload_;
  XcdMemory memory_;
  std::vector<ComputeUnitState> cus_;
  std::vector<SimdState> simds_;
  std::vector<SharedL1> scalar_caches_, instruction_caches_;
  std::deque<WaveState> waves_;  // deque: references survive growth
  std::vector<uint32_t> free_waves_;
  std::deque<ResidentGroup> groups_;
  std::vector<uint32_t> free_groups_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  size_t next_work_group_ = 0;
  double dispatcher_free_ = 0;
  bool dispatch_pending_ = false;
  uint32_t next_cu_ = 0;
  std::vector<uint32_t> cu_order_;  // dispatch order over shader engines
  Cycle last_end_ = 0, now_ = 0;
  CoalescedAccess coalesced_;
  std::optional<Error> error_;
  XcdResult result_;
};

bool code_fits(const XcdSpec& spec, const ResolvedProgram& program) {
  const auto& code = program.instructions;
  const uint64_t bytes = code.empty() ? 0 : code.back().address - code.front().address;
  return bytes <= uint64_t{spec.instruction.sets} * spec.instruction.ways * spec.instruction.line;
}

Simulator::Simulator(const XcdSpec& spec, const XcdWorkload& workload)
    : spec_(spec), workload_(workload), memory_(spec_, workload.initial) {
  cus_.reserve(spec.cus);
  for (uint32_t cu = 0; cu < spec.cus; ++cu) cus_.emplace_back(spec_, memory_);
  simds_.resize(size_t{spec.cus} * spec.simds_per_cu);
  for (uint32_t i = 0; i < simds_.size(); ++i) {
    simds_[i].cu = i / spec.simds_per_cu;
    simds_[i].phase = i % spec.simds_per_cu % kSlotCycles;
  }
  const bool warm_code = workload.initial.warm && code_fits(spec, *workload.program);
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

void Simulator::schedule(uint32_t simd_index, Cycle cycle) {
  SimdState& simd = simds_[simd_index];
  const Cycle aligned = cycle + ((simd.phase - cycle) % kSlotCycles + kSlotCycles) % kSlotCycles;
  if (simd.scheduled >= 0 && simd.scheduled <= aligned) return;
  simd.scheduled = aligned;
  events_.push({aligned, simd_index});
}

// --- dispatcher
// ---------------------------------------------------------------------------------------------------

int Simulator::choose_cu() const {
  int best = -1;
  uint32_t least = workload_.work_groups_per_cu;
  for (size_t i = 0; i < cu_order_.size(); ++i) {
    const uint32_t cu = cu_order_[(next_cu_ + i) % cu_order_.size()];
    if (cus_[cu].resident_work_groups < least) {
      least = cus_[cu].resident_work_groups;
      best = static_cast<int>((next_cu_ + i) % cu_order_.size());
      if (least == 0) break;
    }
  }
  return best;
}

void Simulator::dispatch(Cycle now) {
  while (next_work_group_ < workload_.work_groups.size()) {
    const int place = choose_cu();
    if (place < 0) return;
    if (dispatcher_free_ >
        static_cast<double>(now)) {  // one work-group at a time: come back when it is through
      if (!dispatch_pending_) events_.push({whole(dispatcher_free_), kDispatcher});
      dispatch_pending_ = true;
      return;
    }
    next_cu_ = (static_cast<uint32_t>(place) + 1) % cu_order_.size();
    launch(now, cu_order_[place]);
  }
}

void Simulator::launch(Cycle now, uint32_t cu) {
  uint32_t index;
  if (free_groups_.empty()) {
    index = static_cast<uint32_t>(groups_.size());
    groups_.emplace_back();
  } else {
    index = free_groups_.back();
    free_groups_.pop_back();
  }
  ResidentGroup& group = groups_[index];
  group.number = next_work_group_;
  group.stream = std::make_unique<WorkGroupStream>(*workload_.kernel, *workload_.memory,
                                                   workload_.work_groups[next_work_group_++]);
  group.cu = cu;
  group.at_barrier = 0;
  group.live = group.stream->waves();
  group.waves.clear();

  // Events are whole cycles, the dispatcher's rate is not.
  const double start = std::max(static_cast<double>(now - 1), dispatcher_free_);
  dispatcher_free_ = start + std::max(spec_.cycles_per_work_group, group.live * spec_.cycles_per_wave_launch);
  ComputeUnitState& unit = cus_[cu];
  ++unit.resident_work_groups;
  ++result_.work_groups_started;
  result_.work_group_starts.push_back(whole(start));
  for (uint32_t w = 0; w < group.live; ++w) {
    uint32_t slot;
    if (free_waves_.empty()) {
      slot = static_cast<uint32_t>(waves_.size());
      waves_.emplace_back();
    } else {
      slot = free_waves_.back();
      free_waves_.pop_back();
      waves_[slot].reset();
    }
    WaveState& wave = waves_[slot];
    wave.group = index;
    wave.wave = w;
    wave.simd = cu * spec_.simds_per_cu + (unit.next_simd + w) % spec_.simds_per_cu;
    wave.launched = wave.last_issue = whole(start);
    simds_[wave.simd].waves.push_back(slot);
    group.waves.push_back(slot);
    ++result_.waves_started;
    set_ready(wave, whole(start + w * spec_.cycles_per_wave_launch + spec_.wave_launch), StallReason::launch);
    schedule(wave.simd, wave.ready);
  }
  unit.next_simd = (unit.next_simd + group.live) % spec_.simds_per_cu;
}

void Simulator::end_wave(Cycle now, WaveState& wave) {
  const Cycle end = now + whole(spec_.wave_retire);
  last_end_ = std::max(last_end_, end);
  wave.ended = true;
  ResidentGroup& group = groups_[wave.group];
  if (result_.timeline.size() < workload_.max_timeline_slices)
    result_.timeline.push_back({group.cu, wave.simd % spec_.simds_per_cu,
                                static_cast<uint32_t>(group.waves[wave.wave]), group.number, wave.wave,
                                static_cast<double>(wave.launched), static_cast<double>(end), true});
  if (--group.live > 0) {
    if (group.at_barrier == group.live) release_barrier(group, now);
    return;
  }
  result_.work_group_ends.push_back(end);
  for (uint32_t slot : group.waves) {
    auto& list = simds_[waves_[slot].simd].waves;
    list.erase(std::find(list.begin(), list.end(), slot));
    free_waves_.push_back(slot);
  }
  for (int c = 0; c < isa::kInstructionClassCount; ++c) result_.counts[c] += group.stream->counts()[c];
  group.stream.reset();
  free_groups_.push_back(wave.group);
  events_.push(
      {end, static_cast<uint32_t>(simds_.size()) + group.cu});  // the place is free once the wave has retired
}

// --- readiness
// ----------------------------------------------------------------------------------------------------

void Simulator::wait_for_fetch(WaveState& wave, uint64_t address) {
  const uint64_t line = address / kFetchBytes;
  if (line == wave.fetched_line) return;
  wave.fetched_line = line;
  SharedL1& cache = instruction_caches_[simds_[wave.simd].cu / std::max(1u, spec_.instruction.cus_sharing)];
  const double available = cache.access(static_cast<double>(wave.ready), line * kFetchBytes, kFetchBytes);
  // Waves fetch ahead: a hit is hidden, only what a miss adds to it delays the wave.
  wait_for(wave, available - spec_.instruction.hit_latency, StallReason::fetch);
}

void Simulator::wait_for_counters(WaveState& wave, const ResolvedInstruction& instruction) {
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

void Simulator::wait_for_registers(WaveState& wave, const ResolvedInstruction& instruction) {
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

void Simulator::set_ready(WaveState& wave, Cycle earliest, StallReason reason) {
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

// --- issue
// --------------------------------------------------------------------------------------------------------

void Simulator::account(WaveState& wave, Cycle now) {
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

void Simulator::look(SimdState& simd, Cycle now) {
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

bool Simulator::try_issue(SimdState& simd, WaveState& wave, Cycle now, std::array<bool, kIssuePorts>& taken,
                          Cycle& retry) {
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

void Simulator::issue(SimdState& simd, WaveState& wave, const isa::TraceRecord& record,
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

void Simulator::write_scoreboard(WaveState& wave, const ResolvedInstruction& instruction, Cycle now) {
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

double Simulator::lds_access(SimdState& simd, const isa::WaveTrace& trace, const isa::MemoryAccess* access,
                             const ResolvedInstruction& instruction, Cycle now) {
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

void Simulator::issue_memory(SimdState& simd, WaveState& wave, const isa::TraceRecord& record,
                             const ResolvedInstruction& instruction, Cycle now) {
  const isa::WaveTrace& trace = groups_[wave.group].stream->trace(wave.wave);
  const isa::MemoryAccess* access =
      record.access == isa::TraceRecord::kNoAccess ? nullptr : &trace.accesses[record.access];
  const auto time = static_cast<double>(now);
  wave.vector_memory.retire(time);
  wave.scalar_and_lds.retire(time);
  double done = time + spec_.l1.hit_latency;  // nothing recorded: no lane was active
  const bool lds = instruction.port == IssuePort::lds || (access && access->space == isa::AddressSpace::lds);
  if (lds && instruction.lds) {
    done = lds_access(simd, trace, access, instruction, now);
  } else if (instruction.port == IssuePort::scalar) {
    SharedL1& cache = scalar_caches_[simd.cu / std::max(1u, spec_.scalar.cus_sharing)];
    done = access ? cache.access(time, access->base, access->bytes) : time + spec_.scalar.hit_latency;
  } else if (access) {
    coalesce(trace, *access, spec_.l1.line, instruction.writes_memory, coalesced_);
    VectorL1& l1 = cus_[simd.cu].vector_l1;
    const bool atomic = instruction.instruction_class == InstructionClass::vmem_atomic ||
                        instruction.instruction_class == InstructionClass::flat_atomic;
    done = atomic                      ? l1.atomic(time, coalesced_)
           : instruction.writes_memory ? l1.store(time, coalesced_)
                                       : l1.load(time, coalesced_);
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

void Simulator::arrive_at_barrier(WaveState& wave, Cycle now) {
  ResidentGroup& group = groups_[wave.group];
  wave.at_barrier = true;
  if (++group.at_barrier == group.live) release_barrier(group, now);
}

void Simulator::release_barrier(ResidentGroup& group, Cycle now) {
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

// --- loop
// ---------------------------------------------------------------------------------------------------------

Expected<XcdResult> Simulator::run() {
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

XcdResult Simulator::finish() {
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

}  // namespace

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
  return Simulator(spec, workload).run();
}

}  // namespace wavecast::model
