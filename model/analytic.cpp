// Evaluates the bounds of the analytic model.
#include "model/analytic.h"

#include <algorithm>
#include <cmath>

#include "model/coalescer.h"

namespace wavecast::model {
namespace {

// Bytes per cycle of HBM under a stream with this share of writes; see XcdMemory::hbm_transfer.
double hbm_rate(const XcdSpec& spec, double write_share) {
  const auto& hbm = spec.hbm;
  const double pure = (1 - write_share) / hbm.read_efficiency + write_share / hbm.write_efficiency;
  const double even = 0.5 / hbm.read_efficiency + 0.5 / hbm.write_efficiency;
  return hbm.peak_bytes_per_cycle /
         (pure + std::max(0.0, 1 / hbm.mixed_efficiency - even) * 4 * write_share * (1 - write_share));
}

struct XcdBounds {
  const AnalyticInput& input;
  const XcdSpec& spec;
  double work_groups;  // on this XCD
  std::vector<std::pair<std::string, double>> cycles;

  // Demand per work-group on a unit of which each CU has `per_cu`; the fullest CU decides.
  void per_cu(const char* what, double demand, double units) {
    const double fullest = std::ceil(work_groups / spec.cus);
    cycles.emplace_back(what, fullest * demand / units);
  }
  void per_xcd(const char* what, double demand, double rate) {
    if (rate > 0) cycles.emplace_back(what, work_groups * demand / rate);
  }
};

void memory_bounds(XcdBounds& bounds) {
  const KernelProfile& profile = *bounds.input.profile;
  const Demand& d = profile.per_work_group;
  const XcdSpec& spec = bounds.spec;
  const double read_bytes = d.l1_lines * (1 - profile.l1_hit_rate) * static_cast<double>(spec.l1.line);
  const double write_bytes = (d.write_segments + d.atomic_segments) * static_cast<double>(kWriteSegmentBytes);
  bounds.per_cu("vector L1 (address)", d.address_cycles, 1);
  bounds.per_cu("vector L1 (data)", d.data_cycles, 1);
  bounds.per_cu("L2 to CU", std::max(read_bytes, write_bytes) / spec.l2.bytes_per_cycle_per_cu, 1);
  bounds.per_xcd("L2", read_bytes + write_bytes, spec.l2.bytes_per_cycle_per_channel * spec.l2.channels);
  const double line_ratio = static_cast<double>(spec.l2.line) / static_cast<double>(spec.l1.line);
  const double fabric_reads = read_bytes * (1 - profile.l2_hit_rate) * line_ratio;
  const double fabric_writes = fabric_write_bytes(profile, spec, bounds.work_groups);
  double hbm_reads = fabric_reads, hbm_writes = fabric_writes;
  if (spec.infinity.present) {
    bounds.per_xcd("Infinity Cache (read)", fabric_reads, spec.infinity.read_bytes_per_cycle);
    bounds.per_xcd("Infinity Cache (write)", fabric_writes, spec.infinity.write_bytes_per_cycle);
    hbm_reads *= 1 - profile.infinity_hit_rate;
    hbm_writes *= 1 - profile.infinity_hit_rate;
  }
  const double hbm = hbm_reads + hbm_writes;
  if (hbm > 0) bounds.per_xcd("HBM", hbm, hbm_rate(spec, hbm_writes / hbm));
}

// One wave alone; a vL1D miss that also misses L2 pays the mean of Infinity Cache and HBM.
double unloaded_wave(const AnalyticInput& input, const XcdSpec& spec) {
  const double beyond = spec.infinity.present
                            ? input.profile->infinity_hit_rate * spec.infinity.extra_latency +
                                  (1 - input.profile->infinity_hit_rate) * spec.hbm.extra_latency
                            : spec.hbm.extra_latency;
  return replay_latency(*input.profile, *input.program, spec, beyond);
}

}  // namespace

AnalyticResult analyse(const AnalyticInput& input, const hardware::Device& device, hardware::Hertz clock) {
  const auto xcds = static_cast<uint32_t>(device.topology.xcds->value());
  const auto active = static_cast<uint32_t>(std::clamp<uint64_t>(input.work_groups, 1, xcds));
  const XcdSpec spec = resolve_xcd(device, clock, active);
  const Demand& demand = input.profile->per_work_group;
  XcdBounds bounds{input, spec, std::ceil(static_cast<double>(input.work_groups) / xcds), {}};

  bounds.per_cu("VALU", demand.valu_cycles, spec.simds_per_cu);
  bounds.per_cu("matrix unit", demand.matrix_cycles, spec.simds_per_cu);
  bounds.per_cu("LDS", demand.lds_cycles, spec.lds.ports);
  // One instruction per wave and slot; a SIMD issues at most one of each port, so its waves share the issue
  // slots.
  memory_bounds(bounds);
  bounds.per_xcd(
      "dispatch",
      std::max(spec.cycles_per_work_group, input.waves_per_work_group * spec.cycles_per_wave_launch), 1);

  const double wave = unloaded_wave(input, spec);
  const double slots = static_cast<double>(spec.cus) * input.work_groups_per_cu;
  const double rounds = std::max(1.0, bounds.work_groups / slots);
  const double partly_filled = bounds.work_groups < slots ? 1.0 : std::ceil(rounds);
  double throughput = 0;
  for (const auto& bound : bounds.cycles) throughput = std::max(throughput, bound.second);
  bounds.cycles.emplace_back("latency", wave * std::min(partly_filled, rounds + 0.5));
  // The first wave's way to its data can not overlap with anything; a unit that is busy for a wave's length
  // hides the rest.
  const double fill = std::min(wave, wave / (rounds + 1));
  const double execution = std::max(bounds.cycles.back().second, throughput + fill);

  AnalyticResult result;
  result.launch = *device.dispatch.kernel_launch;
  result.end = *device.dispatch.kernel_end;
  result.execution = hardware::to_time(hardware::Cycles(execution), clock);
  result.time = result.launch + result.execution + result.end;
  for (const auto& [what, cycles] : bounds.cycles)
    result.bounds.push_back({what, hardware::to_time(hardware::Cycles(cycles), clock)});
  std::sort(result.bounds.begin(), result.bounds.end(),
            [](const Bound& a, const Bound& b) { return a.time.value() > b.time.value(); });
  return result;
}

}  // namespace wavecast::model
