// Turns a device description into the cycle figures of one XCD. Load-to-use latencies nest (an Infinity Cache
// hit includes the vL1D and L2 lookups), so each level keeps only what it adds.
#include "model/xcd_spec.h"

#include <algorithm>

namespace wavecast::model {
namespace {

uint32_t count(const hardware::Parameter<hardware::Count>& p) { return static_cast<uint32_t>(p->value()); }
uint64_t bytes(const hardware::Parameter<hardware::Bytes>& p) { return static_cast<uint64_t>(p->value()); }

uint32_t sets(uint64_t capacity, uint64_t line, uint32_t ways) {
  return static_cast<uint32_t>(std::max<uint64_t>(1, capacity / (line * std::max(1u, ways))));
}

// What a level adds to the levels before it; a device file may (wrongly) make it nearer than those.
double beyond(double load_to_use, double nearer) { return std::max(0.0, load_to_use - nearer); }

XcdSpec::SharedCache shared_cache(const hardware::SharedL1& cache) {
  return {bytes(cache.line),          sets(bytes(cache.capacity), bytes(cache.line), count(cache.ways)),
          count(cache.ways),          count(cache.cus_sharing),
          cache.hit_latency->value(), cache.bandwidth->value()};
}

}  // namespace

XcdSpec resolve_xcd(const hardware::Device& device, hardware::Hertz clock, uint32_t active_xcds) {
  XcdSpec spec;
  spec.clock = clock;
  spec.cus = count(device.topology.cus_per_xcd);
  spec.simds_per_cu = count(device.compute_unit.simds_per_cu);
  spec.shader_engines = std::max(1u, count(device.topology.shader_engines_per_xcd));
  spec.active_xcds = std::clamp(active_xcds, 1u, count(device.topology.xcds));
  spec.cycles_per_work_group = 1.0 / device.dispatch.work_groups_per_cycle_per_xcd->value();
  spec.cycles_per_wave_launch = 1.0 / device.dispatch.waves_per_cycle_per_xcd->value();
  spec.wave_launch = device.dispatch.wave_launch->value();
  spec.wave_retire = device.dispatch.wave_retire->value();

  const auto& l1 = device.vector_l1;
  constexpr double kLanesPerQuad = 4;  // structural: see model/coalescer.h
  spec.l1 = {bytes(l1.line),
             sets(bytes(l1.capacity_per_cu), bytes(l1.line), count(l1.ways)),
             count(l1.ways),
             l1.hit_latency->value(),
             l1.bandwidth_per_cu->value(),
             l1.addresses_per_cycle->value() / kLanesPerQuad,
             l1.tag_lookups_per_cycle->value(),
             count(l1.outstanding_misses_per_cu)};
  spec.scalar = shared_cache(device.scalar_l1);
  spec.instruction = shared_cache(device.instruction_l1);

  const auto& l2 = device.l2;
  const uint32_t channels = count(l2.channels_per_xcd);
  spec.l2.line = bytes(l2.line);
  spec.l2.interleave = bytes(l2.channel_interleave);
  spec.l2.channels = channels;
  spec.l2.ways = count(l2.ways);
  spec.l2.capacity = bytes(l2.capacity_per_xcd);
  spec.l2.fabric_read_request = bytes(l2.fabric_read_request);
  spec.l2.sets_per_channel = sets(spec.l2.capacity / channels, spec.l2.line, spec.l2.ways);
  spec.l2.misses_per_channel = count(l2.outstanding_misses_per_channel);
  spec.l2.extra_latency = beyond(l2.hit_latency->value(), l1.hit_latency->value());
  spec.l2.bytes_per_cycle_per_channel = l2.bandwidth_per_channel->value();
  spec.l2.bytes_per_cycle_per_cu = l2.bandwidth_per_cu->value();
  spec.l2.atomic_lanes_per_cycle = l2.atomic_lanes_per_cycle_per_channel->value();
  spec.l2.write_way = count(l2.write_insertion_way);
  spec.l2.split_read_pairs = l2.split_read_pairs->value();
  spec.l2.written_back_at_end = l2.written_back_at_kernel_end->value() != 0;

  const auto& infinity = device.infinity_cache;
  const double share = 1.0 / spec.active_xcds;
  spec.infinity.present = infinity.capacity_per_device->value() > 0;
  spec.infinity.capacity = bytes(infinity.capacity_per_device);
  const double l2_latency = l2.hit_latency->value();
  if (spec.infinity.present) {
    spec.infinity.line = bytes(infinity.line);
    spec.infinity.ways = count(infinity.ways);
    spec.infinity.extra_latency =
        beyond(hardware::to_cycles(*infinity.hit_latency, clock).value(), l2_latency);
    spec.infinity.read_bytes_per_cycle =
        hardware::per_cycle(*infinity.read_bandwidth_per_device, clock).value() * share;
    spec.infinity.write_bytes_per_cycle =
        hardware::per_cycle(*infinity.write_bandwidth_per_device, clock).value() * share;
  }
  const auto& hbm = device.hbm;
  spec.hbm = {beyond(hardware::to_cycles(*hbm.latency, clock).value(), l2_latency),
              hardware::per_cycle(*hbm.peak_bandwidth_per_device, clock).value() * share,
              hbm.read_efficiency->value(), hbm.write_efficiency->value(), hbm.mixed_efficiency->value()};
  spec.tlb = {bytes(device.tlb.reach_per_xcd), hardware::to_cycles(*device.tlb.miss_latency, clock).value()};
  spec.lds.ports = std::max(1u, count(device.lds.request_ports_per_cu));
  return spec;
}

}  // namespace wavecast::model
