// Emulates the two samples and adds up what they ask of each unit.
#include "model/kernel_profile.h"

#include <algorithm>
#include <memory>

#include "model/coalescer.h"
#include "model/lds_banks.h"
#include "model/set_associative_cache.h"
#include "model/wave_state.h"
#include "model/work_group_stream.h"

namespace wavecast::model {
namespace {

using isa::InstructionClass;

constexpr uint64_t kWindowChunk = 64;  // wave instructions per wave and turn: interleaves work-groups finely
constexpr size_t kReplayRecords = 20000;  // enough loop trips for a steady latency per instruction
constexpr uint64_t kWholeWorkGroups = 8;  // at most; spread evenly over the grid

void add_lds(const ResolvedProgram& program, const isa::WaveTrace& trace, const isa::MemoryAccess* access,
             const ResolvedInstruction& instruction, Demand& demand) {
  if (instruction.instruction_class == InstructionClass::lds_cross_lane) {
    demand.lds_cycles += instruction.issue_cycles;
    return;
  }
  LdsCost cost{static_cast<uint32_t>(instruction.lds->phases.size()), 0};
  if (access) cost = lds_cost(trace, *access, *instruction.lds);
  demand.lds_conflicts += cost.conflicts;
  demand.lds_cycles += program.timing->lds_issue_overhead->value() +
                       cost.phases * instruction.lds->cycles_per_phase->value() +
                       cost.conflicts * instruction.lds->cycles_per_conflict->value();
}

// Adds one access to memory; its lines (loads) and segments (stores, atomics) are appended to `touched`.
void add_vector(const isa::WaveTrace& trace, const isa::MemoryAccess& access,
                const ResolvedInstruction& instruction, const XcdSpec& spec, Demand& demand,
                CoalescedAccess& touched) {
  thread_local CoalescedAccess coalesced;
  coalesce(trace, access, spec.l1.line, instruction.writes_memory, coalesced);
  const double data = static_cast<double>(coalesced.bytes) / spec.l1.bytes_per_cycle;
  demand.data_cycles += data;
  demand.address_cycles += std::max({coalesced.quad_accesses / spec.l1.quads_per_cycle,
                                     static_cast<double>(coalesced.lines.size()) / spec.l1.tags_per_cycle,
                                     instruction.writes_memory ? data : 0.0});
  demand.l1_bytes += static_cast<double>(coalesced.bytes);
  demand.quad_accesses += coalesced.quad_accesses;
  touched.segments.insert(touched.segments.end(), coalesced.segments.begin(), coalesced.segments.end());
  if (isa::is_vector_atomic(instruction.instruction_class)) {
    demand.atomic_segments += static_cast<double>(coalesced.segments.size());
  } else if (instruction.writes_memory) {
    demand.write_segments += static_cast<double>(coalesced.segments.size());
  } else {
    demand.l1_lines += static_cast<double>(coalesced.lines.size());
    touched.lines.insert(touched.lines.end(), coalesced.lines.begin(), coalesced.lines.end());
  }
}

// Adds the demand of one executed instruction. `touched` is left with what it asked of memory (empty if
// nothing).
void add_demand(const ResolvedProgram& program, const isa::WaveTrace& trace, const isa::TraceRecord& record,
                const XcdSpec& spec, Demand& demand, CoalescedAccess& touched) {
  const ResolvedInstruction& instruction = program.instructions[record.instruction];
  ++demand.instructions;
  touched.lines.clear();
  touched.segments.clear();
  const isa::MemoryAccess* access =
      record.access == isa::TraceRecord::kNoAccess ? nullptr : &trace.accesses[record.access];
  if (instruction.port == IssuePort::valu) {
    demand.valu_cycles += instruction.issue_cycles;
    demand.matrix_cycles += instruction.matrix_cycles;
  } else if (instruction.port == IssuePort::lds) {
    if (instruction.lds) add_lds(program, trace, access, instruction, demand);
  } else if (isa::is_scalar_memory(instruction.instruction_class)) {
    ++demand.scalar_requests;
  } else if (instruction.port == IssuePort::vector_memory && access) {
    for (uint32_t i = 0; i <= access->more; ++i) {
      if (access[i].space == isa::AddressSpace::lds && instruction.lds)
        add_lds(program, trace, &access[i], instruction, demand);
      else
        add_vector(trace, access[i], instruction, spec, demand, touched);
    }
  }
}

class Profiler {
 public:
  Profiler(const isa::LoadedKernel& kernel, isa::Memory& memory, const ResolvedProgram& program,
           const XcdSpec& spec, const ProfileOptions& options)
      : kernel_(kernel),
        memory_(memory),
        program_(program),
        spec_(spec),
        options_(options),
        grid_(kernel.launch.grid.count()) {}

