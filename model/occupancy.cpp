// The arithmetic of the resource allocator: registers and LDS in granules, wave slots, barrier slots, whole
// work-groups. Equal to what LLVM 22 computes, except that LDS is rounded up to its granule as the hardware
// does. Waves of a work-group are taken to spread evenly over the SIMDs of a CU.
#include "model/occupancy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace wavecast::model {
namespace {

constexpr uint32_t kWavefrontSize = 64;      // work-items, on every CDNA device
constexpr uint32_t kAddressableVgprs = 256;  // an operand field has 8 bits for arch VGPRs and 8 for AGPRs
constexpr uint32_t kUnlimited = std::numeric_limits<uint32_t>::max();

uint32_t whole(hardware::Count count) { return static_cast<uint32_t>(count.value()); }
uint64_t whole(hardware::Bytes bytes) { return static_cast<uint64_t>(bytes.value()); }
uint64_t round_up(uint64_t value, uint64_t granule) { return (value + granule - 1) / granule * granule; }
uint32_t ceil_divide(uint32_t value, uint32_t divisor) { return value / divisor + (value % divisor != 0); }

uint32_t waves_of(const ResourceUse& use) { return ceil_divide(use.work_group_size, kWavefrontSize); }

// Registers that a wave takes from the file whose size is vgprs_per_simd.
uint32_t allocated_vgprs(const ResourceUse& use, const hardware::ComputeUnit& cu) {
  const bool unified = whole(*cu.vgprs_unified) == 1;
  // AGPRs start at the accumulator offset, a multiple of its granule; separate files are allocated alike.
  const uint64_t total = !unified ? std::max(use.arch_vgprs, use.accum_vgprs)
                         : use.accum_vgprs
                             ? round_up(use.arch_vgprs, whole(*cu.accum_offset_granule)) + use.accum_vgprs
                             : use.arch_vgprs;
  return static_cast<uint32_t>(round_up(std::max<uint64_t>(total, 1), whole(*cu.vgpr_granule)));
}

// Work-groups per CU that each resource alone allows.
struct WorkGroupLimits {
  uint32_t wave_slots = 0, vgpr = 0, sgpr = 0, lds = 0, slots = 0;
  uint32_t smallest() const { return std::min({wave_slots, vgpr, sgpr, lds, slots}); }
};

struct Evaluation {
  Occupancy::Limits waves;  // per SIMD
  WorkGroupLimits work_groups;
  uint32_t vgprs = 0, sgprs = 0;
  uint64_t lds_bytes = 0;
};

Evaluation evaluate(const ResourceUse& use, const hardware::Device& device) {
  const hardware::ComputeUnit& cu = device.compute_unit;
  const uint32_t simds = whole(*cu.simds_per_cu), slots = whole(*cu.wave_slots_per_simd),
                 waves = waves_of(use);
  Evaluation result;
  result.vgprs = allocated_vgprs(use, cu);
  result.sgprs = static_cast<uint32_t>(round_up(std::max(use.sgprs, 1u), whole(*cu.sgpr_granule)));
  result.lds_bytes = round_up(use.lds_bytes, whole(*device.lds.allocation_granule));

  result.waves.wave_slots = slots;
  result.waves.vgpr = std::min(slots, whole(*cu.vgprs_per_simd) / result.vgprs);
  // LLVM divides the file by the unrounded count (100 SGPRs: 8 waves); no document settles whether granules
  // would cost a wave.
  result.waves.sgpr = std::min(slots, whole(*cu.sgprs_per_simd) / std::max(use.sgprs, 1u));

  const auto fits = [&](uint32_t waves_per_simd) { return waves_per_simd * simds / waves; };
  WorkGroupLimits& groups = result.work_groups;
  groups.wave_slots = fits(slots);
  groups.vgpr = fits(result.waves.vgpr);
  groups.sgpr = fits(result.waves.sgpr);
  groups.lds = result.lds_bytes == 0
                   ? kUnlimited
                   : static_cast<uint32_t>(whole(*device.lds.capacity_per_cu) / result.lds_bytes);
  // A work-group of one wave needs no barrier and so no slot.
  groups.slots = waves == 1 ? kUnlimited : whole(*cu.max_multiwave_work_groups_per_cu);

  const auto waves_per_simd = [&](uint32_t work_groups) {
    return ceil_divide(std::min(work_groups, groups.wave_slots) * waves, simds);
  };
  result.waves.lds = groups.lds == kUnlimited ? slots : waves_per_simd(groups.lds);
  result.waves.work_group_slots = groups.slots == kUnlimited ? slots : waves_per_simd(groups.slots);
  return result;
}

uint32_t resulting_waves_per_simd(const Evaluation& evaluation, const ResourceUse& use,
                                  const hardware::Device& device) {
  return ceil_divide(evaluation.work_groups.smallest() * waves_of(use),
                     whole(*device.compute_unit.simds_per_cu));
}

OccupancyLimiter limiter_of(const WorkGroupLimits& groups) {
  const uint32_t smallest = groups.smallest();
  if (groups.wave_slots == smallest) return OccupancyLimiter::wave_slots;
  if (groups.vgpr == smallest) return OccupancyLimiter::vgpr;
  if (groups.sgpr == smallest) return OccupancyLimiter::sgpr;
  if (groups.lds == smallest) return OccupancyLimiter::lds;
  return OccupancyLimiter::work_group_slots;
}

// Lowers one register count until `enough`; empty if no count is low enough.
template <class Enough>
std::optional<ResourceUse> lower(ResourceUse use, uint32_t ResourceUse::*member, Enough enough) {
  while (use.*member > 0) {
    --(use.*member);
    if (enough(use)) return use;
  }
  return std::nullopt;
}

std::string fewer(uint32_t from, uint32_t to, std::string_view what) {
  return fmt::format("{} {} fewer ({} instead of {})", from - to, what, to, from);
}

// What must change for `groups` work-groups per CU, as one clause per resource in the way; applied to `use`.
std::optional<std::vector<std::string>> clauses_for(uint32_t groups, ResourceUse& use,
                                                    const hardware::Device& device) {
  std::vector<std::string> clauses;
  const Evaluation now = evaluate(use, device);
  if (now.work_groups.wave_slots < groups || now.work_groups.slots < groups) return std::nullopt;
  if (now.work_groups.vgpr < groups) {
    const auto enough = [&](const ResourceUse& candidate) {
      return evaluate(candidate, device).work_groups.vgpr >= groups;
    };
    const auto with_arch = lower(use, &ResourceUse::arch_vgprs, enough);
    const auto with_accum = lower(use, &ResourceUse::accum_vgprs, enough);
    if (!with_arch && !with_accum) return std::nullopt;
    const bool take_arch = with_arch && (!with_accum || use.arch_vgprs - with_arch->arch_vgprs <=
                                                            use.accum_vgprs - with_accum->accum_vgprs);
    if (take_arch)
      clauses.push_back(fewer(use.arch_vgprs, with_arch->arch_vgprs, "VGPRs"));
    else
      clauses.push_back(fewer(use.accum_vgprs, with_accum->accum_vgprs, "AGPRs"));
    use = take_arch ? *with_arch : *with_accum;
  }
  if (now.work_groups.sgpr < groups) {
    const auto changed = lower(use, &ResourceUse::sgprs, [&](const ResourceUse& candidate) {
      return evaluate(candidate, device).work_groups.sgpr >= groups;
    });
    if (!changed) return std::nullopt;
    clauses.push_back(fewer(use.sgprs, changed->sgprs, "SGPRs"));
    use = *changed;
  }
  if (now.work_groups.lds < groups) {
    const uint64_t granule = whole(*device.lds.allocation_granule);
    const auto bytes = static_cast<uint32_t>(whole(*device.lds.capacity_per_cu) / groups / granule * granule);
    clauses.push_back(fewer(use.lds_bytes, bytes, "bytes of LDS per work-group"));
    use.lds_bytes = bytes;
  }
  return clauses;
}

// The nearest change of registers and LDS that raises the waves per SIMD, and the nearest other work-group
// size that does.
std::vector<std::string> next_steps(const ResourceUse& use, const hardware::Device& device,
                                    uint32_t waves_per_simd) {
  std::vector<std::string> steps;
  const Evaluation now = evaluate(use, device);
  for (uint32_t groups = now.work_groups.smallest() + 1; groups <= now.work_groups.wave_slots; ++groups) {
    ResourceUse changed = use;
    const auto clauses = clauses_for(groups, changed, device);
    if (!clauses) break;  // a larger number of work-groups needs even more
    const uint32_t reached = resulting_waves_per_simd(evaluate(changed, device), changed, device);
    if (reached <= waves_per_simd) continue;
    steps.push_back(fmt::format("{} would give {} waves per SIMD", fmt::join(*clauses, " and "), reached));
    break;
  }
  for (uint32_t waves = waves_of(use) - 1; waves > 0; --waves) {
    ResourceUse changed = use;
    changed.work_group_size = waves * kWavefrontSize;
    const uint32_t reached = resulting_waves_per_simd(evaluate(changed, device), changed, device);
    if (reached <= waves_per_simd) continue;
    steps.push_back(fmt::format(
        "work-groups of {} work-items with the same registers and LDS would give {} waves per SIMD",
        changed.work_group_size, reached));
    break;
  }
  return steps;
}

// Requests that no CU can hold.
Expected<void> check(const ResourceUse& use, const hardware::Device& device) {
  const hardware::ComputeUnit& cu = device.compute_unit;
  const auto beyond = [&](std::string_view what, uint64_t asked, uint64_t most, std::string_view remedy) {
    return fail(std::string(what), fmt::format("{} asked for, {} has {}", asked, device.name, most),
                std::string(remedy));
  };
  const uint32_t most_vgprs = std::min(kAddressableVgprs, whole(*cu.vgprs_per_simd));
  if (use.work_group_size == 0) return fail("work-group size", "is zero", "give at least one work-item");
  if (use.work_group_size > whole(*cu.max_work_group_size))
    return beyond("work-group size", use.work_group_size, whole(*cu.max_work_group_size),
                  "use smaller work-groups");
  if (use.arch_vgprs > most_vgprs)
    return beyond("VGPRs per wave", use.arch_vgprs, most_vgprs, "spill, or keep accumulators in AGPRs");
  if (use.accum_vgprs > most_vgprs) return beyond("AGPRs per wave", use.accum_vgprs, most_vgprs, "spill");
  if (use.sgprs > whole(*cu.max_sgprs_per_wave))
    return beyond("SGPRs per wave", use.sgprs, whole(*cu.max_sgprs_per_wave), "spill");
  if (round_up(use.lds_bytes, whole(*device.lds.allocation_granule)) > whole(*device.lds.capacity_per_cu))
    return beyond("LDS bytes per work-group", use.lds_bytes, whole(*device.lds.capacity_per_cu),
                  "use less LDS per work-group");
  const Evaluation evaluation = evaluate(use, device);
  const uint32_t waves = waves_of(use);
  if (evaluation.work_groups.smallest() > 0) return {};
  const auto [what, waves_per_simd] =
      evaluation.work_groups.vgpr == 0   ? std::pair("VGPRs", evaluation.waves.vgpr)
      : evaluation.work_groups.sgpr == 0 ? std::pair("SGPRs", evaluation.waves.sgpr)
                                         : std::pair("wave slots", evaluation.waves.wave_slots);
  return fail(what,
              fmt::format("a work-group of {} waves does not fit a CU: {} allow {} waves on each of {} SIMDs",
                          waves, what, waves_per_simd, whole(*cu.simds_per_cu)),
              "use smaller work-groups or fewer registers (__launch_bounds__)");
}

}  // namespace

