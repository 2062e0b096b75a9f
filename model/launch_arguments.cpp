// The --arg grammar: scalars, raw bytes, null, buffers with their contents, and references to earlier
// buffers.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "model/launch_grammar.h"
#include "model/text_parsing.h"

namespace wavecast::model {
namespace {

// The text before and after the first ':'; `rest` is empty without one.
struct Cut {
  std::string_view head, rest;
  bool found = false;
};
Cut cut(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {text, {}, false};
  return {text.substr(0, colon), text.substr(colon + 1), true};
}

// An error without place, to be completed by the caller who knows it.
tl::unexpected<Error> bad(std::string reason, std::string remedy) {
  return fail("", std::move(reason), std::move(remedy));
}

Expected<BufferInit> parse_random(std::string_view text) {
  BufferInit init;
  init.kind = BufferInit::Kind::random;
  auto parts = split(text, ':');
  auto type = require_element_type(parts[0]);
  if (!type) return tl::unexpected(type.error());
  init.type = *type;
  if (parts.size() > 1 && parts.back().starts_with("seed=")) {
    const auto seed = parse_unsigned(parts.back().substr(5));
    if (!seed)
      return bad(fmt::format("'{}' is not a seed", parts.back()), "write seed=N with a whole number");
    init.seed = *seed;
    parts.pop_back();
  }
  if (parts.size() == 1) return init;
  if (parts.size() != 3)
    return bad(fmt::format("'random:{}' is not understood", text),
               "write random:TYPE[:LO:HI][:seed=N], for example random:f32:-1:1");
  const auto low = parse_element(init.type, parts[1]);
  if (!low) return tl::unexpected(low.error());
  const auto high = parse_element(init.type, parts[2]);
  if (!high) return tl::unexpected(high.error());
  init.bounded = true;
  init.low_bits = *low;
  init.high_bits = *high;
  return init;
}

Expected<BufferInit> parse_fill(std::string_view text) {
  BufferInit init;
  init.kind = BufferInit::Kind::fill;
  const Cut parts = cut(text);
  auto type = require_element_type(parts.head);
  if (!type) return tl::unexpected(type.error());
  if (!parts.found) return bad("fill needs a value", "write fill:TYPE:VALUE, for example fill:f32:1.5");
  const auto value = parse_element(*type, parts.rest);
  if (!value) return tl::unexpected(value.error());
  init.type = *type;
  init.value_bits = *value;
  return init;
}

Expected<ArgumentDescription> parse_buffer(LaunchDescription& launch, std::string_view text,
                                           std::string name) {
  const Cut parts = cut(text);
  const auto bytes = parse_byte_size(parts.head);
  if (!bytes || *bytes == 0)
    return bad(fmt::format("'{}' is not a buffer size", parts.head),
               "write buf:SIZE[:init] with SIZE such as 4096, 64KiB or 1GiB");
  BufferDescription buffer{std::move(name), *bytes, {}};
  if (parts.found) {
    auto init = parse_buffer_init(parts.rest);
    if (!init) return tl::unexpected(init.error());
    buffer.init = *init;
  }
  if (auto ok = check_buffer(buffer); !ok) return tl::unexpected(ok.error());
  ArgumentDescription argument;
  argument.kind = ArgumentDescription::Kind::buffer;
  argument.buffer = launch.buffers.size();
  launch.buffers.push_back(std::move(buffer));
  return argument;
}

Expected<ArgumentDescription> parse_same(const LaunchDescription& launch, std::string_view text) {
  const auto index = parse_unsigned(text);
  if (!index)
    return bad(fmt::format("'{}' is not an argument number", text), "write same:I, arguments count from 0");
  if (*index >= launch.arguments.size())
    return bad(fmt::format("same:{} names an argument that does not come before this one", text),
               fmt::format("{} arguments come before this one", launch.arguments.size()));
  const ArgumentDescription& other = launch.arguments[*index];
  if (!other.buffer)
    return bad(fmt::format("argument {} ('{}') is no buffer", text, other.text),
               "same:I repeats the buffer of argument I");
  ArgumentDescription argument;
  argument.kind = ArgumentDescription::Kind::buffer;
  argument.buffer = other.buffer;
  argument.buffer_offset = other.buffer_offset;
  return argument;
}

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

}  // namespace

Expected<ElementType> require_element_type(std::string_view name) {
  if (const auto type = parse_element_type(name)) return *type;
  return bad(fmt::format("'{}' is no element type", name), fmt::format("types: {}", kElementTypeNames));
}

Expected<void> check_buffer(const BufferDescription& buffer) {
  const BufferInit& init = buffer.init;
  const bool typed = init.kind != BufferInit::Kind::zero && init.kind != BufferInit::Kind::file;
  if (typed && buffer.bytes % size_of(init.type))
    return bad(fmt::format("{} bytes are no whole number of {} elements of {} bytes", buffer.bytes,
                           to_string(init.type), size_of(init.type)),
               fmt::format("make the size a multiple of {}", size_of(init.type)));
  if (init.kind == BufferInit::Kind::random && init.bounded) {
    const double low = element_to_double(init.type, init.low_bits),
                 high = element_to_double(init.type, init.high_bits);
    if (!(low <= high) || !std::isfinite(high - low))
      return bad(fmt::format("random bounds {} to {} are no range", element_to_text(init.type, init.low_bits),
                             element_to_text(init.type, init.high_bits)),
                 "write the smaller bound first; both must be finite");
  }
  return {};
}

Expected<BufferInit> parse_buffer_init(std::string_view text) {
  const Cut parts = cut(text);
  BufferInit init;
  if (parts.head == "zero" && !parts.found) return init;
  if (parts.head == "random" && parts.found) return parse_random(parts.rest);
  if (parts.head == "fill" && parts.found) return parse_fill(parts.rest);
  if (parts.head == "iota" && parts.found) {
    auto type = require_element_type(parts.rest);
    if (!type) return tl::unexpected(type.error());
    init.kind = BufferInit::Kind::iota;
    init.type = *type;
    return init;
  }
  if (parts.head == "file" && !parts.rest.empty()) {
    init.kind = BufferInit::Kind::file;
    init.path = parts.rest;
    return init;
  }
  return bad(fmt::format("'{}' is not understood as a buffer's contents", text),
             fmt::format("write {}", kInitGrammar));
}

Expected<ArgumentDescription> parse_scalar(ElementType type, std::string_view value) {
  const auto bits = parse_element(type, value);
  if (!bits) return tl::unexpected(bits.error());
  ArgumentDescription argument;
  argument.type = type;
  for (uint32_t i = 0; i < size_of(type); ++i)
    argument.bytes.push_back(static_cast<std::byte>(*bits >> 8 * i));
  return argument;
}

Expected<ArgumentDescription> parse_hex(std::string_view digits) {
  ArgumentDescription argument;
  argument.kind = ArgumentDescription::Kind::raw_bytes;
  for (size_t i = 0; i < digits.size();) {
    if (digits[i] == ' ' || digits[i] == '_') {
      ++i;
      continue;
    }
    const auto high = hex_digit(digits[i]);
    const auto low = i + 1 < digits.size() ? hex_digit(digits[i + 1]) : std::nullopt;
    if (!high || !low)
      return bad(
          fmt::format("'{}' at position {} is no byte of two hexadecimal digits", digits.substr(i, 2), i),
          "write hex:0011aa, two digits per byte, first byte first");
    argument.bytes.push_back(static_cast<std::byte>(*high << 4 | *low));
    i += 2;
  }
  if (argument.bytes.empty())
    return bad("hex without bytes", "write hex:0011aa, two digits per byte, first byte first");
  return argument;
}

Expected<ArgumentDescription> parse_argument(LaunchDescription& launch, std::string_view text,
                                             std::string buffer_name) {
  const auto parse = [&]() -> Expected<ArgumentDescription> {
    const Cut parts = cut(text);
    if (text == "null") {
      ArgumentDescription argument;
      argument.kind = ArgumentDescription::Kind::null;
      return argument;
    }
    if (parts.found) {
      if (parts.head == "buf") return parse_buffer(launch, parts.rest, std::move(buffer_name));
      if (parts.head == "same") return parse_same(launch, parts.rest);
      if (parts.head == "hex") return parse_hex(parts.rest);
      if (const auto type = parse_element_type(parts.head)) return parse_scalar(*type, parts.rest);
    }
    return bad(fmt::format("'{}' is not understood", text), fmt::format("write one of {}", kArgumentGrammar));
  };
  auto argument = parse();
  if (argument) argument->text = text;
  return argument;
}

Expected<void> add_arguments(LaunchDescription& launch, const std::vector<std::string>& arguments) {
  for (const std::string& text : arguments) {
    const size_t index = launch.arguments.size();
    auto argument = parse_argument(launch, text, fmt::format("argument {}", index));
    if (!argument) {
      Error error = argument.error();
      error.place = fmt::format("argument {} (--arg {})", index, text);
      return tl::unexpected(std::move(error));
    }
    launch.arguments.push_back(std::move(*argument));
  }
  return {};
}

}  // namespace wavecast::model