  Expected<KernelProfile> run() {
    if (auto whole = sample_whole(); !whole) return tl::unexpected(whole.error());
    if (auto window = sample_window(); !window) return tl::unexpected(window.error());
    return std::move(profile_);
  }

 private:
  isa::Dim3 id(uint64_t index) const { return work_group_id(kernel_.launch.grid, index); }

  // Work-groups spread over the grid, each to its end, until half the budget is used (always at least one).
  Expected<void> sample_whole() {
    const uint64_t wanted = std::min(kWholeWorkGroups, grid_);
    Demand total;
    for (uint64_t i = 0; i < wanted; ++i) {
      if (i > 0 && profile_.instructions + profile_.instructions / i > options_.max_instructions / 2) break;
      // First, last, then points in between.
      const uint64_t index = i == 0 ? 0 : i == 1 ? grid_ - 1 : grid_ * (i - 1) / (wanted - 1);
      isa::WorkGroup group(kernel_, memory_, id(index), {options_.max_instructions_per_wave});
      if (auto done = run_whole(group, total, i == 0); !done) return tl::unexpected(done.error());
    }
    const double share = 1.0 / static_cast<double>(profile_.work_groups);
    profile_.per_work_group = total.scaled(share);
    for (double& count : profile_.counts_per_work_group) count *= share;
    return {};
  }

  Expected<void> run_whole(isa::WorkGroup& group, Demand& total, bool keep_trace) {
    std::vector<isa::WaveTrace> traces(kernel_.waves_per_work_group);
    uint64_t wave_instructions = 0;
    for (bool ended = false; !ended;) {
      for (auto& trace : traces) trace.clear();
      auto step = group.advance(4 * kWindowChunk, traces);
      if (!step) return tl::unexpected(Error(step.error()));
      ended = *step;
      for (const auto& trace : traces)
        for (const auto& record : trace.records) {
          if (!program_.instructions[record.instruction].resolved)
            return tl::unexpected(problem(program_, record.instruction));
          add_demand(program_, trace, record, spec_, total, coalesced_);
        }
      if (keep_trace && profile_.wave_trace.records.size() < kReplayRecords)
        append(traces[0], profile_.wave_trace);
      wave_instructions += traces[0].records.size();
    }
    if (keep_trace)
      profile_.wave_trace_share =
          static_cast<double>(profile_.wave_trace.records.size()) / std::max<double>(1, wave_instructions);
    const auto executed = static_cast<double>(group.instructions_executed());
    profile_.instructions_min =
        profile_.work_groups ? std::min(profile_.instructions_min, executed) : executed;
    profile_.instructions_max = std::max(profile_.instructions_max, executed);
    profile_.instructions += group.instructions_executed();
    for (int c = 0; c < isa::kInstructionClassCount; ++c)
      profile_.counts_per_work_group[c] += static_cast<double>(group.counts()[c]);
    ++profile_.work_groups;
    return {};
  }

  static void append(const isa::WaveTrace& from, isa::WaveTrace& to) {
    const auto accesses = static_cast<uint32_t>(to.accesses.size()),
               addresses = static_cast<uint32_t>(to.addresses.size());
    for (isa::TraceRecord record : from.records) {
      if (record.access != isa::TraceRecord::kNoAccess) record.access += accesses;
      to.records.push_back(record);
    }
    for (isa::MemoryAccess access : from.accesses) {
      access.first += addresses;
      to.accesses.push_back(access);
    }
    to.addresses.insert(to.addresses.end(), from.addresses.begin(), from.addresses.end());
    to.complete = from.complete;
  }

