// Semantics of VOP3P dot products and mixed-precision multiply-add (v_fma_mix*, whose op_sel_hi says per
// source whether it is an f16 half or an f32). Source: AMD CDNA3 and CDNA4 ISA documents, "VOP3P
// Instructions".
#include "isa/semantics/dot_products.h"
#include "isa/semantics/lane_arithmetic.h"
#include "isa/semantics/vector_rows.h"

namespace wavecast::isa {

namespace {

using enum InstructionClass;

// Source of a mix instruction as f32. neg_hi holds the absolute-value bits here.
void mix_source(LaneOperation& operation, int slot, LaneBuffer& out) {
  const Instruction& in = operation.instruction();
  const bool half = in.op_sel_hi >> slot & 1, high = in.op_sel >> slot & 1;
  // The reader must not apply this instruction's op_sel, neg or abs to what it reads.
  Instruction bare = in;
  bare.neg = bare.neg_hi = bare.abs = bare.op_sel = 0;
  LaneOperation reader(operation.wave(), bare, operation.context());
  LaneBuffer buffer;
  const uint32_t* p = reader.source(half ? Format::pk_f16 : Format::f32, slot, buffer);
  const uint32_t keep = in.neg_hi >> slot & 1 ? 0x7fffffffu : ~0u,
                 flip = in.neg >> slot & 1 ? 0x80000000u : 0u;
  for (int i = 0; i < kLanes; ++i) {
    const uint32_t word =
        half ? std::bit_cast<uint32_t>(f16_to_f32(static_cast<uint16_t>(p[i] >> (high ? 16 : 0)))) : p[i];
    out.lane[i] = (word & keep) ^ flip;
  }
}

enum class MixResult { f32, low_f16, high_f16 };
template <MixResult kResult>
void fma_mix(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneOperation operation(wave, instruction, context);
  LaneBuffer a, b, c, result;
  mix_source(operation, 0, a);
  mix_source(operation, 1, b);
  mix_source(operation, 2, c);
  // Everything is folded into the values read; what remains for write-back is clamp and denormal control.
  Instruction bare = instruction;
  bare.neg = bare.neg_hi = bare.abs = bare.op_sel = 0;
  if (kResult == MixResult::high_f16) bare.op_sel = 8;
  bare.encoding = Encoding::vop3;
  LaneOperation writer(wave, bare, context);
  constexpr Format kFormat = kResult == MixResult::f32 ? Format::f32 : Format::f16;
  const Rounding rounding = operation.rounding(kFormat);
  if constexpr (kResult == MixResult::f32) {
    for (int i = 0; i < kLanes; ++i)
      F32::put(result.lane, i, std::fma(F32::get(a.lane, i), F32::get(b.lane, i), F32::get(c.lane, i)));
    if (rounding != Rounding::nearest_even)
      for (int i = 0; i < kLanes; ++i)
        F32::put_raw(result.lane, i, soft_fma(kIeee32, a.lane[i], b.lane[i], c.lane[i], rounding));
  } else {
    // The f32 result is rounded a second time to f16.
    for (int i = 0; i < kLanes; ++i) {
      const float sum = std::fma(F32::get(a.lane, i), F32::get(b.lane, i), F32::get(c.lane, i));
      F16::put(result.lane, i, sum);
    }
    if (rounding != Rounding::nearest_even)
      for (int i = 0; i < kLanes; ++i) {
        const uint64_t sum =
            soft_fma(kIeee32, a.lane[i], b.lane[i], c.lane[i], operation.rounding(Format::f32));
        F16::put_raw(result.lane, i, soft_convert(kIeee32, kIeee16, sum, rounding));
      }
  }
  writer.write(kFormat, result, kResult != MixResult::f32);
}

constexpr SemanticsRow kRows[] = {
    {"v_fma_mix_f32", valu, fma_mix<MixResult::f32>},
    {"v_fma_mixlo_f16", valu, fma_mix<MixResult::low_f16>},
    {"v_fma_mixhi_f16", valu, fma_mix<MixResult::high_f16>},
    {"v_dot2_f32_f16", valu_dot, vector<F32(PF16, PF16, F32), lane::dot2_f32_f16>},
    {"v_dot2_f32_bf16", valu_dot, vector<F32(P16, P16, F32), lane::dot2_f32_bf16>},
    {"v_dot2_i32_i16", valu_dot, vector<U32(P16, P16, U32), lane::dot_i32<16>>},
    {"v_dot2_u32_u16", valu_dot, vector<U32(P16, P16, U32), lane::dot_u32<16>>},
    {"v_dot4_i32_i8", valu_dot, vector<U32(U32, U32, U32), lane::dot_i32<8>>},
    {"v_dot4_u32_u8", valu_dot, vector<U32(U32, U32, U32), lane::dot_u32<8>>},
    {"v_dot8_i32_i4", valu_dot, vector<U32(U32, U32, U32), lane::dot_i32<4>>},
    {"v_dot8_u32_u4", valu_dot, vector<U32(U32, U32, U32), lane::dot_u32<4>>},
};

}  // namespace

std::span<const SemanticsRow> vop3p_dot_rows() { return kRows; }

}  // namespace wavecast::isa
