// Reproducible test data. std distributions differ between standard libraries; these do not.
#pragma once

#include <cstdint>
#include <vector>

namespace wavecast::test {

// SplitMix64: every seed gives a full-period sequence.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  // Uniform in [0, bound).
  uint64_t below(uint64_t bound) { return next() % bound; }
  // Uniform in [low, high), with 53 random bits.
  double real(double low, double high) {
    return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
  }

 private:
  uint64_t state_;
};

template <class T>
std::vector<T> random_integers(size_t count, uint64_t seed, int64_t low, int64_t high) {
  Random random(seed);
  std::vector<T> values(count);
  for (T& value : values)
    value = static_cast<T>(low + static_cast<int64_t>(random.below(static_cast<uint64_t>(high - low + 1))));
  return values;
}

template <class T>
std::vector<T> random_reals(size_t count, uint64_t seed, double low, double high) {
  Random random(seed);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(random.real(low, high));
  return values;
}

}  // namespace wavecast::test
