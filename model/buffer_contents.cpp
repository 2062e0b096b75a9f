// Buffer contents before the launch. The generator is SplitMix64's output function on a counter (Steele, Lea,
// Flood 2014: "Fast splittable pseudorandom number generators"): one value per 8 bytes, no state, so loops
// vectorise and split.
#include "model/buffer_contents.h"

#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace wavecast::model {
namespace {

constexpr uint64_t kGoldenGamma = 0x9e3779b97f4a7c15;  // SplitMix64's odd increment, 2^64 / golden ratio

inline uint64_t mix(uint64_t value) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

// 64 random bits for the index-th group of 8 bytes.
inline uint64_t random_bits(uint64_t stream, uint64_t index) {
  return mix(stream + (index + 1) * kGoldenGamma);
}

// Seeds 1, 2, 3 must not give shifted copies of one sequence, so the seed is mixed before it starts the
// counter.
uint64_t stream_of(uint64_t seed) { return mix(seed * kGoldenGamma + 0x2545f4914f6cdd1d); }

template <class Word>
void store(std::byte* memory, uint64_t index, Word word) {
  std::memcpy(memory + index * sizeof(Word), &word, sizeof(Word));
}

// Fills with words that `generate(index, random bits of its own)` makes; words of one 8-byte group share one
// value.
template <class Word, class Generate>
void fill_random_words(std::span<std::byte> memory, uint64_t seed, Generate generate) {
  constexpr uint64_t kPerGroup = 8 / sizeof(Word);
  const uint64_t stream = stream_of(seed), words = memory.size() / sizeof(Word), groups = words / kPerGroup;
  for (uint64_t group = 0; group < groups; ++group) {
    const uint64_t bits = random_bits(stream, group);
    for (uint64_t i = 0; i < kPerGroup; ++i)
      store<Word>(memory.data(), group * kPerGroup + i, generate(bits >> (i * sizeof(Word) * 8 & 63)));
  }
  const uint64_t last = random_bits(stream, groups);
  for (uint64_t word = groups * kPerGroup; word < words; ++word)
    store<Word>(memory.data(), word, generate(last >> (word - groups * kPerGroup) * sizeof(Word) * 8));
}

// Integers from low to low + span inclusive (span 2^64-1: all). The high product half avoids a division per
// element.
uint64_t scaled(uint64_t random, uint64_t span) {
  if (span == ~uint64_t{0}) return random;
  return static_cast<uint64_t>(static_cast<unsigned __int128>(random) * (span + 1) >> 64);
}

struct Range {
  ElementType type;
  uint64_t low, span;          // integers
  double low_value, distance;  // floating types

