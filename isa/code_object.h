// AMDGPU code objects: the ELF file of one target with its kernels, as clang, the assembler and the HIP runtime
// see it (code object v3 to v6; v2 is refused). Source: LLVM 22 AMDGPUUsage, "Code Object", and the ELF-64 ABI.
// Leaves out: debug information other than line tables, and OpenCL printf strings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/error.h"
#include "isa/target.h"

namespace wavecast::isa {

// One explicit or hidden kernel argument from the metadata.
struct KernelArgument {
  std::string name;        // may be empty
  std::string type_name;   // may be empty
  std::string value_kind;  // "by_value", "global_buffer", "hidden_block_count_x", ...
  uint32_t offset = 0;     // bytes from the start of the kernarg segment
  uint32_t size = 0;       // bytes
  bool hidden() const { return value_kind.starts_with("hidden_"); }
};

// The 64-byte kernel descriptor, decoded. Source: AMDGPUUsage "Kernel Descriptor".
struct KernelDescriptor {
  uint32_t group_segment_fixed_size = 0;    // static LDS, bytes per work-group
  uint32_t private_segment_fixed_size = 0;  // scratch, bytes per work-item
  uint32_t kernarg_size = 0;                // bytes
  int64_t kernel_code_entry_byte_offset = 0;
  uint32_t compute_pgm_rsrc1 = 0, compute_pgm_rsrc2 = 0, compute_pgm_rsrc3 = 0;
  uint16_t kernel_code_properties = 0;
  uint16_t kernarg_preload = 0;             // length in bits 6:0, offset in bits 15:7, both in dwords

  uint32_t granulated_vgpr_count() const { return compute_pgm_rsrc1 & 0x3f; }
  uint32_t granulated_sgpr_count() const { return compute_pgm_rsrc1 >> 6 & 0xf; }
  uint32_t float_mode() const { return compute_pgm_rsrc1 >> 12 & 0xff; }
  bool dx10_clamp() const { return compute_pgm_rsrc1 >> 21 & 1; }
  bool ieee_mode() const { return compute_pgm_rsrc1 >> 23 & 1; }
  bool fp16_overflow() const { return compute_pgm_rsrc1 >> 26 & 1; }
  bool enable_private_segment() const { return compute_pgm_rsrc2 & 1; }
  uint32_t user_sgpr_count() const { return compute_pgm_rsrc2 >> 1 & 0x1f; }
  bool enable_work_group_id(int dimension) const { return compute_pgm_rsrc2 >> (7 + dimension) & 1; }
  bool enable_work_group_info() const { return compute_pgm_rsrc2 >> 10 & 1; }
  uint32_t work_item_id_dimensions() const { return compute_pgm_rsrc2 >> 11 & 3; }
  uint32_t accum_offset() const { return ((compute_pgm_rsrc3 & 0x3f) + 1) * 4; }  // gfx90a and later
  bool enable_private_segment_buffer() const { return kernel_code_properties & 1; }
  bool enable_dispatch_ptr() const { return kernel_code_properties >> 1 & 1; }
  bool enable_queue_ptr() const { return kernel_code_properties >> 2 & 1; }
  bool enable_kernarg_segment_ptr() const { return kernel_code_properties >> 3 & 1; }
  bool enable_dispatch_id() const { return kernel_code_properties >> 4 & 1; }
  bool enable_flat_scratch_init() const { return kernel_code_properties >> 5 & 1; }
  bool enable_private_segment_size() const { return kernel_code_properties >> 6 & 1; }
  uint32_t kernarg_preload_length() const { return kernarg_preload & 0x7f; }
  uint32_t kernarg_preload_offset() const { return kernarg_preload >> 7; }
};

// A kernel: symbol, descriptor, metadata. Register counts are those the hardware allocates from, before granules.
struct Kernel {
  std::string name;        // symbol without ".kd", as the metadata spells it
  std::string demangled;   // equal to name if it is no mangled C++ name
  KernelDescriptor descriptor;
  uint64_t descriptor_address = 0;  // virtual addresses inside the code object
  uint64_t entry_address = 0;
  uint64_t code_size = 0;           // bytes, 0 if the symbol has none

  // Metadata; counts fall back to the descriptor's where the metadata lacks them.
  std::vector<KernelArgument> arguments;  // in metadata order, hidden ones included
  bool has_argument_metadata = false;
  uint32_t kernarg_segment_size = 0, kernarg_segment_align = 16;
  uint32_t sgpr_count = 0;
  uint32_t arch_vgpr_count = 0;  // without AGPRs
  uint32_t accum_vgpr_count = 0; // AGPRs
  uint32_t sgpr_spill_count = 0, vgpr_spill_count = 0;
  uint32_t max_flat_work_group_size = 1024;
  std::optional<std::array<uint32_t, 3>> required_work_group_size;
  bool uses_dynamic_stack = false;
};

// A loadable piece of the ELF image, in virtual addresses of the code object.
struct Segment {
  uint64_t address = 0;
  uint64_t memory_size = 0;           // >= bytes.size(); the rest is zero
  std::span<const std::byte> bytes;
  bool writable = false, executable = false;
};

// A relocation the loader applies: *(address) = load_base + addend (or an absolute value).
struct Relocation {
  uint64_t address = 0;
  uint32_t type = 0;      // ELF::R_AMDGPU_*
  uint64_t symbol_value = 0;
  bool symbol_defined = true;
  std::string_view symbol;  // inside CodeObject::storage
  int64_t addend = 0;
};

struct CodeObject {
  std::string origin;          // file and bundle entry, for messages
  TargetId target;
  int version = 0;             // 3..6
  bool relocatable = false;    // ET_REL: can be listed, not launched
  std::vector<Kernel> kernels; // sorted by name
  std::vector<Segment> segments;
  std::vector<Relocation> relocations;
  std::shared_ptr<const std::vector<std::byte>> storage;  // what segments point into

  const Kernel* find(std::string_view name) const;
};

// Reads one AMDGPU ELF image. `image` is kept alive by `CodeObject::storage`.
// Errors: no ELF64 AMDGPU file, code object v2, truncated or inconsistent headers, symbols, notes or metadata.
Expected<CodeObject> parse_code_object(std::shared_ptr<const std::vector<std::byte>> image, std::string origin);

// Reads the 64-byte descriptor. Errors: fewer than 64 bytes.
Expected<KernelDescriptor> parse_kernel_descriptor(std::span<const std::byte> bytes, std::string_view origin);

}  // namespace wavecast::isa
