// Kernels of one AMDGPU code object, joined from the metadata note, the `NAME.kd` descriptors and the
// symbols. The descriptor is what the hardware reads, so it wins over metadata that contradicts it
// (hand-written kernels). Source: LLVM 22 AMDGPUUsage, "Kernel Descriptor", "Code Object Metadata".
#include "isa/code_object.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Support/Endian.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_map>

#include "isa/demangle.h"
#include "isa/elf_image.h"
#include "isa/metadata_note.h"

namespace wavecast::isa {
namespace {

namespace elf = llvm::ELF;

constexpr uint64_t kDescriptorSize = 64;   // AMDGPUUsage: the descriptor is 64 bytes
constexpr uint64_t kEntryAlignment = 256;  // the dispatcher holds address >> 8
constexpr std::string_view kDescriptorSuffix = ".kd";
constexpr uint16_t kUsesDynamicStack = 1 << 11;  // bit 459 of the descriptor

// EI_ABIVERSION -> code object version.
std::optional<int> version_of(uint8_t abi_version) {
  if (abi_version > elf::ELFABIVERSION_AMDGPU_HSA_V6) return std::nullopt;
  return abi_version - elf::ELFABIVERSION_AMDGPU_HSA_V2 + 2;
}

uint32_t round_up(uint32_t value, uint32_t granule) { return (value + granule - 1) / granule * granule; }

// "NAME.kd" -> "NAME"
std::string_view without_suffix(std::string_view symbol) {
  if (symbol.ends_with(kDescriptorSuffix)) symbol.remove_suffix(kDescriptorSuffix.size());
  return symbol;
}

struct RegisterCounts {
  uint32_t arch_vgprs = 0, accum_vgprs = 0, sgprs = 0;
};

// gfx90a and later allocate one unified file: `total` registers, AGPRs from accum_offset on. Metadata counts
// are used only where they round to what the descriptor allocates.
RegisterCounts unified_counts(const KernelDescriptor& d, const KernelMetadata& metadata) {
  constexpr uint32_t kGranule = 8;
  const uint32_t allocated = (d.granulated_vgpr_count() + 1) * kGranule;
  const bool exact = metadata.vgpr_count && *metadata.vgpr_count <= allocated &&
                     std::max(round_up(*metadata.vgpr_count, kGranule), kGranule) == allocated;
  const uint32_t total = exact ? *metadata.vgpr_count : allocated;
  if (total <= d.accum_offset()) return {.arch_vgprs = total};
  // Rounding alone leaves up to half a granule behind accum_offset (a multiple of 4) in a kernel without
  // AGPRs.
  if (!exact && metadata.agpr_count.value_or(0) == 0 && total - d.accum_offset() <= kGranule / 2)
    return {.arch_vgprs = total};
  return {.arch_vgprs = d.accum_offset(), .accum_vgprs = total - d.accum_offset()};
}

// gfx908 and before: ArchVGPRs and AGPRs are two files of equal allocation; metadata's count is the larger
// one.
RegisterCounts separate_counts(const KernelDescriptor& d, const KernelMetadata& metadata) {
  constexpr uint32_t kGranule = 4;
  const uint32_t allocated = (d.granulated_vgpr_count() + 1) * kGranule;
  const bool exact = metadata.vgpr_count && *metadata.vgpr_count <= allocated &&
                     std::max(round_up(*metadata.vgpr_count, kGranule), kGranule) == allocated;
  return {.arch_vgprs = exact ? *metadata.vgpr_count : allocated,
          .accum_vgprs = std::min(metadata.agpr_count.value_or(0), allocated)};
}

RegisterCounts register_counts(const KernelDescriptor& d, const KernelMetadata& metadata,
                               Generation generation) {
  const bool unified = generation == Generation::gfx90a || generation == Generation::gfx942 ||
                       generation == Generation::gfx950;
  RegisterCounts counts = unified ? unified_counts(d, metadata) : separate_counts(d, metadata);
  counts.sgprs = metadata.sgpr_count.value_or((d.granulated_sgpr_count() / 2 + 1) * 16);
  return counts;
}

class KernelCollector {
 public:
  KernelCollector(const ElfImage& image, uint64_t file_size, CodeObject& out)
      : image_(image), file_size_(file_size), out_(out) {
    for (const ElfSymbol& symbol : image.symbols)
      if (symbol.defined && !symbol.name.empty()) symbols_.try_emplace(symbol.name, &symbol);
  }

  Expected<void> collect(const std::vector<CodeObjectMetadata>& notes) {
    for (const CodeObjectMetadata& note : notes)
      for (const KernelMetadata& metadata : note.kernels)
        if (auto added = add_listed(metadata); !added) return added;
    for (const ElfSymbol& symbol : image_.symbols) {
      const bool descriptor = symbol.defined && symbol.type == elf::STT_OBJECT &&
                              symbol.size == kDescriptorSize && symbol.name.ends_with(kDescriptorSuffix);
      if (!descriptor || seen_.contains(symbol.name)) continue;
      if (auto added = add(std::string(without_suffix(symbol.name)), symbol, {}); !added) return added;
    }
    std::sort(out_.kernels.begin(), out_.kernels.end(),
              [](const Kernel& a, const Kernel& b) { return a.name < b.name; });
    return {};
  }

