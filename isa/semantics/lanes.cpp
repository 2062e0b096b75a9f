// Slow paths of the vector ALU skeleton: scalar and constant operands, sub-dword (SDWA) and data-parallel
// (DPP) operands, float modifiers, denormal control, output modifiers and partial writes. See lanes.h for
// sources. Leaves out: LDS_DIRECT and the graphics-only forms.
#include "isa/semantics/lanes.h"

#include <cstring>
#include <string>
#include <vector>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace wavecast::isa {

namespace {

constexpr int kRowLanes = 16, kBankLanes = 4;  // DPP rows and banks of a wave64

// Sign bit of an element in its register word (the high word of 64-bit formats).
uint32_t sign_bit_of(Format format) {
  return format == Format::f16 || format == Format::m16 ? 0x8000u : 0x80000000u;
}

bool takes_float_modifiers(Format format) {
  switch (format) {
    case Format::m16:
    case Format::f16:
    case Format::m32:
    case Format::f32:
    case Format::m64:
    case Format::f64:
      return true;
    default:
      return false;
  }
}

// Values of a MODE.FP_DENORM field.
constexpr uint32_t kFlushInputBit = 1, kFlushOutputBit = 2;  // set means: keeps denormals

uint32_t denormal_control(uint32_t mode, Format format) {
  return format == Format::f32 || format == Format::pk_f32 ? mode >> 4 & 3 : mode >> 6 & 3;
}

bool is_float(Format format) {
  return format == Format::f16 || format == Format::f32 || format == Format::f64 ||
         format == Format::pk_f16 || format == Format::pk_f32;
}

uint32_t flush_f16(uint32_t value, uint32_t sign, uint32_t exponent) {
  return value & exponent ? value : value & sign;
}

// Replaces denormals by zero of the same sign.
void flush_denormals(Format format, uint32_t* p) {
  switch (format) {
    case Format::f16:
      for (int i = 0; i < kLanes; ++i) p[i] = flush_f16(p[i] & 0xffff, 0x8000, 0x7c00);
      break;
    case Format::pk_f16:
      for (int i = 0; i < kLanes; ++i)
        p[i] =
            flush_f16(p[i] & 0xffff, 0x8000, 0x7c00) | flush_f16(p[i] & 0xffff0000, 0x80000000, 0x7c000000);
      break;
    case Format::f32:
    case Format::pk_f32:
      for (int i = 0; i < kLanes * registers_of(format); ++i)
        p[i] = p[i] & 0x7f800000 ? p[i] : p[i] & 0x80000000;
      break;
    case Format::f64:
      for (int i = 0; i < kLanes; ++i) {
        const bool normal = (p[kLanes + i] & 0x7ff00000) != 0;
        p[i] = normal ? p[i] : 0;
        p[kLanes + i] = normal ? p[kLanes + i] : p[kLanes + i] & 0x80000000;
      }
      break;
    default:
      break;
  }
}

uint32_t select_sub_dword(uint32_t value, int selector, bool sign_extend) {
  if (selector < 4) {
    const uint32_t byte = value >> (8 * selector) & 0xff;
    return sign_extend ? static_cast<uint32_t>(static_cast<int8_t>(byte)) : byte;
  }
  if (selector < 6) {
    const uint32_t word = value >> (16 * (selector - 4)) & 0xffff;
    return sign_extend ? static_cast<uint32_t>(static_cast<int16_t>(word)) : word;
  }
  return value;
}

// Source lane of `lane` under a DPP control, or -1 outside the row or wave. Source: CDNA3 ISA document,
// "DPP".
int dpp_source_lane(uint32_t control, int lane) {
  const int row = lane & ~(kRowLanes - 1), in_row = lane & (kRowLanes - 1);
  const int amount = static_cast<int>(control & 0xf);
  if (control <= 0xff) return (lane & ~3) | static_cast<int>(control >> (2 * (lane & 3)) & 3);  // quad_perm
  if (control >= 0x101 && control <= 0x10f)
    return in_row + amount < kRowLanes ? lane + amount : -1;                                     // row_shl
  if (control >= 0x111 && control <= 0x11f) return in_row >= amount ? lane - amount : -1;        // row_shr
  if (control >= 0x121 && control <= 0x12f) return row | ((in_row - amount) & (kRowLanes - 1));  // row_ror
  if (control >= 0x150 && control <= 0x15f) return row | amount;  // row_newbcast
  switch (control) {
    case 0x130:
      return lane + 1 < kLanes ? lane + 1 : -1;  // wave_shl:1
    case 0x134:
      return (lane + 1) & (kLanes - 1);  // wave_rol:1
    case 0x138:
      return lane - 1;  // wave_shr:1
    case 0x13c:
      return (lane - 1) & (kLanes - 1);  // wave_ror:1
    case 0x140:
      return row | (kRowLanes - 1 - in_row);  // row_mirror
    case 0x141:
      return (lane & ~7) | (7 - (lane & 7));  // row_half_mirror
    case 0x142:
      return row == 0 ? -1 : row - 1;  // row_bcast:15, last lane of the previous row
    case 0x143:
      return lane < 32 ? -1 : 31;  // row_bcast:31
    default:
      return -1;
  }
}

// All DPP controls worked out once: source lanes (0 where there is none) and the lanes that have a source.
struct DppPattern {
  std::array<uint8_t, kLanes> source{};
  uint64_t inside = 0;
};
constexpr size_t kDppControls = 512;

const DppPattern& dpp_pattern(uint32_t control) {
  static const auto table = [] {
    std::vector<DppPattern> patterns(kDppControls);
    for (uint32_t c = 0; c < kDppControls; ++c)
      for (int lane = 0; lane < kLanes; ++lane)
        if (const int source = dpp_source_lane(c, lane); source >= 0) {
          patterns[c].source[lane] = static_cast<uint8_t>(source);
          patterns[c].inside |= uint64_t{1} << lane;
        }
    return patterns;
  }();
  return table[control % kDppControls];
}

// Lanes whose source is inside and active: only those read anything.
uint64_t dpp_valid_lanes(const DppPattern& pattern, uint64_t exec) {
  if (exec == ~uint64_t{0}) return pattern.inside;
  uint64_t active = 0;
  for (int i = 0; i < kLanes; ++i) active |= (exec >> pattern.source[i] & 1) << i;
  return active & pattern.inside;
}

// Lanes of the rows or banks that a mask enables.
uint64_t row_lanes(uint32_t row_mask) {
  uint64_t lanes = 0;
  for (int row = 0; row < kLanes / kRowLanes; ++row)
    lanes |= (row_mask >> row & 1 ? uint64_t{0xffff} : 0) << (row * kRowLanes);
  return lanes;
}
uint64_t bank_lanes(uint32_t bank_mask) {
  uint64_t row = 0;
  for (int bank = 0; bank < kRowLanes / kBankLanes; ++bank)
    row |= (bank_mask >> bank & 1 ? uint64_t{0xf} : 0) << (bank * kBankLanes);
  return row * 0x0001000100010001;  // the same in each of the four rows
}

}  // namespace

