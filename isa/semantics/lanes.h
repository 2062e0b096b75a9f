// Vector ALU skeleton: operand readers and 64-lane loops shared by all VOP encodings. A semantics row is a
// signature of operand types plus a small function on scalar values; the loop over lanes has no branches so
// that the compiler vectorises it. Plain VGPR operands are read in place; everything else (scalars,
// constants, SDWA, DPP, op_sel, abs/neg, denormal flushing, VGPR indexing) is prepared into a stack buffer by
// lanes.cpp before the same loop runs. Sources: AMD CDNA3 ISA document, chapters "Vector ALU Operations" and
// "Microcode Formats"; LLVM 22 AMDGPUUsage. Leaves out: exception flags and traps.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "isa/execution_context.h"
#include "isa/instruction.h"
#include "isa/semantics/float16.h"
#include "isa/semantics/scalar_operands.h"
#include "isa/semantics/semantics.h"
#include "isa/semantics/soft_float.h"
#include "isa/wavefront.h"

namespace wavecast::isa {

// How the bits of an operand are understood by modifiers, inline constants and denormal control.
// b: integer, m: float bits taken as they are (abs and neg apply, denormals are never flushed), pk: two
// 16-bit halves, pk_f32: two f32.
enum class Format : uint8_t { b16, m16, f16, b32, m32, f32, pk_b16, pk_f16, b64, m64, f64, pk_f32 };

constexpr int registers_of(Format format) { return format >= Format::b64 ? 2 : 1; }

// One operand in flight: up to two registers of 64 lanes.
struct alignas(64) LaneBuffer {
  uint32_t lane[2 * kLanes];
};

// Operand types of signatures. `get`/`put` convert between register bits and the value a lane function works
// on; `raw` is the bit pattern for the exact slow path.
template <class V, Format F>
struct Bits32 {
  using Value = V;
  static constexpr Format kFormat = F;
  static constexpr bool kKeepsHigh = false;
  static Value get(const uint32_t* p, int i) { return std::bit_cast<Value>(p[i]); }
  static void put(uint32_t* p, int i, Value v) { p[i] = std::bit_cast<uint32_t>(v); }
  static uint64_t raw(const uint32_t* p, int i) { return p[i]; }
  static void put_raw(uint32_t* p, int i, uint64_t v) { p[i] = static_cast<uint32_t>(v); }
};
template <class V, Format F>
struct Bits16 {
  using Value = V;
  static constexpr Format kFormat = F;
  static constexpr bool kKeepsHigh = false;
  static Value get(const uint32_t* p, int i) { return static_cast<Value>(p[i]); }
  static void put(uint32_t* p, int i, Value v) { p[i] = static_cast<uint16_t>(v); }
  static uint64_t raw(const uint32_t* p, int i) { return p[i] & 0xffff; }
  static void put_raw(uint32_t* p, int i, uint64_t v) { p[i] = static_cast<uint16_t>(v); }
};
template <class V, Format F>
struct Bits64 {
  using Value = V;
  static constexpr Format kFormat = F;
  static constexpr bool kKeepsHigh = false;
  static Value get(const uint32_t* p, int i) { return std::bit_cast<Value>(raw(p, i)); }
  static void put(uint32_t* p, int i, Value v) { put_raw(p, i, std::bit_cast<uint64_t>(v)); }
  static uint64_t raw(const uint32_t* p, int i) { return p[i] | static_cast<uint64_t>(p[kLanes + i]) << 32; }
  static void put_raw(uint32_t* p, int i, uint64_t v) {
    p[i] = static_cast<uint32_t>(v);
    p[kLanes + i] = static_cast<uint32_t>(v >> 32);
  }
};
struct U32 : Bits32<uint32_t, Format::b32> {};
struct I32 : Bits32<int32_t, Format::b32> {};
struct M32 : Bits32<uint32_t, Format::m32> {};
struct F32 : Bits32<float, Format::f32> {};
struct R32 : Bits32<uint32_t, Format::f32> {};  // f32 as bits
struct U16 : Bits16<uint16_t, Format::b16> {};
struct I16 : Bits16<int16_t, Format::b16> {};
struct R16 : Bits16<uint16_t, Format::f16> {};      // f16 as bits
struct P16 : Bits32<uint32_t, Format::pk_b16> {};   // two 16-bit integers
struct PF16 : Bits32<uint32_t, Format::pk_f16> {};  // two f16 as bits
struct M16 : Bits16<uint16_t, Format::m16> {};
struct M64 : Bits64<uint64_t, Format::m64> {};
struct U64 : Bits64<uint64_t, Format::b64> {};
struct I64 : Bits64<int64_t, Format::b64> {};
struct F64 : Bits64<double, Format::f64> {};
struct R64 : Bits64<uint64_t, Format::f64> {};  // f64 as bits
// f16 computed in f32: the lane function's float is rounded once, so it must be exact or rounded to at least
// 24 bits of a result whose second rounding is harmless (add, sub, mul), or rounded to odd.
struct F16 : Bits16<float, Format::f16> {
  static float get(const uint32_t* p, int i) { return f16_to_f32(static_cast<uint16_t>(p[i])); }
  static void put(uint32_t* p, int i, float v) { p[i] = f32_to_f16(v); }
};
// Destination that keeps the other half of the register, chosen by op_sel[3]; plain 16-bit results of GFX9
// zero it.
template <class T>
struct Keep : T {
  static constexpr bool kKeepsHigh = true;
};

// What a lane function may ask besides its operands; uniform over the lanes.
struct LaneState {
  bool ieee = false;   // MODE.IEEE
  bool clamp = false;  // integer operations saturate themselves; float results are clamped afterwards
  bool fp16_overflow = false;
  Generation generation = Generation::other;
};

// MODE register fields. Source: CDNA3 ISA document, "Mode Register".
namespace mode_bits {
inline constexpr uint32_t kRoundF32 = 0x3, kRoundF16F64 = 0xc, kDenormF32 = 0x30, kDenormF16F64 = 0xc0;
inline constexpr uint32_t kDx10Clamp = 1u << 8, kIeee = 1u << 9, kFp16Overflow = 1u << 23,
                          kVgprIndexing = 1u << 27;
inline constexpr uint32_t kSpecialMask = 0xff | kFp16Overflow | kVgprIndexing;
inline constexpr uint32_t kUsual = kDenormF32 | kDenormF16F64;  // nearest even, denormals kept
}  // namespace mode_bits

// One vector instruction being executed: modifiers, active lanes, readers and write-back.
class LaneOperation {
 public:
  LaneOperation(Wavefront& wave, const Instruction& instruction, ExecutionContext& context)
      : wave_(wave), instruction_(instruction), context_(context), active_(wave.exec()) {
    const Instruction& in = instruction;
    ordinary_ = (in.has_sdwa | in.has_dpp) == 0 && (wave.mode & mode_bits::kSpecialMask) == mode_bits::kUsual;
    if (in.has_dpp) apply_dpp_write_mask();
  }

