// The architectural state of one wavefront: what instructions read and write. No timing, no memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <new>

#include "isa/instruction.h"

namespace wavecast::isa {

inline constexpr int kLanes = 64;  // wave64 on every CDNA target

// One 32-bit register of 64 lanes, aligned for vector instructions of the host.
struct alignas(64) VectorRegister {
  std::array<uint32_t, kLanes> lane;
};

struct Wavefront {
  // Scalar registers by operand code: SGPRs, FLAT_SCRATCH, XNACK_MASK, VCC, TTMP, M0, EXEC.
  std::array<uint32_t, 128> scalar{};
  bool scc = false;
  uint32_t mode = 0;           // MODE register: rounding, denormals, IEEE, DX10_CLAMP, FP16_OVFL as in the ISA documents
  std::unique_ptr<VectorRegister[]> registers;  // arch VGPRs, then AGPRs
  VectorRegister* vgpr = nullptr;
  VectorRegister* agpr = nullptr;
  uint32_t vgpr_count = 0, agpr_count = 0;      // allocated; access beyond is a fault found at decode or launch

  uint32_t pc = 0;             // index into Program::instructions
  uint32_t next_pc = 0;        // set to pc + 1 before execute; branches overwrite it
  uint64_t instructions_executed = 0;
  uint32_t wave_in_work_group = 0;
  uint64_t scratch_base = 0;   // guest address of this wave's scratch
  bool ended = false, at_barrier = false;

  uint64_t scalar64(uint16_t code) const { return scalar[code] | static_cast<uint64_t>(scalar[code + 1]) << 32; }
  void set_scalar64(uint16_t code, uint64_t value) {
    scalar[code] = static_cast<uint32_t>(value);
    scalar[code + 1] = static_cast<uint32_t>(value >> 32);
  }
  uint64_t exec() const { return scalar64(operand_code::kExecLo); }
  void set_exec(uint64_t mask) { set_scalar64(operand_code::kExecLo, mask); }
  uint64_t vcc() const { return scalar64(operand_code::kVccLo); }
  void set_vcc(uint64_t mask) { set_scalar64(operand_code::kVccLo, mask); }
  VectorRegister& vector(uint16_t code) {
    return code < operand_code::kFirstAgpr ? vgpr[code - operand_code::kFirstVgpr] : agpr[code - operand_code::kFirstAgpr];
  }
};

}  // namespace wavecast::isa
