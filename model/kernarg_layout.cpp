// The kernarg segment: argument checks against the kernel's metadata, and bytes at their offsets.
// Layout rules: LLVM 22 AMDGPUUsage, "Code Object V5 Metadata" (.args). Types come from the metadata (OpenCL)
// or the demangled name (HIP), which the metadata of HIP kernels lacks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "model/launch_description.h"

namespace wavecast::model {
namespace {

constexpr uint32_t kPointerBytes = 8;  // global addresses are 64 bits on every AMDGPU HSA target

std::vector<const isa::KernelArgument*> explicit_arguments(const isa::Kernel& kernel) {
  std::vector<const isa::KernelArgument*> arguments;
  for (const isa::KernelArgument& argument : kernel.arguments)
    if (!argument.hidden()) arguments.push_back(&argument);
  return arguments;
}

bool is_pointer(const isa::KernelArgument& argument) { return argument.value_kind == "global_buffer"; }

// Parameter types of "void f<int>(float const*, int) [clone .x]"; empty for a name without a signature.
std::vector<std::string> signature_types(std::string_view demangled) {
  const size_t close = demangled.rfind(')');
  if (close == std::string_view::npos) return {};
  int depth = 0;
  size_t open = close;
  for (;; --open) {
    depth += demangled[open] == ')' ? 1 : demangled[open] == '(' ? -1 : 0;
    if (depth == 0 || open == 0) break;
  }
  if (depth != 0) return {};
  std::vector<std::string> types;
  std::string current;
  int nesting = 0;
  for (char c : demangled.substr(open + 1, close - open - 1)) {
    nesting +=
        (c == '<' || c == '(' || c == '[' || c == '{') - (c == '>' || c == ')' || c == ']' || c == '}');
    if (c == ',' && nesting == 0) {
      types.push_back(std::move(current));
      current.clear();
    } else if (c != ' ' || !current.empty()) {
      current += c;
    }
  }
  if (!current.empty()) types.push_back(std::move(current));
  return types;
}

// What a scalar of a C++ or OpenCL type is, as far as its name tells.
enum class ScalarKind { unknown, integer, floating };
ScalarKind scalar_kind(std::string_view type) {
  if (type.starts_with("const ")) type.remove_prefix(6);
  if (type.ends_with(" const")) type.remove_suffix(6);
  for (std::string_view name :
       {"float", "double", "half", "__half", "_Float16", "__bf16", "hip_bfloat16", "__hip_bfloat16"})
    if (type == name) return ScalarKind::floating;
  for (std::string_view name : {"int", "unsigned int", "uint", "long", "unsigned long", "ulong", "long long",
                                "unsigned long long", "short", "unsigned short", "ushort", "char",
                                "signed char", "unsigned char", "uchar", "bool", "size_t"})
    if (type == name) return ScalarKind::integer;
  return ScalarKind::unknown;
}

std::string describe_argument(const isa::KernelArgument& argument, const std::string& type) {
  std::string text = type;
  if (type.empty()) text = is_pointer(argument) ? "pointer" : fmt::format("{}-byte value", argument.size);
  if (!argument.name.empty()) text += " " + argument.name;
  return text;
}

std::string scalar_remedy(const isa::KernelArgument& argument, ScalarKind kind) {
  const bool floating_fits = kind != ScalarKind::integer, integer_fits = kind != ScalarKind::floating;
  std::string forms;
  const auto add = [&](std::string_view form) { forms += (forms.empty() ? "" : ", ") + std::string(form); };
  switch (argument.size) {
    case 1:
      add("u8:.., i8:..");
      break;
    case 2:
      if (integer_fits) add("u16:.., i16:..");
      if (floating_fits) add("f16:.., bf16:..");
      break;
    case 4:
      if (integer_fits) add("u32:.., i32:..");
      if (floating_fits) add("f32:..");
      break;
    case 8:
      if (integer_fits) add("u64:.., i64:..");
      if (floating_fits) add("f64:..");
      break;
    default:
      break;
  }
  add(fmt::format("hex: with {} bytes", argument.size));
  return "give " + forms;
}

// One argument of the description against one of the metadata; null error text means it fits.
Expected<void> check_argument(const ArgumentDescription& given, const isa::KernelArgument& wanted,
                              const std::string& type, const std::string& place) {
  using Kind = ArgumentDescription::Kind;
  const std::string what = describe_argument(wanted, type);
  if (is_pointer(wanted)) {
    if (given.kind == Kind::buffer || given.kind == Kind::null) return {};
    return fail(place, fmt::format("the kernel takes a pointer here ({}), '{}' is a value", what, given.text),
                "give buf:SIZE[:init], same:I or null");
  }
  if (given.kind == Kind::buffer || given.kind == Kind::null) {
    // Hand-written kernels often declare addresses as 8-byte values.
    if (wanted.size == kPointerBytes && scalar_kind(type) == ScalarKind::unknown) return {};
    return fail(place,
                fmt::format("the kernel takes a value of {} bytes here ({}), '{}' is a pointer", wanted.size,
                            what, given.text),
                scalar_remedy(wanted, scalar_kind(type)));
  }
  const ScalarKind kind = scalar_kind(type);
  if (given.bytes.size() != wanted.size)
    return fail(place,
                fmt::format("the kernel takes {} bytes here ({}), '{}' has {}", wanted.size, what, given.text,
                            given.bytes.size()),
                scalar_remedy(wanted, kind));
  const bool mixed = given.kind == Kind::scalar && kind != ScalarKind::unknown &&
                     is_floating(given.type) != (kind == ScalarKind::floating);
  if (mixed)
    return fail(place,
                fmt::format("the kernel takes {} here, '{}' is {}", what, given.text,
                            is_floating(given.type) ? "a floating-point number" : "an integer"),
                scalar_remedy(wanted, kind) + " (hex: passes any bits)");
  return {};
}

void store_argument(std::vector<std::byte>& kernarg, size_t offset, const ArgumentDescription& argument,
                    const std::vector<uint64_t>& addresses) {
  if (argument.buffer) {
    const uint64_t address = addresses[*argument.buffer] + argument.buffer_offset;
    std::memcpy(kernarg.data() + offset, &address, kPointerBytes);
  } else if (!argument.bytes.empty()) {
    std::memcpy(kernarg.data() + offset, argument.bytes.data(), argument.bytes.size());
  }  // null: the segment starts as zeros
}

std::string argument_place(const isa::Kernel& kernel, size_t index, const ArgumentDescription& argument) {
  return fmt::format("kernel '{}', argument {} ({})", kernel.demangled, index, argument.text);
}

Expected<std::vector<std::byte>> lay_out_by_metadata(const LaunchDescription& launch,
                                                     const isa::Kernel& kernel,
                                                     const std::vector<uint64_t>& addresses) {
  const auto wanted = explicit_arguments(kernel);
  const std::string place = fmt::format("kernel '{}'", kernel.demangled);
  if (!kernel.has_argument_metadata && !launch.arguments.empty() && wanted.empty())
    return fail(
        place,
        fmt::format("the code object does not describe the kernel's arguments; got {}",
                    launch.arguments.size()),
        fmt::format(
            "give a launch file whose kernarg entries have offsets, for example - {{ offset: 0, u32: 64 }} "
            "(the kernarg segment has {} bytes)",
            kernel.kernarg_segment_size));
  if (wanted.size() != launch.arguments.size()) {
    const std::string list = wanted.empty() ? "" : ": " + describe_arguments(kernel);
    return fail(place,
                fmt::format("kernel takes {} argument{}{}; got {}", wanted.size(),
                            wanted.size() == 1 ? "" : "s", list, launch.arguments.size()),
                "give one --arg (or kernarg entry of a launch file) per argument, in this order");
  }
  const auto types = argument_types(kernel);
  size_t size = 0;
  for (const auto* argument : wanted) size = std::max(size, size_t{argument->offset} + argument->size);
  // 64 KiB: no compiler emits more (the limit of the metadata's consumers); a larger one is a damaged file.
  if (size > 65536)
    return fail(place, fmt::format("the metadata asks for {} bytes of kernel arguments", size),
                "the code object is damaged");
  std::vector<std::byte> kernarg(size);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (auto ok = check_argument(launch.arguments[i], *wanted[i], types[i],
                                 argument_place(kernel, i, launch.arguments[i]));
        !ok)
      return tl::unexpected(ok.error());
    if (launch.arguments[i].kind == ArgumentDescription::Kind::buffer && wanted[i]->size < kPointerBytes)
      return fail(place, fmt::format("argument {} is a pointer of {} bytes", i, wanted[i]->size),
                  "the code object is damaged");
    store_argument(kernarg, wanted[i]->offset, launch.arguments[i], addresses);
  }
  return kernarg;
}

Expected<std::vector<std::byte>> lay_out_by_offsets(const LaunchDescription& launch,
                                                    const isa::Kernel& kernel,
                                                    const std::vector<uint64_t>& addresses) {
  struct Placed {
    size_t begin, end, index;
  };
  std::vector<Placed> placed;
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const ArgumentDescription& argument = launch.arguments[i];
    const size_t bytes = argument.bytes.empty() ? kPointerBytes : argument.bytes.size();
    placed.push_back({*argument.kernarg_offset, *argument.kernarg_offset + bytes, i});
  }
  const size_t declared = launch.kernarg_size ? launch.kernarg_size : kernel.kernarg_segment_size;
  size_t last = 0;
  for (const Placed& item : placed) {
    if (declared && item.end > declared)
      return fail(argument_place(kernel, item.index, launch.arguments[item.index]),
                  fmt::format("bytes {} to {} lie outside the kernarg segment of {} bytes", item.begin,
                              item.end, declared),
                  launch.kernarg_size ? "raise kernarg_size or lower the offset"
                                      : "lower the offset, or state kernarg_size");
    last = std::max(last, item.end);
  }
  std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) { return a.begin < b.begin; });
  for (size_t i = 1; i < placed.size(); ++i)
    if (placed[i].begin < placed[i - 1].end)
      return fail(argument_place(kernel, placed[i].index, launch.arguments[placed[i].index]),
                  fmt::format("bytes {} to {} overlap argument {} ({} to {})", placed[i].begin, placed[i].end,
                              placed[i - 1].index, placed[i - 1].begin, placed[i - 1].end),
                  "give each argument its own bytes");
  constexpr size_t kLargest =
      1 << 20;  // far beyond any real segment; keeps a mistyped offset from taking memory
  if (std::max(declared, last) > kLargest)
    return fail(fmt::format("kernel '{}'", kernel.demangled),
                fmt::format("a kernarg segment of {} bytes", std::max(declared, last)),
                "check the offsets and kernarg_size");
  std::vector<std::byte> kernarg(std::max(declared, last));
  for (const Placed& item : placed)
    store_argument(kernarg, item.begin, launch.arguments[item.index], addresses);
  return kernarg;
}

}  // namespace