  // All work-groups resident together on XCD 0, in turns, through tag-only caches.
  Expected<void> sample_window() {
    const uint64_t on_xcd = (grid_ + options_.xcds - 1) / options_.xcds;
    const uint64_t resident = std::min<uint64_t>(on_xcd, uint64_t{spec_.cus} * options_.work_groups_per_cu);
    const uint64_t budget = options_.max_instructions / 2;
    std::vector<SetAssociativeCache> l1(spec_.cus, SetAssociativeCache(spec_.l1.sets, spec_.l1.ways));
    XcdMemory memory(spec_, options_.initial);
    uint64_t lookups = 0, hits = 0, next = 0;
    std::vector<std::unique_ptr<isa::WorkGroup>> groups(resident);
    std::vector<isa::WaveTrace> traces(kernel_.waves_per_work_group);
    for (bool active = true; active && profile_.window_instructions < budget;) {
      active = false;
      for (uint64_t place = 0; place < resident && profile_.window_instructions < budget; ++place) {
        if (!groups[place]) {
          if (next >= on_xcd) continue;
          groups[place] = std::make_unique<isa::WorkGroup>(kernel_, memory_,
                                                           id(std::min(next++ * options_.xcds, grid_ - 1)));
        }
        active = true;
        for (auto& trace : traces) trace.clear();
        auto step = groups[place]->advance(kWindowChunk, traces);
        if (!step) return tl::unexpected(Error(step.error()));
        for (const auto& trace : traces) look_up(trace, l1[place % spec_.cus], memory, lookups, hits);
        if (*step) groups[place].reset();
      }
    }
    profile_.instructions += profile_.window_instructions;
    const MemoryStatistics& s = memory.statistics();
    if (lookups) profile_.l1_hit_rate = static_cast<double>(hits) / static_cast<double>(lookups);
    if (s.l2_read_requests)
      profile_.l2_hit_rate = 1.0 - std::min(1.0, static_cast<double>(s.fabric_read_requests) /
                                                     static_cast<double>(s.l2_read_requests));
    if (s.infinity_hits + s.infinity_misses)
      profile_.infinity_hit_rate =
          static_cast<double>(s.infinity_hits) / static_cast<double>(s.infinity_hits + s.infinity_misses);
    // Dirty lines leave sooner or later; the window is too short to see when.
    if (s.l2_write_requests)
      profile_.writes_reaching_fabric = static_cast<double>(s.l2_lines_dirtied * spec_.l2.line) /
                                        static_cast<double>(s.l2_write_requests * kWriteSegmentBytes);
    return {};
  }

  void look_up(const isa::WaveTrace& trace, SetAssociativeCache& l1, XcdMemory& memory, uint64_t& lookups,
               uint64_t& hits) {
    Demand ignored;
    for (const auto& record : trace.records) {
      ++profile_.window_instructions;
      if (record.access == isa::TraceRecord::kNoAccess) continue;
      add_demand(program_, trace, record, spec_, ignored, coalesced_);
      for (uint64_t line : coalesced_.lines) {
        ++lookups;
        if (l1.access(line, line, false).hit)
          ++hits;
        else
          memory.read(0, line * spec_.l1.line, spec_.l1.line);
      }
      for (const WriteSegment& segment : coalesced_.segments) memory.write(0, segment.address, segment.full);
    }
  }

