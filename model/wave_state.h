// One resident wave of the simulator: when its next instruction may issue, and what it still waits for.
// All completion times are known when an instruction issues, so waiting is a comparison, never a callback.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "model/resolved_program.h"

namespace wavecast::model {

using Cycle = int64_t;  // of the shader clock, from kernel start on the device

// Why a wave did not issue (closed list; every cycle of a wave's life belongs to one).
enum class StallReason : uint8_t {
  issuing,
  wait_vector_memory,
  wait_lds,
  wait_scalar_memory,
  dependency,
  barrier,
  valu_busy,
  matrix_busy,
  port_busy,
  fetch,
  launch
};
inline constexpr int kStallReasons = 11;
std::string_view to_string(StallReason reason);

// Completion times of outstanding operations of one counter, in issue order; the hardware decrements in this
// order.
template <int kCapacity>
class OutstandingOperations {
 public:
  void push(double completion) {
    if (count_ == kCapacity) pop();
    const double last = count_ ? completions_[(head_ + count_ - 1) % kCapacity] : 0.0;
    completions_[(head_ + count_++) % kCapacity] = std::max(last, completion);
  }
  // When at most `allowed` are outstanding. 0 if that is so already.
  double time_until(uint32_t allowed) const {
    return count_ <= allowed ? 0.0 : completions_[(head_ + count_ - 1 - allowed) % kCapacity];
  }
  void retire(double now) {
    while (count_ && completions_[head_] <= now) pop();
  }
  uint32_t count() const { return count_; }
  void clear() { head_ = count_ = 0; }

 private:
  void pop() {
    head_ = (head_ + 1) % kCapacity;
    --count_;
  }
  std::array<double, kCapacity> completions_{};
  uint32_t head_ = 0, count_ = 0;
};

inline constexpr uint32_t kMaxVmcnt = 63, kMaxLgkmcnt = 15;  // structural: counter widths of GFX9

struct WaveState {
  uint32_t group = 0;  // index of the resident work-group
  uint32_t wave = 0;   // in the work-group
  uint32_t simd = 0;   // on the XCD
  Cycle launched = 0, last_issue = 0, ready = 0;
  StallReason reason = StallReason::launch;
  bool at_barrier = false, ended = false;
  uint64_t fetched_line = ~uint64_t{0};
  OutstandingOperations<kMaxVmcnt + 1> vector_memory;
  OutstandingOperations<kMaxLgkmcnt + 1> scalar_and_lds;
  bool lgkm_is_scalar = false;   // the last lgkm operation was scalar memory: names the stall
  Cycle long_latency_until = 0;  // no scoreboard entry is later than this
  std::vector<Cycle> scoreboard = std::vector<Cycle>(kScoreboardEntries, 0);
  std::vector<Cycle> forwarded = std::vector<Cycle>(kScoreboardScalars, 0);  // MFMA results as SrcC

  // Ready for the next wave in this slot; keeps the boards' storage.
  void reset() {
    if (long_latency_until > 0) {
      std::fill(scoreboard.begin(), scoreboard.end(), 0);
      std::fill(forwarded.begin(), forwarded.end(), 0);
    }
    long_latency_until = 0;
    at_barrier = ended = lgkm_is_scalar = false;
    fetched_line = ~uint64_t{0};
    vector_memory.clear();
    scalar_and_lds.clear();
  }
};

}  // namespace wavecast::model
