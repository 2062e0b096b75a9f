// Semantics of the VOP1 conversions. Float to integer truncates and saturates, NaN gives 0; integer to float
// and narrowing follow MODE.FP_ROUND of the destination. Source: AMD CDNA3 and CDNA4 ISA documents, "VOP1
// Instructions".
#include <cmath>

#include "isa/semantics/lane_arithmetic.h"
#include "isa/semantics/vector_rows.h"

namespace wavecast::isa {

namespace {

using enum InstructionClass;

// Branch-free saturating truncation; the conversion itself only sees values in range.
int32_t to_i32(float v) {
  const float bounded = v >= 0x1p31f ? 0.0f : v <= -0x1p31f ? -0x1p31f : v == v ? v : 0.0f;
  return v >= 0x1p31f ? std::numeric_limits<int32_t>::max() : static_cast<int32_t>(bounded);
}
uint32_t to_u32(float v) {
  const float positive = v > 0.0f ? v : 0.0f;
  const bool upper = positive >= 0x1p31f;
  const float bounded = positive >= 0x1p32f ? 0.0f : upper ? positive - 0x1p31f : positive;
  const uint32_t value = static_cast<uint32_t>(static_cast<int32_t>(bounded)) + (upper ? 0x80000000u : 0u);
  return positive >= 0x1p32f ? ~0u : value;
}
int32_t to_i32(double v) {
  const double bounded = v == v ? (v > 2147483647.0    ? 2147483647.0
                                   : v < -2147483648.0 ? -2147483648.0
                                                       : v)
                                : 0.0;
  return static_cast<int32_t>(bounded);
}
uint32_t to_u32(double v) {
  const double bounded = v > 0.0 ? (v > 4294967295.0 ? 4294967295.0 : v) : 0.0;
  return static_cast<uint32_t>(static_cast<int64_t>(bounded));
}

int32_t round_half_up_i32(float v) { return to_i32(std::floor(static_cast<double>(v) + 0.5)); }
int32_t floor_i32(float v) { return to_i32(std::floor(v)); }

template <int kByte>
float byte_to_f32(uint32_t v) {
  return static_cast<float>(static_cast<int32_t>(v >> (8 * kByte) & 0xff));
}

constexpr auto soft_from_u32 = [](Rounding r, uint64_t v) { return soft_from_integer(kIeee32, false, v, r); };
constexpr auto soft_from_i32 = [](Rounding r, uint64_t v) {
  const int64_t value = static_cast<int32_t>(v);
  return soft_from_integer(kIeee32, value < 0, static_cast<uint64_t>(value < 0 ? -value : value), r);
};
constexpr auto soft_from_u16 = [](Rounding r, uint64_t v) { return soft_from_integer(kIeee16, false, v, r); };
constexpr auto soft_from_i16 = [](Rounding r, uint64_t v) {
  const int64_t value = static_cast<int16_t>(v);
  return soft_from_integer(kIeee16, value < 0, static_cast<uint64_t>(value < 0 ? -value : value), r);
};

// Normalised integers: scale, round to nearest even, saturate.
int16_t to_snorm16(float v) {
  const float bounded = v > 1.0f ? 1.0f : v < -1.0f ? -1.0f : v == v ? v : 0.0f;
  return static_cast<int16_t>(std::nearbyint(bounded * 32767.0));
}
uint16_t to_unorm16(float v) {
  const float bounded = v > 1.0f ? 1.0f : v > 0.0f ? v : 0.0f;
  return static_cast<uint16_t>(static_cast<int32_t>(std::nearbyint(bounded * 65535.0)));
}

// gfx942 has the FNUZ formats, gfx950 the OCP ones. The byte or word comes through SDWA or, in VOP3, op_sel.
const std::array<float, 256>& eight_bit_values(const LaneState& state, bool bf8) {
  if (state.generation == Generation::gfx950) return bf8 ? kBf8OcpValues : kFp8OcpValues;
  return bf8 ? kBf8FnuzValues : kFp8FnuzValues;
}

template <bool kBf8>
void cvt_f32_from_8bit(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneOperation operation(wave, instruction, context);
  LaneBuffer buffer, result;
  const uint32_t* source = operation.source(Format::b32, 0, buffer);
  const auto& values = eight_bit_values(operation.state(), kBf8);
  const int shift = instruction.encoding == Encoding::vop3 ? 8 * (instruction.op_sel & 3) : 0;
  for (int i = 0; i < kLanes; ++i) F32::put(result.lane, i, values[source[i] >> shift & 0xff]);
  operation.write(Format::f32, result, false);
}

template <bool kBf8>
void cvt_pk_f32_from_8bit(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneOperation operation(wave, instruction, context);
  LaneBuffer buffer, result;
  const uint32_t* source = operation.source(Format::b32, 0, buffer);
  const auto& values = eight_bit_values(operation.state(), kBf8);
  const int shift = instruction.encoding == Encoding::vop3 ? 16 * (instruction.op_sel & 1) : 0;
  for (int i = 0; i < kLanes; ++i) {
    F32::put(result.lane, i, values[source[i] >> shift & 0xff]);
    F32::put(result.lane + kLanes, i, values[source[i] >> (shift + 8) & 0xff]);
  }
  // The SDWA form selects in the source only; its destination is the register pair.
  operation.store(instruction.vdst, 2, result.lane, operation.active());
}

constexpr SemanticsRow kRows[] = {
    {"v_cvt_i32_f64", valu_conversion, vector<I32(F64), [](double v) { return to_i32(v); }>},
    {"v_cvt_u32_f64", valu_conversion, vector<U32(F64), [](double v) { return to_u32(v); }>},
    {"v_cvt_f64_i32", valu_conversion, vector<F64(I32), [](int32_t v) { return static_cast<double>(v); }>},
    {"v_cvt_f64_u32", valu_conversion, vector<F64(U32), [](uint32_t v) { return static_cast<double>(v); }>},
    {"v_cvt_f32_f64", valu_conversion,
     vector<F32(F64), [](double v) { return static_cast<float>(v); }, lane::soft_convert<kIeee64, kIeee32>>},
    {"v_cvt_f64_f32", valu_conversion, vector<F64(F32), [](float v) { return static_cast<double>(v); }>},
    {"v_cvt_f32_i32", valu_quarter_rate,
     vector<F32(I32), [](int32_t v) { return static_cast<float>(v); }, soft_from_i32>},
    {"v_cvt_f32_u32", valu_quarter_rate,
     vector<F32(U32), [](uint32_t v) { return static_cast<float>(v); }, soft_from_u32>},
    {"v_cvt_u32_f32", valu_quarter_rate, vector<U32(F32), [](float v) { return to_u32(v); }>},
    {"v_cvt_i32_f32", valu_quarter_rate, vector<I32(F32), [](float v) { return to_i32(v); }>},
    {"v_cvt_rpi_i32_f32", valu_quarter_rate, vector<I32(F32), round_half_up_i32>},
    {"v_cvt_flr_i32_f32", valu_quarter_rate, vector<I32(F32), floor_i32>},
    {"v_cvt_off_f32_i4", valu_quarter_rate,
     vector<F32(U32),
            [](uint32_t v) { return static_cast<float>(static_cast<int32_t>(v << 28) >> 28) * 0.0625f; }>},
    {"v_cvt_f16_f32", valu_quarter_rate,
     vector<F16(F32), [](float v) { return v; }, lane::soft_convert<kIeee32, kIeee16>>},
    {"v_cvt_f32_f16", valu_quarter_rate, vector<F32(F16), [](float v) { return v; }>},
    {"v_cvt_f32_bf16", valu_quarter_rate, vector<F32(U16), bf16_to_float>},
    {"v_cvt_f32_ubyte0", valu, vector<F32(U32), byte_to_f32<0>>},
    {"v_cvt_f32_ubyte1", valu, vector<F32(U32), byte_to_f32<1>>},
    {"v_cvt_f32_ubyte2", valu, vector<F32(U32), byte_to_f32<2>>},
    {"v_cvt_f32_ubyte3", valu, vector<F32(U32), byte_to_f32<3>>},
    {"v_cvt_f16_u16", valu,
     vector<F16(U16), [](uint16_t v) { return static_cast<float>(v); }, soft_from_u16>},
    {"v_cvt_f16_i16", valu, vector<F16(I16), [](int16_t v) { return static_cast<float>(v); }, soft_from_i16>},
    {"v_cvt_u16_f16", valu, vector<U16(F16), [](float v) { return lane::saturate<uint16_t>(to_i32(v)); }>},
    {"v_cvt_i16_f16", valu, vector<I16(F16), [](float v) { return lane::saturate<int16_t>(to_i32(v)); }>},
    {"v_cvt_norm_i16_f16", valu, vector<I16(F16), to_snorm16>},
    {"v_cvt_norm_u16_f16", valu, vector<U16(F16), to_unorm16>},
    {"v_cvt_f32_fp8", valu_quarter_rate, cvt_f32_from_8bit<false>},
    {"v_cvt_f32_bf8", valu_quarter_rate, cvt_f32_from_8bit<true>},
    {"v_cvt_pk_f32_fp8", valu_quarter_rate, cvt_pk_f32_from_8bit<false>},
    {"v_cvt_pk_f32_bf8", valu_quarter_rate, cvt_pk_f32_from_8bit<true>},
};

}  // namespace

std::span<const SemanticsRow> vop1_conversion_rows() { return kRows; }

}  // namespace wavecast::isa
