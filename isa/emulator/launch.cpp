// Everything a launch needs in guest memory before its first wave: kernarg segment, AQL packet, queue,
// scratch. Source: LLVM 22 AMDGPUUsage "Kernel Dispatch"; HSA Platform System Architecture (packet and queue
// layouts). Leaves out: completion signals, hostcall services (their buffers are valid but nobody answers).
#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "isa/emulator.h"
#include "isa/emulator/hidden_arguments.h"
#include "isa/emulator/launch_limits.h"

namespace wavecast::isa {

namespace {

constexpr uint64_t kKernargRounding =
    256;  // compilers may load past the last argument, inside an aligned piece
// Kernels with calls through pointers do not know their stack; ROCm gives such launches a default.
constexpr uint32_t kDynamicStackBytes = 16 * 1024;
constexpr uint32_t kPreloadEntryOffset =
    256;  // firmware that preloads kernargs skips the compatibility prologue

uint64_t align_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

std::string place_of(const Kernel& kernel) { return fmt::format("launch of '{}'", kernel.demangled); }

Expected<void> check_geometry(const Kernel& kernel, const Launch& launch) {
  const std::string place = place_of(kernel);
  const Dim3 &grid = launch.grid, &block = launch.block;
  if (grid.count() == 0 || block.count() == 0) return fail(place, "a dimension of grid or block is zero");
  const uint64_t work_items = block.count();
  if (block.x > kMaxWorkGroupSize || block.y > kMaxWorkGroupSize || block.z > kMaxWorkGroupSize ||
      work_items > kMaxWorkGroupSize)
    return fail(place, fmt::format("a block of {} x {} x {} work-items exceeds the limit of {}", block.x,
                                   block.y, block.z, kMaxWorkGroupSize));
  if (kernel.max_flat_work_group_size != 0 && work_items > kernel.max_flat_work_group_size)
    return fail(place,
                fmt::format("a block of {} work-items exceeds the {} that the kernel was compiled for",
                            work_items, kernel.max_flat_work_group_size),
                "use a smaller block or raise __launch_bounds__");
  if (const auto& required = kernel.required_work_group_size;
      required && Dim3{(*required)[0], (*required)[1], (*required)[2]} != block)
    return fail(place, fmt::format("the kernel requires a block of {} x {} x {}", (*required)[0],
                                   (*required)[1], (*required)[2]));
  for (auto [groups, items] : {std::pair{grid.x, block.x}, {grid.y, block.y}, {grid.z, block.z}})
    if (uint64_t{groups} * items > UINT32_MAX)
      return fail(place,
                  fmt::format("{} work-groups of {} work-items exceed 2^32 work-items in one dimension",
                              groups, items));
  return {};
}

Expected<uint32_t> lds_bytes(const Kernel& kernel, const Launch& launch, Generation generation) {
  const uint64_t bytes = uint64_t{kernel.descriptor.group_segment_fixed_size} + launch.dynamic_lds;
  if (bytes > lds_limit(generation))
    return fail(
        place_of(kernel),
        fmt::format("{} bytes of LDS ({} static, {} dynamic) exceed the {} a work-group can have", bytes,
                    kernel.descriptor.group_segment_fixed_size, launch.dynamic_lds, lds_limit(generation)));
  return static_cast<uint32_t>(bytes);
}

uint32_t scratch_per_lane(const Kernel& kernel) {
  uint32_t bytes = kernel.descriptor.private_segment_fixed_size;
  if (kernel.uses_dynamic_stack) bytes = std::max(bytes, kDynamicStackBytes);
  return static_cast<uint32_t>(align_up(bytes, sizeof(uint32_t)));
}

// Allocates and remembers the region, so that release_launch finds it.
Expected<MemoryRegion> allocate(LoadedKernel& loaded, Memory& memory, std::string name, uint64_t size) {
  auto region = memory.allocate(std::move(name), size);
  if (region) loaded.regions.push_back(region->address);
  return region;
}

Expected<void> write_kernarg(LoadedKernel& loaded, Memory& memory) {
  const Kernel& kernel = *loaded.kernel;
  const std::vector<std::byte>& given = loaded.launch.kernarg;
  uint64_t explicit_end = 0, end = std::max<uint64_t>(kernel.kernarg_segment_size, given.size());
  for (const KernelArgument& argument : kernel.arguments) {
    const uint64_t argument_end = uint64_t{argument.offset} + argument.size;
    if (!argument.hidden()) explicit_end = std::max(explicit_end, argument_end);
    end = std::max(end, argument_end);
  }
  if (!kernel.has_argument_metadata) explicit_end = kernel.kernarg_segment_size;
  if (given.size() < explicit_end)
    return fail(
        place_of(kernel),
        fmt::format("{} bytes of kernel arguments given, the kernel reads {}", given.size(), explicit_end),
        "give a value for every argument");
  auto region = allocate(loaded, memory, "kernarg", align_up(end, kKernargRounding));
  if (!region) return tl::unexpected(region.error());
  if (!given.empty()) std::memcpy(region->host, given.data(), given.size());
  loaded.kernarg_address = region->address;
  return write_hidden_arguments(loaded, *region, memory);
}

// hsa_kernel_dispatch_packet_t.
struct DispatchPacket {
  uint16_t header, setup;
  uint16_t workgroup_size[3], reserved0;
  uint32_t grid_size[3];
  uint32_t private_segment_size, group_segment_size;
  uint64_t kernel_object, kernarg_address, reserved2, completion_signal;
};
static_assert(sizeof(DispatchPacket) == 64);

// The part of amd_queue_t that device code reads: apertures for targets or code without aperture registers.
constexpr uint64_t kQueueSize = 256, kQueueSharedApertureOffset = 0x40, kQueuePrivateApertureOffset = 0x44;

Expected<void> write_queue(LoadedKernel& loaded, Memory& memory) {
  constexpr unsigned kHighHalf = 32;
  auto region = allocate(loaded, memory, "queue", kQueueSize);
  if (!region) return tl::unexpected(region.error());
  const auto shared = static_cast<uint32_t>(kSharedAperture >> kHighHalf);
  const auto private_high = static_cast<uint32_t>(kPrivateAperture >> kHighHalf);
  std::memcpy(region->host + kQueueSharedApertureOffset, &shared, sizeof shared);
  std::memcpy(region->host + kQueuePrivateApertureOffset, &private_high, sizeof private_high);
  loaded.queue_address = region->address;
  return {};
}

Expected<void> write_packet(LoadedKernel& loaded, Memory& memory) {
  constexpr uint16_t kKernelDispatch = 2;  // packet type in the low byte of the header
  auto region = allocate(loaded, memory, "AQL packet", sizeof(DispatchPacket));
  if (!region) return tl::unexpected(region.error());
  const Dim3 &grid = loaded.launch.grid, &block = loaded.launch.block;
  DispatchPacket packet{};
  packet.header = kKernelDispatch;
  packet.setup = grid_dimensions(loaded.launch);
  const uint32_t groups[3] = {grid.x, grid.y, grid.z}, items[3] = {block.x, block.y, block.z};
  for (int i = 0; i < 3; ++i) {
    packet.workgroup_size[i] = static_cast<uint16_t>(items[i]);
    packet.grid_size[i] = groups[i] * items[i];
  }
  packet.private_segment_size = loaded.scratch_bytes_per_lane;
  packet.group_segment_size = loaded.lds_bytes;
  packet.kernel_object = loaded.load_base + loaded.kernel->descriptor_address;
  packet.kernarg_address = loaded.kernarg_address;
  std::memcpy(region->host, &packet, sizeof packet);
  loaded.dispatch_packet_address = region->address;
  return {};
}

Expected<void> reserve_scratch(LoadedKernel& loaded, Memory& memory) {
  loaded.scratch_bytes_per_lane = scratch_per_lane(*loaded.kernel);
  if (loaded.scratch_bytes_per_lane == 0) return {};
  const uint64_t size = uint64_t{loaded.scratch_bytes_per_lane} * kLanes;
  for (uint32_t wave = 0; wave < loaded.waves_per_work_group; ++wave) {
    // Equal sizes in a row end up at equal distances, which is all that code relies on.
    auto region = allocate(loaded, memory, fmt::format("scratch of wave {}", wave), size);
    if (!region) return tl::unexpected(region.error());
    if (wave == 0) loaded.scratch_address = region->address;
    if (wave == 1) loaded.scratch_wave_stride = region->address - loaded.scratch_address;
  }
  return {};
}

Expected<void> find_entry(LoadedKernel& loaded) {
  const Kernel& kernel = *loaded.kernel;
  uint64_t address = kernel.entry_address;
  if (kernel.descriptor.kernarg_preload_length() != 0) address += kPreloadEntryOffset;
  const int64_t index = loaded.program->index_of(address);
  if (index < 0)
    return fail(place_of(kernel), fmt::format("the entry point 0x{:x} is no instruction", address));
  loaded.entry = static_cast<uint32_t>(index);
  return {};
}

}  // namespace

Expected<LoadedKernel> prepare_launch(LoadedCodeObject& loaded_object, const Kernel& kernel, Launch launch,
                                      Memory& memory) {
  if (auto checked = check_geometry(kernel, launch); !checked) return tl::unexpected(checked.error());
  auto program = loaded_object.program_for(kernel);
  if (!program) return tl::unexpected(program.error());
  LoadedKernel loaded;
  loaded.program = *program;
  loaded.code_object = loaded_object.code_object;
  loaded.load_base = loaded_object.load_base;
  loaded.kernel = &kernel;
  loaded.waves_per_work_group = static_cast<uint32_t>((launch.block.count() + kLanes - 1) / kLanes);
  auto lds = lds_bytes(kernel, launch, (*program)->generation);
  if (!lds) return tl::unexpected(lds.error());
  loaded.lds_bytes = *lds;
  loaded.launch = std::move(launch);
  if (auto found = find_entry(loaded); !found) return tl::unexpected(found.error());
  for (auto step : {reserve_scratch, write_queue, write_kernarg, write_packet}) {
    if (auto done = step(loaded, memory); !done) {
      release_launch(loaded, memory);
      return tl::unexpected(done.error());
    }
  }
  return loaded;
}

void release_launch(const LoadedKernel& kernel, Memory& memory) {
  for (uint64_t address : kernel.regions) memory.release(address);
}

}  // namespace wavecast::isa
