// A launch as a user writes it, on the command line or in a YAML launch file, and its way into guest memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "isa/emulator.h"
#include "model/error.h"

namespace wavecast::model {

// Contents of a buffer: zero | iota:TYPE | random:TYPE[:LO:HI][:seed=N] | fill:TYPE:VALUE | file:PATH.
struct BufferInit {
  enum class Kind { zero, iota, random, fill, file } kind = Kind::zero;
  std::string type = "u8";          // i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64
  double low = 0, high = 1, value = 0;
  uint64_t seed = 1;
  std::string path;
};

struct BufferDescription {
  std::string name;                 // "argument 0" or the name in the launch file
  uint64_t bytes = 0;
  BufferInit init;
};

// One kernel argument: raw bytes, or the address of a buffer (index into LaunchDescription::buffers) plus an offset.
struct ArgumentDescription {
  std::string text;                 // as the user wrote it, for messages
  std::vector<std::byte> bytes;     // by value
  std::optional<size_t> buffer;     // pointer
  std::optional<uint32_t> kernarg_offset;  // explicit layout; else the kernel's metadata order
};

struct BufferCheck {
  std::string buffer, equals_path, type;
  double relative_tolerance = 0, absolute_tolerance = 0;
};

struct LaunchDescription {
  std::string code_object, kernel;  // from a launch file; may be empty
  isa::Dim3 grid, block;            // work-groups, work-items
  uint32_t dynamic_lds = 0;
  std::vector<BufferDescription> buffers;
  std::vector<ArgumentDescription> arguments;
  uint32_t kernarg_size = 0;        // explicit layouts; 0: from metadata
  std::optional<BufferCheck> check;
};

// Parses "X[,Y[,Z]]". Errors: not positive integers, more than three.
Expected<isa::Dim3> parse_dim3(std::string_view text, std::string_view option);

// Parses the --arg values in order. Errors name the argument and the grammar.
Expected<void> add_arguments(LaunchDescription& launch, const std::vector<std::string>& arguments);

// Parses a launch file. Errors: file:line:column, what is wrong, what is allowed.
Expected<LaunchDescription> parse_launch_file(std::string_view yaml_text, std::string_view origin);
Expected<LaunchDescription> load_launch_file(const std::string& path);

// Allocates and fills the buffers, lays out the kernarg segment against the kernel's metadata, and loads the kernel.
// Errors: too few, too many or ill-typed arguments (lists what the kernel takes), unreadable files, loader errors.
struct PreparedLaunch {
  isa::LoadedKernel kernel;
  std::vector<isa::MemoryRegion> buffers;  // in the order of LaunchDescription::buffers
};
Expected<PreparedLaunch> prepare(const LaunchDescription& launch, std::shared_ptr<const isa::CodeObject> code_object,
                                 const isa::Kernel& kernel, isa::Memory& memory);

}  // namespace wavecast::model
