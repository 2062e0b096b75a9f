// Full functional execution of a grid, one work-group after the other in dispatch order (x fastest).
#include "isa/emulator.h"

namespace wavecast::isa {

Expected<EmulationSummary> run_grid(const LoadedKernel& kernel, Memory& memory, EmulationLimits limits,
                                    const std::function<void(uint64_t done, uint64_t total)>& progress) {
  EmulationSummary summary;
  const Dim3 grid = kernel.launch.grid;
  WorkGroup work_group(kernel, memory, {0, 0, 0}, limits);
  for (uint32_t z = 0; z < grid.z; ++z)
    for (uint32_t y = 0; y < grid.y; ++y)
      for (uint32_t x = 0; x < grid.x; ++x) {
        work_group.restart({x, y, z});
        auto ended = work_group.advance(UINT64_MAX, {});
        if (!ended) return tl::unexpected(ended.error());
        ++summary.work_groups;
        summary.wave_instructions += work_group.instructions_executed();
        for (size_t i = 0; i < summary.counts.size(); ++i) summary.counts[i] += work_group.counts()[i];
        if (progress) progress(summary.work_groups, grid.count());
      }
  return summary;
}

}  // namespace wavecast::isa
