// L2, translation, Infinity Cache and HBM of one XCD as servers with next-free times.
#include "model/xcd_memory.h"

#include <algorithm>

#include "model/coalescer.h"

namespace wavecast::model {
namespace {

constexpr uint64_t kPageBytes =
    4096;                          // structural: TLB reach is counted in 4 KiB pages (64 MiB = 16384 entries)
constexpr uint32_t kTlbWays = 16;  // structural stand-in for full associativity
constexpr size_t kInFlightEntries =
    8192;  // structural: direct-mapped record of lines on their way, a power of two
constexpr double kWriteShareMemory = 0.98;  // structural: running mean over about 50 transfers

uint64_t mix(uint64_t x) {  // splitmix64 finaliser: spreads page numbers evenly over 64 bits
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

uint32_t infinity_sets(const XcdSpec& spec) {
  if (!spec.infinity.present) return 1;
  // The other XCDs fill the rest with streams of their own.
  const uint64_t share = spec.infinity.capacity / spec.active_xcds;
  return static_cast<uint32_t>(std::max<uint64_t>(1, share / (spec.l2.line * spec.infinity.ways)));
}

}  // namespace

XcdMemory::XcdMemory(const XcdSpec& spec, const InitialMemory& initial)
    : spec_(spec),
      initial_(initial),
      tags_(spec.l2.sets_per_channel * spec.l2.channels, spec.l2.ways, spec.l2.write_way),
      infinity_tags_(infinity_sets(spec), spec.infinity.present ? spec.infinity.ways : 1),
      tlb_(static_cast<uint32_t>(spec.tlb.reach / kPageBytes / kTlbWays), kTlbWays),
      channels_(spec.l2.channels),
      in_flight_(kInFlightEntries) {
  for (Channel& channel : channels_) channel.misses.assign(std::max(1u, spec.l2.misses_per_channel), 0.0);
  // A larger footprint than the cache, touched again in the same order, finds nothing left of an LRU cache.
  l2_resident_ = initial.warm && initial.footprint <= spec.l2.capacity;
  infinity_resident_ = initial.warm && spec.infinity.present && initial.footprint <= spec.infinity.capacity;
  translations_resident_ = initial.footprint <= spec.tlb.reach;
}

double XcdMemory::translate(double time, uint64_t address) {
  if (translations_resident_) return time;
  const uint64_t page = address / kPageBytes;
  if (tlb_.access(page, page, false).hit) return time;
  // Never seen in this run: the translation is left over from before with the probability that it fits.
  const double fits =
      static_cast<double>(spec_.tlb.reach) / static_cast<double>(std::max<uint64_t>(1, initial_.footprint));
  if (initial_.warm && static_cast<double>(mix(page) >> 11) * 0x1p-53 < fits) return time;
  ++statistics_.tlb_misses;
  return time + spec_.tlb.miss_latency;
}

uint32_t XcdMemory::channel_of(uint64_t address) const {
  uint64_t folded = 0;
  for (uint64_t digits = address / spec_.l2.interleave; digits != 0; digits /= spec_.l2.channels)
    folded ^= digits % spec_.l2.channels;
  return static_cast<uint32_t>(
      folded % spec_.l2.channels);  // the modulo matters only where channels are no power of two
}

XcdMemory::Lookup XcdMemory::look_up(double time, uint64_t address, double service, bool write) {
  const uint64_t channel = channel_of(address);
  const uint64_t row = address / (spec_.l2.interleave * spec_.l2.channels);
  const uint64_t lines_per_row = std::max<uint64_t>(1, spec_.l2.interleave / spec_.l2.line);
  const uint64_t set =
      (row * lines_per_row + address % spec_.l2.interleave / spec_.l2.line) % spec_.l2.sets_per_channel;
  Lookup lookup;
  lookup.line = address / spec_.l2.line;
  lookup.channel = &channels_[channel];
  lookup.start = std::max(time, lookup.channel->free);
  lookup.channel->free = lookup.start + service;
  statistics_.l2_busy += service;
  const uint64_t dirty_before = tags_.dirty_lines();
  const auto result = tags_.access(channel * spec_.l2.sets_per_channel + set, lookup.line, write);
  statistics_.l2_lines_dirtied += tags_.dirty_lines() + result.evicted_dirty - dirty_before;
  lookup.hit = result.hit || l2_resident_;
  ++(lookup.hit ? statistics_.l2_hits : statistics_.l2_misses);
  if (result.evicted_dirty && !l2_resident_) {
    ++statistics_.l2_writebacks;
    // The line can not be replaced before its old content has a place in the queue to the fabric.
    double& slot = next_miss(*lookup.channel);
    lookup.start = std::max(lookup.start, slot);
    lookup.channel->free = std::max(lookup.channel->free, lookup.start);
    slot = fabric_write(lookup.start, result.evicted_line);
  }
  return lookup;
}

double XcdMemory::hbm_transfer(double time, uint64_t bytes, bool write) {
  write_share_ = write_share_ * kWriteShareMemory + (write ? 1.0 - kWriteShareMemory : 0.0);
  // Inverse efficiencies interpolate between pure streams; the turn-around loss peaks at an even mix.
  const auto& hbm = spec_.hbm;
  const double pure = (1 - write_share_) / hbm.read_efficiency + write_share_ / hbm.write_efficiency;
  const double even = 0.5 / hbm.read_efficiency + 0.5 / hbm.write_efficiency;
  const double turn_around =
      std::max(0.0, 1 / hbm.mixed_efficiency - even) * 4 * write_share_ * (1 - write_share_);
  const double service = static_cast<double>(bytes) / hbm.peak_bytes_per_cycle * (pure + turn_around);
  const double start = std::max(time, hbm_free_);
  hbm_free_ = start + service;
  statistics_.hbm_busy += service;
  (write ? statistics_.hbm_write_bytes : statistics_.hbm_read_bytes) += bytes;
  return start + service;
}

bool XcdMemory::infinity_lookup(uint64_t line, bool write) {
  if (!spec_.infinity.present) return false;
  const bool hit = infinity_resident_ || infinity_tags_.access(mix(line), line, write).hit;
  ++(hit ? statistics_.infinity_hits : statistics_.infinity_misses);
  return hit;
}

double XcdMemory::fabric_read(double time, uint64_t line) {
  ++statistics_.fabric_read_requests;
  time = translate(time, line * spec_.l2.line);
  if (!spec_.infinity.present) return hbm_transfer(time, spec_.l2.line, false) + spec_.hbm.extra_latency;
  const double service = static_cast<double>(spec_.l2.line) / spec_.infinity.read_bytes_per_cycle;
  const double start = std::max(time, infinity_read_free_);
  infinity_read_free_ = start + service;
  statistics_.infinity_read_busy += service;
  statistics_.infinity_bytes += spec_.l2.line;
  if (infinity_lookup(line, false)) return start + service + spec_.infinity.extra_latency;
  return hbm_transfer(start, spec_.l2.line, false) + spec_.hbm.extra_latency;
}

double XcdMemory::fabric_write(double time, uint64_t line) {
  statistics_.fabric_write_requests += std::max<uint64_t>(1, spec_.l2.line / kWriteSegmentBytes);
  if (!spec_.infinity.present) return hbm_transfer(time, spec_.l2.line, true);
  const double service = static_cast<double>(spec_.l2.line) / spec_.infinity.write_bytes_per_cycle;
  const double start = std::max(time, infinity_write_free_);
  infinity_write_free_ = start + service;
  statistics_.infinity_write_busy += service;
  statistics_.infinity_bytes += spec_.l2.line;
  // A write that finds no resident line displaces one: HBM sees the traffic sooner or later.
  if (infinity_lookup(line, true)) return start + service;
  return hbm_transfer(start, spec_.l2.line, true);
}

double XcdMemory::fill(Lookup& lookup, double time) {
  double& slot = next_miss(*lookup.channel);
  slot = fabric_read(std::max(time, slot), lookup.line);
  in_flight_[lookup.line % kInFlightEntries] = {lookup.line, slot};
  return slot;
}

double XcdMemory::read(double time, uint64_t address, uint64_t bytes) {
  ++statistics_.l2_read_requests;
  statistics_.l2_bytes += bytes;
  Lookup lookup =
      look_up(time, address, static_cast<double>(bytes) / spec_.l2.bytes_per_cycle_per_channel, false);
  const double data = lookup.start + static_cast<double>(bytes) / spec_.l2.bytes_per_cycle_per_channel;
  if (!lookup.hit) return fill(lookup, lookup.start) + spec_.l2.extra_latency;
  const InFlight& pending = in_flight_[lookup.line % kInFlightEntries];
  const double ready = pending.line == lookup.line ? std::max(data, pending.ready) : data;
  return ready + spec_.l2.extra_latency;
}

double XcdMemory::write(double time, uint64_t address, bool full) {
  ++statistics_.l2_write_requests;
  statistics_.l2_bytes += kWriteSegmentBytes;
  Lookup lookup = look_up(
      time, address, static_cast<double>(kWriteSegmentBytes) / spec_.l2.bytes_per_cycle_per_channel, true);
  // L2 keeps byte masks, so a partial write needs no fill.
  (void)full;
  return lookup.start + spec_.l2.extra_latency;
}

double XcdMemory::atomic(double time, uint64_t address, uint32_t lanes) {
  ++statistics_.l2_atomic_requests;
  statistics_.l2_bytes += kWriteSegmentBytes;
  Lookup lookup = look_up(time, address, lanes / spec_.l2.atomic_lanes_per_cycle, true);
  const double data = lookup.hit ? lookup.start : fill(lookup, lookup.start);
  return data + lanes / spec_.l2.atomic_lanes_per_cycle + spec_.l2.extra_latency;
}

double XcdMemory::write_back_all(double time) {
  if (!spec_.l2.written_back_at_end) return time;  // dirty lines may stay for the next kernel
  double last = time;
  for (uint64_t line : tags_.clean_all()) {
    last = std::max(last, fabric_write(time, line));
    ++statistics_.l2_writebacks;
  }
  return last;
}

}  // namespace wavecast::model
