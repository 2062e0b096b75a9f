// The dispatcher of the simulated XCD: which CU gets the next work-group and when, and what a wave's end sets
// free.
#include <algorithm>

#include "model/xcd_simulation.h"

namespace wavecast::model {

int XcdSimulation::choose_cu() const {
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

void XcdSimulation::dispatch(Cycle now) {
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

void XcdSimulation::launch(Cycle now, uint32_t cu) {
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

void XcdSimulation::end_wave(Cycle now, WaveState& wave) {
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

}  // namespace wavecast::model
