// Features of HIP programs beyond float arithmetic, executed whole and compared with the same definitions on
// the host: integers, exchanges and correctly rounded operations bit by bit, library functions within their
// stated error.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>

#include "tests/support/float_formats.h"
#include "tests/support/kernel_runner.h"
#include "tests/support/random_values.h"

namespace wavecast::test {
namespace {

using isa::Dim3;

class Language : public ::testing::TestWithParam<const char*> {
 protected:
  KernelRunner runner_{"language", GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Targets, Language, ::testing::Values("gfx942", "gfx90a", "gfx950"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Language, LaunchGeometryConstantsAndDeviceVariables) {
  constexpr Dim3 kGrid{3, 2, 2}, kBlock{5, 4, 7};
  constexpr std::array<uint32_t, 8> kPrimes{2, 3, 5, 7, 11, 13, 17, 19};
  const uint32_t items = kGrid.count() * kBlock.count();
  const auto out = runner_.buffer<uint32_t>(items * 10);
  runner_.run("launch_geometry", kGrid, kBlock, out);
  std::set<uint32_t> visits;
  for (uint32_t i = 0; i < items; ++i) {
    const uint32_t item = i % kBlock.count(), group = i / kBlock.count();
    const std::array<uint32_t, 9> expected{item % 5,  item / 5 % 4,  item / 20,
                                           group % 3, group / 3 % 2, group / 6,
                                           50407,     30202,         kPrimes[item % 8]};
    for (int word = 0; word < 9; ++word)
      ASSERT_EQ(out.values[i * 10 + word], expected[word]) << i << " " << word;
    visits.insert(out.values[i * 10 + 9]);
  }
  EXPECT_EQ(visits.size(), items);
  EXPECT_EQ(*visits.begin(), 100u);
  EXPECT_EQ(*visits.rbegin(), 100 + items - 1);
}

TEST_P(Language, LanesLeaveALoopOneByOne) {
  constexpr uint32_t kCount = 500, kLimit = 120;
  const auto in = runner_.buffer(random_integers<uint32_t>(kCount, 61, 1, 1000000));
  const auto out = runner_.buffer<uint32_t>(kCount);
  runner_.run("divergent_loop", Dim3{2}, Dim3{256}, in, out, kCount, kLimit);
  for (uint32_t i = 0; i < kCount; ++i) {
    uint32_t steps = 0, even = 0;
    for (uint64_t value = in.values[i]; value != 1;) {
      if (++steps == kLimit) break;
      if (value % 2 == 0) {
        ++even;
        value /= 2;
      } else {
        value = 3 * value + 1;
      }
    }
    ASSERT_EQ(out.values[i], steps * 1000 + even) << i;
  }
}

TEST_P(Language, VotesAndLaneExchanges) {
  const auto in = runner_.buffer(random_integers<uint32_t>(64, 62, 0, 0x7fffffff));
  const auto out = runner_.buffer<uint64_t>(640);
  runner_.run("lane_exchange", Dim3{1}, Dim3{64}, in, out);
  uint64_t divisible = 0, odd = 0;
  for (int lane = 0; lane < 64; ++lane) {
    divisible |= uint64_t{in.values[lane] % 3 == 0} << lane;
    odd += in.values[lane] % 2;
  }
  for (uint32_t lane = 0; lane < 64; ++lane) {
    auto value = [&](uint32_t from) { return uint64_t{in.values[from]}; };
    const std::array<uint64_t, 10> expected{
        divisible,
        3,
        value((lane * 7 + 3) % 64),
        value(lane ^ 21),
        value(lane % 16 < 5 ? lane : lane - 5),
        static_cast<uint32_t>(value(0) + value(33)),
        lane % 16 == 0 ? 7777 : value(lane - 1),
        value(lane ^ 3),
        value(lane ^ 1),
        value(lane) % 2 ? odd : 0,
    };
    for (int word = 0; word < 10; ++word)
      ASSERT_EQ(out.values[lane * 10 + word], expected[word]) << lane << " " << word;
  }
}

TEST_P(Language, AtomicsAddUp) {
  constexpr uint32_t kCount = 700;
  const auto in = runner_.buffer(random_integers<uint32_t>(kCount, 63, 0, 0xffffffff));
  const std::vector<uint32_t> start{5, 6, 0xffffffff, 0, 0xffffffff, 0, 0x1234, 90, 20, 0x80000000};
  const auto words = runner_.buffer(start);
  const auto wide = runner_.buffer(std::vector<uint64_t>{7, 0, 9});
  const auto f32 = runner_.buffer(std::vector<float>{0.5f});
  const auto f64 = runner_.buffer(std::vector<double>{0.25});
  runner_.run("atomics", Dim3{3}, Dim3{256}, in, words, wide, f32, f64, kCount);

  std::vector<uint32_t> expected = start;
  uint64_t sum = 7, largest = 0, squares = 9;
  float sum_f32 = 0.5f;
  double sum_f64 = 0.25;
  for (uint32_t i = 0; i < kCount; ++i) {
    const uint32_t value = in.values[i];
    expected[0] += value;
    expected[1] -= value;
    expected[2] = std::min(expected[2], value);
    expected[3] = std::max(expected[3], value);
    expected[4] &= value | 0xff00ff00;
    expected[5] |= value & 0x00ff00ff;
    expected[6] ^= value;
    expected[7] = expected[7] >= 99 ? 0 : expected[7] + 1;
    expected[8] = expected[8] == 0 || expected[8] > 50 ? 50 : expected[8] - 1;
    expected[9] =
        static_cast<uint32_t>(std::max(static_cast<int32_t>(expected[9]), static_cast<int32_t>(value)));
    sum += uint64_t{value} << 20;
    largest = std::max(largest, uint64_t{value} << 16 | i);
    squares += uint64_t{value} * value;
    sum_f32 += static_cast<float>(value % 64);
    sum_f64 += value * 0.5;
  }
  for (int word = 0; word < 10; ++word) EXPECT_EQ(words.values[word], expected[word]) << word;
  EXPECT_EQ(wide.values[0], sum);
  EXPECT_EQ(wide.values[1], largest);
  EXPECT_EQ(wide.values[2], squares);
  EXPECT_EQ(f32.values[0], sum_f32);
  EXPECT_EQ(f64.values[0], sum_f64);
}

TEST_P(Language, DynamicLds) {
  constexpr uint32_t kBlock = 192, kGrid = 3;
  const auto in = runner_.buffer(random_integers<uint32_t>(kBlock * kGrid, 64, 0, 0xffffffff));
  const auto out = runner_.buffer<uint32_t>(kBlock * kGrid);
  runner_.set_dynamic_lds(kBlock * sizeof(uint32_t));
  runner_.run("reverse_in_dynamic_lds", Dim3{kGrid}, Dim3{kBlock}, in, out);
  for (uint32_t i = 0; i < kBlock * kGrid; ++i)
    ASSERT_EQ(out.values[i], in.values[i / kBlock * kBlock + kBlock - 1 - i % kBlock]) << i;
}

TEST_P(Language, NarrowTypes) {
  constexpr uint32_t kCount = 400;
  const auto u8 = runner_.buffer(random_integers<uint8_t>(kCount + 4, 65, 0, 255));
  const auto i8 = runner_.buffer(random_integers<int8_t>(kCount, 66, -128, 127));
  const auto u16 = runner_.buffer(random_integers<uint16_t>(kCount, 67, 0, 65535));
  const auto i16 = runner_.buffer(random_integers<int16_t>(kCount, 68, -32768, 32767));
  const auto sums = runner_.buffer<int32_t>(kCount);
  const auto u8_out = runner_.buffer<uint8_t>(kCount);
  const auto i16_out = runner_.buffer<int16_t>(kCount);
  runner_.run("narrow_types", Dim3{2}, Dim3{256}, u8, i8, u16, i16, sums, u8_out, i16_out, kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    const int32_t unaligned = u8.values[i + 1] | u8.values[i + 2] << 8;
    ASSERT_EQ(sums.values[i], u8.values[i] + i8.values[i] * 3 - u16.values[i] + i16.values[i] + unaligned)
        << i;
    ASSERT_EQ(u8_out.values[i], static_cast<uint8_t>(u8.values[i] + i8.values[i])) << i;
    ASSERT_EQ(i16_out.values[i], static_cast<int16_t>(u16.values[i] * i16.values[i])) << i;
  }
}

// Values of every magnitude: a random number of leading bits is dropped.
std::vector<int64_t> integers_of_all_sizes(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<int64_t> values(count);
  for (int64_t& value : values) {
    const uint64_t magnitude = random.next() >> random.below(63) >> 1 | 1;
    value = random.below(2) ? static_cast<int64_t>(magnitude) : -static_cast<int64_t>(magnitude);
  }
  return values;
}

TEST_P(Language, Integers64) {
  constexpr uint32_t kCount = 600;
  const auto a = runner_.buffer(integers_of_all_sizes(kCount, 69)),
             b = runner_.buffer(integers_of_all_sizes(kCount, 70));
  const auto out = runner_.buffer<uint64_t>(kCount * 7);
  runner_.run("integers_64", Dim3{5}, Dim3{128}, a, b, out, kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    const int64_t x = a.values[i], y = b.values[i];
    const auto ux = static_cast<uint64_t>(x), uy = static_cast<uint64_t>(y);
    uint32_t low = static_cast<uint32_t>(ux), reversed = 0;
    for (int bit = 0; bit < 32; ++bit) reversed |= (low >> bit & 1) << (31 - bit);
    const std::array<uint64_t, 7> expected{
        static_cast<uint64_t>(x / y),
        ux % uy,
        ux * uy,
        static_cast<uint64_t>(static_cast<unsigned __int128>(ux) * uy >> 64),
        static_cast<uint64_t>(x >> (uy & 63)),
        std::rotl(ux, static_cast<int>(uy & 63)),
        static_cast<uint64_t>(std::popcount(ux) + 100 * std::countl_zero(ux) +
                              10000 * (std::countr_zero(uy) + 1)) +
            (reversed & 0xff) * uint64_t{1000000},
    };
    for (int word = 0; word < 7; ++word)
      ASSERT_EQ(out.values[i * 7 + word], expected[word]) << x << " " << y << " " << word;
  }
}

TEST_P(Language, CorrectlyRoundedMath) {
  constexpr uint32_t kCount = 2000;
  const auto a = runner_.buffer(random_reals<float>(kCount, 71, -1000, 1000)),
             b = runner_.buffer(random_reals<float>(kCount, 72, -10, 10));
  const auto f32 = runner_.buffer<float>(kCount * 6);
  const auto f64 = runner_.buffer<double>(kCount * 4);
  runner_.run("rounded_math", Dim3{8}, Dim3{256}, a, b, f32, f64, kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    const float x = a.values[i], y = b.values[i];
    const std::array<float, 6> expected{
        x / y,
        std::sqrt(std::abs(x)),
        std::fma(x, y, -x),
        std::nearbyint(x * 8.0f),
        static_cast<float>(static_cast<int>(x)) + static_cast<float>(static_cast<unsigned>(std::abs(y))),
        std::min(x, y) - std::max(x, -y)};
    for (int word = 0; word < 6; ++word)
      ASSERT_EQ(f32.values[i * 6 + word], expected[word]) << x << " " << y << " " << word;
    const double u = x * 1.1, v = y * 0.9;
    const std::array<double, 4> expected_f64{u / v, std::sqrt(std::abs(u)), std::fma(u, v, -u),
                                             std::floor(u) + static_cast<double>(static_cast<float>(v))};
    for (int word = 0; word < 4; ++word)
      ASSERT_EQ(f64.values[i * 4 + word], expected_f64[word]) << x << " " << y << " " << word;
  }
}

// Distance in units in the last place of the float nearest to the exact value.
double error_in_ulps(float value, double exact) {
  const float nearest = static_cast<float>(exact);
  const double ulp = std::nextafter(std::abs(nearest), INFINITY) - static_cast<double>(std::abs(nearest));
  return std::abs(value - exact) / ulp;
}

TEST_P(Language, LibraryMathWithinItsErrorBound) {
  constexpr uint32_t kCount = 1000;
  // The largest error that OpenCL allows these functions, which the device library is written for.
  constexpr std::array<double, 8> kBound{4, 4, 3, 3, 16, 5, 16, 2};
  const auto in = runner_.buffer(random_reals<float>(kCount, 73, -20, 20));
  const auto out = runner_.buffer<float>(kCount * 8);
  runner_.run("library_math", Dim3{4}, Dim3{256}, in, out, kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    const float x = in.values[i];
    const double d = x;
    const std::array<double, 8> exact{std::sin(d),
                                      std::cos(double(x * 1000.0f)),
                                      std::exp(d),
                                      std::log(double(std::abs(x) + 0.001f)),
                                      std::pow(std::abs(d), double(1.7f)),
                                      std::tanh(d),
                                      std::erf(d),
                                      std::cbrt(d)};
    for (int word = 0; word < 8; ++word)
      ASSERT_LE(error_in_ulps(out.values[i * 8 + word], exact[word]), kBound[word]) << x << " " << word;
  }
}

TEST_P(Language, HalfPrecisionAndDotProducts) {
  constexpr uint32_t kCount = 1000;
  const Encoder encoder(kF16);
  auto halves = [&](uint64_t seed) {
    // Exponents near each other, so that a double holds every sum exactly before it is rounded to f16.
    std::vector<uint16_t> codes = random_integers<uint16_t>(kCount * 2, seed, 10 << 10, (19 << 10) - 1);
    for (size_t i = 0; i < codes.size(); i += 3) codes[i] |= 0x8000;
    return codes;
  };
  const auto a = runner_.buffer(halves(74)), b = runner_.buffer(halves(75));
  const auto out = runner_.buffer<uint16_t>(kCount * 4);
  const auto packed_a = runner_.buffer(random_integers<int8_t>(kCount * 4, 76, -128, 127));
  const auto packed_b = runner_.buffer(random_integers<int8_t>(kCount * 4, 77, -128, 127));
  const auto dots = runner_.buffer<int32_t>(kCount);
  runner_.run("half_precision", Dim3{4}, Dim3{256}, a, b, out, packed_a, packed_b, dots, kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    const double x0 = kF16.decode(a.values[i * 2]), x1 = kF16.decode(a.values[i * 2 + 1]);
    const double y0 = kF16.decode(b.values[i * 2]), y1 = kF16.decode(b.values[i * 2 + 1]);
    const std::array<double, 4> exact{x0 * y1, x1 + y0, x0 * y0 + x0, x1 * y1 + x1};
    for (int word = 0; word < 4; ++word)
      ASSERT_EQ(kF16.decode(out.values[i * 4 + word]), kF16.decode(encoder.nearest(exact[word])))
          << i << " " << word;
    int32_t dot = static_cast<int32_t>(i);
    for (uint32_t k = 0; k < 4; ++k) dot += packed_a.values[i * 4 + k] * packed_b.values[i * 4 + k];
    ASSERT_EQ(dots.values[i], dot) << i;
  }
}

}  // namespace
}  // namespace wavecast::test
