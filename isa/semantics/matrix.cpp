// Semantics of MFMA, SMFMAC and AGPR moves. Matrix instructions ignore EXEC.
// Leaves out: NaN payloads, exceptions, and the hardware's order of accumulation (see matrix_arithmetic.cpp).
// Source: AMD CDNA3 and CDNA4 ISA, "Matrix Arithmetic Instructions"; AMD matrix instruction calculator for layouts and
// modifiers; PyTorch "Numerical accuracy" notes for the flushing of f16 and bf16 denormals on gfx90a.
#include "isa/semantics/matrix.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "isa/semantics/scalar_operands.h"
#include "isa/semantics/semantics.h"

namespace wavecast::isa {
namespace matrix {
namespace {

constexpr int kScaleBlock = 32;  // elements along k that share a scale (OCP MX)

// clang-format off
constexpr Operation kOperations[] = {
  {"v_mfma_f32_32x32x1f32", 32, 32, 1, 2, Element::f32, Element::f32},
  {"v_mfma_f32_16x16x1f32", 16, 16, 1, 4, Element::f32, Element::f32},
  {"v_mfma_f32_4x4x1f32", 4, 4, 1, 16, Element::f32, Element::f32},
  {"v_mfma_f32_32x32x2f32", 32, 32, 2, 1, Element::f32, Element::f32},
  {"v_mfma_f32_16x16x4f32", 16, 16, 4, 1, Element::f32, Element::f32},
  {"v_mfma_f32_32x32x4f16", 32, 32, 4, 2, Element::f16, Element::f16},
  {"v_mfma_f32_16x16x4f16", 16, 16, 4, 4, Element::f16, Element::f16},
  {"v_mfma_f32_4x4x4f16", 4, 4, 4, 16, Element::f16, Element::f16},
  {"v_mfma_f32_32x32x8f16", 32, 32, 8, 1, Element::f16, Element::f16},
  {"v_mfma_f32_16x16x16f16", 16, 16, 16, 1, Element::f16, Element::f16},
  {"v_mfma_i32_32x32x4i8", 32, 32, 4, 2, Element::i8, Element::i8},
  {"v_mfma_i32_16x16x4i8", 16, 16, 4, 4, Element::i8, Element::i8},
  {"v_mfma_i32_4x4x4i8", 4, 4, 4, 16, Element::i8, Element::i8},
  {"v_mfma_i32_32x32x8i8", 32, 32, 8, 1, Element::i8, Element::i8},
  {"v_mfma_i32_16x16x16i8", 16, 16, 16, 1, Element::i8, Element::i8},
  {"v_mfma_f32_32x32x2bf16", 32, 32, 2, 2, Element::bf16, Element::bf16},
  {"v_mfma_f32_16x16x2bf16", 16, 16, 2, 4, Element::bf16, Element::bf16},
  {"v_mfma_f32_4x4x2bf16", 4, 4, 2, 16, Element::bf16, Element::bf16},
  {"v_mfma_f32_32x32x4bf16", 32, 32, 4, 1, Element::bf16, Element::bf16},
  {"v_mfma_f32_16x16x8bf16", 16, 16, 8, 1, Element::bf16, Element::bf16},
  // gfx90a
  {"v_mfma_f32_32x32x4bf16_1k", 32, 32, 4, 2, Element::bf16, Element::bf16},
  {"v_mfma_f32_16x16x4bf16_1k", 16, 16, 4, 4, Element::bf16, Element::bf16},
  {"v_mfma_f32_4x4x4bf16_1k", 4, 4, 4, 16, Element::bf16, Element::bf16},
  {"v_mfma_f32_32x32x8bf16_1k", 32, 32, 8, 1, Element::bf16, Element::bf16},
  {"v_mfma_f32_16x16x16bf16_1k", 16, 16, 16, 1, Element::bf16, Element::bf16},
  {"v_mfma_f64_16x16x4f64", 16, 16, 4, 1, Element::f64, Element::f64},
  {"v_mfma_f64_4x4x4f64", 4, 4, 4, 4, Element::f64, Element::f64},
  // gfx942 names of the same shapes
  {"v_mfma_f32_32x32x1_2b_f32", 32, 32, 1, 2, Element::f32, Element::f32},
  {"v_mfma_f32_16x16x1_4b_f32", 16, 16, 1, 4, Element::f32, Element::f32},
  {"v_mfma_f32_4x4x1_16b_f32", 4, 4, 1, 16, Element::f32, Element::f32},
  {"v_mfma_f32_32x32x2_f32", 32, 32, 2, 1, Element::f32, Element::f32},
  {"v_mfma_f32_16x16x4_f32", 16, 16, 4, 1, Element::f32, Element::f32},
  {"v_mfma_f32_32x32x4_2b_f16", 32, 32, 4, 2, Element::f16, Element::f16},
  {"v_mfma_f32_16x16x4_4b_f16", 16, 16, 4, 4, Element::f16, Element::f16},
  {"v_mfma_f32_4x4x4_16b_f16", 4, 4, 4, 16, Element::f16, Element::f16},
  {"v_mfma_f32_32x32x8_f16", 32, 32, 8, 1, Element::f16, Element::f16},
  {"v_mfma_f32_16x16x16_f16", 16, 16, 16, 1, Element::f16, Element::f16},
  {"v_mfma_i32_32x32x4_2b_i8", 32, 32, 4, 2, Element::i8, Element::i8},
  {"v_mfma_i32_16x16x4_4b_i8", 16, 16, 4, 4, Element::i8, Element::i8},
  {"v_mfma_i32_4x4x4_16b_i8", 4, 4, 4, 16, Element::i8, Element::i8},
  {"v_mfma_f32_32x32x4_2b_bf16", 32, 32, 4, 2, Element::bf16, Element::bf16},
  {"v_mfma_f32_16x16x4_4b_bf16", 16, 16, 4, 4, Element::bf16, Element::bf16},
  {"v_mfma_f32_4x4x4_16b_bf16", 4, 4, 4, 16, Element::bf16, Element::bf16},
  {"v_mfma_f32_32x32x8_bf16", 32, 32, 8, 1, Element::bf16, Element::bf16},
  {"v_mfma_f32_16x16x16_bf16", 16, 16, 16, 1, Element::bf16, Element::bf16},
  {"v_mfma_f64_16x16x4_f64", 16, 16, 4, 1, Element::f64, Element::f64},
  {"v_mfma_f64_4x4x4_4b_f64", 4, 4, 4, 4, Element::f64, Element::f64},
  // new with gfx942
  {"v_mfma_i32_32x32x16_i8", 32, 32, 16, 1, Element::i8, Element::i8},
  {"v_mfma_i32_16x16x32_i8", 16, 16, 32, 1, Element::i8, Element::i8},
  {"v_mfma_f32_16x16x8_xf32", 16, 16, 8, 1, Element::xf32, Element::xf32},
  {"v_mfma_f32_32x32x4_xf32", 32, 32, 4, 1, Element::xf32, Element::xf32},
  {"v_mfma_f32_16x16x32_bf8_bf8", 16, 16, 32, 1, Element::bf8, Element::bf8},
  {"v_mfma_f32_16x16x32_bf8_fp8", 16, 16, 32, 1, Element::bf8, Element::fp8},
  {"v_mfma_f32_16x16x32_fp8_bf8", 16, 16, 32, 1, Element::fp8, Element::bf8},
  {"v_mfma_f32_16x16x32_fp8_fp8", 16, 16, 32, 1, Element::fp8, Element::fp8},
  {"v_mfma_f32_32x32x16_bf8_bf8", 32, 32, 16, 1, Element::bf8, Element::bf8},
  {"v_mfma_f32_32x32x16_bf8_fp8", 32, 32, 16, 1, Element::bf8, Element::fp8},
  {"v_mfma_f32_32x32x16_fp8_bf8", 32, 32, 16, 1, Element::fp8, Element::bf8},
  {"v_mfma_f32_32x32x16_fp8_fp8", 32, 32, 16, 1, Element::fp8, Element::fp8},
  {"v_smfmac_f32_16x16x32_f16", 16, 16, 32, 1, Element::f16, Element::f16, true},
  {"v_smfmac_f32_32x32x16_f16", 32, 32, 16, 1, Element::f16, Element::f16, true},
  {"v_smfmac_f32_16x16x32_bf16", 16, 16, 32, 1, Element::bf16, Element::bf16, true},
  {"v_smfmac_f32_32x32x16_bf16", 32, 32, 16, 1, Element::bf16, Element::bf16, true},
  {"v_smfmac_i32_16x16x64_i8", 16, 16, 64, 1, Element::i8, Element::i8, true},
  {"v_smfmac_i32_32x32x32_i8", 32, 32, 32, 1, Element::i8, Element::i8, true},
  {"v_smfmac_f32_16x16x64_bf8_bf8", 16, 16, 64, 1, Element::bf8, Element::bf8, true},
  {"v_smfmac_f32_16x16x64_bf8_fp8", 16, 16, 64, 1, Element::bf8, Element::fp8, true},
  {"v_smfmac_f32_16x16x64_fp8_bf8", 16, 16, 64, 1, Element::fp8, Element::bf8, true},
  {"v_smfmac_f32_16x16x64_fp8_fp8", 16, 16, 64, 1, Element::fp8, Element::fp8, true},
  {"v_smfmac_f32_32x32x32_bf8_bf8", 32, 32, 32, 1, Element::bf8, Element::bf8, true},
  {"v_smfmac_f32_32x32x32_bf8_fp8", 32, 32, 32, 1, Element::bf8, Element::fp8, true},
  {"v_smfmac_f32_32x32x32_fp8_bf8", 32, 32, 32, 1, Element::fp8, Element::bf8, true},
  {"v_smfmac_f32_32x32x32_fp8_fp8", 32, 32, 32, 1, Element::fp8, Element::fp8, true},
  // new with gfx950
  {"v_mfma_f32_16x16x32_f16", 16, 16, 32, 1, Element::f16, Element::f16},
  {"v_mfma_f32_32x32x16_f16", 32, 32, 16, 1, Element::f16, Element::f16},
  {"v_mfma_f32_16x16x32_bf16", 16, 16, 32, 1, Element::bf16, Element::bf16},
  {"v_mfma_f32_32x32x16_bf16", 32, 32, 16, 1, Element::bf16, Element::bf16},
  {"v_mfma_i32_16x16x64_i8", 16, 16, 64, 1, Element::i8, Element::i8},
  {"v_mfma_i32_32x32x32_i8", 32, 32, 32, 1, Element::i8, Element::i8},
  {"v_mfma_f32_16x16x128_f8f6f4", 16, 16, 128, 1, Element::selected, Element::selected},
  {"v_mfma_f32_32x32x64_f8f6f4", 32, 32, 64, 1, Element::selected, Element::selected},
  {"v_mfma_scale_f32_16x16x128_f8f6f4", 16, 16, 128, 1, Element::selected, Element::selected, false, true},
  {"v_mfma_scale_f32_32x32x64_f8f6f4", 32, 32, 64, 1, Element::selected, Element::selected, false, true},
  {"v_smfmac_f32_16x16x64_f16", 16, 16, 64, 1, Element::f16, Element::f16, true},
  {"v_smfmac_f32_32x32x32_f16", 32, 32, 32, 1, Element::f16, Element::f16, true},
  {"v_smfmac_f32_16x16x64_bf16", 16, 16, 64, 1, Element::bf16, Element::bf16, true},
  {"v_smfmac_f32_32x32x32_bf16", 32, 32, 32, 1, Element::bf16, Element::bf16, true},
  {"v_smfmac_i32_16x16x128_i8", 16, 16, 128, 1, Element::i8, Element::i8, true},
  {"v_smfmac_i32_32x32x64_i8", 32, 32, 64, 1, Element::i8, Element::i8, true},
  {"v_smfmac_f32_16x16x128_bf8_bf8", 16, 16, 128, 1, Element::bf8, Element::bf8, true},
  {"v_smfmac_f32_16x16x128_bf8_fp8", 16, 16, 128, 1, Element::bf8, Element::fp8, true},
  {"v_smfmac_f32_16x16x128_fp8_bf8", 16, 16, 128, 1, Element::fp8, Element::bf8, true},
  {"v_smfmac_f32_16x16x128_fp8_fp8", 16, 16, 128, 1, Element::fp8, Element::fp8, true},
  {"v_smfmac_f32_32x32x64_bf8_bf8", 32, 32, 64, 1, Element::bf8, Element::bf8, true},
  {"v_smfmac_f32_32x32x64_bf8_fp8", 32, 32, 64, 1, Element::bf8, Element::fp8, true},
  {"v_smfmac_f32_32x32x64_fp8_bf8", 32, 32, 64, 1, Element::fp8, Element::bf8, true},
  {"v_smfmac_f32_32x32x64_fp8_fp8", 32, 32, 64, 1, Element::fp8, Element::fp8, true},
};
// clang-format on

// What cbsz and blgp of f8f6f4 name; other values are reserved and read as fp8.
Element selected_element(uint8_t field) {
  constexpr Element kElements[] = {Element::fp8, Element::bf8, Element::fp6, Element::bf6, Element::fp4};
  return field < std::size(kElements) ? kElements[field] : Element::fp8;
}

bool flushes_denormals(const ExecutionContext& context, Element element) {
  return context.generation == Generation::gfx90a && (element == Element::f16 || element == Element::bf16);
}
void flush(float* values, int count, float smallest) {
  for (int i = 0; i < count; ++i) values[i] = std::fabs(values[i]) < smallest ? std::copysign(0.0f, values[i]) : values[i];
}

// Smallest normal f16 and f32 (bf16 has the exponents of f32).
constexpr float kSmallestF16 = 0x1p-14f, kSmallestF32 = 0x1p-126f;

struct Execution {
  const Operation& operation;
  Wavefront& wave;
  const Instruction& instruction;
  ExecutionContext& context;
  Element a, b;
};

// Copies a row of 4, 16 or 32 values; a constant size is a few vector moves.
template <class Value>
void copy_row(Value* to, const Value* from, int count) {
  if (count == 32) std::memcpy(to, from, 32 * sizeof(Value));
  if (count == 16) std::memcpy(to, from, 16 * sizeof(Value));
  if (count == 4) std::memcpy(to, from, 4 * sizeof(Value));
}

// An operand's elements as [block][k][row]. If `permutes`, `lane_map` gives the lane that supplies a lane.
template <class LaneMap>
void gather_dense(const Execution& x, uint16_t code, Element element, bool permutes, LaneMap&& lane_map, OperandValues& values) {
  const Operation& operation = x.operation;
  const int rows = operation.m, groups = kLanes / rows, count = elements_per_lane(operation, false);
  std::array<float, kLanes> decoded, permuted;
  for (int e = 0; e < count; ++e) {
    decode_elements(x.wave, code, element, x.context.generation == Generation::gfx950, e, decoded);
    if (permutes) {
      for (int lane = 0; lane < kLanes; ++lane) permuted[lane] = decoded[lane_map(lane)];
      decoded = permuted;
    }
    for (int group = 0; group < groups; ++group) {
      const int block = operand_part(operation, group).block, k = k_of(operation, element, group, e);
      copy_row(values.data() + (block * operation.k + k) * rows, decoded.data() + group * rows, rows);
    }
  }
}

// A of a sparse instruction: two kept elements of every four, with their 2-bit positions in the index register.
void gather_sparse(const Execution& x, OperandValues& values) {
  const Operation& operation = x.operation;
  const int rows = operation.m, count = elements_per_lane(operation, true);
  const int index_bits = 2 * count, slots = 32 / index_bits;
  // cbsz 0: abid selects one of the index sets that a register holds; else the first is taken.
  const int shift = x.instruction.cbsz == 0 ? x.instruction.abid % slots * index_bits : 0;
  const VectorRegister& indices = x.wave.vector(x.instruction.src[2]);
  values.fill(0);
  std::array<float, kLanes> decoded;
  for (int e = 0; e < count; ++e) {
    decode_elements(x.wave, x.instruction.src[0], x.a, x.context.generation == Generation::gfx950, e, decoded);
    for (int lane = 0; lane < kLanes; ++lane) {
      const int first_k = operand_part(operation, lane / rows).first_k;
      const int position = static_cast<int>(indices.lane[lane] >> (shift + 2 * e) & 3);
      values[static_cast<size_t>((first_k + e / 2 * 4 + position) * rows + lane % rows)] += decoded[lane];
    }
  }
}

// A in full: each block's own, or under cbsz one block for 2^cbsz of them.
void gather_a(const Execution& x, OperandValues& values) {
  if (x.operation.sparse) return gather_sparse(x, values);
  const Operation& operation = x.operation;
  const bool broadcasts = operation.blocks > 1 && x.instruction.cbsz != 0;
  const int size = 1 << x.instruction.cbsz, rows = operation.m;
  gather_dense(x, x.instruction.src[0], x.a, broadcasts, [&](int lane) {
    const int block = (lane / rows / size * size + x.instruction.abid % size) % operation.blocks;
    return block * rows + lane % rows;
  }, values);
}

void gather_b(const Execution& x, OperandValues& values) {
  // f8f6f4 has the format in blgp.
  const int blgp = x.operation.b == Element::selected ? 0 : x.instruction.blgp;
  gather_dense(x, x.instruction.src[1], x.b, blgp != 0, [blgp](int lane) { return broadcast_lane(blgp, lane); }, values);
}

// C as [block][row][column] of 32-bit values; a constant fills it.
void load_result(const Execution& x, uint16_t code, uint32_t* values) {
  const Operation& operation = x.operation;
  if (!is_vector_register(code)) {
    const uint32_t constant = read_scalar32(x.wave, x.instruction, code);
    std::fill_n(values, operation.m * operation.n * operation.blocks, constant);
    return;
  }
  const int columns = operation.n;
  for (int r = 0; r < results_per_lane(operation); ++r) {
    const uint32_t* lanes = x.wave.vector(static_cast<uint16_t>(code + r)).lane.data();
    for (int group = 0; group < kLanes / columns; ++group) {
      const ResultRow at = result_row(operation, r, group);
      copy_row(values + (at.block * operation.m + at.row) * columns, lanes + group * columns, columns);
    }
  }
}

void store_result(const Execution& x, const uint32_t* values) {
  const Operation& operation = x.operation;
  const int columns = operation.n;
  for (int r = 0; r < results_per_lane(operation); ++r) {
    uint32_t* lanes = x.wave.vector(static_cast<uint16_t>(x.instruction.vdst + r)).lane.data();
    for (int group = 0; group < kLanes / columns; ++group) {
      const ResultRow at = result_row(operation, r, group);
      copy_row(lanes + group * columns, values + (at.block * operation.m + at.row) * columns, columns);
    }
  }
}

uint16_t accumulator_source(const Execution& x) { return x.operation.sparse ? x.instruction.vdst : x.instruction.src[2]; }

// 2^(scale - 127) for each row (or column) and block of 32 along k; NaN for code 255.
void gather_scales(const Execution& x, int operand, std::array<double, kLanes>& scales) {
  const int byte = (x.instruction.op_sel >> operand & 1) | (x.instruction.op_sel_hi >> operand & 1) << 1;
  const uint16_t code = x.instruction.scale[static_cast<size_t>(operand)];
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t word = is_vector_register(code) ? x.wave.vector(code).lane[lane] : read_scalar32(x.wave, x.instruction, code);
    const int exponent = static_cast<int>(word >> 8 * byte & 0xff);
    scales[static_cast<size_t>(lane)] = exponent == 0xff ? std::nan("") : std::ldexp(1.0, exponent - 127);
  }
}

// Each block of 32 along k is summed unscaled, then scaled and added; both roundings are to f32.
void multiply_scaled(const Execution& x, float* d, const float* a, const float* b) {
  const Operation& operation = x.operation;
  const int m = operation.m, n = operation.n;
  std::array<double, kLanes> scale_a, scale_b;
  gather_scales(x, 0, scale_a);
  gather_scales(x, 1, scale_b);
  for (int part = 0; part < operation.k / kScaleBlock; ++part) {
    std::array<float, kMaximumResult> sum{};
    multiply_add(sum.data(), a + part * kScaleBlock * m, b + part * kScaleBlock * n, m, n, kScaleBlock);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        const double scale = scale_a[static_cast<size_t>(part * m + i)] * scale_b[static_cast<size_t>(part * n + j)];
        d[i * n + j] = static_cast<float>(d[i * n + j] + sum[static_cast<size_t>(i * n + j)] * scale);
      }
  }
}

void multiply_f32(const Execution& x) {
  const Operation& operation = x.operation;
  OperandValues a, b;
  std::array<float, kMaximumResult> d;
  gather_a(x, a);
  gather_b(x, b);
  load_result(x, accumulator_source(x), reinterpret_cast<uint32_t*>(d.data()));
  const int results = operation.m * operation.n * operation.blocks, operands = operation.m * operation.k * operation.blocks;
  const bool flushes = flushes_denormals(x.context, x.a);
  if (flushes) {
    const float smallest = x.a == Element::f16 ? kSmallestF16 : kSmallestF32;
    flush(a.data(), operands, smallest);
    flush(b.data(), operands, smallest);
    flush(d.data(), results, kSmallestF32);
  }
  if (operation.scaled) {
    multiply_scaled(x, d.data(), a.data(), b.data());
  } else {
    for (int block = 0; block < operation.blocks; ++block)
      multiply_add(d.data() + block * operation.m * operation.n, a.data() + block * operation.k * operation.m,
                   b.data() + block * operation.k * operation.n, operation.m, operation.n, operation.k);
  }
  if (flushes) flush(d.data(), results, kSmallestF32);
  store_result(x, reinterpret_cast<const uint32_t*>(d.data()));
}

// Sums of up to 128 products of 8-bit integers stay below 2^24, so f32 holds them exactly; C is added modulo 2^32.
void multiply_i8(const Execution& x) {
  const Operation& operation = x.operation;
  OperandValues a, b;
  std::array<uint32_t, kMaximumResult> c;
  gather_a(x, a);
  gather_b(x, b);
  load_result(x, accumulator_source(x), c.data());
  const int size = operation.m * operation.n, results = size * operation.blocks;
  std::array<float, kMaximumResult> sum;
  std::fill_n(sum.data(), results, 0.0f);
  for (int block = 0; block < operation.blocks; ++block)
    multiply_add(sum.data() + block * size, a.data() + block * operation.k * operation.m,
                 b.data() + block * operation.k * operation.n, operation.m, operation.n, operation.k);
  uint32_t* result = c.data();
  for (int i = 0; i < results; ++i) result[i] += static_cast<uint32_t>(static_cast<int32_t>(sum.data()[i]));
  store_result(x, c.data());
}

void read_f64(Wavefront& wave, uint16_t code, double sign, std::array<double, kLanes>& values) {
  const uint32_t* low = wave.vector(code).lane.data();
  const uint32_t* high = wave.vector(static_cast<uint16_t>(code + 1)).lane.data();
  for (int lane = 0; lane < kLanes; ++lane)
    values[lane] = sign * std::bit_cast<double>(low[lane] | uint64_t{high[lane]} << 32);
}

void write_f64(Wavefront& wave, uint16_t code, const std::array<double, kLanes>& values) {
  uint32_t* low = wave.vector(code).lane.data();
  uint32_t* high = wave.vector(static_cast<uint16_t>(code + 1)).lane.data();
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint64_t bits = std::bit_cast<uint64_t>(values[lane]);
    low[lane] = static_cast<uint32_t>(bits);
    high[lane] = static_cast<uint32_t>(bits >> 32);
  }
}

