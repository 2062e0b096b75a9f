// An invented tiny XCD with round numbers, so that timing tests do not move when a real device is
// recalibrated.
#pragma once

#include "model/xcd_spec.h"

namespace wavecast::test {

inline model::XcdSpec toy_xcd() {
  model::XcdSpec spec;
  spec.clock = hardware::Hertz(1e9);
  spec.cus = 2;
  spec.simds_per_cu = 4;
  spec.active_xcds = 1;
  spec.cycles_per_work_group = 8;
  spec.cycles_per_wave_launch = 1;
  spec.wave_launch = 20;
  spec.wave_retire = 4;
  spec.l1 = {.line = 128,
             .sets = 4,
             .ways = 4,
             .hit_latency = 100,
             .bytes_per_cycle = 64,
             .quads_per_cycle = 4,
             .tags_per_cycle = 1,
             .misses = 8};
  spec.scalar = {
      .line = 64, .sets = 16, .ways = 4, .cus_sharing = 2, .hit_latency = 40, .bytes_per_cycle = 64};
  spec.instruction = {
      .line = 64, .sets = 64, .ways = 8, .cus_sharing = 2, .hit_latency = 40, .bytes_per_cycle = 64};
  spec.l2.line = 128;
  spec.l2.interleave = 256;
  spec.l2.channels = 4;
  spec.l2.sets_per_channel = 8;
  spec.l2.ways = 2;
  spec.l2.capacity = 4 * 8 * 2 * 128;
  spec.l2.fabric_read_request = 128;
  spec.l2.misses_per_channel = 4;
  spec.l2.extra_latency = 80;
  spec.l2.bytes_per_cycle_per_channel = 64;
  spec.l2.bytes_per_cycle_per_cu = 64;
  spec.l2.atomic_lanes_per_cycle = 16;
  spec.l2.written_back_at_end = true;
  spec.infinity = {.capacity = 1 << 20,
                   .line = 64,
                   .ways = 4,
                   .extra_latency = 300,
                   .read_bytes_per_cycle = 32,
                   .write_bytes_per_cycle = 16,
                   .present = true};
  spec.hbm = {.extra_latency = 700,
              .peak_bytes_per_cycle = 16,
              .read_efficiency = 0.8,
              .write_efficiency = 0.8,
              .mixed_efficiency = 0.5};
  spec.tlb = {.reach = 64 * 4096, .miss_latency = 50};
  spec.lds.ports = 2;
  return spec;
}

}  // namespace wavecast::test
