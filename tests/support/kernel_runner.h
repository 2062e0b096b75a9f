// Runs a compiled test kernel in the emulator: finds the code object, places buffers in guest memory, lays
// out the arguments as the kernel's metadata says, executes the whole grid. Errors end the test with their
// message.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "isa/code_object_file.h"
#include "isa/emulator.h"
#include "isa/memory.h"

namespace wavecast::test {

// The value, or an exception with the error's three parts: GoogleTest reports it as a failure of the running
// test.
template <class T>
T value_of(isa::Expected<T> expected) {
  if (!expected)
    throw std::runtime_error(
        fmt::format("{}: {}; {}", expected.error().place, expected.error().reason, expected.error().remedy));
  return std::move(*expected);
}

// A guest buffer; `values` is its memory, before and after a run.
template <class T>
struct Buffer {
  uint64_t address = 0;
  std::span<T> values;
};

class KernelRunner {
 public:
  // `file` is the name of a source below tests/kernels or examples/kernels, without extension.
  KernelRunner(std::string_view file, std::string_view target)
      : KernelRunner(fmt::format("{}.{}.co", file, target), target, InContainer{}) {}

  // The code object for `target` out of any file; a relative name is one in the folder of test kernels.
  static KernelRunner in_container(const std::filesystem::path& file, std::string_view target) {
    return KernelRunner(file, target, InContainer{});
  }

  template <class T>
  Buffer<T> buffer(size_t count) {
    const isa::MemoryRegion region =
        value_of(memory_.allocate(fmt::format("buffer {}", next_buffer_++), count * sizeof(T)));
    return {region.address, std::span<T>(reinterpret_cast<T*>(region.host), count)};
  }
  template <class T>
  Buffer<T> buffer(const std::vector<T>& content) {
    Buffer<T> result = buffer<T>(content.size());
    std::memcpy(result.values.data(), content.data(), content.size() * sizeof(T));
    return result;
  }

  // Arguments in the kernel's order: a Buffer for a pointer, otherwise a value of exactly the argument's
  // size.
  template <class... Arguments>
  isa::EmulationSummary run(std::string_view kernel_name, isa::Dim3 grid, isa::Dim3 block,
                            const Arguments&... arguments) {
    const isa::LoadedKernel loaded = load(kernel_name, grid, block, arguments...);
    return value_of(isa::run_grid(loaded, memory_));
  }

  // The same launch placed in guest memory but not run.
  template <class... Arguments>
  isa::LoadedKernel load(std::string_view kernel_name, isa::Dim3 grid, isa::Dim3 block,
                         const Arguments&... arguments) {
    isa::KernelSelection selection = value_of(isa::select_kernel(file_, kernel_name, target_));
    auto code_object = std::make_shared<const isa::CodeObject>(std::move(selection.code_object));
    const isa::Kernel& kernel = code_object->kernels[selection.kernel];
    isa::Launch launch{grid, block, dynamic_lds_, std::vector<std::byte>(kernel.kernarg_segment_size)};
    size_t index = 0;
    (place(kernel, index++, argument_bytes(arguments), launch.kernarg), ...);
    if (index < kernel.arguments.size() && !kernel.arguments[index].hidden())
      throw std::runtime_error(
          fmt::format("{}: {} arguments given, the kernel has more", kernel.demangled, index));
    return value_of(isa::load_kernel(code_object, kernel, std::move(launch), memory_));
  }

  isa::Memory& memory() { return memory_; }

  // For the runs that follow, bytes per work-group beyond what the kernel declares.
  void set_dynamic_lds(uint32_t bytes) { dynamic_lds_ = bytes; }

  // Where the buffers and loaded kernels live.

 private:
  struct InContainer {};
  KernelRunner(const std::filesystem::path& file, std::string_view target, InContainer)
      : target_(target),
        file_(value_of(isa::CodeObjectFile::open(std::filesystem::path(WAVECAST_KERNEL_DIR) / file))) {}

  template <class T>
  static std::vector<std::byte> argument_bytes(const Buffer<T>& buffer) {
    return argument_bytes(buffer.address);
  }
  template <class T>
  static std::vector<std::byte> argument_bytes(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    return {bytes, bytes + sizeof(T)};
  }

  static void place(const isa::Kernel& kernel, size_t index, const std::vector<std::byte>& bytes,
                    std::vector<std::byte>& kernarg) {
    if (index >= kernel.arguments.size() || kernel.arguments[index].hidden())
      throw std::runtime_error(fmt::format("{}: argument {} is one too many", kernel.demangled, index));
    const isa::KernelArgument& argument = kernel.arguments[index];
    if (argument.size != bytes.size() || argument.offset + bytes.size() > kernarg.size())
      throw std::runtime_error(fmt::format("{}: argument {} has {} bytes, {} given", kernel.demangled, index,
                                           argument.size, bytes.size()));
    std::memcpy(kernarg.data() + argument.offset, bytes.data(), bytes.size());
  }

  std::string target_;
  isa::CodeObjectFile file_;
  isa::Memory memory_;
  int next_buffer_ = 0;
  uint32_t dynamic_lds_ = 0;
};

}  // namespace wavecast::test
