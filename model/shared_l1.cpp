// Timing of a scalar or instruction cache.
#include "model/shared_l1.h"

#include <algorithm>

namespace wavecast::model {
namespace {
constexpr size_t kInFlightLimit = 4096;  // structural: past fills are forgotten in bulk
}

SharedL1::SharedL1(const XcdSpec::SharedCache& spec, XcdMemory& memory, bool resident)
    : spec_(spec), memory_(memory), resident_(resident), tags_(spec.sets, spec.ways) {}

double SharedL1::access(double time, uint64_t address, uint64_t bytes) {
  const double start = std::max(time, free_);
  const double service = std::max(1.0, static_cast<double>(bytes) / spec_.bytes_per_cycle);
  free_ = start + service;
  statistics_.busy += service;
  ++statistics_.requests;
  if (resident_) {
    ++statistics_.hits;
    return start + spec_.hit_latency;
  }
  double ready = start;
  bool missed = false, duplicate = false;
  for (uint64_t line = address / spec_.line;
       line <= (address + std::max<uint64_t>(1, bytes) - 1) / spec_.line; ++line) {
    auto pending = in_flight_.find(line);
    if (!tags_.access(line, line, false).hit) {
      missed = true;
      if (in_flight_.size() > kInFlightLimit)
        std::erase_if(in_flight_, [&](const auto& f) { return f.second < time; });
      ready = std::max(ready, in_flight_[line] = memory_.read(start, line * spec_.line, spec_.line));
    } else if (pending != in_flight_.end()) {
      duplicate |= pending->second > start;
      ready = std::max(ready, pending->second);
    }
  }
  ++(missed ? statistics_.misses : duplicate ? statistics_.duplicate_misses : statistics_.hits);
  return ready + spec_.hit_latency;
}

}  // namespace wavecast::model
