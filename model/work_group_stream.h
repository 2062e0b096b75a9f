// A work-group's waves as streams of executed instructions, emulated only as far as the simulator has got.
// Emulation runs ahead in chunks and independently of simulated time, so timing never changes what is
// executed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isa/emulator.h"
#include "model/error.h"

namespace wavecast::model {

class WorkGroupStream {
 public:
  WorkGroupStream(const isa::LoadedKernel& kernel, isa::Memory& memory, isa::Dim3 id);

  // The record under the cursor of a wave, or null when the wave has ended or emulation failed (see error()).
  const isa::TraceRecord* peek(uint32_t wave) {
    if (cursor_[wave] < traces_[wave].records.size()) [[likely]]
      return &traces_[wave].records[cursor_[wave]];
    return refill(wave);
  }
  void pop(uint32_t wave) { ++cursor_[wave]; }
  const isa::WaveTrace& trace(uint32_t wave) const { return traces_[wave]; }
  uint32_t waves() const { return static_cast<uint32_t>(traces_.size()); }
  uint64_t emulated() const { return group_.instructions_executed(); }
  const isa::InstructionCounts& counts() const { return group_.counts(); }
  const std::optional<Error>& error() const { return error_; }

 private:
  const isa::TraceRecord* refill(uint32_t wave);

  isa::WorkGroup group_;
  std::vector<isa::WaveTrace> traces_;
  std::vector<size_t> cursor_;
  bool ended_ = false;
  std::optional<Error> error_;
};

// Work-group number i of a grid in dispatch order: x fastest.
inline isa::Dim3 work_group_id(const isa::Dim3& grid, uint64_t index) {
  return {static_cast<uint32_t>(index % grid.x), static_cast<uint32_t>(index / grid.x % grid.y),
          static_cast<uint32_t>(index / grid.x / grid.y)};
}

}  // namespace wavecast::model