// The blgp field negates A, B and C.
void multiply_f64(const Execution& x) {
  const Operation& operation = x.operation;
  Wavefront& wave = x.wave;
  const int m = operation.m, n = operation.n, k = operation.k;
  const uint8_t negate = x.instruction.blgp | x.instruction.neg;
  std::array<double, kLanes> lanes;
  std::array<double, 64> a, b;    // [block][k][row]
  std::array<double, 16 * 16> d;  // [block][row][column]
  const auto gather = [&](uint16_t code, bool negative, std::array<double, 64>& values) {
    read_f64(wave, code, negative ? -1.0 : 1.0, lanes);
    for (int group = 0; group < kLanes / m; ++group) {
      const OperandPart part = operand_part(operation, group);
      copy_row(values.data() + (part.block * k + part.first_k) * m, lanes.data() + group * m, m);
    }
  };
  gather(x.instruction.src[0], negate & 1, a);
  gather(x.instruction.src[1], negate & 2, b);
  const auto row_of = [&](int r, int group) {
    const ResultRow at = result_row(operation, r, group);
    return d.data() + (at.block * m + at.row) * n;
  };
  const uint16_t c = x.instruction.src[2];
  const double sign_c = negate & 4 ? -1.0 : 1.0;
  if (!is_vector_register(c)) lanes.fill(sign_c * std::bit_cast<double>(read_scalar64(wave, x.instruction, c, x.context)));
  for (int r = 0; r < results_per_lane(operation); ++r) {
    if (is_vector_register(c)) read_f64(wave, static_cast<uint16_t>(c + 2 * r), sign_c, lanes);
    for (int group = 0; group < kLanes / n; ++group) copy_row(row_of(r, group), lanes.data() + group * n, n);
  }
  for (int block = 0; block < operation.blocks; ++block)
    multiply_add(d.data() + block * m * n, a.data() + block * k * m, b.data() + block * k * n, m, n, k);
  for (int r = 0; r < results_per_lane(operation); ++r) {
    for (int group = 0; group < kLanes / n; ++group) copy_row(lanes.data() + group * n, row_of(r, group), n);
    write_f64(wave, static_cast<uint16_t>(x.instruction.vdst + 2 * r), lanes);
  }
}

