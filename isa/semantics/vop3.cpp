// Semantics of VOP3-only integer instructions on 32-bit and 64-bit operands, with the other VOP3 parts
// concatenated. Source: AMD CDNA3 and CDNA4 ISA documents, "VOP3 Instructions". bitop3: CDNA4, table in omod,
// abs and neg fields.
#include "isa/semantics/lane_arithmetic.h"
#include "isa/semantics/vector_rows.h"

namespace wavecast::isa {

namespace {

using enum InstructionClass;
using lane::narrow;

constexpr uint32_t low_mask(uint32_t width) { return (1u << width) - 1; }

uint32_t bfe_u32(uint32_t v, uint32_t offset, uint32_t width) {
  return (v >> (offset & 31)) & low_mask(width & 31);
}
int32_t bfe_i32(int32_t v, uint32_t offset, uint32_t width) {
  const uint32_t bits = width & 31;
  const uint32_t field = static_cast<uint32_t>(v >> (offset & 31)) & low_mask(bits);
  return bits == 0 ? 0 : static_cast<int32_t>(field << (32 - bits)) >> (32 - bits);
}
uint32_t bfi(uint32_t mask, uint32_t a, uint32_t b) { return (mask & a) | (~mask & b); }
uint32_t bfm(uint32_t width, uint32_t offset) { return low_mask(width & 31) << (offset & 31); }
uint32_t align(uint32_t high, uint32_t low, uint32_t shift) {
  return static_cast<uint32_t>((static_cast<uint64_t>(high) << 32 | low) >> shift);
}

uint32_t lerp_u8(uint32_t a, uint32_t b, uint32_t round) {
  uint32_t result = 0;
  for (int at = 0; at < 32; at += 8)
    result |= (((a >> at & 0xff) + (b >> at & 0xff) + (round >> at & 1)) >> 1) << at;
  return result;
}

// Byte selectors: 0-3 bytes of S1, 4-7 bytes of S0, 8-11 sign of bytes 1, 3, 5, 7 repeated, 12 zero, above
// 0xff.
uint32_t perm(uint32_t high, uint32_t low, uint32_t selectors) {
  const uint64_t data = static_cast<uint64_t>(high) << 32 | low;
  uint32_t result = 0;
  for (int at = 0; at < 32; at += 8) {
    const uint32_t selector = selectors >> at & 0xff;
    const uint32_t byte = static_cast<uint32_t>(data >> (8 * (selector & 7))) & 0xff;
    const uint32_t sign = data >> (16 * (selector & 3) + 15) & 1 ? 0xffu : 0u;
    const uint32_t chosen = selector < 8 ? byte : selector < 12 ? sign : selector == 12 ? 0u : 0xffu;
    result |= chosen << at;
  }
  return result;
}

constexpr uint32_t difference(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }
// Sum of absolute differences of the four bytes; kMasked skips bytes where the reference is 0.
template <bool kMasked>
uint32_t sad_bytes(uint32_t a, uint32_t reference) {
  uint32_t sum = 0;
  for (int at = 0; at < 32; at += 8) {
    const uint32_t r = reference >> at & 0xff;
    sum += kMasked && r == 0 ? 0 : difference(a >> at & 0xff, r);
  }
  return sum;
}
constexpr auto sum_clamped = [](const LaneState& s, uint32_t sum, uint32_t c) {
  return narrow<uint32_t>(s, uint64_t{sum} + c);
};
constexpr auto sad_u8 = [](const LaneState& s, uint32_t a, uint32_t b, uint32_t c) {
  return sum_clamped(s, sad_bytes<false>(a, b), c);
};
constexpr auto sad_hi_u8 = [](const LaneState& s, uint32_t a, uint32_t b, uint32_t c) {
  return sum_clamped(s, sad_bytes<false>(a, b) << 16, c);
};
constexpr auto msad_u8 = [](const LaneState& s, uint32_t a, uint32_t b, uint32_t c) {
  return sum_clamped(s, sad_bytes<true>(a, b), c);
};
constexpr auto sad_u16 = [](const LaneState& s, uint32_t a, uint32_t b, uint32_t c) {
  return sum_clamped(s, difference(a & 0xffff, b & 0xffff) + difference(a >> 16, b >> 16), c);
};
constexpr auto sad_u32 = [](const LaneState& s, uint32_t a, uint32_t b, uint32_t c) {
  return sum_clamped(s, difference(a, b), c);
};

// Four sums over a window of the 64-bit source that moves by one byte, into four 16-bit accumulators.
template <bool kMasked>
uint64_t quad_sad(const LaneState& s, uint64_t a, uint32_t reference, uint64_t c) {
  uint64_t result = 0;
  for (int step = 0; step < 4; ++step) {
    const uint32_t sum = sad_bytes<kMasked>(static_cast<uint32_t>(a >> (8 * step)), reference);
    const uint32_t total = sum + static_cast<uint32_t>(c >> (16 * step) & 0xffff);
    result |= static_cast<uint64_t>(narrow<uint16_t>(s, total)) << (16 * step);
  }
  return result;
}

// The same into four 32-bit accumulators: 128-bit source and destination.
void mqsad_u32_u8(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneOperation operation(wave, instruction, context);
  LaneBuffer buffers[4], low, high;
  const LaneState state = operation.state();
  const uint32_t* a = operation.source(Format::b64, 0, buffers[0]);
  const uint32_t* reference = operation.source(Format::b32, 1, buffers[1]);
  const uint16_t code = instruction.src[2];
  const bool is_vector = code >= operand_code::kFirstVgpr;
  const uint32_t* c = operation.source(Format::b64, 2, code, buffers[2]);
  const uint32_t* c_high =
      operation.source(Format::b64, 2, is_vector ? static_cast<uint16_t>(code + 2) : code, buffers[3]);
  for (int i = 0; i < kLanes; ++i) {
    const uint64_t window = U64::get(a, i);
    const auto total = [&](int step, uint32_t accumulator) {
      const uint32_t sum = sad_bytes<true>(static_cast<uint32_t>(window >> (8 * step)), reference[i]);
      return narrow<uint32_t>(state, uint64_t{sum} + accumulator);
    };
    low.lane[i] = total(0, c[i]);
    low.lane[kLanes + i] = total(1, c[kLanes + i]);
    high.lane[i] = total(2, c_high[i]);
    high.lane[kLanes + i] = total(3, c_high[kLanes + i]);
  }
  operation.store(instruction.vdst, 2, low.lane, operation.active());
  operation.store(static_cast<uint16_t>(instruction.vdst + 2), 2, high.lane, operation.active());
}

// 32 x 32 + 64 with carry out of bit 63 (signed: the sign of the 65-bit sum).
template <bool kSigned>
void mad_64_32(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneOperation operation(wave, instruction, context);
  LaneBuffer buffers[3], result;
  const uint32_t* a = operation.source(Format::b32, 0, buffers[0]);
  const uint32_t* b = operation.source(Format::b32, 1, buffers[1]);
  const uint32_t* c = operation.source(Format::b64, 2, buffers[2]);
  alignas(64) uint32_t carry[kLanes];
  const bool clamp = instruction.clamp;
  for (int i = 0; i < kLanes; ++i) {
    const uint64_t addend = U64::get(c, i);
    if constexpr (kSigned) {
      const int64_t product = int64_t{static_cast<int32_t>(a[i])} * static_cast<int32_t>(b[i]);
      const uint64_t sum = static_cast<uint64_t>(product) + addend;
      const bool overflow = ((static_cast<uint64_t>(product) ^ sum) & (addend ^ sum)) >> 63;
      const bool negative = overflow ? addend >> 63 : sum >> 63;
      carry[i] = negative ? ~0u : 0u;
      U64::put(result.lane, i, clamp && overflow ? (negative ? uint64_t{1} << 63 : ~uint64_t{0} >> 1) : sum);
    } else {
      const uint64_t sum = uint64_t{a[i]} * b[i] + addend;
      carry[i] = sum < addend ? ~0u : 0u;
      U64::put(result.lane, i, clamp && sum < addend ? ~uint64_t{0} : sum);
    }
  }
  operation.store(instruction.vdst, 2, result.lane, operation.active());
  operation.write_mask(to_lane_mask(carry));
}

// Any boolean function of three bits: bit (S0 << 2 | S1 << 1 | S2) of the table. The table occupies the
// modifier fields, so sources are read without modifiers and the result is written without them.
template <bool k16>
void bitop3(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  const uint32_t table = static_cast<uint32_t>(instruction.omod) << 6 |
                         static_cast<uint32_t>(instruction.abs & 7) << 3 | (instruction.neg & 7u);
  Instruction bare = instruction;
  bare.omod = bare.abs = bare.neg = 0;
  LaneOperation operation(wave, bare, context);
  constexpr Format kFormat = k16 ? Format::b16 : Format::b32;
  LaneBuffer buffers[3], result;
  const uint32_t* a = operation.source(kFormat, 0, buffers[0]);
  const uint32_t* b = operation.source(kFormat, 1, buffers[1]);
  const uint32_t* c = operation.source(kFormat, 2, buffers[2]);
  uint32_t term[8];
  for (int t = 0; t < 8; ++t) term[t] = table >> t & 1 ? ~0u : 0u;
  for (int i = 0; i < kLanes; ++i) {
    const uint32_t x = a[i], y = b[i], z = c[i];
    const uint32_t when_clear =
        (~y & ((~z & term[0]) | (z & term[1]))) | (y & ((~z & term[2]) | (z & term[3])));
    const uint32_t when_set =
        (~y & ((~z & term[4]) | (z & term[5]))) | (y & ((~z & term[6]) | (z & term[7])));
    const uint32_t value = (~x & when_clear) | (x & when_set);
    result.lane[i] = k16 ? value & 0xffff : value;
  }
  operation.write(kFormat, result, k16);
}

constexpr auto mad_i24 = [](const LaneState& s, uint32_t a, uint32_t b, int32_t c) {
  return narrow<int32_t>(s, int64_t{lane::signed24(a)} * lane::signed24(b) + c);
};
constexpr auto mad_u24 = [](const LaneState& s, uint32_t a, uint32_t b, uint32_t c) {
  return narrow<uint32_t>(s, uint64_t{lane::unsigned24(a)} * lane::unsigned24(b) + c);
};
constexpr auto add_i32 = [](const LaneState& s, int32_t a, int32_t b) {
  return narrow<int32_t>(s, int64_t{a} + b);
};
constexpr auto sub_i32 = [](const LaneState& s, int32_t a, int32_t b) {
  return narrow<int32_t>(s, int64_t{a} - b);
};
constexpr auto mul_hi_u32 = [](uint32_t a, uint32_t b) {
  return static_cast<uint32_t>(uint64_t{a} * b >> 32);
};
constexpr auto mul_hi_i32 = [](int32_t a, int32_t b) {
  return static_cast<uint32_t>(static_cast<uint64_t>(int64_t{a} * b) >> 32);
};

constexpr SemanticsRow kRows[] = {
    {"v_mad_i32_i24", valu, vector<I32(U32, U32, I32), mad_i24>},
    {"v_mad_u32_u24", valu, vector<U32(U32, U32, U32), mad_u24>},
    {"v_bfe_u32", valu, vector<U32(U32, U32, U32), bfe_u32>},
    {"v_bfe_i32", valu, vector<I32(I32, U32, U32), bfe_i32>},
    {"v_bfi_b32", valu, vector<U32(U32, U32, U32), bfi>},
    {"v_bfm_b32", valu, vector<U32(U32, U32), bfm>},
    {"v_alignbit_b32", valu,
     vector<U32(U32, U32, U32), [](uint32_t a, uint32_t b, uint32_t c) { return align(a, b, c & 31); }>},
    {"v_alignbyte_b32", valu,
     vector<U32(U32, U32, U32), [](uint32_t a, uint32_t b, uint32_t c) { return align(a, b, 8 * (c & 3)); }>},
    {"v_lerp_u8", valu, vector<U32(U32, U32, U32), lerp_u8>},
    {"v_perm_b32", valu, vector<U32(U32, U32, U32), perm>},
    {"v_min3_i32", valu, vector<I32(I32, I32, I32), lane::minimum3>},
    {"v_min3_u32", valu, vector<U32(U32, U32, U32), lane::minimum3>},
    {"v_max3_i32", valu, vector<I32(I32, I32, I32), lane::maximum3>},
    {"v_max3_u32", valu, vector<U32(U32, U32, U32), lane::maximum3>},
    {"v_med3_i32", valu, vector<I32(I32, I32, I32), lane::median3>},
    {"v_med3_u32", valu, vector<U32(U32, U32, U32), lane::median3>},
    {"v_sad_u8", valu, vector<U32(U32, U32, U32), sad_u8>},
    {"v_sad_hi_u8", valu, vector<U32(U32, U32, U32), sad_hi_u8>},
    {"v_sad_u16", valu, vector<U32(U32, U32, U32), sad_u16>},
    {"v_sad_u32", valu, vector<U32(U32, U32, U32), sad_u32>},
    {"v_msad_u8", valu, vector<U32(U32, U32, U32), msad_u8>},
    {"v_qsad_pk_u16_u8", valu_quarter_rate, vector<U64(U64, U32, U64), quad_sad<false>>},
    {"v_mqsad_pk_u16_u8", valu_quarter_rate, vector<U64(U64, U32, U64), quad_sad<true>>},
    {"v_mqsad_u32_u8", valu_quarter_rate, mqsad_u32_u8},
    {"v_mad_u64_u32", valu_int64, mad_64_32<false>},
    {"v_mad_i64_i32", valu_int64, mad_64_32<true>},
    {"v_xad_u32", valu,
     vector<U32(U32, U32, U32), [](uint32_t a, uint32_t b, uint32_t c) { return (a ^ b) + c; }>},
    {"v_lshl_add_u32", valu,
     vector<U32(U32, U32, U32), [](uint32_t a, uint32_t b, uint32_t c) { return (a << (b & 31)) + c; }>},
    {"v_add_lshl_u32", valu,
     vector<U32(U32, U32, U32), [](uint32_t a, uint32_t b, uint32_t c) { return (a + b) << (c & 31); }>},
    {"v_add3_u32", valu,
     vector<U32(U32, U32, U32), [](uint32_t a, uint32_t b, uint32_t c) { return a + b + c; }>},
    {"v_lshl_or_b32", valu,
     vector<U32(U32, U32, U32), [](uint32_t a, uint32_t b, uint32_t c) { return (a << (b & 31)) | c; }>},
    {"v_and_or_b32", valu,
     vector<U32(U32, U32, U32), [](uint32_t a, uint32_t b, uint32_t c) { return (a & b) | c; }>},
    {"v_or3_b32", valu,
     vector<U32(U32, U32, U32), [](uint32_t a, uint32_t b, uint32_t c) { return a | b | c; }>},
    {"v_lshl_add_u64", valu_int64,
     vector<U64(U64, U32, U64), [](uint64_t a, uint32_t b, uint64_t c) { return (a << (b & 7)) + c; }>},
    {"v_mul_lo_u32", valu_quarter_rate, vector<U32(U32, U32), [](uint32_t a, uint32_t b) { return a * b; }>},
    {"v_mul_hi_u32", valu_quarter_rate, vector<U32(U32, U32), mul_hi_u32>},
    {"v_mul_hi_i32", valu_quarter_rate, vector<U32(I32, I32), mul_hi_i32>},
    {"v_lshlrev_b64", valu_int64,
     vector<U64(U32, U64), [](uint32_t a, uint64_t b) { return b << (a & 63); }>},
    {"v_lshrrev_b64", valu_int64,
     vector<U64(U32, U64), [](uint32_t a, uint64_t b) { return (b >> (a & 63)); }>},
    {"v_ashrrev_i64", valu_int64, vector<I64(U32, I64), [](uint32_t a, int64_t b) { return (b >> (a & 63)); }>},
    {"v_bcnt_u32_b32", valu,
     vector<U32(U32, U32),
            [](uint32_t a, uint32_t b) { return static_cast<uint32_t>(std::popcount(a)) + b; }>},
    {"v_add_i32", valu, vector<I32(I32, I32), add_i32>},
    {"v_sub_i32", valu, vector<I32(I32, I32), sub_i32>},
    {"v_bitop3_b32", valu, bitop3<false>},
    {"v_bitop3_b16", valu, bitop3<true>},
};

}  // namespace

std::span<const SemanticsRow> vop3_integer_rows() { return kRows; }

std::span<const SemanticsRow> vop3_rows() {
  static const auto rows =
      concatenate({vop3_integer_rows(), vop3_float_rows(), vop3_division_rows(), vop3_16bit_rows(),
                   vop3_conversion_rows(), vop3_scaled_rows(), cross_lane_rows()});
  return rows;
}

}  // namespace wavecast::isa
