// A prediction's time line in the Chrome trace event format ("Trace Event Format", complete events), which
// Perfetto and chrome://tracing open. Written with fmt: a time line can have a million slices.
#include <fmt/format.h>

#include <iterator>
#include <map>
#include <set>

#include "model/view/json.h"
#include "model/view/prediction_view.h"

namespace wavecast::model {
namespace {

std::string json_string(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Slots of a SIMD are numbered from 0; 64 leaves room for any generation's wave slots.
uint32_t thread_id(const TimelineSlice& slice) { return slice.simd * 64 + slice.slot; }

class TraceWriter {
 public:
  template <class... Args>
  void event(fmt::format_string<Args...> form, Args&&... args) {
    out_ += out_.ends_with('[') ? "\n" : ",\n";
    fmt::format_to(std::back_inserter(out_), form, std::forward<Args>(args)...);
  }
  std::string finish(const std::string& tail) { return std::move(out_) + tail; }

 private:
  std::string out_ = "{\"traceEvents\": [";
};

void name_tracks(TraceWriter& writer, const Prediction& prediction) {
  std::map<uint32_t, std::set<uint32_t>> threads;
  for (const TimelineSlice& slice : prediction.timeline) threads[slice.cu].insert(thread_id(slice));
  for (const auto& [cu, ids] : threads) {
    writer.event(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":"CU {}"}}}})", cu + 1, cu);
    writer.event(R"({{"ph":"M","pid":{},"name":"process_sort_index","args":{{"sort_index":{}}}}})", cu + 1,
                 cu + 1);
    for (uint32_t id : ids) {
      writer.event(
          R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"SIMD {} slot {}"}}}})",
          cu + 1, id, id / 64, id % 64);
      writer.event(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
                   cu + 1, id, id);
    }
  }
}

}  // namespace

std::string perfetto_trace(const Prediction& prediction, std::string_view tool_version) {
  TraceWriter writer;
  const double us_per_cycle = prediction.clock.value() > 0 ? 1e6 / prediction.clock.value() : 0;
  writer.event(R"({{"ph":"M","pid":0,"name":"process_name","args":{{"name":{}}}}})",
               json_string(prediction.device));
  writer.event(R"({{"ph":"M","pid":0,"tid":0,"name":"thread_name","args":{{"name":"kernels"}}}})");
  writer.event(
      R"({{"ph":"X","pid":0,"tid":0,"cat":"kernel","name":{},"ts":0,"dur":{:.4f},"args":{{"bound":{},"work_groups":{},"waves":{},"clock_mhz":{:.1f}}}}})",
      json_string(prediction.kernel), prediction.time.value() / 1e3, json_string(prediction.bound),
      prediction.work_groups, prediction.waves, prediction.clock.value() / 1e6);
  name_tracks(writer, prediction);
  for (const TimelineSlice& slice : prediction.timeline)
    writer.event(
        R"({{"ph":"X","pid":{},"tid":{},"cat":"wave","name":"work-group {} wave {}","ts":{:.4f},"dur":{:.4f},"args":{{"begin_cycle":{:.0f},"end_cycle":{:.0f}}}}})",
        slice.cu + 1, thread_id(slice), slice.work_group, slice.wave, slice.begin_cycle * us_per_cycle,
        (slice.end_cycle - slice.begin_cycle) * us_per_cycle, slice.begin_cycle, slice.end_cycle);
  return writer.finish(fmt::format(
      "\n],\n\"displayTimeUnit\": \"ns\",\n\"otherData\": {{\"tool\": \"wavecast {}\", \"target\": {}}}}}\n",
      tool_version, json_string(prediction.target)));
}

}  // namespace wavecast::model
