// Semantics of instructions that move data between lanes: readlane, readfirstlane, writelane, mbcnt and
// gfx950's permlane swaps. DPP is an operand form and lives in lanes.cpp. Source: AMD CDNA3 and CDNA4 ISA
// documents.
#include "isa/semantics/lane_arithmetic.h"
#include "isa/semantics/vector_rows.h"

namespace wavecast::isa {

namespace {

using enum InstructionClass;

uint32_t scalar32(const Wavefront& wave, const Instruction& instruction, const ExecutionContext& context,
                  int slot) {
  return static_cast<uint32_t>(
      scalar_operand(wave, instruction, context, instruction.src[slot], Format::b32));
}

void readfirstlane(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  const uint16_t code = instruction.src[0];
  const uint64_t exec = wave.exec();
  const int lane = exec ? std::countr_zero(exec) : 0;
  const uint32_t value =
      is_vector_register(code) ? wave.vector(code).lane[lane] : scalar32(wave, instruction, context, 0);
  write_scalar32(wave, instruction.vdst, value);
}

// EXEC is ignored; the lane number is taken modulo 64.
void readlane(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  const uint32_t lane = scalar32(wave, instruction, context, 1) & (kLanes - 1);
  write_scalar32(wave, instruction.vdst, wave.vector(instruction.src[0]).lane[lane]);
}

void writelane(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  const uint32_t lane = scalar32(wave, instruction, context, 1) & (kLanes - 1);
  wave.vector(instruction.vdst).lane[lane] = scalar32(wave, instruction, context, 0);
}

// Counts the bits of S0 that belong to lanes below each lane, in the lower or upper half of the wave, plus
// S1.
template <bool kHigh>
void mbcnt(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneOperation operation(wave, instruction, context);
  LaneBuffer buffers[2], result;
  const uint32_t* mask = operation.source(Format::b32, 0, buffers[0]);
  const uint32_t* base = operation.source(Format::b32, 1, buffers[1]);
  for (int i = 0; i < kLanes; ++i) {
    const uint64_t below = (uint64_t{1} << i) - 1;
    const uint32_t half = static_cast<uint32_t>(kHigh ? below >> 32 : below);
    result.lane[i] = base[i] + static_cast<uint32_t>(std::popcount(mask[i] & half));
  }
  operation.write(Format::b32, result, false);
}

// Swaps the odd rows (16 lanes) or the upper half (32 lanes) of vdst with the even rows or lower half of the
// source.
template <int kRow>
void permlane_swap(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  LaneOperation operation(wave, instruction, context);
  LaneBuffer destination, source;
  const auto& old_destination = wave.vector(instruction.vdst).lane;
  const auto& old_source = wave.vector(instruction.src[0]).lane;
  for (int i = 0; i < kLanes; ++i) {
    const bool upper = (i & kRow) != 0;
    destination.lane[i] = upper ? old_source[i - kRow] : old_destination[i];
    source.lane[i] = upper ? old_source[i] : old_destination[i + kRow];
  }
  operation.store(instruction.vdst, 1, destination.lane, operation.active());
  operation.store(instruction.src[0], 1, source.lane, operation.active());
}

constexpr SemanticsRow kRows[] = {
    {"v_readfirstlane_b32", valu_cross_lane, readfirstlane},
    {"v_readlane_b32", valu_cross_lane, readlane},
    {"v_writelane_b32", valu_cross_lane, writelane},
    {"v_mbcnt_lo_u32_b32", valu, mbcnt<false>},
    {"v_mbcnt_hi_u32_b32", valu, mbcnt<true>},
    {"v_permlane16_swap_b32", valu_cross_lane, permlane_swap<16>},
    {"v_permlane32_swap_b32", valu_cross_lane, permlane_swap<32>},
};

}  // namespace

std::span<const SemanticsRow> cross_lane_rows() { return kRows; }

}  // namespace wavecast::isa
