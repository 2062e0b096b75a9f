// Large matrix products: predicted in seconds, cycle model beside analytic model, never faster than the units
// allow.
#include <gtest/gtest.h>

#include <ctime>

#include "tests/support/prediction_runner.h"

namespace wavecast::test {
namespace {

constexpr int kSize = 4096;
constexpr double kFlops = 2.0 * kSize * kSize * kSize;

struct Answer {
  model::Prediction prediction;
  double host_seconds = 0;  // processor time
};

template <class Element>
Answer predict_gemm(std::string_view file, std::string_view kernel_name, model::ModelKind kind,
                    bool blas_arguments) {
  KernelRunner runner(file, "gfx942");
  const size_t elements = size_t{kSize} * kSize;
  auto a = runner.buffer<Element>(elements), b = runner.buffer<Element>(elements);
  auto c = runner.buffer<float>(elements);
  const isa::Dim3 grid{kSize / 128, kSize / 128, 1}, block{256, 1, 1};
  const isa::LoadedKernel kernel =
      blas_arguments ? runner.load(kernel_name, grid, block, a, b, c, kSize, kSize, kSize, 1.0f, 0.0f)
                     : runner.load(kernel_name, grid, block, a, b, c, kSize, kSize, kSize);
  model::PredictOptions options;
  options.model = kind;
  const std::clock_t begin = std::clock();
  Answer answer{predict_on(runner, kernel, device_named("mi300x"), options), 0};
  answer.host_seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  return answer;
}

template <class Element>
void compare_models(std::string_view file, std::string_view kernel, bool blas_arguments, double peak_flops) {
  const Answer cycle = predict_gemm<Element>(file, kernel, model::ModelKind::cycle, blas_arguments);
  const Answer analytic = predict_gemm<Element>(file, kernel, model::ModelKind::analytic, blas_arguments);
  for (const auto* answer : {&cycle, &analytic})
    std::printf("%s %d: %s %.0f us, %.0f TFLOP/s, bound by %s, answered in %.2f s of processor time\n",
                std::string(kernel).c_str(), kSize, std::string(to_string(answer->prediction.model)).c_str(),
                answer->prediction.time.value() / 1e3, kFlops / answer->prediction.time.value() / 1e3,
                answer->prediction.bound.c_str(), answer->host_seconds);
  const double least = kFlops / peak_flops * 1e9;  // ns at full rate
  EXPECT_GT(cycle.prediction.time.value(), least);
  EXPECT_GT(analytic.prediction.time.value(), least);
  const double ratio = cycle.prediction.time / analytic.prediction.time;
  EXPECT_GT(ratio, 0.5);
  EXPECT_LT(ratio, 2.0);
}

// Peaks of MI300X at 2100 MHz (AMD CDNA 3 white paper): 163.4 TFLOP/s vector FP32, 1307.4 TFLOP/s matrix
// FP16.
TEST(Gemm, SingleOnTheVectorUnits) { compare_models<float>("sgemm", "sgemm", true, 163.4e12); }
TEST(Gemm, HalfOnTheMatrixUnits) {
  compare_models<uint16_t>("mfma_gemm_f16", "mfma_gemm_f16", false, 1307.4e12);
}

}  // namespace
}  // namespace wavecast::test