  explicit Range(const BufferInit& init) : type(init.type) {
    const uint32_t width = size_of(type) * 8;
    const uint64_t all = ~uint64_t{0} >> (64 - width);
    low = init.bounded ? init.low_bits : 0;
    span = init.bounded ? (init.high_bits - init.low_bits) & all : all;
    low_value = init.bounded && is_floating(type) ? element_to_double(type, init.low_bits) : 0;
    distance = init.bounded && is_floating(type) ? element_to_double(type, init.high_bits) - low_value : 1;
  }
  double at(double unit) const { return low_value + distance * unit; }
};

// 8- and 16-bit elements: a table of 2^16 results turns conversion into a load. 16 random bits per element
// for both.
std::vector<uint16_t> narrow_table(const Range& range) {
  std::vector<uint16_t> table(1 << 16);
  for (uint32_t k = 0; k < table.size(); ++k)
    table[k] = is_floating(range.type)
                   ? static_cast<uint16_t>(element_from_double(range.type, range.at(k * 0x1p-16)))
                   : static_cast<uint16_t>(range.low + (uint64_t{k} * (range.span + 1) >> 16));
  return table;
}

void fill_random_bytes(std::span<std::byte> memory, const BufferInit& init, const Range& range) {
  if (!init.bounded) {
    fill_random_words<uint64_t>(memory.first(memory.size() & ~size_t{7}), init.seed,
                                [](uint64_t bits) { return bits; });
    const uint64_t last = random_bits(stream_of(init.seed), memory.size() / 8);
    for (size_t i = memory.size() & ~size_t{7}; i < memory.size(); ++i)
      memory[i] = static_cast<std::byte>(last >> (i & 7) * 8);
    return;
  }
  const auto table = narrow_table(range);
  const uint64_t stream = stream_of(init.seed);
  for (uint64_t i = 0; i < memory.size(); ++i)
    memory[i] = static_cast<std::byte>(table[random_bits(stream, i / 4) >> (i & 3) * 16 & 0xffff]);
}

void fill_random(const BufferInit& init, std::span<std::byte> memory) {
  const Range range(init);
  switch (init.type) {
    case ElementType::i8:
    case ElementType::u8:
      return fill_random_bytes(memory, init, range);
    case ElementType::i16:
    case ElementType::u16:
    case ElementType::f16:
    case ElementType::bf16: {
      const auto table = narrow_table(range);
      return fill_random_words<uint16_t>(memory, init.seed,
                                         [&](uint64_t bits) { return table[bits & 0xffff]; });
    }
    case ElementType::i32:
    case ElementType::u32:
      return fill_random_words<uint32_t>(memory, init.seed, [&](uint64_t bits) {
        return static_cast<uint32_t>(range.low + ((bits & 0xffffffff) * (range.span + 1) >> 32));
      });
    case ElementType::f32:  // 24 bits: every multiple of 2^-24 is a float
      return fill_random_words<uint32_t>(memory, init.seed, [&](uint64_t bits) {
        const double unit = static_cast<double>(static_cast<int32_t>((bits & 0xffffffff) >> 8)) * 0x1p-24;
        return std::bit_cast<uint32_t>(static_cast<float>(range.at(unit)));
      });
    case ElementType::i64:
    case ElementType::u64:
      return fill_random_words<uint64_t>(memory, init.seed,
                                         [&](uint64_t bits) { return range.low + scaled(bits, range.span); });
    case ElementType::f64:
      return fill_random_words<uint64_t>(memory, init.seed, [&](uint64_t bits) {
        return std::bit_cast<uint64_t>(range.at(static_cast<double>(bits >> 11) * 0x1p-53));
      });
  }
}

// Numbers after which an iota starts again, because the type does not hold the next integer: 2^(mantissa bits
// + 1).
uint64_t iota_period(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return uint64_t{1} << 11;
    case ElementType::bf16:
      return uint64_t{1} << 8;
    case ElementType::f32:
      return uint64_t{1} << 24;
    default:
      return uint64_t{1} << 53;
  }
}

template <class Word, class Make>
void fill_words(std::span<std::byte> memory, Make make) {
  const uint64_t words = memory.size() / sizeof(Word);
  for (uint64_t i = 0; i < words; ++i) store<Word>(memory.data(), i, static_cast<Word>(make(i)));
}

template <class Make>
void fill_elements(ElementType type, std::span<std::byte> memory, Make make) {
  switch (size_of(type)) {
    case 1:
      return fill_words<uint8_t>(memory, make);
    case 2:
      return fill_words<uint16_t>(memory, make);
    case 4:
      return fill_words<uint32_t>(memory, make);
    default:
      return fill_words<uint64_t>(memory, make);
  }
}

void fill_iota(ElementType type, std::span<std::byte> memory) {
  if (!is_floating(type)) return fill_elements(type, memory, [](uint64_t i) { return i; });
  const uint64_t mask = iota_period(type) - 1;
  fill_elements(type, memory,
                [&](uint64_t i) { return element_from_double(type, static_cast<double>(i & mask)); });
}

