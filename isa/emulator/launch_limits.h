// Limits and address-space constants that every launch shares. Internal to the emulator.
// Source: LLVM 22 AMDGPUUsage "Kernel Dispatch", processor table; Linux amdkfd aperture bases for GFX9.
#pragma once

#include <cstdint>

#include "isa/code_object.h"
#include "isa/wavefront.h"

namespace wavecast::isa {

inline constexpr uint32_t kMaxWorkGroupSize = 1024;  // work-items
// Flat addresses of LDS and scratch: 4 GiB windows that no buffer can reach.
inline constexpr uint64_t kSharedAperture = uint64_t{1} << 48, kPrivateAperture = uint64_t{2} << 48;

// LDS that a work-group can have, and the piece in which hardware hands it out, in bytes.
constexpr uint32_t lds_limit(Generation generation) {
  return generation == Generation::gfx950 ? 160 * 1024 : 64 * 1024;
}
constexpr uint32_t lds_granule(Generation generation) {
  return generation == Generation::gfx950 ? 1280 : 512;
}

// gfx942 and gfx950 start with FLAT_SCRATCH set; earlier targets pass its parts in SGPRs.
constexpr bool has_architected_flat_scratch(Generation generation) {
  return generation == Generation::gfx942 || generation == Generation::gfx950;
}
// From gfx90a on, arch VGPRs and AGPRs share one file and the work-item ids share v0.
constexpr bool has_unified_registers(Generation generation) { return generation != Generation::gfx908; }

struct RegisterCounts {
  uint32_t arch = 0, accum = 0;
};

// What hardware allocates for a wave of this kernel.
inline RegisterCounts allocated_registers(const KernelDescriptor& descriptor, Generation generation) {
  constexpr uint32_t kSeparateGranule = 4, kUnifiedGranule = 8, kFileSize = 256;
  const uint32_t granules = descriptor.granulated_vgpr_count() + 1;
  if (!has_unified_registers(generation)) return {granules * kSeparateGranule, granules * kSeparateGranule};
  const uint32_t total = granules * kUnifiedGranule;
  const uint32_t arch = total < descriptor.accum_offset() ? total : descriptor.accum_offset();
  const uint32_t accum = total - arch;
  return {arch < kFileSize ? arch : kFileSize, accum < kFileSize ? accum : kFileSize};
}

}  // namespace wavecast::isa