uint64_t to_lane_mask(const uint32_t* flags) {
  uint64_t mask = 0;
#if defined(__AVX2__)
  for (int i = 0; i < kLanes; i += 8) {
    const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(flags + i));
    mask |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(eight)))) << i;
  }
#else
  for (int i = 0; i < kLanes; ++i) mask |= static_cast<uint64_t>(flags[i] >> 31) << i;
#endif
  return mask;
}

void expand_lane_mask(uint64_t mask, uint32_t* lanes) {
  for (int half = 0; half < 2; ++half) {
    const uint32_t bits = static_cast<uint32_t>(mask >> (32 * half));
    for (int i = 0; i < 32; ++i) lanes[32 * half + i] = -(bits >> i & 1);
  }
}

uint64_t scalar_operand(const Wavefront& wave, const Instruction& instruction,
                        const ExecutionContext& context, uint16_t code, Format format) {
  switch (format) {
    case Format::b16:
    case Format::m16:
    case Format::f16:
    case Format::pk_f16:
      if (is_float_constant(code)) return kFloatConstants16[code - operand_code::kFirstFloat];
      return read_scalar32(wave, instruction, code);
    case Format::pk_f32:  // a float constant is one f32, in the low half
      if (is_float_constant(code)) return kFloatConstants32[code - operand_code::kFirstFloat];
      return read_scalar64(wave, instruction, code, context);
    case Format::b64:
      return read_scalar64(wave, instruction, code, context);
    case Format::m64:
    case Format::f64:
      return read_scalar64(wave, instruction, code, context, LiteralExtension::high_half);
    default:
      return read_scalar32(wave, instruction, code);
  }
}