  const isa::LoadedKernel& kernel_;
  isa::Memory& memory_;
  const ResolvedProgram& program_;
  const XcdSpec& spec_;
  const ProfileOptions& options_;
  const uint64_t grid_;
  CoalescedAccess coalesced_;
  KernelProfile profile_;
};

}  // namespace

Demand& Demand::operator+=(const Demand& o) {
  instructions += o.instructions;
  valu_cycles += o.valu_cycles;
  matrix_cycles += o.matrix_cycles;
  lds_cycles += o.lds_cycles;
  address_cycles += o.address_cycles;
  data_cycles += o.data_cycles;
  l1_lines += o.l1_lines;
  l1_bytes += o.l1_bytes;
  write_segments += o.write_segments;
  atomic_segments += o.atomic_segments;
  scalar_requests += o.scalar_requests;
  quad_accesses += o.quad_accesses;
  lds_conflicts += o.lds_conflicts;
  return *this;
}

Demand Demand::scaled(double f) const {
  Demand result = *this;
  for (double* value : {&result.instructions, &result.valu_cycles, &result.matrix_cycles, &result.lds_cycles,
                        &result.address_cycles, &result.data_cycles, &result.l1_lines, &result.l1_bytes,
                        &result.write_segments, &result.atomic_segments, &result.scalar_requests,
                        &result.quad_accesses, &result.lds_conflicts})
    *value *= f;
  return result;
}

Expected<KernelProfile> profile_kernel(const isa::LoadedKernel& kernel, isa::Memory& memory,
                                       const ResolvedProgram& program, const XcdSpec& spec,
                                       const ProfileOptions& options) {
  return Profiler(kernel, memory, program, spec, options).run();
}

double fabric_write_bytes(const KernelProfile& profile, const XcdSpec& spec, double work_groups_on_xcd) {
  const Demand& demand = profile.per_work_group;
  const double written = (demand.write_segments + demand.atomic_segments) * static_cast<double>(kWriteSegmentBytes) *
                         profile.writes_reaching_fabric;
  const double kept = spec.l2.written_back_at_end ? 0 : static_cast<double>(spec.l2.capacity) / work_groups_on_xcd;
  return std::max(0.0, written - kept);
}

double replay_latency(const KernelProfile& profile, const ResolvedProgram& program, const XcdSpec& spec,
                      double average_miss) {
  constexpr double kSlot = 4;  // structural: one instruction per wave and slot
  const isa::WaveTrace& trace = profile.wave_trace;
  OutstandingOperations<kMaxVmcnt + 1> vector_memory;
  OutstandingOperations<kMaxLgkmcnt + 1> scalar_and_lds;
  double now = 0, matrix_free = 0;
  for (size_t i = 0; i < trace.records.size(); ++i) {
    const ResolvedInstruction& instruction = program.instructions[trace.records[i].instruction];
    if (instruction.has_wait) {
      if (instruction.wait.vmcnt != isa::WaitCounts::kNoWait)
        now = std::max(now, vector_memory.time_until(instruction.wait.vmcnt));
      if (instruction.wait.lgkmcnt != isa::WaitCounts::kNoWait)
        now = std::max(now, scalar_and_lds.time_until(instruction.wait.lgkmcnt));
    }
    if (instruction.instruction_class == InstructionClass::end_program)
      now = std::max({now, vector_memory.time_until(0), scalar_and_lds.time_until(0)});
    if (instruction.matrix) {
      now = std::max(now, matrix_free);
      matrix_free = now + instruction.matrix_cycles;
    }
    const bool vector = instruction.port == IssuePort::vector_memory;
    const double miss = spec.l2.extra_latency + (1 - profile.l2_hit_rate) * average_miss;
    double done = now;
    if (vector && instruction.writes_memory)
      done += spec.l1.hit_latency + spec.l2.extra_latency;
    else if (vector)
      done += spec.l1.hit_latency + (1 - profile.l1_hit_rate) * miss;
    else if (instruction.instruction_class == InstructionClass::lds_cross_lane)
      done += instruction.latency_cycles;
    else if (instruction.port == IssuePort::lds && instruction.lds)
      done += instruction.lds->latency->value();
    else if (instruction.port == IssuePort::scalar)
      done += spec.scalar.hit_latency;
    if (instruction.vmcnt) vector_memory.push(done);
    if (instruction.lgkmcnt) scalar_and_lds.push(done);
    now += std::max<double>(kSlot, instruction.port == IssuePort::valu ? instruction.issue_cycles : kSlot) +
           instruction.extra_slots;
    if (instruction.port == IssuePort::branch && i + 1 < trace.records.size() &&
        trace.records[i + 1].instruction != trace.records[i].instruction + 1)
      now += program.timing->branch_taken->value();
  }
  return now / std::max(profile.wave_trace_share, 1e-9) + spec.wave_launch + spec.wave_retire;
}

}  // namespace wavecast::model