  // 64 lanes of source `slot` with operand code `code`; points into the VGPRs or to `buffer`.
  const uint32_t* source(Format format, int slot, uint16_t code, LaneBuffer& buffer) {
    const bool modified = (instruction_.abs | instruction_.neg | instruction_.op_sel) >> slot & 1;
    if (ordinary_ && !modified && code >= operand_code::kFirstVgpr && code != operand_code::kNone)
      return wave_.vector(code).lane.data();
    return prepare_source(format, slot, code, buffer);
  }
  const uint32_t* source(Format format, int slot, LaneBuffer& buffer) {
    return source(format, slot, instruction_.src[slot], buffer);
  }
  // Packed operands: op_sel, op_sel_hi, neg and neg_hi choose and negate the halves.
  const uint32_t* packed_source(Format format, int slot, LaneBuffer& buffer) {
    const Instruction& in = instruction_;
    const uint16_t code = in.src[slot];
    const bool direct = (((in.op_sel | in.neg | in.neg_hi | ~in.op_sel_hi) >> slot) & 1) == 0;
    if (ordinary_ && direct && code >= operand_code::kFirstVgpr && code != operand_code::kNone)
      return wave_.vector(code).lane.data();
    return prepare_packed_source(format, slot, code, buffer);
  }
  // The old destination as a source (v_fmac and the like): no modifiers, but denormal control.
  const uint32_t* accumulator(Format format, LaneBuffer& buffer);