 private:
  tl::unexpected<Error> wrong(const std::string& kernel, std::string reason, std::string remedy) const {
    return fail(fmt::format("{}, kernel {}", out_.origin, kernel), std::move(reason), std::move(remedy));
  }

  Expected<void> add_listed(const KernelMetadata& metadata) {
    std::string symbol_name = metadata.symbol;
    if (symbol_name.empty()) symbol_name = metadata.name + std::string(kDescriptorSuffix);
    const std::string name(metadata.name.empty() ? without_suffix(symbol_name) : metadata.name);
    const auto found = symbols_.find(symbol_name);
    if (found == symbols_.end())
      return wrong(name, fmt::format("is in the metadata, but the file defines no symbol {}", symbol_name),
                   "write .amdhsa_kernel for it, and do not strip dynamic symbols");
    if (seen_.contains(found->first))
      return wrong(name, "is listed twice in the metadata", "remove one of the two entries");
    return add(name, *found->second, metadata);
  }

  Expected<void> add(const std::string& name, const ElfSymbol& symbol, const KernelMetadata& metadata) {
    seen_.emplace(symbol.name, &symbol);
    const auto bytes = image_.bytes_of(symbol, kDescriptorSize);
    if (bytes.empty())
      return wrong(name, "has a descriptor outside the file's contents",
                   "the file is damaged: build it again");
    auto descriptor = parse_kernel_descriptor(bytes, name);
    if (!descriptor) return tl::unexpected(descriptor.error());
    Kernel kernel;
    kernel.name = name;
    if (auto named = demangle(kernel); !named) return named;
    kernel.descriptor = *descriptor;
    const auto code = symbols_.find(without_suffix(symbol.name));
    if (code != symbols_.end() && code->second->type == elf::STT_FUNC) kernel.code_size = code->second->size;
    if (!out_.relocatable)
      if (auto placed = place(kernel, symbol); !placed) return placed;
    fill_registers(kernel, metadata);
    if (auto filled = fill_metadata(kernel, metadata); !filled) return filled;
    out_.kernels.push_back(std::move(kernel));
    return {};
  }

  // Every genuine name lies in the file at least once. Names that share their bytes, or that demangle to far
  // more, could otherwise fill the memory from a small file.
  Expected<void> demangle(Kernel& kernel) {
    constexpr uint64_t kMostDemangled = uint64_t{256}
                                        << 20;  // bytes; rocSPARSE's largest code object needs 1 MiB
    name_bytes_ += kernel.name.size();
    if (name_bytes_ > file_size_)
      return fail(out_.origin, "has kernel names longer than the file",
                  "the file is damaged: build it again");
    kernel.demangled = demangled_bytes_ < kMostDemangled ? demangle_kernel_name(kernel.name) : kernel.name;
    demangled_bytes_ += kernel.demangled.size();
    return {};
  }

  // Addresses, known once the file is linked.
  Expected<void> place(Kernel& kernel, const ElfSymbol& symbol) {
    kernel.descriptor_address = symbol.value;
    kernel.entry_address =
        symbol.value + static_cast<uint64_t>(kernel.descriptor.kernel_code_entry_byte_offset);
    const Segment* code = image_.segment_at(kernel.entry_address);
    if (!code || !code->executable || kernel.entry_address - code->address >= code->bytes.size())
      return wrong(kernel.name,
                   fmt::format("starts at {:#x}, where the file has no code", kernel.entry_address),
                   "the descriptor is damaged: build the file again");
    if (kernel.entry_address % kEntryAlignment != 0)
      return wrong(kernel.name,
                   fmt::format("starts at {:#x}, which is not 256-byte aligned as the hardware needs",
                               kernel.entry_address),
                   "put `.p2align 8` before its label");
    return {};
  }

  void fill_registers(Kernel& kernel, const KernelMetadata& metadata) const {
    const RegisterCounts counts =
        register_counts(kernel.descriptor, metadata, generation_of(out_.target.processor));
    kernel.arch_vgpr_count = counts.arch_vgprs;
    kernel.accum_vgpr_count = counts.accum_vgprs;
    kernel.sgpr_count = counts.sgprs;
    kernel.sgpr_spill_count = metadata.sgpr_spill_count.value_or(0);
    kernel.vgpr_spill_count = metadata.vgpr_spill_count.value_or(0);
  }

