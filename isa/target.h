// ISA targets: which gfx processor a code object is for, with the features that must match (xnack, sramecc).
// Source: LLVM 22 AMDGPUUsage, "Target ID" and processor table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isa/error.h"

namespace wavecast::isa {

// The instruction sets that the emulator executes. Other processors can be listed, not run.
enum class Generation : uint8_t { gfx908, gfx90a, gfx942, gfx950, other };

enum class FeatureSetting : uint8_t { unspecified, off, on };

// "gfx90a:sramecc+:xnack-". `unspecified` in a code object runs on devices with either setting.
struct TargetId {
  std::string processor;  // "gfx942", "gfx9-4-generic"
  FeatureSetting sramecc = FeatureSetting::unspecified;
  FeatureSetting xnack = FeatureSetting::unspecified;

  bool operator==(const TargetId&) const = default;
};

// Reads a target ID, with or without the triple in front ("hipv4-amdgcn-amd-amdhsa--gfx942:xnack-").
// Errors: no processor, malformed or unknown feature.
Expected<TargetId> parse_target_id(std::string_view text);
std::string to_string(const TargetId& target);

// The target that an AMDGPU ELF header names: e_flags, read as code object version 3 to 6 lays them out.
// Nothing if the machine number is unknown to LLVM 22.
std::optional<TargetId> target_of_elf_flags(uint32_t flags, int code_object_version);

// The instruction set of a processor; `other` where the emulator has none.
Generation generation_of(std::string_view processor);

// True if a code object built for `code` runs on a device with processor `device_processor` (equal, or a
// generic target that covers it: gfx9-4-generic covers gfx942 and gfx950; gfx9-generic does not cover CDNA).
bool runs_on(const TargetId& code, std::string_view device_processor);

}  // namespace wavecast::isa
