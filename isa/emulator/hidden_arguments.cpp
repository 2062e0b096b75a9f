// Values by metadata kind; arguments of a kind unknown here stay zero, as the HIP runtime leaves them.
#include "isa/emulator/hidden_arguments.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "isa/emulator/launch_limits.h"

namespace wavecast::isa {

namespace {

constexpr uint64_t kServiceBufferSize = 4096;  // one page each: device code finds zeros, not a fault

uint32_t component(const Dim3& dim, char axis) { return axis == 'x' ? dim.x : axis == 'y' ? dim.y : dim.z; }

// Kinds whose value is a number of the launch. HIP grids are whole work-groups, so remainders and offsets are
// zero.
std::optional<uint64_t> number_for(std::string_view kind, const LoadedKernel& loaded) {
  constexpr unsigned kHighHalf = 32;
  const char axis = kind.empty() ? 'x' : kind.back();
  if (kind.starts_with("hidden_block_count_")) return component(loaded.launch.grid, axis);
  if (kind.starts_with("hidden_group_size_")) return component(loaded.launch.block, axis);
  if (kind == "hidden_grid_dims") return grid_dimensions(loaded.launch);
  if (kind == "hidden_dynamic_lds_size") return loaded.launch.dynamic_lds;
  if (kind == "hidden_shared_base") return kSharedAperture >> kHighHalf;
  if (kind == "hidden_private_base") return kPrivateAperture >> kHighHalf;
  if (kind == "hidden_queue_ptr" || kind == "hidden_default_queue") return loaded.queue_address;
  return std::nullopt;
}

// Kinds that point at a service of the runtime, with a name for messages.
const char* service_name(std::string_view kind) {
  if (kind == "hidden_printf_buffer") return "printf buffer";
  if (kind == "hidden_hostcall_buffer") return "hostcall buffer";
  if (kind == "hidden_heap_v1") return "device heap";
  if (kind == "hidden_completion_action") return "completion action";
  if (kind == "hidden_multigrid_sync_arg") return "multi-grid synchronisation";
  return nullptr;
}

}  // namespace

uint16_t grid_dimensions(const Launch& launch) {
  const auto used = [](uint32_t groups, uint32_t items) { return groups > 1 || items > 1; };
  if (used(launch.grid.z, launch.block.z)) return 3;
  return used(launch.grid.y, launch.block.y) ? 2 : 1;
}

Expected<void> write_hidden_arguments(LoadedKernel& loaded, const MemoryRegion& kernarg, Memory& memory) {
  for (const KernelArgument& argument : loaded.kernel->arguments) {
    if (!argument.hidden()) continue;
    uint64_t value = 0;
    if (auto number = number_for(argument.value_kind, loaded)) {
      value = *number;
    } else if (const char* name = service_name(argument.value_kind)) {
      auto region = memory.allocate(name, kServiceBufferSize);
      if (!region) return tl::unexpected(region.error());
      loaded.regions.push_back(region->address);
      value = region->address;
    }
    const uint64_t size = std::min<uint64_t>(argument.size, sizeof value);
    if (uint64_t{argument.offset} + size <= kernarg.size)
      std::memcpy(kernarg.host + argument.offset, &value, size);
  }
  return {};
}

}  // namespace wavecast::isa
