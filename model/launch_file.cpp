// Launch files: YAML into a LaunchDescription. Every value is checked where it stands, so that each message
// has file:line:column. Leaves out: YAML tags and several documents in one file.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "hardware/close_names.h"
#include "hardware/yaml_reader.h"
#include "model/launch_grammar.h"
#include "model/text_parsing.h"

namespace wavecast::model {
namespace {

struct Field {
  std::string name;
  YAML::Node key, value;
};
using Fields = std::vector<Field>;

const YAML::Node* find(const Fields& fields, std::string_view name) {
  for (const Field& field : fields)
    if (field.name == name) return &field.value;
  return nullptr;
}

// Reads one file; functions return errors whose place is the offending node.
class LaunchFileReader {
 public:
  explicit LaunchFileReader(std::string_view origin)
      : origin_(origin), folder_(std::filesystem::path(std::string(origin)).parent_path().string()) {}

  Expected<LaunchDescription> read(const YAML::Node& root) {
    auto sections = fields(root, "a launch file",
                           {"code_object", "kernel", "grid", "block", "dynamic_lds", "buffers", "kernarg",
                            "kernarg_size", "check"});
    if (!sections) return tl::unexpected(sections.error());
    launch_.origin = origin_;
    for (auto step :
         {&LaunchFileReader::read_names, &LaunchFileReader::read_sizes, &LaunchFileReader::read_buffers,
          &LaunchFileReader::read_kernarg, &LaunchFileReader::read_check})
      if (auto ok = (this->*step)(*sections); !ok) return tl::unexpected(ok.error());
    return std::move(launch_);
  }

  Error error_at(const YAML::Mark& mark, std::string reason, std::string remedy) const {
    if (mark.is_null()) return Error(origin_, std::move(reason), std::move(remedy));
    return Error(fmt::format("{}:{}:{}", origin_, mark.line + 1, mark.column + 1), std::move(reason),
                 std::move(remedy));
  }

 private:
  tl::unexpected<Error> bad(const YAML::Node& node, std::string reason, std::string remedy) const {
    return tl::unexpected(error_at(node.Mark(), std::move(reason), std::move(remedy)));
  }
  tl::unexpected<Error> bad(const YAML::Node& node, Error error) const {
    return bad(node, std::move(error.reason), std::move(error.remedy));
  }

  // The keys of a map, each known and given once.
  Expected<Fields> fields(const YAML::Node& node, std::string_view what,
                          const std::vector<std::string>& allowed) const {
    if (!node.IsMap())
      return bad(node, fmt::format("{} must be a map", what),
                 fmt::format("keys: {}", fmt::join(allowed, ", ")));
    Fields found;
    for (const auto& entry : node) {
      std::string name = entry.first.IsNull() ? "null" : entry.first.IsScalar() ? entry.first.Scalar() : "?";
      if (std::find(allowed.begin(), allowed.end(), name) == allowed.end())
        return bad(entry.first, fmt::format("unknown key '{}' in {}", name, what),
                   hardware::name_remedy(name, allowed));
      if (find(found, name))
        return bad(entry.first, fmt::format("key '{}' is given twice", name), "keep one of them");
      found.push_back({std::move(name), entry.first, entry.second});
    }
    return found;
  }

  Expected<std::string> text(const YAML::Node& node, std::string_view what) const {
    if (!node.IsScalar() || node.Scalar().empty())
      return bad(node, fmt::format("{} must be a text", what), "write one value");
    return node.Scalar();
  }

  Expected<uint64_t> size(const YAML::Node& node, std::string_view what, uint64_t largest,
                          bool zero_allowed) const {
    const auto value = node.IsScalar() ? parse_byte_size(node.Scalar()) : std::nullopt;
    if (!value || *value > largest || (*value == 0 && !zero_allowed))
      return bad(node,
                 fmt::format("{} must be a whole number from {} to {}", what, zero_allowed ? 0 : 1, largest),
                 "write bytes as 4096, 64KiB or 1GiB");
    return *value;
  }

