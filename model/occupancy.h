// How many waves of a kernel a compute unit holds, exactly, what limits it and what the next step would take.
// Arithmetic of the hardware's resource allocator as LLVM and AMD document it (LLVM 22 AMDGPUBaseInfo,
// AMDGPUUsage). Leaves out: the scratch ring, which limits waves per device, not per CU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hardware/device.h"
#include "isa/code_object.h"
#include "model/error.h"

namespace wavecast::model {

// What one wave or work-group asks for, before rounding to granules.
struct ResourceUse {
  uint32_t arch_vgprs = 0, accum_vgprs = 0, sgprs = 0;  // per wave
  uint32_t lds_bytes = 0;                               // per work-group, static + dynamic
  uint32_t work_group_size = 64;                        // work-items
  uint32_t scratch_bytes = 0;                           // per work-item, reported only
};

ResourceUse resources_of(const isa::Kernel& kernel, uint32_t work_group_size, uint32_t dynamic_lds);

enum class OccupancyLimiter { wave_slots, vgpr, sgpr, lds, work_group_slots };
std::string_view to_string(OccupancyLimiter limiter);

struct Occupancy {
  uint32_t waves_per_simd = 0;  // on the fullest SIMD
  uint32_t work_groups_per_cu = 0;
  uint32_t waves_per_cu = 0;
  uint32_t max_waves_per_simd = 0;
  OccupancyLimiter limiter = OccupancyLimiter::wave_slots;
  // Waves per SIMD that each resource alone would allow.
  struct Limits {
    uint32_t wave_slots = 0, vgpr = 0, sgpr = 0, lds = 0, work_group_slots = 0;
  } limits;
  uint32_t allocated_vgprs = 0, allocated_sgprs = 0, allocated_lds_bytes = 0;  // after granules
  std::vector<std::string> next_steps;  // "8 VGPRs fewer (120 instead of 128) would give 5 waves per SIMD"
};

// Errors: a request that no CU can hold (register, LDS or work-group size beyond the device), naming the
// limit.
Expected<Occupancy> occupancy(const ResourceUse& use, const hardware::Device& device);

}  // namespace wavecast::model
