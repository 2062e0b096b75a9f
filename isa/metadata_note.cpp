// MessagePack metadata over llvm::msgpack::Reader, token by token: no tree is built, so that memory is
// bounded by the note's size, unknown values are skipped without recursion, and map keys of any type are
// harmless. Source: LLVM 22 AMDGPUUsage, code object metadata tables; MessagePack specification.
#include "isa/metadata_note.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/MsgPackReader.h>

#include <limits>

namespace wavecast::isa {
namespace {

using llvm::msgpack::Object;
using llvm::msgpack::Type;

class MetadataReader {
 public:
  explicit MetadataReader(std::span<const std::byte> note)
      : reader_(llvm::StringRef(reinterpret_cast<const char*>(note.data()), note.size())) {}

  // Each read_ function returns false after setting `reason`.
  bool read_root(CodeObjectMetadata& out) {
    return read_map("the root", [&](llvm::StringRef key) {
      if (key == "amdhsa.kernels")
        return read_array("amdhsa.kernels", [&] { return read_kernel(out.kernels.emplace_back()); });
      if (key == "amdhsa.target") return read_string(key, out.target);
      return skip();
    });
  }

  std::string reason;

 private:
  bool failed(std::string text) {
    reason = std::move(text);
    return false;
  }

  bool next(Object& object) {
    auto read = reader_.read(object);
    if (!read) return failed(llvm::toString(read.takeError()));
    return *read || failed("ends inside a value");
  }

  template <class Each>
  bool read_map(llvm::StringRef what, Each each) {
    Object object;
    if (!next(object)) return false;
    if (object.Kind != Type::Map) return failed(fmt::format("{} is no map", what.str()));
    for (size_t left = object.Length; left > 0; --left) {
      Object key;
      if (!next(key)) return false;
      if (key.Kind != Type::String) return failed(fmt::format("{} has a key that is no string", what.str()));
      if (!each(key.Raw)) return false;
    }
    return true;
  }

  template <class Each>
  bool read_array(llvm::StringRef what, Each each) {
    Object object;
    if (!next(object)) return false;
    if (object.Kind != Type::Array) return failed(fmt::format("{} is no array", what.str()));
    for (size_t left = object.Length; left > 0; --left)
      if (!each()) return false;
    return true;
  }

  // Skips one value with everything in it. Counts what is still due instead of recursing.
  bool skip() {
    for (uint64_t due = 1; due > 0; --due) {
      Object object;
      if (!next(object)) return false;
      const bool map = object.Kind == Type::Map;
      if (!map && object.Kind != Type::Array) continue;
      const uint64_t inside = uint64_t{object.Length} * (map ? 2 : 1);
      if (inside > std::numeric_limits<uint64_t>::max() - due) return failed("nests too many values");
      due += inside;
    }
    return true;
  }

  bool read_string(llvm::StringRef key, std::string& out) {
    Object object;
    if (!next(object)) return false;
    if (object.Kind != Type::String) return failed(fmt::format("{} is no string", key.str()));
    out = object.Raw.str();
    return true;
  }

  bool read_u32(llvm::StringRef key, uint32_t& out) {
    Object object;
    if (!next(object)) return false;
    const bool positive = object.Kind == Type::UInt || (object.Kind == Type::Int && object.Int >= 0);
    if (!positive || object.UInt > std::numeric_limits<uint32_t>::max())
      return failed(fmt::format("{} is no 32-bit unsigned number", key.str()));
    out = static_cast<uint32_t>(object.UInt);
    return true;
  }

  bool read_u32(llvm::StringRef key, std::optional<uint32_t>& out) { return read_u32(key, out.emplace()); }

  bool read_bool(llvm::StringRef key, std::optional<bool>& out) {
    Object object;
    if (!next(object)) return false;
    if (object.Kind != Type::Boolean) return failed(fmt::format("{} is no boolean", key.str()));
    out = object.Bool;
    return true;
  }

  bool read_dimensions(llvm::StringRef key, std::optional<std::array<uint32_t, 3>>& out) {
    std::array<uint32_t, 3> sizes{};
    size_t count = 0;
    const bool read = read_array(key, [&] {
      uint32_t size = 0;
      if (!read_u32(key, size)) return false;
      if (count == sizes.size()) return failed(fmt::format("{} has more than three dimensions", key.str()));
      sizes[count++] = size;
      return true;
    });
    if (!read) return false;
    if (count != sizes.size())
      return failed(fmt::format("{} has {} dimensions, not three", key.str(), count));
    out = sizes;
    return true;
  }

  // Required keys also bound memory: without them, one byte of the note could stand for a whole record.
  bool read_kernel(KernelMetadata& kernel) {
    if (!read_kernel_map(kernel)) return false;
    return !kernel.name.empty() || !kernel.symbol.empty() || failed("a kernel has no .name and no .symbol");
  }

  bool read_kernel_map(KernelMetadata& kernel) {
    return read_map("a kernel", [&](llvm::StringRef key) {
      if (key == ".name") return read_string(key, kernel.name);
      if (key == ".symbol") return read_string(key, kernel.symbol);
      if (key == ".kernarg_segment_size") return read_u32(key, kernel.kernarg_segment_size);
      if (key == ".kernarg_segment_align") return read_u32(key, kernel.kernarg_segment_align);
      if (key == ".sgpr_count") return read_u32(key, kernel.sgpr_count);
      if (key == ".vgpr_count") return read_u32(key, kernel.vgpr_count);
      if (key == ".agpr_count") return read_u32(key, kernel.agpr_count);
      if (key == ".sgpr_spill_count") return read_u32(key, kernel.sgpr_spill_count);
      if (key == ".vgpr_spill_count") return read_u32(key, kernel.vgpr_spill_count);
      if (key == ".max_flat_workgroup_size") return read_u32(key, kernel.max_flat_work_group_size);
      if (key == ".reqd_workgroup_size") return read_dimensions(key, kernel.required_work_group_size);
      if (key == ".uses_dynamic_stack") return read_bool(key, kernel.uses_dynamic_stack);
      if (key == ".args") {
        auto& arguments = kernel.arguments.emplace();
        return read_array(key, [&] { return read_argument(arguments.emplace_back()); });
      }
      return skip();
    });
  }

  bool read_argument(KernelArgument& argument) {
    bool has_offset = false, has_size = false;
    const bool read = read_argument_map(argument, has_offset, has_size);
    if (!read) return false;
    return (has_offset && has_size && !argument.value_kind.empty()) ||
           failed("a kernel argument lacks .offset, .size or .value_kind");
  }

  bool read_argument_map(KernelArgument& argument, bool& has_offset, bool& has_size) {
    return read_map("a kernel argument", [&](llvm::StringRef key) {
      if (key == ".name") return read_string(key, argument.name);
      if (key == ".type_name") return read_string(key, argument.type_name);
      if (key == ".value_kind") return read_string(key, argument.value_kind);
      has_offset |= key == ".offset";
      has_size |= key == ".size";
      if (key == ".offset") return read_u32(key, argument.offset);
      if (key == ".size") return read_u32(key, argument.size);
      return skip();
    });
  }

  llvm::msgpack::Reader reader_;
};

}  // namespace

Expected<CodeObjectMetadata> parse_metadata(std::span<const std::byte> note, std::string_view origin) {
  MetadataReader reader(note);
  CodeObjectMetadata metadata;
  if (!reader.read_root(metadata))
    return fail(fmt::format("{}, AMDGPU metadata note", origin), reader.reason,
                "the file is damaged, or its hand-written .amdgpu_metadata is wrong: build it again");
  return metadata;
}

}  // namespace wavecast::isa