  Expected<isa::Dim3> dimensions(const YAML::Node& node, std::string_view what) const {
    std::string joined;
    if (node.IsScalar()) {
      joined = node.Scalar();
    } else if (node.IsSequence() && node.size() > 0) {
      for (const auto& size : node) {
        if (!size.IsScalar())
          return bad(size, fmt::format("a dimension of {} must be a whole number", what), "write [X, Y, Z]");
        joined += (joined.empty() ? "" : ",") + size.Scalar();
      }
    } else {
      return bad(node, fmt::format("{} must be a list of one to three whole numbers", what),
                 "write [X, Y, Z]");
    }
    auto size = parse_dim3(joined, what);
    if (!size)
      return bad(node, fmt::format("{}: {}", what, size.error().reason),
                 "write [X, Y, Z] with whole numbers from 1");
    return *size;
  }

  std::string resolved(const std::string& path) const {
    const std::filesystem::path given(path);
    return given.is_absolute() || folder_.empty() ? path : (std::filesystem::path(folder_) / given).string();
  }

  Expected<void> read_names(const Fields& sections) {
    if (const auto* node = find(sections, "code_object")) {
      auto path = text(*node, "code_object");
      if (!path) return tl::unexpected(path.error());
      launch_.code_object = resolved(*path);
    }
    if (const auto* node = find(sections, "kernel")) {
      auto name = text(*node, "kernel");
      if (!name) return tl::unexpected(name.error());
      launch_.kernel = *name;
    }
    return {};
  }

  Expected<void> read_sizes(const Fields& sections) {
    for (auto [name, target] : {std::pair{"grid", &launch_.grid}, std::pair{"block", &launch_.block}}) {
      const auto* node = find(sections, name);
      if (!node) continue;
      auto size = dimensions(*node, name);
      if (!size) return tl::unexpected(size.error());
      *target = *size;
    }
    constexpr uint64_t kLargest = std::numeric_limits<uint32_t>::max();
    for (auto [name, target] :
         {std::pair{"dynamic_lds", &launch_.dynamic_lds}, std::pair{"kernarg_size", &launch_.kernarg_size}}) {
      const auto* node = find(sections, name);
      if (!node) continue;
      auto bytes = size(*node, name, kLargest, true);
      if (!bytes) return tl::unexpected(bytes.error());
      *target = static_cast<uint32_t>(*bytes);
    }
    return {};
  }

  Expected<void> read_buffers(const Fields& sections) {
    const auto* node = find(sections, "buffers");
    if (!node || node->IsNull()) return {};
    if (!node->IsMap())
      return bad(*node, "buffers must be a map from name to contents",
                 "write buffers: { A: { bytes: 4096 } }");
    for (const auto& entry : *node) {
      auto name = text(entry.first, "a buffer's name");
      if (!name) return tl::unexpected(name.error());
      for (const BufferDescription& other : launch_.buffers)
        if (other.name == *name)
          return bad(entry.first, fmt::format("buffer '{}' is given twice", *name), "rename one of them");
      auto buffer = read_buffer(*name, entry.second);
      if (!buffer) return tl::unexpected(buffer.error());
      launch_.buffers.push_back(std::move(*buffer));
    }
    return {};
  }

  Expected<BufferDescription> read_buffer(const std::string& name, const YAML::Node& node) {
    const std::string what = fmt::format("buffer '{}'", name);
    auto given = fields(node, what, {"bytes", "init", "type", "seed", "low", "high", "value", "path"});
    if (!given) return tl::unexpected(given.error());
    const auto* bytes_node = find(*given, "bytes");
    if (!bytes_node) return bad(node, fmt::format("{} has no size", what), "add bytes: N");
    // 2^47: more than any address space that a launch can use; keeps sums of sizes far from overflow.
    auto bytes = size(*bytes_node, "bytes", uint64_t{1} << 47, false);
    if (!bytes) return tl::unexpected(bytes.error());
    auto init = read_init(*given, node);
    if (!init) return tl::unexpected(init.error());
    BufferDescription buffer{name, *bytes, std::move(*init)};
    if (auto ok = check_buffer(buffer); !ok) return bad(node, ok.error());
    return buffer;
  }

