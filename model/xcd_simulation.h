// The inside of the XCD simulator, shared by its three source files: xcd_simulator.cpp (event loop and
// result), xcd_dispatch.cpp (work-groups come and go), xcd_issue.cpp (waves become ready and issue). Not for
// others: they use model/xcd_simulator.h.
#pragma once

#include <array>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "model/compute_unit.h"
#include "model/work_group_stream.h"
#include "model/xcd_simulator.h"

namespace wavecast::model {

inline constexpr Cycle kSlotCycles = 4;  // structural: each SIMD has its turn every fourth cycle
inline constexpr Cycle kNever = INT64_MAX / 4;
// Event of the dispatcher instead of a SIMD; numbers after the SIMDs free a place on a CU.
inline constexpr uint32_t kDispatcher = ~uint32_t{0};

inline Cycle whole(double time) { return static_cast<Cycle>(std::ceil(time)); }

struct ResidentGroup {
  std::unique_ptr<WorkGroupStream> stream;
  std::vector<uint32_t> waves;
  uint64_t number = 0;
  uint32_t cu = 0, live = 0, at_barrier = 0;
};

class XcdSimulation {
 public:
  XcdSimulation(const XcdSpec& spec, const XcdWorkload& workload);
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
  double vector_access(SimdState& simd, const isa::WaveTrace& trace, const isa::MemoryAccess& access,
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

}  // namespace wavecast::model
