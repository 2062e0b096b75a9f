// A kernel that others compiled: rocRAND's XORWOW generator out of Debian's library, built by clang 15 for gfx908 and
// gfx90a. Its numbers must be those of Marsaglia's generator ("Xorshift RNGs", J. Stat. Software 8(14), 2003).
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/support/kernel_runner.h"
#include "tests/support/random_values.h"

namespace wavecast::test {
namespace {

// The layout of one generator in rocRAND 5.3: the Weyl counter, then five words of xorshift state.
struct Xorwow {
  uint32_t counter;
  std::array<uint32_t, 5> x;

  uint32_t next() {
    const uint32_t t = x[0] ^ x[0] >> 2;
    x = {x[1], x[2], x[3], x[4], (x[4] ^ x[4] << 4) ^ (t ^ t << 1)};
    counter += 362437;
    return x[4] + counter;
  }
  bool operator==(const Xorwow&) const = default;
};

class RocRand : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Targets, RocRand, ::testing::Values("gfx908", "gfx90a"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(RocRand, XorwowUniform) {
  if (std::string_view(WAVECAST_ROCRAND_LIBRARY).empty()) GTEST_SKIP() << "package librocrand1 is not installed";
  KernelRunner runner = KernelRunner::in_container(WAVECAST_ROCRAND_LIBRARY, GetParam());
  // The number of generators, one per work-item, has to be a power of two; the count leaves a ragged last round.
  constexpr uint32_t kGrid = 4, kBlock = 256, kGenerators = kGrid * kBlock, kFirst = 37;
  constexpr uint64_t kCount = 5 * kGenerators + 333;
  std::vector<Xorwow> generators(kGenerators);
  Random random(81);
  for (Xorwow& generator : generators) {
    generator.counter = static_cast<uint32_t>(random.next());
    for (uint32_t& word : generator.x) word = static_cast<uint32_t>(random.next());
  }
  const auto states = runner.buffer(generators);
  const auto out = runner.buffer<float>(kCount);
  runner.run("generate_kernelIf20uniform_distributionIfEEEvPN14rocrand_device13xorwow_engine", isa::Dim3{kGrid},
             isa::Dim3{kBlock}, states, kFirst, out, kCount, uint8_t{0});
  for (uint64_t i = 0; i < kCount; ++i) {
    const uint32_t bits = generators[(kFirst + i) % kGenerators].next();
    ASSERT_EQ(out.values[i], std::fma(static_cast<float>(bits), 0x1p-32f, 0x1p-32f)) << i;
  }
  for (uint32_t i = 0; i < kGenerators; ++i) ASSERT_EQ(states.values[i], generators[i]) << i;
}

}  // namespace
}  // namespace wavecast::test