void execute(const Operation& operation, Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  Execution x{operation, wave, instruction, context, operation.a, operation.b};
  if (operation.a == Element::selected) {
    x.a = selected_element(instruction.cbsz);
    x.b = selected_element(instruction.blgp);
  }
  if (operation.a == Element::f64) return multiply_f64(x);
  if (operation.a == Element::i8) return multiply_i8(x);
  multiply_f32(x);
}

template <size_t kIndex>
void execute_operation(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  execute(kOperations[kIndex], wave, instruction, context);
}

// v_accvgpr_read, write and mov: a copy of the active lanes between the register files.
void move_accumulator(Wavefront& wave, const Instruction& instruction, ExecutionContext&) {
  VectorRegister& to = wave.vector(instruction.vdst);
  const uint16_t source = instruction.src[0];
  const bool vector = is_vector_register(source);
  const uint32_t constant = vector ? 0 : read_scalar32(wave, instruction, source);
  const VectorRegister* from = vector ? &wave.vector(source) : nullptr;
  for_each_lane(wave.exec(), [&](int lane) { to.lane[lane] = vector ? from->lane[lane] : constant; });
}

constexpr size_t kOperationCount = std::size(kOperations), kMoveCount = 3;

template <size_t... kIndices>
constexpr std::array<SemanticsRow, kOperationCount + kMoveCount> make_rows(std::index_sequence<kIndices...>) {
  return {SemanticsRow{"v_accvgpr_read_b32", InstructionClass::accvgpr_move, move_accumulator},
          SemanticsRow{"v_accvgpr_write_b32", InstructionClass::accvgpr_move, move_accumulator},
          SemanticsRow{"v_accvgpr_mov_b32", InstructionClass::accvgpr_move, move_accumulator},
          SemanticsRow{kOperations[kIndices].mnemonic, InstructionClass::matrix, execute_operation<kIndices>}...};
}

constexpr auto kRows = make_rows(std::make_index_sequence<kOperationCount>{});

}  // namespace
}  // namespace matrix

std::span<const SemanticsRow> matrix_rows() { return matrix::kRows; }

}  // namespace wavecast::isa