  // Writes `result` to the destination under EXEC, after output modifiers. `keeps_high`: see Keep.
  void write(Format format, LaneBuffer& result, bool keeps_high) {
    if (ordinary_ && !keeps_high && (instruction_.omod | instruction_.clamp) == 0) {
      store(instruction_.vdst, registers_of(format), result.lane, active_);
    } else {
      finish(format, result, keeps_high);
    }
  }
  // Writes registers under a lane mask, nothing else.
  void store(uint16_t code, int registers, const uint32_t* values, uint64_t lanes);

  // A lane mask operand: VCC in 32-bit encodings, an SGPR pair in VOP3.
  uint64_t carry_in(int slot) const {
    if (instruction_.encoding != Encoding::vop3) return wave_.vcc();
    return read_scalar64(wave_, instruction_, instruction_.src[slot], context_);
  }
  // Writes a lane mask result; inactive lanes read as zero.
  void write_mask(uint64_t lanes) {
    const Instruction& in = instruction_;
    const uint16_t code = in.sdst != operand_code::kNone ? in.sdst
                          : in.encoding == Encoding::vop3 && in.vdst < operand_code::kFirstVgpr
                              ? in.vdst
                              : operand_code::kVccLo;
    write_scalar64(wave_, code, lanes & active_);
  }

  LaneState state() const {
    return {(wave_.mode & mode_bits::kIeee) != 0, instruction_.clamp,
            (wave_.mode & mode_bits::kFp16Overflow) != 0, context_.generation};
  }
  Rounding rounding(Format format) const {
    const bool single = format == Format::f32 || format == Format::pk_f32;
    return static_cast<Rounding>(wave_.mode >> (single ? 0 : 2) & 3);
  }
  uint64_t active() const { return active_; }
  Wavefront& wave() { return wave_; }
  const Instruction& instruction() const { return instruction_; }
  ExecutionContext& context() { return context_; }
  // Infinities that arithmetic makes of finite f16 sources become the largest finite value under
  // MODE.FP16_OVFL.
  void limit_f16_overflow(Format format, LaneBuffer& result, const uint32_t* const* sources,
                          const Format* formats, int count);

 private:
  const uint32_t* prepare_source(Format format, int slot, uint16_t code, LaneBuffer& buffer);
  const uint32_t* prepare_packed_source(Format format, int slot, uint16_t code, LaneBuffer& buffer);
  const uint32_t* fetch(Format format, int slot, uint16_t code, LaneBuffer& buffer);
  void apply_dpp_write_mask();
  void finish(Format format, LaneBuffer& result, bool keeps_high);
  uint16_t indexed(int slot, uint16_t code, int registers);

  Wavefront& wave_;
  const Instruction& instruction_;
  ExecutionContext& context_;
  uint64_t active_;
  bool ordinary_;  // neither SDWA nor DPP, and MODE as usual
};

// 64 flags (0 or non-zero in the top bit) to a lane mask, and a lane mask to 0 / ~0 per lane.
uint64_t to_lane_mask(const uint32_t* flags);
void expand_lane_mask(uint64_t mask, uint32_t* lanes);

// Value of a scalar operand code (SGPR, constant, literal) as 64 bits, as a vector operand of `format` sees
// it.
uint64_t scalar_operand(const Wavefront& wave, const Instruction& instruction,
                        const ExecutionContext& context, uint16_t code, Format format);

namespace lanes_detail {

template <auto F, class... V>
constexpr decltype(auto) call(const LaneState& state, V... values) {
  if constexpr (std::is_invocable_v<decltype(F), const LaneState&, V...>)
    return F(state, values...);
  else
    return F(values...);
}

constexpr bool is_packed(Format format) {
  return format == Format::pk_b16 || format == Format::pk_f16 || format == Format::pk_f32;
}

template <class Signature, bool kAccumulates, auto F, auto Rounded>
struct Vector;

template <class D, class... S, bool kAccumulates, auto F, auto Rounded>
struct Vector<D(S...), kAccumulates, F, Rounded> {
  static void run(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
    LaneOperation operation(wave, instruction, context);
    run_lanes(operation, std::index_sequence_for<S...>{});
  }

