// Pieces of a launch description that the command line and launch files share.
#include "model/launch_description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "model/text_parsing.h"

namespace wavecast::model {

Expected<isa::Dim3> parse_dim3(std::string_view text, std::string_view option) {
  const auto parts = split(text, ',');
  const std::string form = fmt::format("write {} X[,Y[,Z]] with whole numbers from 1 to 4294967295", option);
  if (parts.size() > 3) return fail(fmt::format("{} {}", option, text), "more than three dimensions", form);
  uint32_t sizes[3] = {1, 1, 1};
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto size = parse_unsigned(parts[i]);
    if (!size || *size > std::numeric_limits<uint32_t>::max())
      return fail(fmt::format("{} {}", option, text), fmt::format("'{}' is not a size", parts[i]), form);
    if (*size == 0)
      return fail(fmt::format("{} {}", option, text), fmt::format("dimension {} is zero", "xyz"[i]), form);
    sizes[i] = static_cast<uint32_t>(*size);
  }
  return isa::Dim3{sizes[0], sizes[1], sizes[2]};
}

Expected<size_t> find_buffer(const LaunchDescription& launch, std::string_view name) {
  std::vector<std::string> names;
  for (size_t i = 0; i < launch.buffers.size(); ++i) {
    if (launch.buffers[i].name == name) return i;
    names.push_back(launch.buffers[i].name);
  }
  if (const auto index = parse_unsigned(name)) {
    if (*index >= launch.arguments.size())
      return fail(fmt::format("argument {}", name),
                  fmt::format("the launch has {} arguments", launch.arguments.size()),
                  "arguments count from 0");
    const ArgumentDescription& argument = launch.arguments[*index];
    if (!argument.buffer)
      return fail(
          fmt::format("argument {}", name), fmt::format("'{}' is no buffer", argument.text),
          names.empty() ? "the launch has no buffers" : fmt::format("buffers: {}", fmt::join(names, ", ")));
    return *argument.buffer;
  }
  return fail(fmt::format("buffer '{}'", name), "the launch has no such buffer",
              names.empty()
                  ? "the launch has no buffers"
                  : fmt::format("use a name ({}) or the number of an argument", fmt::join(names, ", ")));
}

}  // namespace wavecast::model
