// Matrix multiplications on MFMA instructions. Small integers as inputs make every sum exact, so results must
// be equal whatever the order of additions; random inputs are held to the error bound of a sum in the
// output's precision.
#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

#include "tests/support/float_formats.h"
#include "tests/support/kernel_runner.h"
#include "tests/support/random_values.h"

namespace wavecast::test {
namespace {

using isa::Dim3;

struct Shape {
  int32_t m, n, k;
};

// Inputs as the kernel reads them, and their exact values.
template <class T>
struct Operand {
  std::vector<T> codes;
  std::vector<double> values;
};

template <class T>
Operand<T> integer_operand(const FloatFormat& format, size_t count, uint64_t seed, int limit) {
  const Encoder encoder(format);
  Operand<T> operand;
  for (int value : random_integers<int>(count, seed, -limit, limit)) {
    operand.values.push_back(value);
    operand.codes.push_back(static_cast<T>(encoder.encode(value).value()));
  }
  return operand;
}

// Random codes of finite values below `limit`, denormal ones included. The matrix cores of gfx90a read
// denormal f16 and bf16 as zero (AMD's numerical notes for MI200; not so from MI300 on), so there they count
// as zero.
template <class T>
Operand<T> random_operand(const FloatFormat& format, size_t count, uint64_t seed, double limit,
                          std::string_view target) {
  const double smallest = target == "gfx90a" ? std::ldexp(1.0, 1 - format.bias) : 0.0;
  Operand<T> operand;
  Random random(seed);
  while (operand.codes.size() < count) {
    const auto code = static_cast<uint32_t>(random.below(uint64_t{1} << format.bits()));
    const double value = format.decode(code);
    if (!(std::abs(value) < limit)) continue;
    operand.values.push_back(std::abs(value) < smallest ? 0.0 : value);
    operand.codes.push_back(static_cast<T>(code));
  }
  return operand;
}

template <class T>
Operand<T> plain_operand(const std::vector<T>& values) {
  return {values, std::vector<double>(values.begin(), values.end())};
}

// Runs C = A * B (B given as n x k) and compares with the sum in long double. `unit` is the rounding of one
// operation relative to the sum of magnitudes; 0 demands equality.
template <class Out, class T, class... Sizes>
void check_product(KernelRunner& runner, const char* kernel, Shape shape, int32_t tile, uint32_t block,
                   const Operand<T>& a, const Operand<T>& b, double unit, Sizes... sizes) {
  const auto buffer_a = runner.buffer(a.codes), buffer_b = runner.buffer(b.codes);
  const auto c = runner.buffer(std::vector<Out>(size_t(shape.m) * shape.n, Out(-12345)));
  runner.run(kernel, Dim3{uint32_t(shape.n / tile), uint32_t(shape.m / tile)}, Dim3{block}, buffer_a,
             buffer_b, c, sizes...);
  for (int32_t row = 0; row < shape.m; ++row)
    for (int32_t column = 0; column < shape.n; ++column) {
      long double sum = 0, magnitude = 0;
      for (int32_t k = 0; k < shape.k; ++k) {
        const long double product = static_cast<long double>(a.values[size_t(row) * shape.k + k]) *
                                    b.values[size_t(column) * shape.k + k];
        sum += product;
        magnitude += std::abs(product);
      }
      const Out result = c.values[size_t(row) * shape.n + column];
      if (unit == 0) {
        ASSERT_EQ(static_cast<long double>(result), sum) << row << " " << column;
      } else {
        ASSERT_LE(std::abs(static_cast<long double>(result) - sum), shape.k * unit * magnitude)
            << row << " " << column;
      }
    }
}

// f32 units in the last place: matrix cores may truncate inside a sum, so a whole one instead of half.
constexpr double kF32Unit = 0x1p-23, kF64Unit = 0x1p-52;

class MatrixKernels : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Targets, MatrixKernels, ::testing::Values("gfx942", "gfx90a", "gfx950"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(MatrixKernels, F16TiledThroughLds) {
  constexpr Shape kShape{128, 256, 96};
  {
    KernelRunner runner("mfma_gemm_f16", GetParam());
    const auto a = integer_operand<uint16_t>(kF16, kShape.m * kShape.k, 31, 64);
    const auto b = integer_operand<uint16_t>(kF16, kShape.n * kShape.k, 32, 64);
    check_product<float>(runner, "mfma_gemm_f16", kShape, 128, 256, a, b, 0, kShape.m, kShape.n, kShape.k);
  }
  KernelRunner runner("mfma_gemm_f16", GetParam());
  const auto a = random_operand<uint16_t>(kF16, kShape.m * kShape.k, 33, 256, GetParam());
  const auto b = random_operand<uint16_t>(kF16, kShape.n * kShape.k, 34, 256, GetParam());
  check_product<float>(runner, "mfma_gemm_f16", kShape, 128, 256, a, b, kF32Unit, kShape.m, kShape.n,
                       kShape.k);
}

constexpr Shape kTiles{64, 96, 80};

TEST_P(MatrixKernels, Bf16) {
  KernelRunner runner("mfma_tiles", GetParam());
  check_product<float>(runner, "mfma_bf16", kTiles, 32, 64,
                       integer_operand<uint16_t>(kBf16, kTiles.m * kTiles.k, 35, 100),
                       integer_operand<uint16_t>(kBf16, kTiles.n * kTiles.k, 36, 100), 0, kTiles.n, kTiles.k);
}

TEST_P(MatrixKernels, Bf16RandomWithinBound) {
  KernelRunner runner("mfma_tiles", GetParam());
  check_product<float>(runner, "mfma_bf16", kTiles, 32, 64,
                       random_operand<uint16_t>(kBf16, kTiles.m * kTiles.k, 37, 1e10, GetParam()),
                       random_operand<uint16_t>(kBf16, kTiles.n * kTiles.k, 38, 1e10, GetParam()), kF32Unit,
                       kTiles.n, kTiles.k);
}

TEST_P(MatrixKernels, I8) {
  KernelRunner runner("mfma_tiles", GetParam());
  check_product<int32_t>(runner, "mfma_i8", kTiles, 32, 64,
                         plain_operand(random_integers<int8_t>(kTiles.m * kTiles.k, 39, -128, 127)),
                         plain_operand(random_integers<int8_t>(kTiles.n * kTiles.k, 40, -128, 127)), 0,
                         kTiles.n, kTiles.k);
}

TEST_P(MatrixKernels, F64) {
  KernelRunner runner("mfma_tiles", GetParam());
  check_product<double>(runner, "mfma_f64", kTiles, 16, 64,
                        plain_operand(random_integers<double>(kTiles.m * kTiles.k, 41, -1 << 20, 1 << 20)),
                        plain_operand(random_integers<double>(kTiles.n * kTiles.k, 42, -1 << 20, 1 << 20)), 0,
                        kTiles.n, kTiles.k);
}

TEST_P(MatrixKernels, F64RandomWithinBound) {
  KernelRunner runner("mfma_tiles", GetParam());
  check_product<double>(
      runner, "mfma_f64", kTiles, 16, 64, plain_operand(random_reals<double>(kTiles.m * kTiles.k, 43, -1, 1)),
      plain_operand(random_reals<double>(kTiles.n * kTiles.k, 44, -1, 1)), kF64Unit, kTiles.n, kTiles.k);
}

class Fp8Kernels : public ::testing::TestWithParam<const char*> {
 protected:
  const FloatFormat& format() const { return std::string_view(GetParam()) == "gfx950" ? kFp8Ocp : kFp8Fnuz; }
};
INSTANTIATE_TEST_SUITE_P(Targets, Fp8Kernels, ::testing::Values("gfx942", "gfx950"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Fp8Kernels, AllFiniteValuesMultiplyExactly) {
  KernelRunner runner("mfma_tiles", GetParam());
  // k of 16 with one value each: products of two 4-bit significands are exact in f32, and so is a sum with
  // zeros.
  constexpr Shape kShape{256, 256, 16};
  Operand<uint8_t> a, b;
  for (int code = 0; code < 256; ++code)
    for (int k = 0; k < kShape.k; ++k) {
      const double value = k == code % kShape.k ? format().decode(code) : 0.0;
      const bool usable = !std::isnan(value);
      a.codes.push_back(usable && k == code % kShape.k ? code : 0);
      a.values.push_back(usable ? value : 0);
      // Every row of B has the same value at all k, so that each code meets every other.
      const double other = format().decode(code);
      b.codes.push_back(std::isnan(other) ? 0 : code);
      b.values.push_back(std::isnan(other) ? 0 : other);
    }
  check_product<float>(runner, "mfma_fp8", kShape, 32, 64, a, b, 0, kShape.n, kShape.k);
}

TEST_P(Fp8Kernels, SumsOfIntegersAreExact) {
  KernelRunner runner("mfma_tiles", GetParam());
  check_product<float>(
      runner, "mfma_fp8", kTiles, 32, 64, integer_operand<uint8_t>(format(), kTiles.m * kTiles.k, 45, 16),
      integer_operand<uint8_t>(format(), kTiles.n * kTiles.k, 46, 16), 0, kTiles.n, kTiles.k);
}

}  // namespace
}  // namespace wavecast::test
