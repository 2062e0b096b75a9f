// Timing of vector loads, stores and atomics of one CU.
#include "model/vector_l1.h"

#include <algorithm>

namespace wavecast::model {
namespace {
constexpr size_t kInFlightEntries = 512;  // structural: direct-mapped record of lines on their way
}

VectorL1::VectorL1(const XcdSpec& spec, XcdMemory& memory)
    : spec_(spec),
      memory_(memory),
      tags_(spec.l1.sets, spec.l1.ways),
      misses_(std::max(1u, spec.l1.misses)),
      in_flight_(kInFlightEntries) {}

double VectorL1::take_address(double time, const CoalescedAccess& access, double data_cycles) {
  const double cycles =
      std::max({access.quad_accesses / spec_.l1.quads_per_cycle,
                static_cast<double>(access.lines.size()) / spec_.l1.tags_per_cycle, data_cycles});
  const double start = std::max(time, address_free_);
  address_free_ = start + cycles;
  ++statistics_.instructions;
  statistics_.quad_accesses += access.quad_accesses;
  statistics_.bytes += access.bytes;
  statistics_.address_busy += cycles;
  return start;
}

double VectorL1::line_ready(double time, uint64_t line) {
  ++statistics_.line_lookups;
  if (tags_.access(line, line, false).hit) {
    ++statistics_.hits;
    const InFlight& pending = in_flight_[line % kInFlightEntries];
    return pending.line == line ? std::max(time, pending.ready) : time;
  }
  ++statistics_.misses;
  ++statistics_.read_requests;
  double& slot = misses_[next_miss_];
  next_miss_ = (next_miss_ + 1) % misses_.size();
  const double start = std::max({time, slot, l2_read_free_});
  l2_read_free_ = start + static_cast<double>(spec_.l1.line) / spec_.l2.bytes_per_cycle_per_cu;
  slot = memory_.read(start, line * spec_.l1.line, spec_.l1.line);
  in_flight_[line % kInFlightEntries] = {line, slot};
  return slot;
}

double VectorL1::load(double time, const CoalescedAccess& access) {
  if (access.active_lanes == 0) return time + spec_.l1.hit_latency;
  const double start = take_address(time, access, 0);
  double ready = start, lookup = start;
  for (uint64_t line : access.lines) {
    ready = std::max(ready, line_ready(lookup, line));
    lookup += 1.0 / spec_.l1.tags_per_cycle;
  }
  const double data_cycles = static_cast<double>(access.bytes) / spec_.l1.bytes_per_cycle;
  statistics_.data_busy += data_cycles;
  data_free_ = std::max(ready, data_free_) + data_cycles;
  return data_free_ + spec_.l1.hit_latency;
}

double VectorL1::store(double time, const CoalescedAccess& access) {
  if (access.active_lanes == 0) return time + spec_.l1.hit_latency;
  const double start =
      take_address(time, access, static_cast<double>(access.bytes) / spec_.l1.bytes_per_cycle);
  double acknowledged = start;
  for (const WriteSegment& segment : access.segments) {
    const double sent = std::max(start, l2_write_free_);
    l2_write_free_ = sent + static_cast<double>(kWriteSegmentBytes) / spec_.l2.bytes_per_cycle_per_cu;
    acknowledged = std::max(acknowledged, memory_.write(sent, segment.address, segment.full));
    ++statistics_.write_requests;
  }
  return acknowledged + spec_.l1.hit_latency;
}

double VectorL1::atomic(double time, const CoalescedAccess& access) {
  if (access.active_lanes == 0) return time + spec_.l1.hit_latency;
  const double start =
      take_address(time, access, static_cast<double>(access.bytes) / spec_.l1.bytes_per_cycle);
  const uint32_t lanes =
      std::max<uint32_t>(1, access.active_lanes / std::max<size_t>(1, access.segments.size()));
  double back = start;
  for (const WriteSegment& segment : access.segments) {
    const double sent = std::max(start, l2_write_free_);
    l2_write_free_ = sent + static_cast<double>(kWriteSegmentBytes) / spec_.l2.bytes_per_cycle_per_cu;
    back = std::max(back, memory_.atomic(sent, segment.address, lanes));
    ++statistics_.atomic_requests;
  }
  return back + spec_.l1.hit_latency;
}

}  // namespace wavecast::model
