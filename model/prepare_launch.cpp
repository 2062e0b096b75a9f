// From a launch description to a loaded kernel: buffers in guest memory, arguments with their addresses, code
// loaded.
#include <fmt/format.h>
#include <unistd.h>

#include <span>

#include "model/buffer_contents.h"
#include "model/launch_description.h"

namespace wavecast::model {
namespace {

// Filling more than the machine has would end in the kernel's out-of-memory killer, not in an error.
Expected<void> check_host_memory(const LaunchDescription& launch) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return {};
  const uint64_t present = static_cast<uint64_t>(pages) * static_cast<uint64_t>(page),
                 wanted = bytes_to_fill(launch);
  if (wanted <= present / 10 * 9) return {};  // a tenth for everything else
  return fail("buffers",
              fmt::format("their contents take {:.1f} GiB, this machine has {:.1f} GiB", wanted / 0x1p30,
                          present / 0x1p30),
              "use zero contents (they take no memory until touched) or smaller buffers");
}

}  // namespace

Expected<PreparedLaunch> prepare(const LaunchDescription& launch,
                                 std::shared_ptr<const isa::CodeObject> code_object,
                                 const isa::Kernel& kernel, isa::Memory& memory) {
  // Arguments are checked before the buffers are filled: a wrong --arg must not cost a gigabyte of random
  // numbers first.
  if (auto ok = lay_out_kernarg(launch, kernel, std::vector<uint64_t>(launch.buffers.size())); !ok)
    return tl::unexpected(ok.error());
  if (auto ok = check_host_memory(launch); !ok) return tl::unexpected(ok.error());
  PreparedLaunch prepared;
  std::vector<uint64_t> addresses;
  for (const BufferDescription& buffer : launch.buffers) {
    auto region = memory.allocate(buffer.name, buffer.bytes);
    if (!region) return tl::unexpected<Error>(Error(region.error()));
    if (auto ok = fill_buffer(buffer, std::span(region->host, region->size)); !ok) {
      Error error = ok.error();
      error.place = fmt::format("{}: {}", buffer.name, error.place);
      return tl::unexpected(std::move(error));
    }
    addresses.push_back(region->address);
    prepared.buffers.push_back(std::move(*region));
  }
  auto kernarg = lay_out_kernarg(launch, kernel, addresses);
  if (!kernarg) return tl::unexpected(kernarg.error());
  isa::Launch request{launch.grid, launch.block, launch.dynamic_lds, std::move(*kernarg)};
  auto loaded = isa::load_kernel(std::move(code_object), kernel, std::move(request), memory);
  if (!loaded) return tl::unexpected<Error>(Error(loaded.error()));
  prepared.kernel = std::move(*loaded);
  return prepared;
}

}  // namespace wavecast::model