  Expected<void> fill_metadata(Kernel& kernel, const KernelMetadata& metadata) const {
    const KernelDescriptor& d = kernel.descriptor;
    kernel.kernarg_segment_size = metadata.kernarg_segment_size.value_or(d.kernarg_size);
    kernel.kernarg_segment_align = metadata.kernarg_segment_align.value_or(kernel.kernarg_segment_align);
    if (!std::has_single_bit(kernel.kernarg_segment_align))
      return wrong(
          kernel.name,
          fmt::format("aligns its kernel arguments to {}, no power of two", kernel.kernarg_segment_align),
          "correct .kernarg_segment_align in its metadata");
    kernel.max_flat_work_group_size =
        metadata.max_flat_work_group_size.value_or(kernel.max_flat_work_group_size);
    kernel.required_work_group_size = metadata.required_work_group_size;
    kernel.uses_dynamic_stack =
        metadata.uses_dynamic_stack.value_or((d.kernel_code_properties & kUsesDynamicStack) != 0);
    kernel.has_argument_metadata = metadata.arguments || metadata.kernarg_segment_size == 0u;
    if (!metadata.arguments) return {};
    kernel.arguments = *metadata.arguments;
    for (size_t i = 0; i < kernel.arguments.size(); ++i) {
      const KernelArgument& argument = kernel.arguments[i];
      if (uint64_t{argument.offset} + argument.size > kernel.kernarg_segment_size)
        return wrong(kernel.name,
                     fmt::format("argument {} ends at byte {}, past its {} bytes of kernel arguments", i,
                                 uint64_t{argument.offset} + argument.size, kernel.kernarg_segment_size),
                     "correct .offset, .size or .kernarg_segment_size in its metadata");
    }
    return {};
  }

  const ElfImage& image_;
  uint64_t file_size_;
  CodeObject& out_;
  uint64_t name_bytes_ = 0, demangled_bytes_ = 0;
  std::unordered_map<std::string_view, const ElfSymbol*> symbols_, seen_;  // seen_: descriptors already taken
};

}  // namespace

const Kernel* CodeObject::find(std::string_view name) const {
  const auto found =
      std::lower_bound(kernels.begin(), kernels.end(), name,
                       [](const Kernel& kernel, std::string_view n) { return kernel.name < n; });
  return found != kernels.end() && found->name == name ? &*found : nullptr;
}

Expected<KernelDescriptor> parse_kernel_descriptor(std::span<const std::byte> bytes,
                                                   std::string_view origin) {
  if (bytes.size() < kDescriptorSize)
    return fail(std::string(origin),
                fmt::format("a kernel descriptor has 64 bytes, here are {}", bytes.size()),
                "the file is truncated: build it again");
  const std::byte* at = bytes.data();
  using namespace llvm::support::endian;
  return KernelDescriptor{.group_segment_fixed_size = read32le(at),
                          .private_segment_fixed_size = read32le(at + 4),
                          .kernarg_size = read32le(at + 8),
                          .kernel_code_entry_byte_offset = static_cast<int64_t>(read64le(at + 16)),
                          .compute_pgm_rsrc1 = read32le(at + 48),
                          .compute_pgm_rsrc2 = read32le(at + 52),
                          .compute_pgm_rsrc3 = read32le(at + 44),
                          .kernel_code_properties = read16le(at + 56),
                          .kernarg_preload = read16le(at + 58)};
}

Expected<CodeObject> parse_code_object(std::shared_ptr<const std::vector<std::byte>> image,
                                       std::string origin) {
  if (!image || image->empty()) return fail(std::move(origin), "is empty", "give an AMDGPU code object");
  auto file = read_elf_image(*image, origin);
  if (!file) return tl::unexpected(file.error());
  const auto version = version_of(file->abi_version);
  if (!version)
    return fail(std::move(origin), fmt::format("has unknown code object ABI version {}", file->abi_version),
                "compile with -mcode-object-version=6 or lower");
  if (*version == 2 || (file->has_v2_metadata && file->metadata.empty()))
    return fail(std::move(origin), "is a code object v2, whose descriptors and metadata have another format",
                "compile it again with ROCm 4 or later, or with -mcode-object-version=4");
  auto target = target_of_elf_flags(file->flags, *version);
  if (!target)
    return fail(std::move(origin), fmt::format("is for an unknown processor (e_flags {:#x})", file->flags),
                "known are the processors of LLVM 22");

  std::vector<CodeObjectMetadata> notes;
  for (const auto& body : file->metadata) {
    auto note = parse_metadata(body, origin);
    if (!note) return tl::unexpected(note.error());
    notes.push_back(std::move(*note));
  }
  CodeObject object;
  object.origin = std::move(origin);
  object.target = std::move(*target);
  object.version = *version;
  object.relocatable = file->relocatable;
  if (auto collected = KernelCollector(*file, image->size(), object).collect(notes); !collected)
    return tl::unexpected(collected.error());
  object.segments = std::move(file->segments);
  object.relocations = std::move(file->relocations);
  object.storage = std::move(image);
  return object;
}

}  // namespace wavecast::isa
