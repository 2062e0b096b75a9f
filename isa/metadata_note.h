// The kernel metadata of code object v3 to v6: the MessagePack map of an NT_AMDGPU_METADATA note.
// Source: LLVM 22 AMDGPUUsage, "Code Object V3 Metadata" to "Code Object V6 Metadata".
// Leaves out: printf strings, kernel attributes that do not change how a kernel runs (language,
// vec_type_hint, ...).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/code_object.h"

namespace wavecast::isa {

// Absent keys stay empty; the descriptor answers then.
struct KernelMetadata {
  std::string name, symbol;
  std::optional<std::vector<KernelArgument>> arguments;
  std::optional<uint32_t> kernarg_segment_size, kernarg_segment_align;
  std::optional<uint32_t> sgpr_count, vgpr_count, agpr_count, sgpr_spill_count, vgpr_spill_count;
  std::optional<uint32_t> max_flat_work_group_size;
  std::optional<std::array<uint32_t, 3>> required_work_group_size;
  std::optional<bool> uses_dynamic_stack;
};

struct CodeObjectMetadata {
  std::vector<KernelMetadata> kernels;
  std::string target;  // "amdgcn-amd-amdhsa--gfx942", v4 and later
};

// Unknown keys are skipped. Errors: malformed or truncated MessagePack, nesting deeper than any compiler
// writes, values of the wrong type or out of range.
Expected<CodeObjectMetadata> parse_metadata(std::span<const std::byte> note, std::string_view origin);

}  // namespace wavecast::isa
