// One kernel out of every kind of file that carries code objects: it must be found for the asked target and
// compute.
#include <gtest/gtest.h>

#include <tuple>

#include "tests/support/kernel_runner.h"
#include "tests/support/random_values.h"

namespace wavecast::test {
namespace {

class Containers : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(
    Files, Containers,
    ::testing::Combine(::testing::Values("vector_add_bundle.hipfb", "vector_add_compressed_bundle.hipfb",
                                         "vector_add_object.o", "vector_add_compressed_object.o",
                                         "bin/vector_add_program"),
                       ::testing::Values("gfx90a", "gfx942")));

TEST_P(Containers, KernelIsFoundAndRuns) {
  const auto [file, target] = GetParam();
  KernelRunner runner = KernelRunner::in_container(file, target);
  constexpr uint32_t kCount = 300;
  const auto a = runner.buffer(random_reals<float>(kCount, 51, -1, 1)),
             b = runner.buffer(random_reals<float>(kCount, 52, -1, 1));
  const auto c = runner.buffer<float>(kCount);
  runner.run("vector_add", isa::Dim3{2}, isa::Dim3{256}, a, b, c, kCount);
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(c.values[i], a.values[i] + b.values[i]) << i;
}

}  // namespace
}  // namespace wavecast::test
