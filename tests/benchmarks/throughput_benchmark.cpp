// Host speed: wave instructions per second of emulation and of cycle simulation, and the time of an analytic
// answer. Compare ratios within one run; absolute figures belong to the machine. Run:
// build/tests/throughput_benchmark
#include <benchmark/benchmark.h>

#include "model/xcd_simulator.h"
#include "tests/support/prediction_runner.h"

namespace wavecast::test {
namespace {

constexpr int kSize = 1024;

struct Case {
  std::unique_ptr<KernelRunner> runner;
  isa::LoadedKernel kernel;
};

Case copy() {
  auto runner = std::make_unique<KernelRunner>("vcopy", "gfx942");
  constexpr int kElements = 4096 * 256;
  auto a = runner->buffer<double>(kElements), b = runner->buffer<double>(kElements),
       c = runner->buffer<double>(kElements);
  auto kernel = runner->load("vecCopy", {4096, 1, 1}, {256, 1, 1}, a, b, c, kElements, 0);
  return {std::move(runner), std::move(kernel)};
}

Case sgemm() {
  auto runner = std::make_unique<KernelRunner>("sgemm", "gfx942");
  auto a = runner->buffer<float>(kSize * kSize), b = runner->buffer<float>(kSize * kSize),
       c = runner->buffer<float>(kSize * kSize);
  auto kernel = runner->load("sgemm", {kSize / 128, kSize / 128, 1}, {256, 1, 1}, a, b, c, kSize, kSize,
                             kSize, 1.0f, 0.0f);
  return {std::move(runner), std::move(kernel)};
}

Case matrix() {
  auto runner = std::make_unique<KernelRunner>("mfma_gemm_f16", "gfx942");
  auto a = runner->buffer<uint16_t>(kSize * kSize), b = runner->buffer<uint16_t>(kSize * kSize);
  auto c = runner->buffer<float>(kSize * kSize);
  auto kernel =
      runner->load("mfma_gemm_f16", {kSize / 128, kSize / 128, 1}, {256, 1, 1}, a, b, c, kSize, kSize, kSize);
  return {std::move(runner), std::move(kernel)};
}

void emulate(benchmark::State& state, Case (*make)()) {
  Case test = make();
  uint64_t instructions = 0;
  uint32_t next = 0;
  for (auto _ : state) {
    const isa::Dim3& grid = test.kernel.launch.grid;
    isa::WorkGroup group(test.kernel, test.runner->memory(), {next % grid.x, next / grid.x % grid.y, 0});
    ++next;
    if (!group.advance(~uint64_t{0} >> 1, {})) return state.SkipWithError("emulation failed");
    instructions += group.instructions_executed();
  }
  state.counters["wave_instructions/s"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
}

void predict(benchmark::State& state, Case (*make)(), model::ModelKind kind) {
  Case test = make();
  const hardware::Device device = device_named("mi300x");
  model::PredictOptions options;
  options.model = kind;
  double simulated = 0;
  for (auto _ : state) {
    const auto prediction = predict_on(*test.runner, test.kernel, device, options);
    simulated += static_cast<double>(prediction.sampled.wave_instructions_simulated +
                                     prediction.sampled.wave_instructions_emulated);
  }
  state.counters["wave_instructions/s"] = benchmark::Counter(simulated, benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(emulate, copy, copy);
BENCHMARK_CAPTURE(emulate, sgemm, sgemm)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(emulate, mfma_f16, matrix)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, copy_cycle, copy, model::ModelKind::cycle)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, copy_analytic, copy, model::ModelKind::analytic)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, sgemm_cycle, sgemm, model::ModelKind::cycle)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, sgemm_analytic, sgemm, model::ModelKind::analytic)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace wavecast::test

BENCHMARK_MAIN();
