// How a prediction is shown: text, JSON, a Chrome/Perfetto trace and rocprofv3's counter table. Pure
// functions from values to text; nothing here can change a prediction.
#pragma once

#include <string>
#include <string_view>

#include "isa/emulator.h"
#include "model/prediction.h"

namespace wavecast::model {

// What a profiler knows of a dispatch besides its counters. Register counts as rocprofv3 reports them: whole
// granules.
struct DispatchFacts {
  isa::Dim3 grid, block;       // work-groups, work-items
  uint32_t lds_bytes = 0;      // per work-group, static + dynamic
  uint32_t scratch_bytes = 0;  // per work-item
  uint32_t arch_vgprs = 0, accum_vgprs = 0, sgprs = 0;
};
DispatchFacts dispatch_facts(const isa::LoadedKernel& kernel);

// The answer in the first line, then the bounds, then tables.
std::string prediction_text(const Prediction& prediction, const DispatchFacts& dispatch);

// One document with the keys of the command line's contract.
std::string prediction_json(const Prediction& prediction, const DispatchFacts& dispatch,
                            std::string_view tool_version);

// Chrome trace events: a process per CU, a thread per wave slot of a SIMD, a slice per wave, in microseconds
// from the start of the kernel; process 0 has the kernel as a whole.
std::string perfetto_trace(const Prediction& prediction, std::string_view tool_version);

// rocprofv3's counter_collection.csv: one row per counter of the dispatch.
std::string counter_csv(const Prediction& prediction, const DispatchFacts& dispatch);

}  // namespace wavecast::model
