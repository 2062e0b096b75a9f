// Refills a wave's trace by advancing the whole work-group, because waves meet at barriers.
#include "model/work_group_stream.h"

namespace wavecast::model {
namespace {
// Long enough to amortise the call, short enough that traces stay in the host's caches.
constexpr uint64_t kChunkInstructions = 256;
}  // namespace

WorkGroupStream::WorkGroupStream(const isa::LoadedKernel& kernel, isa::Memory& memory, isa::Dim3 id)
    : group_(kernel, memory, id),
      traces_(kernel.waves_per_work_group),
      cursor_(kernel.waves_per_work_group, 0) {}

const isa::TraceRecord* WorkGroupStream::refill(uint32_t wave) {
  traces_[wave].clear();
  cursor_[wave] = 0;
  while (!ended_ && !error_ && traces_[wave].records.empty() && !group_.waves()[wave].ended) {
    auto ended = group_.advance(kChunkInstructions, traces_);
    if (!ended)
      error_ = ended.error();
    else
      ended_ = *ended;
  }
  return traces_[wave].records.empty() ? nullptr : traces_[wave].records.data();
}

}  // namespace wavecast::model
