// What a buffer holds before the launch (zero, iota, random, fill, file) and whether it holds what it should
// after it. Random numbers are a pure function of seed and element index: the same on every machine and in
// every order of filling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/launch_description.h"

namespace wavecast::model {

// Writes the contents into zeroed memory of buffer.bytes. Errors: file unreadable, or not exactly as long as
// the buffer.
Expected<void> fill_buffer(const BufferDescription& buffer, std::span<std::byte> memory);

// Bytes that filling the launch's buffers will touch; zeroed buffers cost nothing until used.
uint64_t bytes_to_fill(const LaunchDescription& launch);

struct Mismatch {
  uint64_t element = 0;
  std::string got, want;
};

// Result of a BufferCheck.
struct CheckResult {
  uint64_t elements = 0, mismatches = 0;
  double largest_absolute_error = 0,
         largest_relative_error = 0;  // over numbers; NaN against a number counts as mismatch only
  std::vector<Mismatch> first;        // the first few
  bool passed() const { return mismatches == 0; }
};

// Compares `got` with the bytes of check.equals_path. Errors: file unreadable or not as long as the buffer.
Expected<CheckResult> check_buffer_contents(const BufferCheck& check, std::span<const std::byte> got);

// The same against bytes in memory; both spans have one length, a multiple of the element's size.
CheckResult compare_elements(const BufferCheck& check, std::span<const std::byte> got,
                             std::span<const std::byte> want);

}  // namespace wavecast::model
