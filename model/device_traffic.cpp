// Scales what the simulated XCD saw to the device.
#include "model/device_traffic.h"

#include "model/coalescer.h"

namespace wavecast::model {
namespace {

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

DeviceTraffic of_simulation(const XcdResult& r) {
  const MemoryStatistics& m = r.memory;
  auto n = [](uint64_t value) { return static_cast<double>(value); };
  DeviceTraffic t;
  t.quad_accesses = n(r.vector_l1.quad_accesses);
  t.l1_bytes = n(r.vector_l1.bytes);
  t.l1_lookups = n(r.vector_l1.line_lookups);
  t.l1_hits = n(r.vector_l1.hits);
  t.read_requests = n(r.vector_l1.read_requests);
  t.write_requests = n(r.vector_l1.write_requests);
  t.atomic_requests = n(r.vector_l1.atomic_requests);
  t.scalar_requests = n(r.scalar_l1.requests);
  t.scalar_hits = n(r.scalar_l1.hits);
  t.scalar_misses = n(r.scalar_l1.misses);
  t.scalar_duplicate_misses = n(r.scalar_l1.duplicate_misses);
  t.instruction_requests = n(r.instruction_l1.requests);
  t.instruction_hits = n(r.instruction_l1.hits + r.instruction_l1.duplicate_misses);
  t.instruction_misses = n(r.instruction_l1.misses);
  t.l2_bytes = n(m.l2_bytes);
  t.l2_hits = n(m.l2_hits);
  t.l2_misses = n(m.l2_misses);
  t.l2_writebacks = n(m.l2_writebacks);
  t.fabric_reads = n(m.fabric_read_requests);
  t.fabric_writes = n(m.fabric_write_requests);
  t.infinity_bytes = n(m.infinity_bytes);
  t.infinity_hits = n(m.infinity_hits);
  t.infinity_misses = n(m.infinity_misses);
  t.hbm_read_bytes = n(m.hbm_read_bytes);
  t.hbm_write_bytes = n(m.hbm_write_bytes);
  t.lds_conflicts = n(r.lds_conflicts);
  return t;
}

// Totals of one work-group from the profile, with the rates that the simulation found.
DeviceTraffic of_work_group(const KernelProfile& profile, const DeviceTraffic& seen,
                            double simulated_instructions, const XcdSpec& spec, double work_groups) {
  const Demand& d = profile.per_work_group;
  const double l2_line = static_cast<double>(spec.l2.line), segment = static_cast<double>(kWriteSegmentBytes);
  DeviceTraffic t;
  t.quad_accesses = d.quad_accesses;
  t.l1_bytes = d.l1_bytes;
  t.l1_lookups = d.l1_lines;
  t.l1_hits = d.l1_lines * ratio(seen.l1_hits, seen.l1_lookups);
  t.read_requests = t.l1_lookups - t.l1_hits;
  t.write_requests = d.write_segments;
  t.atomic_requests = d.atomic_segments;
  t.scalar_requests = d.scalar_requests;
  t.scalar_hits = d.scalar_requests * ratio(seen.scalar_hits, seen.scalar_requests);
  t.scalar_misses = d.scalar_requests * ratio(seen.scalar_misses, seen.scalar_requests);
  t.scalar_duplicate_misses = t.scalar_requests - t.scalar_hits - t.scalar_misses;
  const double instructions = ratio(d.instructions, simulated_instructions);
  t.instruction_requests = seen.instruction_requests * instructions;
  t.instruction_hits = seen.instruction_hits * instructions;
  t.instruction_misses = seen.instruction_misses * instructions;
  t.fabric_reads = t.read_requests * ratio(seen.fabric_reads, seen.read_requests);
  const double segments = t.write_requests + t.atomic_requests;
  t.fabric_writes = fabric_write_bytes(profile, spec, work_groups / spec.active_xcds) / segment;
  t.l2_writebacks = t.fabric_writes * segment / l2_line;
  t.l2_bytes = t.read_requests * static_cast<double>(spec.l1.line) + segments * segment;
  t.l2_misses = t.fabric_reads + t.l2_writebacks;  // a written line misses once
  t.l2_hits = t.read_requests + segments - t.l2_misses;
  const double beyond = t.fabric_reads * l2_line + t.fabric_writes * segment;
  const double infinity_hit_rate = ratio(seen.infinity_hits, seen.infinity_hits + seen.infinity_misses);
  if (spec.infinity.present) {
    t.infinity_bytes = beyond;
    t.infinity_hits = beyond / l2_line * infinity_hit_rate;
    t.infinity_misses = beyond / l2_line - t.infinity_hits;
  }
  t.hbm_read_bytes = t.fabric_reads * l2_line * (1 - infinity_hit_rate);
  t.hbm_write_bytes = t.fabric_writes * segment * (1 - infinity_hit_rate);
  t.lds_conflicts = d.lds_conflicts;
  return t;
}

DeviceTraffic scaled(DeviceTraffic t, double factor) {
  for (double* value : {&t.quad_accesses,
                        &t.l1_bytes,
                        &t.l1_lookups,
                        &t.l1_hits,
                        &t.read_requests,
                        &t.write_requests,
                        &t.atomic_requests,
                        &t.scalar_requests,
                        &t.scalar_hits,
                        &t.scalar_misses,
                        &t.scalar_duplicate_misses,
                        &t.instruction_requests,
                        &t.instruction_hits,
                        &t.instruction_misses,
                        &t.l2_bytes,
                        &t.l2_hits,
                        &t.l2_misses,
                        &t.l2_writebacks,
                        &t.fabric_reads,
                        &t.fabric_writes,
                        &t.infinity_bytes,
                        &t.infinity_hits,
                        &t.infinity_misses,
                        &t.hbm_read_bytes,
                        &t.hbm_write_bytes,
                        &t.lds_conflicts})
    *value *= factor;
  return t;
}

}  // namespace

DeviceTraffic device_traffic(const KernelProfile& profile, const KernelRun& run, const XcdSpec& spec,
                             double work_groups) {
  const DeviceTraffic seen = of_simulation(run.simulated);
  if (run.simulated.finished)
    return scaled(seen, work_groups / static_cast<double>(run.simulated.work_groups_started));
  return scaled(
      of_work_group(profile, seen, static_cast<double>(run.simulated.instructions), spec, work_groups),
      work_groups);
}

DeviceTraffic device_traffic(const KernelProfile& profile, const XcdSpec& spec, double work_groups) {
  DeviceTraffic rates;
  rates.l1_lookups = rates.read_requests = 1;
  rates.l1_hits = profile.l1_hit_rate;
  rates.fabric_reads = 1 - profile.l2_hit_rate;
  rates.infinity_hits = profile.infinity_hit_rate;
  rates.infinity_misses = 1 - profile.infinity_hit_rate;
  return scaled(of_work_group(profile, rates, 0, spec, work_groups), work_groups);
}

}  // namespace wavecast::model