// VGPR indexing mode (s_set_gpr_idx_on): M0[7:0] is added to the register numbers enabled in M0[15:12].
uint16_t LaneOperation::indexed(int slot, uint16_t code, int registers) {
  if (!(wave_.mode & mode_bits::kVgprIndexing) || code < operand_code::kFirstVgpr ||
      code >= operand_code::kFirstAgpr)
    return code;
  const uint32_t m0 = wave_.scalar[operand_code::kM0];
  if (!(m0 >> (12 + slot) & 1)) return code;
  const uint32_t number = code - operand_code::kFirstVgpr + (m0 & 0xff);
  if (number + registers > wave_.vgpr_count) {
    context_.fault(-1, "indexed VGPR v" + std::to_string(number) + " is beyond the " +
                           std::to_string(wave_.vgpr_count) + " VGPRs of the wave");
    return code;
  }
  return static_cast<uint16_t>(operand_code::kFirstVgpr + number);
}

const uint32_t* LaneOperation::fetch(Format format, int slot, uint16_t code, LaneBuffer& buffer) {
  if (code >= operand_code::kFirstVgpr && code != operand_code::kNone)
    return wave_.vector(indexed(slot, code, registers_of(format))).lane.data();
  const uint64_t value = scalar_operand(wave_, instruction_, context_, code, format);
  for (int i = 0; i < kLanes; ++i) buffer.lane[i] = static_cast<uint32_t>(value);
  if (registers_of(format) == 2)
    for (int i = 0; i < kLanes; ++i) buffer.lane[kLanes + i] = static_cast<uint32_t>(value >> 32);
  return buffer.lane;
}

const uint32_t* LaneOperation::prepare_source(Format format, int slot, uint16_t code, LaneBuffer& buffer) {
  const Instruction& in = instruction_;
  const uint32_t* p = fetch(format, slot, code, buffer);
  const int words = registers_of(format) * kLanes;
  const bool negate = in.neg >> slot & 1 && takes_float_modifiers(format);
  const bool absolute = in.abs >> slot & 1 && takes_float_modifiers(format);
  const int selector = !in.has_sdwa ? 6 : slot == 0 ? in.sdwa.src0_sel : slot == 1 ? in.sdwa.src1_sel : 6;
  const bool sign_extend = in.has_sdwa && (slot == 0 ? in.sdwa.src0_sext : slot == 1 && in.sdwa.src1_sext);
  const bool high_half = in.encoding == Encoding::vop3 && in.op_sel >> slot & 1 &&
                         (format == Format::b16 || format == Format::m16 || format == Format::f16);
  const bool flush = is_float(format) && !(denormal_control(wave_.mode, format) & kFlushInputBit);
  const bool shuffled = in.has_dpp && slot == 0;
  if (!negate && !absolute && !flush && !high_half && !shuffled && selector == 6) return p;

  if (shuffled) {
    LaneBuffer gathered;
    const DppPattern& pattern = dpp_pattern(in.dpp.control);
    alignas(64) uint32_t valid[kLanes];
    expand_lane_mask(dpp_valid_lanes(pattern, wave_.exec()), valid);
    for (int word = 0; word < words; word += kLanes)
      for (int i = 0; i < kLanes; ++i) gathered.lane[word + i] = p[word + pattern.source[i]] & valid[i];
    std::memcpy(buffer.lane, gathered.lane, words * sizeof(uint32_t));
  } else if (p != buffer.lane) {
    std::memcpy(buffer.lane, p, words * sizeof(uint32_t));
  }
  uint32_t* b = buffer.lane;
  if (selector != 6)
    for (int i = 0; i < kLanes; ++i) b[i] = select_sub_dword(b[i], selector, sign_extend);
  if (high_half)
    for (int i = 0; i < kLanes; ++i) b[i] >>= 16;
  if (absolute || negate) {
    const uint32_t sign = sign_bit_of(format);
    uint32_t* word = registers_of(format) == 2 ? b + kLanes : b;
    const uint32_t keep = absolute ? ~sign : ~0u, flip = negate ? sign : 0u;
    for (int i = 0; i < kLanes; ++i) word[i] = (word[i] & keep) ^ flip;
  }
  if (flush) flush_denormals(format, b);
  return b;
}

