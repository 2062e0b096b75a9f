// A prediction's time line in the Chrome trace event format ("Trace Event Format", complete events), which
// Perfetto and chrome://tracing open. Written with fmt: a time line can have a million slices.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "model/view/json.h"
#include "model/view/prediction_view.h"

namespace wavecast::model {
namespace {

std::string json_string(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

constexpr uint32_t kTracksPerSimd = 1000;  // numbers tracks of a SIMD apart; far more than any has wave slots

// A track for each slice: on its SIMD the first one that is free when it begins, so that slices of a track
// never overlap and a SIMD has as many tracks as it had waves at once. The simulator's own slot numbers run
// over the whole XCD.
std::vector<uint32_t> place_on_tracks(const std::vector<TimelineSlice>& timeline) {
  std::vector<size_t> order(timeline.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const TimelineSlice &x = timeline[a], &y = timeline[b];
    return std::tie(x.begin_cycle, x.end_cycle, x.work_group, x.wave) <
           std::tie(y.begin_cycle, y.end_cycle, y.work_group, y.wave);
  });
  std::map<std::pair<uint32_t, uint32_t>, std::vector<double>> free_at;  // by CU and SIMD
  std::vector<uint32_t> tracks(timeline.size());
  for (size_t i : order) {
    const TimelineSlice& slice = timeline[i];
    std::vector<double>& lanes = free_at[{slice.cu, slice.simd}];
    const auto lane =
        std::find_if(lanes.begin(), lanes.end(), [&](double end) { return end <= slice.begin_cycle; });
    const auto number = static_cast<uint32_t>(lane - lanes.begin());
    if (lane == lanes.end()) lanes.push_back(0);
    lanes[number] = slice.end_cycle;
    tracks[i] = slice.simd * kTracksPerSimd + number;
  }
  return tracks;
}

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

void name_tracks(TraceWriter& writer, const Prediction& prediction, const std::vector<uint32_t>& tracks) {
  std::map<uint32_t, std::set<uint32_t>> threads;
  for (size_t i = 0; i < tracks.size(); ++i) threads[prediction.timeline[i].cu].insert(tracks[i]);
  for (const auto& [cu, ids] : threads) {
    writer.event(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":"CU {}"}}}})", cu + 1, cu);
    writer.event(R"({{"ph":"M","pid":{},"name":"process_sort_index","args":{{"sort_index":{}}}}})", cu + 1,
                 cu + 1);
    for (uint32_t id : ids) {
      writer.event(
          R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"SIMD {} slot {}"}}}})",
          cu + 1, id, id / kTracksPerSimd, id % kTracksPerSimd);
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
  const std::vector<uint32_t> tracks = place_on_tracks(prediction.timeline);
  name_tracks(writer, prediction, tracks);
  for (size_t i = 0; i < tracks.size(); ++i) {
    const TimelineSlice& slice = prediction.timeline[i];
    writer.event(
        R"({{"ph":"X","pid":{},"tid":{},"cat":"wave","name":"work-group {} wave {}{}","ts":{:.4f},"dur":{:.4f},"args":{{"begin_cycle":{:.0f},"end_cycle":{:.0f},"complete":{}}}}})",
        slice.cu + 1, tracks[i], slice.work_group, slice.wave, slice.complete ? "" : " (goes on)",
        slice.begin_cycle * us_per_cycle, (slice.end_cycle - slice.begin_cycle) * us_per_cycle,
        slice.begin_cycle, slice.end_cycle, slice.complete);
  }
  return writer.finish(fmt::format(
      "\n],\n\"displayTimeUnit\": \"ns\",\n\"otherData\": {{\"tool\": \"wavecast {}\", \"target\": {}}}}}\n",
      tool_version, json_string(prediction.target)));
}

}  // namespace wavecast::model
