// Sanity of a device. Bounds lie far beyond any announced part: they stop typing errors and hostile files
// (a CU count of 1e300), not what-if studies.
#include "hardware/device_checks.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <string>

namespace wavecast::hardware {
namespace {

constexpr double kMostCount = 1 << 20;                // of anything counted in a device
constexpr double kMostBytes = 1024.0 * (1ull << 40);  // 1 PiB
constexpr double kMostElse = 1e18;                    // cycles, ns, B/s, Hz, W: products of two stay finite

bool is_count(std::string_view unit) { return unit == CountDimension::kUnit; }
bool is_bytes(std::string_view unit) { return unit == BytesDimension::kUnit; }

// Latencies may be 0 in a what-if study, flags are 0 or 1, and a device may have no Infinity Cache.
bool may_be_zero(std::string_view section, std::string_view name, std::string_view unit) {
  return section == "infinity_cache" || name == "vgprs_unified" || name == "written_back_at_kernel_end" ||
         name == "write_insertion_way" || name == "split_read_pairs" ||
         unit == CyclesDimension::kUnit || unit == NanosecondsDimension::kUnit;
}

Expected<void> check_alone(std::string_view section, std::string_view name, double value,
                           std::string_view unit) {
  const std::string path = fmt::format("{}.{}", section, name);
  if (!std::isfinite(value) || value < 0)
    return fail(path, fmt::format("{} is negative or no number", value), "give a positive value");
  if (value == 0 && !may_be_zero(section, name, unit)) return fail(path, "is zero", "give a positive value");
  const double most = is_count(unit) ? kMostCount : is_bytes(unit) ? kMostBytes : kMostElse;
  if (value > most)
    return fail(path, fmt::format("{} is more than any device has", format_quantity(value, unit)),
                fmt::format("at most {}", format_quantity(most, unit)));
  if ((is_count(unit) || is_bytes(unit)) && value != std::floor(value))
    return fail(path, fmt::format("{} is no whole number", value), "give a whole number");
  if (unit == RatioDimension::kUnit && value > 1)
    return fail(path, fmt::format("{} is more than 100 %", value), "give a share of the peak");
  return {};
}

Expected<void> require(bool holds, std::string_view path, std::string reason, std::string remedy) {
  if (holds) return {};
  return fail(std::string(path), std::move(reason), std::move(remedy));
}

// A cache of `capacity` needs at least one set, and its line must be a power of two because addresses are cut
// by bits.
Expected<void> check_cache(std::string_view section, std::string_view capacity_name, Bytes capacity,
                           Bytes line, Count ways, Bytes most) {
  const std::string capacity_path = fmt::format("{}.{}", section, capacity_name);
  if (capacity > most)
    return fail(capacity_path, fmt::format("{} is more than a model can track", to_string(capacity)),
                fmt::format("at most {}", to_string(most)));
  const auto line_bytes = static_cast<uint64_t>(line.value());
  if (!std::has_single_bit(line_bytes))
    return fail(fmt::format("{}.line", section), fmt::format("{} is no power of two", to_string(line)),
                "give 64 B, 128 B, ...");
  if (capacity.value() < line.value() * ways.value())
    return fail(
        capacity_path,
        fmt::format("{} holds no set of {} lines of {}", to_string(capacity), ways.value(), to_string(line)),
        "raise the capacity or lower line or ways");
  return {};
}

Expected<void> check_caches(const Device& device) {
  constexpr Bytes kMostL1(16.0 * (1 << 20)), kMostL2(4.0 * (1 << 30)), kMostInfinityCache(64.0 * (1 << 30));
  const auto& l2 = device.l2;
  const auto& infinity_cache = device.infinity_cache;
  const Bytes per_channel = *l2.capacity_per_xcd / l2.channels_per_xcd->value();
  for (const Expected<void>& checked :
       {check_cache("vector_l1", "capacity_per_cu", *device.vector_l1.capacity_per_cu, *device.vector_l1.line,
                    *device.vector_l1.ways, kMostL1),
        check_cache("scalar_l1", "capacity", *device.scalar_l1.capacity, *device.scalar_l1.line,
                    *device.scalar_l1.ways, kMostL1),
        check_cache("instruction_l1", "capacity", *device.instruction_l1.capacity,
                    *device.instruction_l1.line, *device.instruction_l1.ways, kMostL1),
        check_cache("l2", "capacity_per_xcd", *l2.capacity_per_xcd, *l2.line, *l2.ways, kMostL2),
        require(per_channel.value() >= l2.line->value() * l2.ways->value(), "l2.channels_per_xcd",
                "a channel holds no set", "lower it or raise l2.capacity_per_xcd"),
        require(std::has_single_bit(static_cast<uint64_t>(l2.channel_interleave->value())) &&
                    *l2.channel_interleave >= *l2.line,
                "l2.channel_interleave", "is no power of two, or less than a line",
                "give 128 B, 256 B, ...")})
    if (!checked) return checked;
  if (infinity_cache.capacity_per_device->value() == 0) return {};
  if (Expected<void> checked =
          check_cache("infinity_cache", "capacity_per_device", *infinity_cache.capacity_per_device,
                      *infinity_cache.line, *infinity_cache.ways, kMostInfinityCache);
      !checked)
    return checked;
  return require(infinity_cache.read_bandwidth_per_device->value() > 0 &&
                     infinity_cache.write_bandwidth_per_device->value() > 0,
                 "infinity_cache.read_bandwidth_per_device", "an Infinity Cache without bandwidth",
                 "give rates, or capacity_per_device: 0 B");
}

Expected<void> check_compute_unit(const Device& device) {
  constexpr double kWavefrontSize = 64;  // work-items of a wave on every CDNA part
  const auto& cu = device.compute_unit;
  const auto flag = [](Count value) { return value.value() == 0 || value.value() == 1; };
  for (const Expected<void>& checked :
       {require(flag(*cu.vgprs_unified), "compute_unit.vgprs_unified", "is neither 0 nor 1",
                "1: AGPRs share the file, 0: they have their own"),
        require(flag(*device.l2.written_back_at_kernel_end), "l2.written_back_at_kernel_end",
                "is neither 0 nor 1", "give 0 or 1"),
        require(cu.lanes_per_simd->value() <= kWavefrontSize, "compute_unit.lanes_per_simd",
                "is more than a wave has", "at most 64"),
        require(*cu.vgpr_granule <= *cu.vgprs_per_simd, "compute_unit.vgpr_granule",
                "is more than the register file", "lower it"),
        require(*cu.sgpr_granule <= *cu.sgprs_per_simd, "compute_unit.sgpr_granule",
                "is more than the register file", "lower it"),
        require(*device.lds.allocation_granule <= *device.lds.capacity_per_cu, "lds.allocation_granule",
                "is more than the LDS", "lower it"),
        require(cu.simds_per_cu->value() <= 64 && cu.wave_slots_per_simd->value() <= 1024,
                "compute_unit.wave_slots_per_simd", "more waves than a CU can have",
                "at most 64 SIMDs of 1024 waves"),
        require(device.topology.xcds->value() * device.topology.cus_per_xcd->value() <= 65536,
                "topology.cus_per_xcd", "more CUs than a device can have", "at most 65536 in all XCDs")})
    if (!checked) return checked;
  return {};
}

}  // namespace

Expected<void> check_device(const Device& device) {
  Expected<void> outcome;
  Device copy = device;
  copy.visit([&](const char* section, const char* name, auto& parameter) {
    if (outcome) outcome = check_alone(section, name, parameter.value.value(), base_unit_of(parameter.value));
  });
  if (!outcome) return outcome;
  if (outcome = check_caches(device); !outcome) return outcome;
  return check_compute_unit(device);
}

}  // namespace wavecast::hardware
