// Reference models that the tests of flat, global, scratch and buffer instructions share.
#pragma once

#include <bit>
#include <functional>
#include <string>
#include <vector>

#include "support/machine.h"

namespace wavecast::test {

inline std::vector<LoadModel> vector_loads() {
  using Fill = LoadModel::Fill;
  return {{"ubyte", 1},
          {"sbyte", 1, true},
          {"ushort", 2},
          {"sshort", 2, true},
          {"ubyte_d16", 1, false, Fill::low},
          {"ubyte_d16_hi", 1, false, Fill::high},
          {"sbyte_d16", 1, true, Fill::low},
          {"sbyte_d16_hi", 1, true, Fill::high},
          {"short_d16", 2, false, Fill::low},
          {"short_d16_hi", 2, false, Fill::high},
          {"dword", 4},
          {"dwordx2", 8},
          {"dwordx3", 12},
          {"dwordx4", 16}};
}

struct StoreModel {
  const char* suffix;
  uint32_t bytes, shift;
};
inline std::vector<StoreModel> vector_stores() {
  return {{"byte", 1, 0},  {"byte_d16_hi", 1, 16}, {"short", 2, 0},    {"short_d16_hi", 2, 16},
          {"dword", 4, 0}, {"dwordx2", 8, 0},      {"dwordx3", 12, 0}, {"dwordx4", 16, 0}};
}

// An atomic of the vector memory: name without prefix, and the new memory value.
struct VectorAtomic {
  const char* name;
  uint32_t bytes;
  std::function<uint64_t(uint64_t memory, uint64_t data, uint64_t compare)> next;
  bool compares = false, floating = false;
};
inline double number_of(uint64_t bits, uint32_t bytes) {
  return bytes == 8 ? std::bit_cast<double>(bits) : std::bit_cast<float>(static_cast<uint32_t>(bits));
}
inline uint64_t bits_of_number(double value, uint32_t bytes) {
  return bytes == 8 ? std::bit_cast<uint64_t>(value) : std::bit_cast<uint32_t>(static_cast<float>(value));
}

inline std::vector<VectorAtomic> vector_atomics() {
  std::vector<VectorAtomic> all;
  for (uint32_t bytes : {4u, 8u}) {
    const bool x2 = bytes == 8;
    const uint64_t mask = x2 ? ~uint64_t{0} : 0xffffffff;
    const auto s = [x2](uint64_t x) {
      return x2 ? static_cast<int64_t>(x) : int64_t{static_cast<int32_t>(x)};
    };
    all.push_back(
        {x2 ? "add_x2" : "add", bytes, [mask](uint64_t m, uint64_t d, uint64_t) { return (m + d) & mask; }});
    all.push_back(
        {x2 ? "sub_x2" : "sub", bytes, [mask](uint64_t m, uint64_t d, uint64_t) { return (m - d) & mask; }});
    all.push_back({x2 ? "smin_x2" : "smin", bytes,
                   [s](uint64_t m, uint64_t d, uint64_t) { return s(d) < s(m) ? d : m; }});
    all.push_back({x2 ? "smax_x2" : "smax", bytes,
                   [s](uint64_t m, uint64_t d, uint64_t) { return s(d) > s(m) ? d : m; }});
    all.push_back(
        {x2 ? "umin_x2" : "umin", bytes, [](uint64_t m, uint64_t d, uint64_t) { return d < m ? d : m; }});
    all.push_back(
        {x2 ? "umax_x2" : "umax", bytes, [](uint64_t m, uint64_t d, uint64_t) { return d > m ? d : m; }});
    all.push_back({x2 ? "and_x2" : "and", bytes, [](uint64_t m, uint64_t d, uint64_t) { return m & d; }});
    all.push_back({x2 ? "or_x2" : "or", bytes, [](uint64_t m, uint64_t d, uint64_t) { return m | d; }});
    all.push_back({x2 ? "xor_x2" : "xor", bytes, [](uint64_t m, uint64_t d, uint64_t) { return m ^ d; }});
    all.push_back(
        {x2 ? "inc_x2" : "inc", bytes, [](uint64_t m, uint64_t d, uint64_t) { return m >= d ? 0 : m + 1; }});
    all.push_back({x2 ? "dec_x2" : "dec", bytes,
                   [](uint64_t m, uint64_t d, uint64_t) { return m == 0 || m > d ? d : m - 1; }});
    all.push_back({x2 ? "swap_x2" : "swap", bytes, [](uint64_t, uint64_t d, uint64_t) { return d; }});
    all.push_back({x2 ? "cmpswap_x2" : "cmpswap", bytes,
                   [](uint64_t m, uint64_t d, uint64_t c) { return m == c ? d : m; }, true});
  }
  all.push_back(
      {"add_f32", 4,
       [](uint64_t m, uint64_t d, uint64_t) { return bits_of_number(number_of(m, 4) + number_of(d, 4), 4); },
       false, true});
  all.push_back(
      {"add_f64", 8,
       [](uint64_t m, uint64_t d, uint64_t) { return bits_of_number(number_of(m, 8) + number_of(d, 8), 8); },
       false, true});
  all.push_back({"min_f64", 8,
                 [](uint64_t m, uint64_t d, uint64_t) { return number_of(d, 8) < number_of(m, 8) ? d : m; },
                 false, true});
  all.push_back({"max_f64", 8,
                 [](uint64_t m, uint64_t d, uint64_t) { return number_of(d, 8) > number_of(m, 8) ? d : m; },
                 false, true});
  return all;
}

// Random operands of an atomic that collides on `slots` values, its text, and what memory and registers must
// become.
struct AtomicRun {
  std::vector<uint64_t> memory;     // expected
  std::array<uint32_t, 64> slot{};  // of each lane
  std::array<uint64_t, 64> old{};   // expected return values of active lanes
};

// Registers: data (and compare) from v20 on. `initial` receives the starting memory.
inline AtomicRun prepare_atomic(Machine& machine, const VectorAtomic& model, uint32_t slots,
                                std::vector<uint64_t>& initial) {
  AtomicRun run;
  const auto number = [&]() -> uint64_t {
    if (model.floating) return bits_of_number(static_cast<int>(machine.random(9)) - 4, model.bytes);
    const uint64_t value = machine.random(2) ? machine.random(4) : machine.random_mask();
    return model.bytes == 8 ? value : value & 0xffffffff;
  };
  initial.resize(slots);
  for (uint64_t& value : initial) value = number();
  run.memory = initial;
  const int dwords = static_cast<int>(model.bytes / 4);
  for (size_t lane = 0; lane < 64; ++lane) {
    const uint64_t data = number(), compare = number();
    run.slot[lane] = machine.random(slots);
    for (int k = 0; k < dwords; ++k) {
      machine.v(20 + k).lane[lane] = static_cast<uint32_t>(data >> 32 * k);
      machine.v(20 + dwords + k).lane[lane] = static_cast<uint32_t>(compare >> 32 * k);
    }
    if (!machine.active(static_cast<int>(lane))) continue;
    run.old[lane] = run.memory[run.slot[lane]];
    run.memory[run.slot[lane]] = model.next(run.memory[run.slot[lane]], data, compare);
  }
  return run;
}

inline std::string atomic_data(const VectorAtomic& model) {
  return LoadModel{"", model.bytes * (model.compares ? 2 : 1)}.registers(20);
}

}  // namespace wavecast::test
