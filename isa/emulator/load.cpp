// Places a code object in guest memory: segments, zero-filled tails, relocations.
// Source: LLVM 22 AMDGPUUsage, "Relocation Records". Leaves out: symbols of other code objects (HIP links
// none).
#include <fmt/core.h>
#include <llvm/BinaryFormat/ELF.h>

#include <algorithm>
#include <cstring>

#include "isa/emulator.h"

namespace wavecast::isa {

namespace {

// Below this a code object is decoded in one piece; above it, kernel by kernel (libraries hold tens of
// megabytes).
constexpr uint64_t kSmallText = uint64_t{1} << 20;
// Segments are mapped with the page offset the linker gave them.
constexpr uint64_t kPage = 4096;

struct Image {
  MemoryRegion region;
  uint64_t load_base = 0;
  // Host bytes behind [address, address + size) of the code object, or null.
  std::byte* at(uint64_t address, uint64_t size) const {
    const uint64_t offset = address + load_base - region.address;
    return offset < region.size && size <= region.size - offset ? region.host + offset : nullptr;
  }
};

Expected<Image> map_segments(const CodeObject& code_object, Memory& memory) {
  if (code_object.segments.empty())
    return fail(code_object.origin, "the code object has no loadable segment");
  uint64_t begin = UINT64_MAX, end = 0;
  for (const Segment& segment : code_object.segments) {
    if (segment.address > UINT64_MAX - segment.memory_size)
      return fail(code_object.origin, "a segment wraps around");
    begin = std::min(begin, segment.address / kPage * kPage);
    end = std::max(end, segment.address + segment.memory_size);
  }
  auto region = memory.allocate("code object " + code_object.origin, end - begin);
  if (!region) return tl::unexpected(region.error());
  Image image{*region, region->address - begin};
  for (const Segment& segment : code_object.segments)
    if (!segment.bytes.empty())
      std::memcpy(image.at(segment.address, 0), segment.bytes.data(), segment.bytes.size());
  return image;
}

template <class Word>
bool store(const Image& image, const Relocation& relocation, uint64_t value) {
  std::byte* place = image.at(relocation.address, sizeof(Word));
  if (place == nullptr) return false;
  const auto word = static_cast<Word>(value);
  std::memcpy(place, &word, sizeof word);
  return true;
}

// Formulas of AMDGPUUsage: B load base, S symbol, A addend, P place.
Expected<void> apply(const Image& image, const CodeObject& code_object, const Relocation& relocation) {
  namespace elf = llvm::ELF;
  const std::string place = fmt::format("{}, relocation at 0x{:x}", code_object.origin, relocation.address);
  if (relocation.type == elf::R_AMDGPU_NONE) return {};
  if (!relocation.symbol_defined)
    return fail(place, fmt::format("symbol '{}' is undefined", relocation.symbol),
                "link the device code that defines it into this code object");
  const uint64_t target =
      image.load_base + relocation.symbol_value + static_cast<uint64_t>(relocation.addend);
  const uint64_t distance = target - (image.load_base + relocation.address);
  constexpr unsigned kHighHalf = 32;
  bool stored = false;
  switch (relocation.type) {
    case elf::R_AMDGPU_RELATIVE64:
      stored = store<uint64_t>(image, relocation, image.load_base + static_cast<uint64_t>(relocation.addend));
      break;
    case elf::R_AMDGPU_ABS64:
      stored = store<uint64_t>(image, relocation, target);
      break;
    case elf::R_AMDGPU_ABS32:
    case elf::R_AMDGPU_ABS32_LO:
      stored = store<uint32_t>(image, relocation, target);
      break;
    case elf::R_AMDGPU_ABS32_HI:
      stored = store<uint32_t>(image, relocation, target >> kHighHalf);
      break;
    case elf::R_AMDGPU_REL64:
      stored = store<uint64_t>(image, relocation, distance);
      break;
    case elf::R_AMDGPU_REL32:
    case elf::R_AMDGPU_REL32_LO:
      stored = store<uint32_t>(image, relocation, distance);
      break;
    case elf::R_AMDGPU_REL32_HI:
      stored = store<uint32_t>(image, relocation, distance >> kHighHalf);
      break;
    default:
      return fail(place, fmt::format("relocation type {} is not one that a loader applies", relocation.type));
  }
  if (!stored) return fail(place, "the relocated place is outside the loaded segments");
  return {};
}

}  // namespace

Expected<LoadedCodeObject> load_code_object(std::shared_ptr<const CodeObject> code_object, Memory& memory) {
  if (code_object->relocatable)
    return fail(code_object->origin, "a relocatable object cannot be launched",
                "link it with ld.lld -shared");
  auto image = map_segments(*code_object, memory);
  if (!image) return tl::unexpected(image.error());
  for (const Relocation& relocation : code_object->relocations) {
    if (auto applied = apply(*image, *code_object, relocation); !applied) {
      memory.release(image->region.address);
      return tl::unexpected(applied.error());
    }
  }
  LoadedCodeObject loaded;
  loaded.code_object = std::move(code_object);
  loaded.load_base = image->load_base;
  loaded.region_address = image->region.address;
  return loaded;
}

Expected<std::shared_ptr<const Program>> LoadedCodeObject::program_for(const Kernel& kernel) {
  uint64_t text = 0;
  for (const Segment& segment : code_object->segments)
    if (segment.executable) text += segment.bytes.size();
  std::shared_ptr<const Program>& slot = text <= kSmallText ? whole_ : by_entry_[kernel.entry_address];
  if (slot) return slot;
  auto program = decode_program(*code_object, text <= kSmallText ? nullptr : &kernel);
  if (program) slot = *program;
  return program;
}

Expected<LoadedKernel> load_kernel(std::shared_ptr<const CodeObject> code_object, const Kernel& kernel,
                                   Launch launch, Memory& memory) {
  auto loaded = load_code_object(std::move(code_object), memory);
  if (!loaded) return tl::unexpected(loaded.error());
  return prepare_launch(*loaded, kernel, std::move(launch), memory);
}

}  // namespace wavecast::isa
