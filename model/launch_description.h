// A launch as a user writes it, on the command line or in a YAML launch file, and its way into guest memory.
// Leaves out: what HIP adds around a launch (streams, events, cooperative groups).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "hardware/device.h"
#include "isa/emulator.h"
#include "model/element_type.h"
#include "model/error.h"

namespace wavecast::model {

// Contents of a buffer: zero | iota:TYPE | random:TYPE[:LO:HI][:seed=N] | fill:TYPE:VALUE | file:PATH.
struct BufferInit {
  enum class Kind { zero, iota, random, fill, file } kind = Kind::zero;
  ElementType type = ElementType::u8;
  // Random: bits of the bounds in `type`; integers include both, floating types exclude `high` up to
  // rounding. Without bounds: [0, 1) for floating types, every value for integers.
  bool bounded = false;
  uint64_t low_bits = 0, high_bits = 0;
  uint64_t value_bits = 0;  // fill
  uint64_t seed = 1;        // random; two buffers of one seed and type are equal
  std::string path;         // file
};

struct BufferDescription {
  std::string name;  // "argument 0" or the name in the launch file
  uint64_t bytes = 0;
  BufferInit init;
};

// One kernel argument: raw bytes, or the address of a buffer (index into LaunchDescription::buffers) plus an
// offset.
struct ArgumentDescription {
  enum class Kind { scalar, raw_bytes, null, buffer } kind = Kind::scalar;
  std::string text;                        // as the user wrote it, for messages
  ElementType type = ElementType::u8;      // scalar
  std::vector<std::byte> bytes;            // by value
  std::optional<size_t> buffer;            // pointer
  uint64_t buffer_offset = 0;              // bytes into the buffer
  std::optional<uint32_t> kernarg_offset;  // explicit layout; else the kernel's metadata order
};

// A buffer's wanted contents after the launch: |got - want| <= atol + rtol * |want|, NaN equal to NaN.
struct BufferCheck {
  std::string buffer, equals_path;
  ElementType type = ElementType::u8;
  double relative_tolerance = 0, absolute_tolerance = 0;
};

struct LaunchDescription {
  std::string origin;                       // launch file, or empty for the command line
  std::string code_object, kernel;          // from a launch file; may be empty
  isa::Dim3 grid{0, 0, 0}, block{0, 0, 0};  // work-groups, work-items; 0: not given
  uint32_t dynamic_lds = 0;                 // bytes per work-group
  std::vector<BufferDescription> buffers;
  std::vector<ArgumentDescription> arguments;
  uint32_t kernarg_size = 0;  // explicit layouts; 0: from metadata
  std::optional<BufferCheck> check;
};

// Parses "X[,Y[,Z]]". Errors: not positive integers, more than three.
Expected<isa::Dim3> parse_dim3(std::string_view text, std::string_view option);

// Parses the --arg values in order. Errors name the argument and the grammar.
Expected<void> add_arguments(LaunchDescription& launch, const std::vector<std::string>& arguments);

// Parses a launch file. Relative paths in it are taken from the folder of `origin`.
// Errors: file:line:column, what is wrong, what is allowed.
Expected<LaunchDescription> parse_launch_file(std::string_view yaml_text, std::string_view origin);
Expected<LaunchDescription> load_launch_file(const std::string& path);

// Index of the buffer called `name`, or that argument `name` (a number) points to.
// Errors: no such buffer (lists the buffers), argument is no buffer.
Expected<size_t> find_buffer(const LaunchDescription& launch, std::string_view name);

// Grid, block and LDS against what the kernel was compiled for and what the device can hold.
// Errors: grid or block not given, beyond the kernel's or the device's limit; each names both numbers and the
// remedy.
Expected<void> check_limits(const LaunchDescription& launch, const isa::Kernel& kernel,
                            const hardware::Device& device);

// "double* a, float b" as far as metadata or the demangled name tell; "8-byte pointer, 4-byte value"
// otherwise.
std::string describe_arguments(const isa::Kernel& kernel);

// Type of each explicit argument in the order of the metadata, from the metadata or the demangled name; ""
// where neither tells.
std::vector<std::string> argument_types(const isa::Kernel& kernel);

// Allocates and fills the buffers, lays out the kernarg segment against the kernel's metadata, and loads the
// kernel. Errors: too few, too many or ill-typed arguments (lists what the kernel takes), unreadable files,
// loader errors.
struct PreparedLaunch {
  isa::LoadedKernel kernel;
  std::vector<isa::MemoryRegion> buffers;  // in the order of LaunchDescription::buffers
};
Expected<PreparedLaunch> prepare(const LaunchDescription& launch,
                                 std::shared_ptr<const isa::CodeObject> code_object,
                                 const isa::Kernel& kernel, isa::Memory& memory);

// The kernarg segment without hidden arguments. `addresses` are those of the launch's buffers. Used by
// prepare.
Expected<std::vector<std::byte>> lay_out_kernarg(const LaunchDescription& launch, const isa::Kernel& kernel,
                                                 const std::vector<uint64_t>& addresses);

}  // namespace wavecast::model