ResourceUse resources_of(const isa::Kernel& kernel, uint32_t work_group_size, uint32_t dynamic_lds) {
  const uint64_t lds = uint64_t{kernel.descriptor.group_segment_fixed_size} + dynamic_lds;
  return {.arch_vgprs = kernel.arch_vgpr_count,
          .accum_vgprs = kernel.accum_vgpr_count,
          .sgprs = kernel.sgpr_count,
          .lds_bytes = static_cast<uint32_t>(std::min<uint64_t>(lds, kUnlimited)),
          .work_group_size = work_group_size,
          .scratch_bytes = kernel.descriptor.private_segment_fixed_size};
}

std::string_view to_string(OccupancyLimiter limiter) {
  switch (limiter) {
    case OccupancyLimiter::wave_slots:
      return "wave_slots";
    case OccupancyLimiter::vgpr:
      return "vgpr";
    case OccupancyLimiter::sgpr:
      return "sgpr";
    case OccupancyLimiter::lds:
      return "lds";
    case OccupancyLimiter::work_group_slots:
      return "work_group_slots";
  }
  return "wave_slots";
}

Expected<Occupancy> occupancy(const ResourceUse& use, const hardware::Device& device) {
  if (Expected<void> checked = check(use, device); !checked) return tl::unexpected(checked.error());
  const Evaluation evaluation = evaluate(use, device);
  Occupancy result;
  result.work_groups_per_cu = evaluation.work_groups.smallest();
  result.waves_per_cu = result.work_groups_per_cu * waves_of(use);
  result.waves_per_simd = resulting_waves_per_simd(evaluation, use, device);
  result.max_waves_per_simd = evaluation.waves.wave_slots;
  result.limiter = limiter_of(evaluation.work_groups);
  result.limits = evaluation.waves;
  result.allocated_vgprs = evaluation.vgprs;
  result.allocated_sgprs = evaluation.sgprs;
  result.allocated_lds_bytes = static_cast<uint32_t>(evaluation.lds_bytes);
  result.next_steps = next_steps(use, device, result.waves_per_simd);
  return result;
}

}  // namespace wavecast::model
