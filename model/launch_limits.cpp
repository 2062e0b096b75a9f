// What a launch may ask for: block against the kernel's bounds and the device, LDS against the CU, grid
// against the AQL dispatch packet (32-bit work-item counts per dimension) and HIP (2^31 - 1 work-groups per
// dimension).
#include <fmt/format.h>

#include "model/launch_description.h"

namespace wavecast::model {
namespace {

std::string dimensions(const isa::Dim3& size) { return fmt::format("{},{},{}", size.x, size.y, size.z); }

Expected<void> check_grid(const LaunchDescription& launch) {
  const std::string place = fmt::format("grid {}", dimensions(launch.grid));
  const uint32_t grid[] = {launch.grid.x, launch.grid.y, launch.grid.z},
                 block[] = {launch.block.x, launch.block.y, launch.block.z};
  double total = 1;
  for (int i = 0; i < 3; ++i) {
    if (grid[i] > 0x7fffffffu)
      return fail(
          place,
          fmt::format("{} work-groups in dimension {}; HIP launches at most 2147483647", grid[i], "xyz"[i]),
          "use a smaller grid; --grid counts work-groups, not work-items");
    if (uint64_t{grid[i]} * block[i] > 0xffffffffu)
      return fail(
          place,
          fmt::format("{} x {} work-items in dimension {}; the dispatch packet holds at most 4294967295",
                      grid[i], block[i], "xyz"[i]),
          "use a smaller grid; --grid counts work-groups, not work-items");
    total *= grid[i];
  }
  if (total >= 0x1p63)
    return fail(place, "more work-groups than 64-bit numbers can count", "use a smaller grid");
  return {};
}

}  // namespace

Expected<void> check_limits(const LaunchDescription& launch, const isa::Kernel& kernel,
                            const hardware::Device& device) {
  const auto empty = [](const isa::Dim3& size) { return size.x == 0 || size.y == 0 || size.z == 0; };
  if (empty(launch.grid))
    return fail("launch", "no grid is given", "add --grid X[,Y,Z] (work-groups) or grid: in the launch file");
  if (empty(launch.block))
    return fail("launch", "no block is given",
                "add --block X[,Y,Z] (work-items) or block: in the launch file");
  const std::string place = fmt::format("block {}", dimensions(launch.block));
  const double items = double(launch.block.x) * launch.block.y * launch.block.z;
  const double device_limit = device.compute_unit.max_work_group_size->value();
  if (items > device_limit)
    return fail(place,
                fmt::format("{:.0f} work-items; {} holds at most {:.0f} in a work-group", items, device.name,
                            device_limit),
                "use a smaller block and a larger grid");
  if (items > kernel.max_flat_work_group_size)
    return fail(place,
                fmt::format("{:.0f} work-items; kernel '{}' was compiled for at most {}", items,
                            kernel.demangled, kernel.max_flat_work_group_size),
                fmt::format("use a smaller block, or compile with __launch_bounds__({:.0f})", items));
  if (kernel.required_work_group_size) {
    const auto& wanted = *kernel.required_work_group_size;
    if (launch.block.x != wanted[0] || launch.block.y != wanted[1] || launch.block.z != wanted[2])
      return fail(place,
                  fmt::format("kernel '{}' was compiled for exactly {},{},{}", kernel.demangled, wanted[0],
                              wanted[1], wanted[2]),
                  fmt::format("use --block {},{},{}", wanted[0], wanted[1], wanted[2]));
  }
  const uint64_t static_lds = kernel.descriptor.group_segment_fixed_size,
                 lds = static_lds + launch.dynamic_lds;
  const double lds_limit = device.lds.capacity_per_cu->value();
  if (static_cast<double>(lds) > lds_limit)
    return fail("LDS",
                fmt::format("{} bytes per work-group ({} static + {} dynamic); {} has {:.0f}", lds,
                            static_lds, launch.dynamic_lds, device.name, lds_limit),
                launch.dynamic_lds ? "lower --dynamic-lds"
                                   : "the kernel was compiled for another device; pick one with more LDS");
  return check_grid(launch);
}

}  // namespace wavecast::model
