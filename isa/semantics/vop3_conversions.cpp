// Semantics of VOP3-only conversions: packed results, normalised integers, 8-bit floats of gfx942 (FNUZ) and
// gfx950 (OCP), and stochastic rounding. Source: AMD CDNA3 and CDNA4 ISA documents, "VOP3 Instructions".
// Overflow of 8-bit floats gives the largest value if MODE.FP16_OVFL is set, else NaN or infinity.
#include <cmath>

#include "isa/semantics/dot_products.h"
#include "isa/semantics/lane_arithmetic.h"
#include "isa/semantics/vector_rows.h"

namespace wavecast::isa {

namespace {

using enum InstructionClass;

uint32_t snorm16(double v) {
  const double bounded = v > 1.0 ? 1.0 : v < -1.0 ? -1.0 : v == v ? v : 0.0;
  return static_cast<uint16_t>(static_cast<int32_t>(std::nearbyint(bounded * 32767.0)));
}
uint32_t unorm16(double v) {
  const double bounded = v > 1.0 ? 1.0 : v > 0.0 ? v : 0.0;
  return static_cast<uint16_t>(static_cast<int32_t>(std::nearbyint(bounded * 65535.0)));
}
constexpr auto pack_snorm = [](float a, float b) { return lane::pack(snorm16(a), snorm16(b)); };
constexpr auto pack_unorm = [](float a, float b) { return lane::pack(unorm16(a), unorm16(b)); };

uint32_t truncated_u8(float v) {
  return static_cast<uint32_t>(static_cast<int32_t>(v > 0.0f ? (v < 255.0f ? v : 255.0f) : 0.0f));
}
// Replaces byte S1[1:0] of S2.
uint32_t cvt_pk_u8(float v, uint32_t byte, uint32_t old) {
  const int shift = 8 * static_cast<int>(byte & 3);
  return (old & ~(0xffu << shift)) | truncated_u8(v) << shift;
}
constexpr auto cvt_pkaccum_u8 = [](float v, uint32_t byte, uint32_t old) { return cvt_pk_u8(v, byte, old); };

// Toward zero whatever the mode: finite values never become infinite. Truncates the f32 to 11 significant
// bits (or to the multiple of 2^-24 below) first, which makes the conversion exact.
uint32_t f16_toward_zero(float v) {
  const uint32_t bits = std::bit_cast<uint32_t>(v);
  const uint32_t magnitude = bits & 0x7fffffff;
  const float whole = std::trunc(std::bit_cast<float>(magnitude) * 0x1p24f);
  const uint32_t cut = magnitude & ~0x1fffu;
  const uint32_t limited = cut > 0x477fe000 ? 0x477fe000u : cut;  // largest finite f16
  const float normal = std::bit_cast<float>(magnitude >= 0x7f800000 ? magnitude : limited);
  const float chosen = magnitude < 0x38800000 ? whole * 0x1p-24f : normal;
  return f32_to_f16(std::bit_cast<float>(std::bit_cast<uint32_t>(chosen) | (bits & 0x80000000)));
}
constexpr auto cvt_pkrtz = [](float a, float b) {
  return lane::pack(f16_toward_zero(a), f16_toward_zero(b));
};
constexpr auto cvt_pk_f16 = [](float a, float b) { return lane::pack(f32_to_f16(a), f32_to_f16(b)); };
constexpr auto cvt_pk_bf16 = [](float a, float b) { return lane::pack(float_to_bf16(a), float_to_bf16(b)); };

uint32_t u16_of(uint32_t v) { return v < 0xffff ? v : 0xffffu; }
uint32_t i16_of(int32_t v) { return static_cast<uint16_t>(lane::saturate<int16_t>(v)); }
constexpr auto cvt_pk_u16_u32 = [](uint32_t a, uint32_t b) { return lane::pack(u16_of(a), u16_of(b)); };
constexpr auto cvt_pk_i16_i32 = [](int32_t a, int32_t b) { return lane::pack(i16_of(a), i16_of(b)); };
constexpr auto ashr_pk_i8 = [](int32_t a, int32_t b, uint32_t shift) {
  const auto byte = [&](int32_t v) {
    return static_cast<uint32_t>(static_cast<uint8_t>(lane::saturate<int8_t>(v >> (shift & 31))));
  };
  return static_cast<uint16_t>(byte(a) | byte(b) << 8);
};
constexpr auto ashr_pk_u8 = [](int32_t a, int32_t b, uint32_t shift) {
  const auto byte = [&](int32_t v) {
    return static_cast<uint32_t>(lane::saturate<uint8_t>(v >> (shift & 31)));
  };
  return static_cast<uint16_t>(byte(a) | byte(b) << 8);
};

const FloatFormat& eight_bit_format(Generation generation, bool bf8) {
  if (generation == Generation::gfx950) return bf8 ? kBf8Ocp : kFp8Ocp;
  return bf8 ? kBf8Fnuz : kFp8Fnuz;
}

// Writes `bits` wide results at a bit position of the old destination.
void write_field(LaneOperation& operation, const LaneBuffer& values, int position, int bits) {
  const uint32_t mask = (bits == 32 ? ~0u : (1u << bits) - 1) << position;
  const uint16_t vdst = operation.instruction().vdst;
  const uint32_t* old = operation.wave().vector(vdst).lane.data();
  LaneBuffer merged;
  for (int i = 0; i < kLanes; ++i) merged.lane[i] = (old[i] & ~mask) | (values.lane[i] << position & mask);
  operation.store(vdst, 1, merged.lane, operation.active());
}

// Two 8-bit floats into the half of the destination that op_sel[3] names.
template <bool kBf8>
void cvt_pk_8bit(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneOperation operation(wave, instruction, context);
  LaneBuffer buffers[2], result;
  const uint32_t* a = operation.source(Format::f32, 0, buffers[0]);
  const uint32_t* b = operation.source(Format::f32, 1, buffers[1]);
  const FloatFormat& format = eight_bit_format(context.generation, kBf8);
  const bool saturate = operation.state().fp16_overflow;
  for (int i = 0; i < kLanes; ++i)
    result.lane[i] = encode_float(format, F32::get(a, i), Rounding::nearest_even, saturate) |
                     encode_float(format, F32::get(b, i), Rounding::nearest_even, saturate) << 8;
  write_field(operation, result, instruction.op_sel & 8 ? 16 : 0, 16);
}

// One 8-bit float, rounded stochastically by S1, into the byte that op_sel[3:2] names.
template <bool kBf8>
void cvt_sr_8bit(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneOperation operation(wave, instruction, context);
  LaneBuffer buffers[2], result;
  const uint32_t* a = operation.source(Format::f32, 0, buffers[0]);
  const uint32_t* random = operation.source(Format::b32, 1, buffers[1]);
  const FloatFormat& format = eight_bit_format(context.generation, kBf8);
  const bool saturate = operation.state().fp16_overflow;
  for (int i = 0; i < kLanes; ++i)
    result.lane[i] = encode_float_stochastic(format, F32::get(a, i), random[i], saturate);
  write_field(operation, result, 8 * (instruction.op_sel >> 2 & 3), 8);
}

// f32 to f16 or bf16, rounded stochastically, into the half that op_sel[3] names.
template <const FloatFormat& kTo>
void cvt_sr_16bit(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneOperation operation(wave, instruction, context);
  LaneBuffer buffers[2], result;
  const uint32_t* a = operation.source(Format::f32, 0, buffers[0]);
  const uint32_t* random = operation.source(Format::b32, 1, buffers[1]);
  for (int i = 0; i < kLanes; ++i) result.lane[i] = encode_float_stochastic(kTo, F32::get(a, i), random[i]);
  write_field(operation, result, instruction.op_sel & 8 ? 16 : 0, 16);
}

constexpr SemanticsRow kRows[] = {
    {"v_cvt_pk_u8_f32", valu, vector<U32(F32, U32, U32), cvt_pk_u8>},
    {"v_cvt_pkaccum_u8_f32", valu, accumulate<U32(F32, U32, U32), cvt_pkaccum_u8>},
    {"v_cvt_pknorm_i16_f32", valu, vector<U32(F32, F32), pack_snorm>},
    {"v_cvt_pknorm_u16_f32", valu, vector<U32(F32, F32), pack_unorm>},
    {"v_cvt_pknorm_i16_f16", valu, vector<U32(F16, F16), pack_snorm>},
    {"v_cvt_pknorm_u16_f16", valu, vector<U32(F16, F16), pack_unorm>},
    {"v_cvt_pkrtz_f16_f32", valu, vector<PF16(F32, F32), cvt_pkrtz>},
    {"v_cvt_pk_f16_f32", valu, vector<PF16(F32, F32), cvt_pk_f16>},
    {"v_cvt_pk_bf16_f32", valu, vector<U32(F32, F32), cvt_pk_bf16>},
    {"v_cvt_pk_u16_u32", valu, vector<U32(U32, U32), cvt_pk_u16_u32>},
    {"v_cvt_pk_i16_i32", valu, vector<U32(I32, I32), cvt_pk_i16_i32>},
    {"v_ashr_pk_i8_i32", valu, vector<Keep<U16>(I32, I32, U32), ashr_pk_i8>},
    {"v_ashr_pk_u8_i32", valu, vector<Keep<U16>(I32, I32, U32), ashr_pk_u8>},
    {"v_cvt_pk_fp8_f32", valu_quarter_rate, cvt_pk_8bit<false>},
    {"v_cvt_pk_bf8_f32", valu_quarter_rate, cvt_pk_8bit<true>},
    {"v_cvt_sr_fp8_f32", valu_quarter_rate, cvt_sr_8bit<false>},
    {"v_cvt_sr_bf8_f32", valu_quarter_rate, cvt_sr_8bit<true>},
    {"v_cvt_sr_f16_f32", valu, cvt_sr_16bit<kF16>},
    {"v_cvt_sr_bf16_f32", valu, cvt_sr_16bit<kBf16>},
};

}  // namespace

std::span<const SemanticsRow> vop3_conversion_rows() { return kRows; }

}  // namespace wavecast::isa