  template <std::size_t... I>
  static void run_lanes(LaneOperation& operation, std::index_sequence<I...>) {
    constexpr int kSources = sizeof...(S);
    constexpr Format kFormats[] = {S::kFormat...};
    const bool packed = operation.instruction().encoding == Encoding::vop3p;
    LaneBuffer buffers[kSources];
    const uint32_t* p[kSources];
    for (int slot = 0; slot < kSources; ++slot) {
      if (kAccumulates && slot == kSources - 1)
        p[slot] = operation.accumulator(kFormats[slot], buffers[slot]);
      else if (is_packed(kFormats[slot]) && packed)
        p[slot] = operation.packed_source(kFormats[slot], slot, buffers[slot]);
      else
        p[slot] = operation.source(kFormats[slot], slot, buffers[slot]);
    }
    LaneBuffer result;
    if constexpr (!std::is_null_pointer_v<decltype(Rounded)>) {
      const Rounding rounding = operation.rounding(D::kFormat);
      if (rounding != Rounding::nearest_even) {
        for (int i = 0; i < kLanes; ++i) D::put_raw(result.lane, i, Rounded(rounding, S::raw(p[I], i)...));
      } else {
        compute(operation, result, p[I]...);
      }
      if constexpr (D::kFormat == Format::f16 || D::kFormat == Format::pk_f16)
        if (operation.state().fp16_overflow)
          operation.limit_f16_overflow(D::kFormat, result, p, kFormats, kSources);
    } else {
      compute(operation, result, p[I]...);
    }
    operation.write(D::kFormat, result, D::kKeepsHigh);
  }

  template <class... P>
  static void compute(const LaneOperation& operation, LaneBuffer& result, P... p) {
    const LaneState state = operation.state();
    for (int i = 0; i < kLanes; ++i) D::put(result.lane, i, call<F>(state, S::get(p, i)...));
  }
};

template <class Signature, auto F, bool kWritesExec>
struct Compare;

template <class S0, class S1, auto F, bool kWritesExec>
struct Compare<bool(S0, S1), F, kWritesExec> {
  static void run(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
    LaneOperation operation(wave, instruction, context);
    LaneBuffer buffers[2];
    const uint32_t* a = operation.source(S0::kFormat, 0, buffers[0]);
    const uint32_t* b = operation.source(S1::kFormat, 1, buffers[1]);
    alignas(64) uint32_t flags[kLanes];
    for (int i = 0; i < kLanes; ++i) flags[i] = F(S0::get(a, i), S1::get(b, i)) ? ~0u : 0u;
    const uint64_t lanes = to_lane_mask(flags);
    operation.write_mask(lanes);
    if (kWritesExec) wave.set_exec(lanes & operation.active());
  }
};

}  // namespace lanes_detail

// Rows are written as `vector<F32(F32, F32), add>`: destination and source types, then the lane function
// (with an optional first argument of LaneState). `Rounded(Rounding, bits...)` does the same exactly for
// rounding modes other than nearest even; without it the operation does not depend on the rounding mode.
template <class Signature, auto F, auto Rounded = nullptr>
inline constexpr Semantics vector = &lanes_detail::Vector<Signature, false, F, Rounded>::run;
// The last source is the old destination.
template <class Signature, auto F, auto Rounded = nullptr>
inline constexpr Semantics accumulate = &lanes_detail::Vector<Signature, true, F, Rounded>::run;
// `compare<bool(F32, F32), less>`; with kWritesExec v_cmpx.
template <class Signature, auto F, bool kWritesExec = false>
inline constexpr Semantics compare = &lanes_detail::Compare<Signature, F, kWritesExec>::run;

}  // namespace wavecast::isa