const uint32_t* LaneOperation::prepare_packed_source(Format format, int slot, uint16_t code,
                                                     LaneBuffer& buffer) {
  const Instruction& in = instruction_;
  const uint32_t* p = fetch(format, slot, code, buffer);
  const bool low_from_high = in.op_sel >> slot & 1, high_from_high = in.op_sel_hi >> slot & 1;
  const bool float_format = format != Format::pk_b16;
  const uint32_t negate_low = float_format ? in.neg >> slot & 1 : 0u,
                 negate_high = float_format ? in.neg_hi >> slot & 1 : 0u;
  uint32_t* b = buffer.lane;
  if (format == Format::pk_f32) {
    LaneBuffer copy;
    std::memcpy(copy.lane, p, sizeof copy.lane);
    for (int i = 0; i < kLanes; ++i) {
      b[i] = copy.lane[low_from_high ? kLanes + i : i] ^ negate_low << 31;
      b[kLanes + i] = copy.lane[high_from_high ? kLanes + i : i] ^ negate_high << 31;
    }
  } else {
    const int low_shift = low_from_high ? 16 : 0, high_shift = high_from_high ? 16 : 0;
    const uint32_t flip = negate_low << 15 | negate_high << 31;
    for (int i = 0; i < kLanes; ++i)
      b[i] = ((p[i] >> low_shift & 0xffff) | (p[i] >> high_shift & 0xffff) << 16) ^ flip;
  }
  if (is_float(format) && !(denormal_control(wave_.mode, format) & kFlushInputBit))
    flush_denormals(format, b);
  return b;
}

const uint32_t* LaneOperation::accumulator(Format format, LaneBuffer& buffer) {
  const uint32_t* p = wave_.vector(indexed(3, instruction_.vdst, registers_of(format))).lane.data();
  if (ordinary_ || !is_float(format) || denormal_control(wave_.mode, format) & kFlushInputBit) return p;
  std::memcpy(buffer.lane, p, registers_of(format) * kLanes * sizeof(uint32_t));
  flush_denormals(format, buffer.lane);
  return buffer.lane;
}

void LaneOperation::apply_dpp_write_mask() {
  const DataParallel& dpp = instruction_.dpp;
  active_ &= row_lanes(dpp.row_mask) & bank_lanes(dpp.bank_mask);
  if (!dpp.bound_control) active_ &= dpp_valid_lanes(dpp_pattern(dpp.control), wave_.exec());
}

void LaneOperation::store(uint16_t code, int registers, const uint32_t* values, uint64_t lanes) {
  uint32_t* destination = wave_.vector(indexed(3, code, registers)).lane.data();
  if (lanes == ~uint64_t{0}) {
    for (int r = 0; r < registers; ++r)
      std::memcpy(destination + r * kLanes, values + r * kLanes, kLanes * sizeof(uint32_t));
    return;
  }
  alignas(64) uint32_t mask[kLanes];
  expand_lane_mask(lanes, mask);
  for (int r = 0; r < registers; ++r, destination += kLanes, values += kLanes)
    for (int i = 0; i < kLanes; ++i) destination[i] = (values[i] & mask[i]) | (destination[i] & ~mask[i]);
}

void LaneOperation::limit_f16_overflow(Format format, LaneBuffer& result, const uint32_t* const* sources,
                                       const Format* formats, int count) {
  for (int i = 0; i < kLanes; ++i)
    for (int shift = 0; shift < (format == Format::pk_f16 ? 32 : 16); shift += 16) {
      if ((result.lane[i] >> shift & 0x7fff) != 0x7c00) continue;
      bool from_infinity = false;
      for (int s = 0; s < count; ++s) {
        if (formats[s] == Format::f16) from_infinity |= (sources[s][i] & 0x7fff) == 0x7c00;
        if (formats[s] == Format::pk_f16) from_infinity |= (sources[s][i] >> shift & 0x7fff) == 0x7c00;
        if (formats[s] == Format::f32) from_infinity |= (sources[s][i] & 0x7fffffff) == 0x7f800000;
      }
      if (!from_infinity) result.lane[i] -= 1u << shift;  // 0x7c00 -> 0x7bff
    }
}