Expected<void> read_exactly(const std::string& path, std::span<std::byte> memory,
                            const std::string& remedy_size) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) return fail(path, "this is a folder, not a file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    return fail(path, fmt::format("cannot read the file: {}", std::strerror(errno)),
                "check the path and its permissions");
  stream.read(reinterpret_cast<char*>(memory.data()), static_cast<std::streamsize>(memory.size()));
  const uint64_t got = static_cast<uint64_t>(stream.gcount());
  if (got < memory.size())
    return fail(path, fmt::format("the file has {} bytes, the buffer {}", got, memory.size()),
                fmt::format("{} {}", remedy_size, got));
  if (stream.peek() != std::ifstream::traits_type::eof()) {
    const auto size = std::filesystem::file_size(path, code);
    return fail(path,
                fmt::format("the file has {} bytes, the buffer {}", code ? got + 1 : size, memory.size()),
                code ? "use a regular file" : fmt::format("{} {}", remedy_size, size));
  }
  return {};
}

}  // namespace

Expected<void> fill_buffer(const BufferDescription& buffer, std::span<std::byte> memory) {
  switch (buffer.init.kind) {
    case BufferInit::Kind::zero:
      return {};
    case BufferInit::Kind::iota:
      fill_iota(buffer.init.type, memory);
      return {};
    case BufferInit::Kind::random:
      fill_random(buffer.init, memory);
      return {};
    case BufferInit::Kind::fill:
      fill_elements(buffer.init.type, memory, [bits = buffer.init.value_bits](uint64_t) { return bits; });
      return {};
    case BufferInit::Kind::file:
      return read_exactly(buffer.init.path, memory, "give the buffer this size in bytes:");
  }
  return {};
}

uint64_t bytes_to_fill(const LaunchDescription& launch) {
  uint64_t bytes = 0;
  for (const BufferDescription& buffer : launch.buffers)
    if (buffer.init.kind != BufferInit::Kind::zero) bytes += buffer.bytes;
  return bytes;
}

CheckResult compare_elements(const BufferCheck& check, std::span<const std::byte> got,
                             std::span<const std::byte> want) {
  constexpr size_t kShown = 8;  // enough to see a pattern
  CheckResult result;
  const uint32_t bytes = size_of(check.type);
  result.elements = got.size() / bytes;
  for (uint64_t i = 0; i < result.elements; ++i) {
    uint64_t got_bits = 0, want_bits = 0;
    std::memcpy(&got_bits, got.data() + i * bytes, bytes);
    std::memcpy(&want_bits, want.data() + i * bytes, bytes);
    if (got_bits == want_bits) continue;
    const double g = element_to_double(check.type, got_bits), w = element_to_double(check.type, want_bits);
    if (std::isnan(g) && std::isnan(w)) continue;
    // 64-bit integers beyond 2^53 may be equal as doubles and still differ.
    const double difference = g == w && !is_floating(check.type) ? 1 : std::fabs(g - w);
    if (std::isfinite(difference)) {
      result.largest_absolute_error = std::max(result.largest_absolute_error, difference);
      if (w != 0)
        result.largest_relative_error = std::max(result.largest_relative_error, difference / std::fabs(w));
    }
    if (std::isfinite(difference) &&
        difference <= check.absolute_tolerance + check.relative_tolerance * std::fabs(w))
      continue;
    if (result.first.size() < kShown)
      result.first.push_back(
          {i, element_to_text(check.type, got_bits), element_to_text(check.type, want_bits)});
    ++result.mismatches;
  }
  return result;
}

Expected<CheckResult> check_buffer_contents(const BufferCheck& check, std::span<const std::byte> got) {
  if (got.size() % size_of(check.type))
    return fail(fmt::format("check of buffer '{}'", check.buffer),
                fmt::format("{} bytes are no whole number of {} elements", got.size(), to_string(check.type)),
                "use another type");
  std::vector<std::byte> want(got.size());
  if (auto ok = read_exactly(check.equals_path, want,
                             "write the whole buffer as the kernel should leave it; the file has");
      !ok)
    return tl::unexpected(ok.error());
  return compare_elements(check, got, want);
}

}  // namespace wavecast::model