  // Builds the text form from the keys, so that files and --arg have one grammar and one set of messages.
  Expected<BufferInit> read_init(const Fields& given, const YAML::Node& node) {
    std::string form = "zero";
    if (const auto* init = find(given, "init")) {
      auto value = text(*init, "init");
      if (!value) return tl::unexpected(value.error());
      form = *value;
    }
    struct KeyUse {
      std::string_view key, forms;
    };
    for (const auto& [key, forms] :
         {KeyUse{"type", "iota random fill"}, KeyUse{"seed", "random"}, KeyUse{"low", "random"},
          KeyUse{"high", "random"}, KeyUse{"value", "fill"}, KeyUse{"path", "file"}}) {
      const auto* value = find(given, key);
      const bool used = (" " + std::string(forms) + " ").find(" " + form + " ") != std::string::npos;
      if (value && !used)
        return bad(*value, fmt::format("'{}' has no meaning for init: {}", key, form),
                   fmt::format("it belongs to {}", forms));
      if (value && !value->IsScalar())
        return bad(*value, fmt::format("{} must be one value", key), "write a number or a name");
    }
    const auto append = [&](std::string_view key, std::string_view prefix) {
      if (const auto* value = find(given, key)) form += fmt::format(":{}{}", prefix, value->Scalar());
    };
    const bool one_bound = !find(given, "low") != !find(given, "high");
    if (one_bound) return bad(node, "low and high belong together", "give both or none");
    append("type", "");
    append("low", "");
    append("high", "");
    append("seed", "seed=");
    append("value", "");
    append("path", "");
    auto init = parse_buffer_init(form);
    if (!init) {
      const auto* at = find(given, "init");
      return bad(at ? *at : node, fmt::format("init: {}", init.error().reason), init.error().remedy);
    }
    if (init->kind == BufferInit::Kind::file) init->path = resolved(init->path);
    return *init;
  }

  Expected<void> read_kernarg(const Fields& sections) {
    const auto* node = find(sections, "kernarg");
    const auto* size_node = find(sections, "kernarg_size");
    if (node && !node->IsNull()) {
      if (!node->IsSequence())
        return bad(*node, "kernarg must be a list", "write - { u32: 64 } or - { buffer: C } per argument");
      for (const auto& entry : *node) {
        auto argument = read_argument(entry);
        if (!argument) return tl::unexpected(argument.error());
        if (!launch_.arguments.empty() &&
            launch_.arguments[0].kernarg_offset.has_value() != argument->kernarg_offset.has_value())
          return bad(entry, "some arguments have an offset and some have none",
                     "give every argument an offset, or none");
        launch_.arguments.push_back(std::move(*argument));
      }
    }
    const bool explicit_layout = !launch_.arguments.empty() && launch_.arguments[0].kernarg_offset;
    if (size_node && !explicit_layout && !launch_.arguments.empty())
      return bad(*size_node, "kernarg_size belongs to a layout with offsets",
                 "give every argument an offset, or drop kernarg_size");
    return {};
  }

  Expected<ArgumentDescription> read_argument(const YAML::Node& node) {
    const std::string name = fmt::format("argument {}", launch_.arguments.size());
    if (node.IsNull()) return named_argument("null", node);
    if (node.IsScalar()) return named_argument(node.Scalar(), node);
    std::vector<std::string> allowed = {"offset", "buffer", "buffer_offset", "null", "hex"};
    for (std::string_view type : split(kElementTypeNames, ' ')) allowed.emplace_back(type);
    auto given = fields(node, name, allowed);
    if (!given) return tl::unexpected(given.error());
    const Field* value = nullptr;
    for (const Field& field : *given) {
      if (field.name == "offset" || field.name == "buffer_offset") continue;
      if (value)
        return bad(field.key, fmt::format("{} has both '{}' and '{}'", name, value->name, field.name),
                   "write one value per argument");
      value = &field;
    }
    if (!value)
      return bad(node, fmt::format("{} has no value", name),
                 "write { u32: 64 }, { buffer: C }, { hex: 0011 } or { null: true }");
    auto argument = read_value(*value);
    if (!argument) return argument;
    constexpr uint64_t kLargest = std::numeric_limits<uint32_t>::max();
    if (const auto* offset_node = find(*given, "offset")) {
      auto offset = size(*offset_node, "offset", kLargest, true);
      if (!offset) return tl::unexpected(offset.error());
      argument->kernarg_offset = static_cast<uint32_t>(*offset);
    }
    if (const auto* offset_node = find(*given, "buffer_offset")) {
      if (!argument->buffer)
        return bad(*offset_node, "buffer_offset belongs to a buffer",
                   "drop it, or write { buffer: NAME, buffer_offset: BYTES }");
      const uint64_t bytes = launch_.buffers[*argument->buffer].bytes;
      auto offset = size(*offset_node, "buffer_offset", bytes, true);
      if (!offset) return tl::unexpected(offset.error());
      argument->buffer_offset = *offset;
    }
    return argument;
  }