namespace {

// Multiplies by 2, 4 or 1/2 by changing the exponent; denormals are already flushed where this applies.
template <class T, class D>
void scale_output(LaneBuffer& result, int omod) {
  const T factor = omod == 1 ? T{2} : omod == 2 ? T{4} : T{0.5};
  for (int i = 0; i < kLanes; ++i) D::put(result.lane, i, D::get(result.lane, i) * factor);
}

// NaN becomes 0 under DX10_CLAMP and stays NaN otherwise.
template <class T, class D>
void clamp_output(LaneBuffer& result, bool dx10_clamp) {
  for (int i = 0; i < kLanes; ++i) {
    const T value = D::get(result.lane, i);
    const T bounded = value > T{0} ? (value < T{1} ? value : T{1}) : T{0};
    if (value == value || dx10_clamp) D::put(result.lane, i, bounded);
  }
}

struct HighF16 : Bits32<float, Format::pk_f16> {
  static float get(const uint32_t* p, int i) { return f16_to_f32(static_cast<uint16_t>(p[i] >> 16)); }
  static void put(uint32_t* p, int i, float v) {
    p[i] = (p[i] & 0xffff) | static_cast<uint32_t>(f32_to_f16(v)) << 16;
  }
};
struct LowF16 : Bits32<float, Format::pk_f16> {
  static float get(const uint32_t* p, int i) { return f16_to_f32(static_cast<uint16_t>(p[i])); }
  static void put(uint32_t* p, int i, float v) { p[i] = (p[i] & 0xffff0000) | f32_to_f16(v); }
};
struct HighF32 : Bits32<float, Format::pk_f32> {
  static float get(const uint32_t* p, int i) { return F32::get(p + kLanes, i); }
  static void put(uint32_t* p, int i, float v) { F32::put(p + kLanes, i, v); }
};

void clamp_format(Format format, LaneBuffer& result, bool dx10_clamp) {
  switch (format) {
    case Format::f16:
      return clamp_output<float, F16>(result, dx10_clamp);
    case Format::f32:
      return clamp_output<float, F32>(result, dx10_clamp);
    case Format::f64:
      return clamp_output<double, F64>(result, dx10_clamp);
    case Format::pk_f16:
      clamp_output<float, LowF16>(result, dx10_clamp);
      return clamp_output<float, HighF16>(result, dx10_clamp);
    case Format::pk_f32:
      clamp_output<float, F32>(result, dx10_clamp);
      return clamp_output<float, HighF32>(result, dx10_clamp);
    default:
      return;
  }
}

// Places a result in the sub-dword that SDWA names, over `old`.
uint32_t place_sub_dword(uint32_t old, uint32_t value, int selector, int unused) {
  if (selector == 6) return value;
  const int shift = selector < 4 ? 8 * selector : 16 * (selector - 4);
  const uint32_t width_mask = selector < 4 ? 0xffu : 0xffffu;
  const uint32_t placed = (value & width_mask) << shift;
  if (unused == 2) return placed | (old & ~(width_mask << shift));  // preserve
  const int above = shift + (selector < 4 ? 8 : 16);
  if (unused == 1 && above < 32 && value & (width_mask ^ width_mask >> 1))
    return placed | ~0u << above;  // sign-extend
  return placed;
}

}  // namespace

void LaneOperation::finish(Format format, LaneBuffer& result, bool keeps_high) {
  const Instruction& in = instruction_;
  if (is_float(format)) {
    const bool keeps_denormals = denormal_control(wave_.mode, format) & kFlushOutputBit;
    if (!keeps_denormals) flush_denormals(format, result.lane);
    // Output modifiers work only without denormals and IEEE mode.
    if (in.omod && !keeps_denormals && !(wave_.mode & mode_bits::kIeee)) {
      if (format == Format::f32) scale_output<float, F32>(result, in.omod);
      if (format == Format::f64) scale_output<double, F64>(result, in.omod);
      if (format == Format::f16) scale_output<float, F16>(result, in.omod);
      flush_denormals(format, result.lane);
    }
    if (in.clamp) clamp_format(format, result, (wave_.mode & mode_bits::kDx10Clamp) != 0);
  }
  const uint32_t* old = nullptr;
  if (in.has_sdwa || keeps_high) old = wave_.vector(indexed(3, in.vdst, 1)).lane.data();
  if (in.has_sdwa) {
    for (int i = 0; i < kLanes; ++i)
      result.lane[i] = place_sub_dword(old[i], result.lane[i], in.sdwa.dst_sel, in.sdwa.dst_unused);
  } else if (keeps_high) {
    const bool high = in.encoding == Encoding::vop3 && in.op_sel >> 3 & 1;
    for (int i = 0; i < kLanes; ++i)
      result.lane[i] =
          high ? (old[i] & 0xffff) | result.lane[i] << 16 : (old[i] & 0xffff0000) | (result.lane[i] & 0xffff);
  }
  store(in.vdst, registers_of(format), result.lane, active_);
}

}  // namespace wavecast::isa
