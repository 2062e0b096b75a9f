// One wavefront on which single assembled instructions run, for tests of vector instruction semantics: LLVM's
// assembler gives the words, the project's decoder and semantics do the rest. Register contents are set and
// read per lane.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "isa/decoder.h"
#include "isa/emulator.h"
#include "isa/execution_context.h"
#include "isa/wavefront.h"
#include "support/assembler.h"
#include "support/random_values.h"

namespace wavecast::test {

using test::Random;

// MODE of a kernel as HIP compiles it: nearest even, denormals kept, DX10_CLAMP, IEEE.
inline constexpr uint32_t kUsualMode = 0xf0 | 1u << 8 | 1u << 9;

class LaneMachine {
 public:
  static constexpr int kRegisters = 128;

  explicit LaneMachine(std::string processor)
      : processor_(std::move(processor)), decoder_(make_decoder(processor_)) {
    wave.registers = std::make_unique<isa::VectorRegister[]>(2 * kRegisters);
    wave.vgpr = wave.registers.get();
    wave.agpr = wave.vgpr + kRegisters;
    wave.vgpr_count = wave.agpr_count = kRegisters;
    wave.mode = kUsualMode;
    wave.set_exec(~uint64_t{0});
    context.generation = isa::generation_of(processor_);
    context.shared_aperture = uint64_t{0x1000} << 32;
    context.private_aperture = uint64_t{0x2000} << 32;
  }
  LaneMachine(const LaneMachine&) = delete;
  LaneMachine& operator=(const LaneMachine&) = delete;

  // Decoded instructions of an assembly text.
  std::vector<isa::Instruction> assemble(const std::string& text) {
    const std::vector<std::byte> bytes = test::assemble_bytes(text + "\n", processor_);
    std::vector<isa::Instruction> instructions;
    for (size_t at = 0; at < bytes.size();) {
      isa::Instruction instruction;
      if (!decoder_.decode(std::span(bytes).subspan(at), at, instruction))
        throw std::runtime_error("does not decode: " + text);
      instructions.push_back(instruction);
      at += instruction.size;
    }
    return instructions;
  }
  void run(const isa::Instruction& instruction) {
    if (instruction.execute == nullptr)
      throw std::runtime_error(std::string(instruction.mnemonic) + " has no semantics");
    instruction.execute(wave, instruction, context);
  }
  void run(std::span<const isa::Instruction> instructions) {
    for (const isa::Instruction& instruction : instructions) run(instruction);
  }
  void run(const std::string& text) { run(assemble(text)); }

  uint32_t& v(int number, int lane) { return wave.vgpr[number].lane[lane]; }
  uint64_t v64(int number, int lane) {
    return v(number, lane) | static_cast<uint64_t>(v(number + 1, lane)) << 32;
  }
  void set64(int number, int lane, uint64_t value) {
    v(number, lane) = static_cast<uint32_t>(value);
    v(number + 1, lane) = static_cast<uint32_t>(value >> 32);
  }
  float f32(int number, int lane) { return std::bit_cast<float>(v(number, lane)); }
  double f64(int number, int lane) { return std::bit_cast<double>(v64(number, lane)); }

  // Fills VGPRs [first, first + count) with bits.
  void randomise(int first, int count, Random& random) {
    for (int r = first; r < first + count; ++r)
      for (int lane = 0; lane < isa::kLanes; ++lane) v(r, lane) = static_cast<uint32_t>(random.next());
  }

  isa::Wavefront wave;
  isa::LoadedKernel kernel;
  isa::Memory memory;
  isa::ExecutionContext context{kernel, memory, isa::Generation::other, {}, 0, 0, nullptr, 0, 0, false, -1,
                                {},     {}};

 private:
  static isa::Decoder make_decoder(const std::string& processor) {
    auto decoder = isa::Decoder::create(isa::TargetId{processor});
    if (!decoder) throw std::runtime_error(decoder.error().reason);
    return std::move(*decoder);
  }
  std::string processor_;
  isa::Decoder decoder_;
};

// Bit patterns that exercise a float format: zeros, denormals, ones, boundaries of rounding and range,
// infinities, NaN, and random patterns, half of them with exponents near each other so that sums cancel.
inline uint64_t float_pattern(int width, Random& random) {
  const int mantissa_bits = width == 16 ? 10 : width == 32 ? 23 : 52;
  const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  const uint64_t sign = uint64_t{1} << (width - 1), one = (sign >> 1) - (uint64_t{1} << mantissa_bits);
  const uint64_t infinity = sign - (uint64_t{1} << mantissa_bits);
  const uint64_t special[] = {0,
                              1,
                              2,
                              (uint64_t{1} << mantissa_bits) - 1,
                              uint64_t{1} << mantissa_bits,
                              one,
                              one + 1,
                              one - 1,
                              infinity - 1,
                              infinity,
                              infinity + 1,
                              infinity | uint64_t{1} << (mantissa_bits - 1)};
  const uint64_t bits = random.next() & mask;
  switch (random.below(8)) {
    case 0:
      return special[random.below(std::size(special))] | (bits & sign);
    case 1:
      return (bits & (sign | ((uint64_t{1} << mantissa_bits) - 1)));  // denormal
    case 2:
      return (bits & ~(((uint64_t{1} << (mantissa_bits / 2)) - 1))) & mask;  // trailing zeros
    case 3:
    case 4:
    case 5:
    case 6: {
      const uint64_t near_one = one + ((random.below(8) - 4) << mantissa_bits);
      return (near_one & infinity) | (bits & (sign | ((uint64_t{1} << mantissa_bits) - 1)));
    }
    default:
      return bits;
  }
}

}  // namespace wavecast::test