  Expected<ArgumentDescription> named_argument(const std::string& form, const YAML::Node& node) {
    auto argument = parse_argument(launch_, form, fmt::format("argument {}", launch_.arguments.size()));
    if (!argument) return bad(node, argument.error());
    if (argument->buffer) {
      BufferInit& init = launch_.buffers[*argument->buffer].init;
      if (init.kind == BufferInit::Kind::file && form.starts_with("buf:")) init.path = resolved(init.path);
    }
    return argument;
  }

  Expected<ArgumentDescription> read_value(const Field& field) {
    if (field.name == "null") return named_argument("null", field.value);
    auto value = text(field.value, field.name);
    if (!value) return tl::unexpected(value.error());
    if (field.name != "buffer") return named_argument(field.name + ":" + *value, field.value);
    ArgumentDescription argument;
    argument.kind = ArgumentDescription::Kind::buffer;
    argument.text = "buffer " + *value;
    std::vector<std::string> names;
    for (size_t i = 0; i < launch_.buffers.size(); ++i) {
      if (launch_.buffers[i].name == *value) argument.buffer = i;
      names.push_back(launch_.buffers[i].name);
    }
    if (!argument.buffer)
      return bad(field.value, fmt::format("no buffer is called '{}'", *value),
                 names.empty() ? "declare it under buffers:" : hardware::name_remedy(*value, names));
    return argument;
  }

  Expected<void> read_check(const Fields& sections) {
    const auto* node = find(sections, "check");
    if (!node) return {};
    auto given = fields(*node, "check", {"buffer", "equals", "type", "rtol", "atol"});
    if (!given) return tl::unexpected(given.error());
    BufferCheck check;
    for (auto [key, target] : {std::pair{"buffer", &check.buffer}, std::pair{"equals", &check.equals_path}}) {
      const auto* value = find(*given, key);
      if (!value)
        return bad(*node, fmt::format("check has no '{}'", key),
                   "write { buffer: C, equals: expected.bin, type: f32, rtol: 1e-5 }");
      auto content = text(*value, key);
      if (!content) return tl::unexpected(content.error());
      *target = *content;
    }
    check.equals_path = resolved(check.equals_path);
    if (auto buffer = find_buffer(launch_, check.buffer); !buffer)
      return bad(*find(*given, "buffer"), buffer.error());
    if (const auto* value = find(*given, "type")) {
      auto type = require_element_type(value->IsScalar() ? value->Scalar() : "");
      if (!type) return bad(*value, type.error());
      check.type = *type;
    }
    for (auto [key, target] :
         {std::pair{"rtol", &check.relative_tolerance}, std::pair{"atol", &check.absolute_tolerance}}) {
      const auto* value = find(*given, key);
      if (!value) continue;
      const std::string digits = value->IsScalar() ? value->Scalar() : "";
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *target);
      if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || !(*target >= 0) ||
          std::isinf(*target))
        return bad(*value, fmt::format("{} must be a number from 0", key), "write 1e-5");
    }
    launch_.check = std::move(check);
    return {};
  }

  std::string origin_, folder_;
  LaunchDescription launch_;
};

}  // namespace

Expected<LaunchDescription> parse_launch_file(std::string_view yaml_text, std::string_view origin) {
  LaunchFileReader reader(origin);
  try {
    // The hardware descriptions' reader bounds the size and knows the text on which yaml-cpp never ends.
    const auto document = hardware::yaml::parse_document(yaml_text, origin);
    if (!document)
      return fail(document.error().place, document.error().reason,
                  "write kernel:, grid:, block: and kernarg: at least");
    return reader.read(*document);
  } catch (const YAML::Exception& exception) {  // yaml-cpp reports by exception; it ends here
    return tl::unexpected(
        reader.error_at(exception.mark, exception.msg, "check the YAML syntax at this place"));
  }
}

Expected<LaunchDescription> load_launch_file(const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code))
    return fail(path, "this is a folder, not a launch file", "name a YAML file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail(path, "cannot read the launch file", "check the path and its permissions");
  // One byte more than parse_document takes, so that an endless source ends in its message.
  std::string text((size_t{1} << 20) + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(stream.gcount()));
  if (stream.bad()) return fail(path, "reading the launch file failed", "check the file");
  return parse_launch_file(text, path);
}

}  // namespace wavecast::model
