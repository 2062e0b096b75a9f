// What an instruction can reach besides its wavefront: LDS, global memory, the launch, and the trace of addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "isa/memory.h"
#include "isa/target.h"
#include "isa/wave_trace.h"

namespace wavecast::isa {

struct LoadedKernel;

struct ExecutionContext {
  const LoadedKernel& kernel;
  Memory& memory;
  Generation generation = Generation::other;
  std::span<std::byte> lds{};       // of the work-group
  uint64_t shared_aperture = 0;     // flat address of LDS byte 0; 4 GiB-aligned
  uint64_t private_aperture = 0;    // flat address of scratch byte 0
  WaveTrace* trace = nullptr;       // null: nothing is recorded
  uint32_t memory_hint = 0;         // for Memory::find
  uint64_t clock = 0;               // what s_memtime and s_memrealtime return; grows with executed instructions

  // First problem of the current instruction; the emulator stops the launch and adds kernel, address and wave.
  bool faulted = false;
  int fault_lane = -1;
  std::string fault_reason{}, fault_remedy{};
  void fault(int lane, std::string reason, std::string remedy = {}) {
    if (faulted) return;
    faulted = true;
    fault_lane = lane;
    fault_reason = std::move(reason);
    fault_remedy = std::move(remedy);
  }
};

}  // namespace wavecast::isa
