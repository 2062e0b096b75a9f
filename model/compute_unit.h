// The shared units of one CU and the SIMDs with their waves: state only; xcd_simulator.cpp moves it forward.
#pragma once

#include <cstdint>
#include <vector>

#include "model/vector_l1.h"
#include "model/wave_state.h"

namespace wavecast::model {

struct SimdState {
  uint32_t cu = 0;
  uint32_t phase = 0;           // issues in cycles equal to this modulo four
  std::vector<uint32_t> waves;  // resident waves, oldest first (indices into the simulator's wave pool)
  Cycle valu_free = 0, matrix_free = 0;
  Cycle scheduled = -1;  // cycle of the pending look, -1 none
};

struct ComputeUnitState {
  VectorL1 vector_l1;
  std::vector<double> lds_port_free;
  uint32_t resident_work_groups = 0;
  uint32_t next_simd = 0;  // where the next work-group's first wave goes
  ComputeUnitState(const XcdSpec& spec, XcdMemory& memory)
      : vector_l1(spec, memory), lds_port_free(spec.lds.ports, 0.0) {}
};

}  // namespace wavecast::model