std::vector<std::string> argument_types(const isa::Kernel& kernel) {
  const auto arguments = explicit_arguments(kernel);
  auto signature = signature_types(kernel.demangled);
  std::vector<std::string> types;
  for (size_t i = 0; i < arguments.size(); ++i)
    types.push_back(!arguments[i]->type_name.empty()       ? arguments[i]->type_name
                    : signature.size() == arguments.size() ? signature[i]
                                                           : std::string());
  return types;
}

std::string describe_arguments(const isa::Kernel& kernel) {
  const auto arguments = explicit_arguments(kernel);
  const auto types = argument_types(kernel);
  std::vector<std::string> texts;
  for (size_t i = 0; i < arguments.size(); ++i) texts.push_back(describe_argument(*arguments[i], types[i]));
  return fmt::format("{}", fmt::join(texts, ", "));
}

Expected<std::vector<std::byte>> lay_out_kernarg(const LaunchDescription& launch, const isa::Kernel& kernel,
                                                 const std::vector<uint64_t>& addresses) {
  const bool by_offsets = !launch.arguments.empty() && launch.arguments[0].kernarg_offset.has_value();
  return by_offsets ? lay_out_by_offsets(launch, kernel, addresses)
                    : lay_out_by_metadata(launch, kernel, addresses);
}

}  // namespace wavecast::model
