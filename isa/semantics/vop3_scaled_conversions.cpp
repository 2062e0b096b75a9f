// Semantics of gfx950's scaled conversions between f32/f16/bf16 and the OCP 8, 6 and 4-bit formats. The scale
// is the exponent field of an f32: narrowing divides by it, widening multiplies. Source: AMD CDNA4 ISA
// document, "VOP3". Assumed where that is silent: fp8 and bf8 overflow as without scale (MODE.FP16_OVFL),
// fp6, bf6 and fp4 saturate, and a scale exponent of 255 is 2^128.
#include <array>

#include "isa/semantics/lane_arithmetic.h"
#include "isa/semantics/vector_rows.h"

namespace wavecast::isa {

namespace {

using enum InstructionClass;

enum class Element : uint8_t { f32, f16, bf16 };
constexpr int kMaxRegisters = 32;  // of one wide operand

// Where the wide values of a narrowing stand: f32 in S0 and S1; halves of S0 (or S0 alone); consecutive
// registers from S0; 16 registers from S0 and 16 from S1, taken alternately.
enum class Layout : uint8_t { two_sources, one_source, registers, interleaved };

struct Narrowing {
  Element from;
  const FloatFormat* to;
  int count;
  Layout layout;
  bool stochastic;
};

struct Widening {
  const FloatFormat* from;
  Element to;
  int count;
};

int scale_exponent(uint32_t bits) { return static_cast<int>(bits >> 23 & 0xff) - 127; }
uint32_t next_random(uint32_t v) { return v << 1 ^ (v >> 31 ? 197u : 0u); }  // v_prng_b32

float widen_half(Element element, uint32_t bits) {
  return element == Element::f16 ? f16_to_f32(static_cast<uint16_t>(bits))
                                 : bf16_to_float(static_cast<uint16_t>(bits));
}

// Register `index` after the one of an operand.
const uint32_t* register_after(LaneOperation& operation, int slot, int index) {
  return operation.wave()
      .vector(static_cast<uint16_t>(operation.instruction().src[slot] + index))
      .lane.data();
}

// The wide values of one lane.
template <Narrowing N>
struct WideSource {
  const uint32_t* row[kMaxRegisters] = {};
  explicit WideSource(LaneOperation& operation, LaneBuffer (&buffers)[2]) {
    if constexpr (N.layout == Layout::two_sources || N.layout == Layout::one_source) {
      row[0] = operation.source(N.from == Element::f32 ? Format::f32 : Format::b32, 0, buffers[0]);
      if constexpr (N.layout == Layout::two_sources) row[1] = operation.source(Format::f32, 1, buffers[1]);
    } else if constexpr (N.layout == Layout::interleaved) {
      for (int i = 0; i < N.count; ++i) row[i] = register_after(operation, i % 2, i / 2);
    } else {
      const int registers = N.from == Element::f32 ? N.count : N.count / 2;
      for (int i = 0; i < registers; ++i) row[i] = register_after(operation, 0, i);
    }
  }
  float value(int element, int lane) const {
    if constexpr (N.from == Element::f32)
      return std::bit_cast<float>(row[element][lane]);
    else
      return widen_half(N.from, row[element / 2][lane] >> (16 * (element % 2)));
  }
};

// Writes fields of 8 or 16 bits where op_sel says, or whole registers.
void write_narrow(LaneOperation& operation, const std::array<std::array<uint32_t, kLanes>, 6>& words,
                  int bits) {
  const Instruction& in = operation.instruction();
  LaneBuffer out;
  if (bits <= 16) {
    const int position = bits == 8 ? 8 * (in.op_sel >> 2 & 3) : 16 * (in.op_sel >> 3 & 1);
    const uint32_t mask = ((1u << bits) - 1) << position;
    const auto& old = operation.wave().vector(in.vdst).lane;
    for (int i = 0; i < kLanes; ++i) out.lane[i] = (old[i] & ~mask) | (words[0][i] << position & mask);
    operation.store(in.vdst, 1, out.lane, operation.active());
    return;
  }
  for (int r = 0; r < bits / 32; ++r)
    operation.store(static_cast<uint16_t>(in.vdst + r), 1, words[r].data(), operation.active());
}

template <Narrowing N>
void narrow(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneOperation operation(wave, instruction, context);
  LaneBuffer buffers[2], random_buffer, scale_buffer;
  const WideSource<N> source(operation, buffers);
  // Operands follow the values: random number (stochastic forms), then scale.
  constexpr int kNext = N.layout == Layout::two_sources || N.layout == Layout::interleaved ? 2 : 1;
  const uint32_t* random = N.stochastic ? operation.source(Format::b32, kNext, random_buffer) : nullptr;
  const uint32_t* scale = operation.source(Format::b32, N.stochastic ? kNext + 1 : kNext, scale_buffer);
  const bool saturate = operation.state().fp16_overflow || N.to->special == SpecialValues::none;
  constexpr int kWidth = 1 + N.to->exponent_bits + N.to->mantissa_bits;
  std::array<std::array<uint32_t, kLanes>, 6> words{};
  for (int i = 0; i < kLanes; ++i) {
    const int exponent = -scale_exponent(scale[i]);
    uint32_t noise = N.stochastic ? random[i] : 0;
    for (int element = 0; element < N.count; ++element) {
      const float value = source.value(element, i);
      uint32_t code;
      if constexpr (N.stochastic) {
        code = encode_float_stochastic(*N.to, value, noise, saturate, exponent);
        noise = next_random(noise);
      } else {
        code = encode_float(*N.to, static_cast<double>(value) * power_of_two(exponent),
                            Rounding::nearest_even, saturate);
      }
      const int bit = element * kWidth;
      words[bit / 32][i] |= code << (bit % 32);
      if (bit % 32 + kWidth > 32) words[bit / 32 + 1][i] |= code >> (32 - bit % 32);
    }
  }
  write_narrow(operation, words, N.count * kWidth);
}

template <Widening W>
void widen(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneOperation operation(wave, instruction, context);
  LaneBuffer buffer, scale_buffer;
  constexpr int kWidth = 1 + W.from->exponent_bits + W.from->mantissa_bits;
  constexpr int kSourceBits = W.count * kWidth;
  const uint32_t* scale = operation.source(Format::b32, 1, scale_buffer);
  const uint32_t* row[6] = {};
  if constexpr (kSourceBits <= 16) {
    row[0] = operation.source(Format::b32, 0, buffer);
  } else {
    for (int r = 0; r < kSourceBits / 32; ++r) row[r] = register_after(operation, 0, r);
  }
  const int start = kSourceBits == 8    ? 8 * (instruction.op_sel & 3)
                    : kSourceBits == 16 ? 16 * (instruction.op_sel & 1)
                                        : 0;
  constexpr int kResultBits = W.to == Element::f32 ? 32 : 16;
  constexpr int kRegisters = (W.count * kResultBits + 31) / 32;
  std::array<std::array<uint32_t, kLanes>, kRegisters> out{};
  for (int i = 0; i < kLanes; ++i) {
    const double factor = power_of_two(scale_exponent(scale[i]));
    for (int element = 0; element < W.count; ++element) {
      const int bit = start + element * kWidth;
      uint32_t code = row[bit / 32][i] >> (bit % 32);
      if (bit % 32 + kWidth > 32) code |= row[bit / 32 + 1][i] << (32 - bit % 32);
      const double value = static_cast<double>(decode_float(*W.from, code & ((1u << kWidth) - 1))) * factor;
      if constexpr (W.to == Element::f32)
        out[element][i] = std::bit_cast<uint32_t>(static_cast<float>(value));
      else
        out[element / 2][i] |= encode_float(W.to == Element::f16 ? kF16 : kBf16, value)
                               << (16 * (element % 2));
    }
  }
  if constexpr (W.count * kResultBits == 16) {
    LaneBuffer half;
    const bool high = instruction.op_sel >> 3 & 1;
    const auto& old = wave.vector(instruction.vdst).lane;
    for (int i = 0; i < kLanes; ++i)
      half.lane[i] = high ? (old[i] & 0xffff) | out[0][i] << 16 : (old[i] & 0xffff0000) | out[0][i];
    operation.store(instruction.vdst, 1, half.lane, operation.active());
  } else {
    for (int r = 0; r < kRegisters; ++r)
      operation.store(static_cast<uint16_t>(instruction.vdst + r), 1, out[r].data(), operation.active());
  }
}

using enum Element;
using enum Layout;

// One narrow format with all wide ones; stochastic forms of a single value for the 8-bit formats.
#define WAVECAST_EIGHT_BIT(name, format)                                                                 \
  {"v_cvt_scalef32_pk_" name "_f32", valu, narrow<Narrowing{f32, &format, 2, two_sources, false}>},      \
      {"v_cvt_scalef32_pk_" name "_f16", valu, narrow<Narrowing{f16, &format, 2, one_source, false}>},   \
      {"v_cvt_scalef32_pk_" name "_bf16", valu, narrow<Narrowing{bf16, &format, 2, one_source, false}>}, \
      {"v_cvt_scalef32_sr_" name "_f32", valu, narrow<Narrowing{f32, &format, 1, one_source, true}>},    \
      {"v_cvt_scalef32_sr_" name "_f16", valu, narrow<Narrowing{f16, &format, 1, one_source, true}>},    \
      {"v_cvt_scalef32_sr_" name "_bf16", valu, narrow<Narrowing{bf16, &format, 1, one_source, true}>},  \
      {"v_cvt_scalef32_pk_f32_" name, valu, widen<Widening{&format, f32, 2}>},                           \
      {"v_cvt_scalef32_pk_f16_" name, valu, widen<Widening{&format, f16, 2}>},                           \
      {"v_cvt_scalef32_pk_bf16_" name, valu, widen<Widening{&format, bf16, 2}>},                         \
      {"v_cvt_scalef32_f32_" name, valu, widen<Widening{&format, f32, 1}>}, {                            \
    "v_cvt_scalef32_f16_" name, valu, widen<Widening{&format, f16, 1}>                                   \
  }

#define WAVECAST_SIX_BIT(name, format)                                                                       \
  {"v_cvt_scalef32_2xpk16_" name "_f32", valu, narrow<Narrowing{f32, &format, 32, interleaved, false}>},     \
      {"v_cvt_scalef32_pk32_" name "_f16", valu, narrow<Narrowing{f16, &format, 32, registers, false}>},     \
      {"v_cvt_scalef32_pk32_" name "_bf16", valu, narrow<Narrowing{bf16, &format, 32, registers, false}>},   \
      {"v_cvt_scalef32_sr_pk32_" name "_f32", valu, narrow<Narrowing{f32, &format, 32, registers, true}>},   \
      {"v_cvt_scalef32_sr_pk32_" name "_f16", valu, narrow<Narrowing{f16, &format, 32, registers, true}>},   \
      {"v_cvt_scalef32_sr_pk32_" name "_bf16", valu, narrow<Narrowing{bf16, &format, 32, registers, true}>}, \
      {"v_cvt_scalef32_pk32_f32_" name, valu, widen<Widening{&format, f32, 32}>},                            \
      {"v_cvt_scalef32_pk32_f16_" name, valu, widen<Widening{&format, f16, 32}>}, {                          \
    "v_cvt_scalef32_pk32_bf16_" name, valu, widen<Widening{&format, bf16, 32}>                               \
  }

constexpr SemanticsRow kRows[] = {
    WAVECAST_EIGHT_BIT("fp8", kFp8Ocp),
    WAVECAST_EIGHT_BIT("bf8", kBf8Ocp),
    WAVECAST_SIX_BIT("fp6", kFp6),
    WAVECAST_SIX_BIT("bf6", kBf6),
    {"v_cvt_scalef32_pk_fp4_f32", valu, narrow<Narrowing{f32, &kFp4, 2, two_sources, false}>},
    {"v_cvt_scalef32_pk_fp4_f16", valu, narrow<Narrowing{f16, &kFp4, 2, one_source, false}>},
    {"v_cvt_scalef32_pk_fp4_bf16", valu, narrow<Narrowing{bf16, &kFp4, 2, one_source, false}>},
    {"v_cvt_scalef32_sr_pk_fp4_f32", valu, narrow<Narrowing{f32, &kFp4, 2, registers, true}>},
    {"v_cvt_scalef32_sr_pk_fp4_f16", valu, narrow<Narrowing{f16, &kFp4, 2, one_source, true}>},
    {"v_cvt_scalef32_sr_pk_fp4_bf16", valu, narrow<Narrowing{bf16, &kFp4, 2, one_source, true}>},
    {"v_cvt_scalef32_pk_f32_fp4", valu, widen<Widening{&kFp4, f32, 2}>},
    {"v_cvt_scalef32_pk_f16_fp4", valu, widen<Widening{&kFp4, f16, 2}>},
    {"v_cvt_scalef32_pk_bf16_fp4", valu, widen<Widening{&kFp4, bf16, 2}>},
};

}  // namespace

std::span<const SemanticsRow> vop3_scaled_rows() { return kRows; }

}  // namespace wavecast::isa
