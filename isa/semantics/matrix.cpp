// Semantics of MFMA, SMFMAC and AGPR moves. Matrix instructions ignore EXEC.
// Leaves out: NaN payloads, exceptions, and the hardware's order of accumulation (see matrix_arithmetic.cpp).
// Source: AMD CDNA3 and CDNA4 ISA, "Matrix Arithmetic Instructions"; AMD matrix instruction calculator for
// layouts and modifiers; PyTorch "Numerical accuracy" notes for the flushing of f16 and bf16 denormals on
// gfx90a.
#include "isa/semantics/matrix.h"

#include <cmath>
#include <cstdlib>
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

struct Execution {
  const Operation& operation;
  Wavefront& wave;
  const Instruction& instruction;
  ExecutionContext& context;
  Element a, b;
  bool ocp() const { return context.generation == Generation::gfx950; }
};

// An operand as numbers, and its rows: row[block * k + step] points at the m (n) values of one k.
struct alignas(64) OperandRows {
  std::array<float, kMaximumOperand> values;
  std::array<const float*, kMaximumK> row;
};

// A dense operand. Its rows are runs of lanes of the decoded elements. `block_of` gives the block that
// supplies a block.
template <class BlockOf>
void point_at_rows(const Operation& operation, Element element, BlockOf&& block_of, OperandRows& operand) {
  const int rows = operation.m, count = elements_per_lane(operation, false);
  for (int group = 0; group < kLanes / rows; ++group)
    for (int e = 0; e < count; ++e) {
      const int block = operand_part(operation, group).block,
                source = operation.blocks > 1 ? block_of(block) : group;
      operand.row[static_cast<size_t>(block * operation.k + k_of(operation, element, group, e))] =
          operand.values.data() + e * kLanes + source * rows;
    }
}

// A of a sparse instruction: two kept elements of every four, with their 2-bit positions in the index
// register.
void gather_sparse(const Execution& x, OperandRows& operand) {
  const Operation& operation = x.operation;
  const int rows = operation.m, count = elements_per_lane(operation, true);
  const int index_bits = 2 * count, slots = 32 / index_bits;
  // cbsz 0: abid selects one of the index sets that a register holds; else the first is taken.
  const int shift = x.instruction.cbsz == 0 ? x.instruction.abid % slots * index_bits : 0;
  const uint32_t* indices = x.wave.vector(x.instruction.src[2]).lane.data();
  std::array<float, kMaximumOperand / 2> kept;
  decode_elements(x.wave, x.instruction.src[0], x.a, x.ocp(), count, kept.data());
  operand.values.fill(0);
  float* dense = operand.values.data();
  for (int e = 0; e < count; ++e)
    for (int lane = 0; lane < kLanes; ++lane) {
      const int position = static_cast<int>(indices[lane] >> (shift + 2 * e) & 3);
      const int k = operand_part(operation, lane / rows).first_k + e / 2 * 4 + position;
      dense[k * rows + lane % rows] += kept.data()[e * kLanes + lane];
    }
  for (int k = 0; k < operation.k; ++k) operand.row[static_cast<size_t>(k)] = dense + k * rows;
}

// A: each block's own, or under cbsz one block for 2^cbsz of them.
void gather_a(const Execution& x, OperandRows& operand) {
  if (x.operation.sparse) return gather_sparse(x, operand);
  const int size = 1 << x.instruction.cbsz, chosen = x.instruction.abid % size;
  const bool broadcasts = x.operation.a != Element::selected && x.instruction.cbsz != 0;
  decode_elements(x.wave, x.instruction.src[0], x.a, x.ocp(), elements_per_lane(x.operation, false),
                  operand.values.data());
  point_at_rows(
      x.operation, x.a,
      [&](int block) { return broadcasts ? (block / size * size + chosen) % x.operation.blocks : block; },
      operand);
}

void gather_b(const Execution& x, OperandRows& operand) {
  const int count = elements_per_lane(x.operation, false);
  decode_elements(x.wave, x.instruction.src[1], x.b, x.ocp(), count, operand.values.data());
  // f8f6f4 has the format in blgp.
  if (x.operation.b != Element::selected && x.instruction.blgp != 0)
    for (int e = 0; e < count; ++e) {
      float* lanes = operand.values.data() + e * kLanes;
      std::array<float, kLanes> permuted;
      for (int lane = 0; lane < kLanes; ++lane)
        permuted[static_cast<size_t>(lane)] = lanes[broadcast_lane(x.instruction.blgp, lane)];
      std::memcpy(lanes, permuted.data(), sizeof permuted);
    }
  point_at_rows(
      x.operation, x.b, [](int block) { return block; }, operand);
}

// Rows of C and D, [block * m + row], in the registers themselves or in `copy`.
struct alignas(64) ResultRows {
  std::array<const void*, kMaximumRows> c;
  std::array<void*, kMaximumRows> d;
  std::array<uint32_t, kMaximumResult> copy;  // of C where it cannot be read in place
};

uint32_t* row_in_registers(const Execution& x, uint16_t code, int block, int row) {
  const ResultPlace place = result_place(x.operation, block, row);
  return x.wave.vector(static_cast<uint16_t>(code + place.r)).lane.data() + place.group * x.operation.n;
}

void point_at_result(const Execution& x, bool copies_c, ResultRows& rows) {
  const Operation& operation = x.operation;
  const uint16_t c = operation.sparse ? x.instruction.vdst : x.instruction.src[2], d = x.instruction.vdst;
  const bool constant = !is_vector_register(c);
  if (constant) rows.copy.fill(read_scalar32(x.wave, x.instruction, c));
  // Rows are written before later ones are read: a C that overlaps D in part is read from a copy.
  const int distance = std::abs(c - d);
  copies_c |= distance != 0 && distance < results_per_lane(operation);
  size_t index = 0;
  for (int block = 0; block < operation.blocks; ++block)
    for (int row = 0; row < operation.m; ++row, ++index) {
      uint32_t* copy = rows.copy.data() + index * operation.n;
      rows.d[index] = row_in_registers(x, d, block, row);
      rows.c[index] = constant || copies_c ? copy : row_in_registers(x, c, block, row);
      if (copies_c && !constant)
        std::memcpy(copy, row_in_registers(x, c, block, row), operation.n * sizeof *copy);
    }
}

void multiply_blocks(const Execution& x, const OperandRows& a, const OperandRows& b, const void* const* c,
                     void* const* d) {
  const Operation& operation = x.operation;
  for (int block = 0; block < operation.blocks; ++block)
    multiply_add(a.row.data() + block * operation.k, b.row.data() + block * operation.k, operation.k,
                 c + block * operation.m, d + block * operation.m, operation.m, operation.n);
}

bool flushes_denormals(const Execution& x) {
  return x.context.generation == Generation::gfx90a && (x.a == Element::f16 || x.a == Element::bf16);
}
float flushed(float value, float smallest) {
  return std::fabs(value) < smallest ? std::copysign(0.0f, value) : value;
}

void multiply_f32(const Execution& x) {
  OperandRows a, b;
  ResultRows result;
  gather_a(x, a);
  gather_b(x, b);
  const bool flushes = flushes_denormals(x);
  point_at_result(x, flushes, result);
  if (!flushes) return multiply_blocks(x, a, b, result.c.data(), result.d.data());

  const float smallest_operand = x.a == Element::f16 ? 0x1p-14f : 0x1p-126f,
              smallest = 0x1p-126f;  // smallest normal numbers
  for (int i = 0; i < elements_per_lane(x.operation, false) * kLanes; ++i) {
    a.values.data()[i] = flushed(a.values.data()[i], smallest_operand);
    b.values.data()[i] = flushed(b.values.data()[i], smallest_operand);
  }
  for (int i = 0; i < results_per_lane(x.operation) * kLanes; ++i)
    result.copy.data()[i] =
        std::bit_cast<uint32_t>(flushed(std::bit_cast<float>(result.copy.data()[i]), smallest));
  multiply_blocks(x, a, b, result.c.data(), result.d.data());
  for (int r = 0; r < results_per_lane(x.operation); ++r)
    for (uint32_t& bits : x.wave.vector(static_cast<uint16_t>(x.instruction.vdst + r)).lane)
      bits = std::bit_cast<uint32_t>(flushed(std::bit_cast<float>(bits), smallest));
}

// Products summed from zero into `sums`, [block][row][column].
void multiply_from_zero(const Execution& x, const float* const* a, const float* const* b, int k,
                        float* sums) {
  const Operation& operation = x.operation;
  static constexpr std::array<float, 32> kZero{};
  std::array<const void*, kMaximumRows> c;
  std::array<void*, kMaximumRows> d;
  c.fill(kZero.data());
  for (int row = 0; row < operation.m * operation.blocks; ++row)
    d[static_cast<size_t>(row)] = sums + row * operation.n;
  for (int block = 0; block < operation.blocks; ++block)
    multiply_add(a + block * operation.k, b + block * operation.k, k, c.data(),
                 d.data() + block * operation.m, operation.m, operation.n);
}

// Sums of up to 128 products of 8-bit integers stay below 2^24, so f32 holds them exactly; C is added modulo
// 2^32.
void multiply_i8(const Execution& x) {
  const Operation& operation = x.operation;
  OperandRows a, b;
  ResultRows result;
  std::array<float, kMaximumResult> sums;
  gather_a(x, a);
  gather_b(x, b);
  point_at_result(x, false, result);
  multiply_from_zero(x, a.row.data(), b.row.data(), operation.k, sums.data());
  for (int row = 0; row < operation.m * operation.blocks; ++row) {
    std::array<uint32_t, 32> values;
    const float* sum = sums.data() + row * operation.n;
    std::memcpy(values.data(), result.c[static_cast<size_t>(row)], operation.n * sizeof(uint32_t));
    for (int j = 0; j < operation.n; ++j)
      values.data()[j] += static_cast<uint32_t>(static_cast<int32_t>(sum[j]));
    std::memcpy(result.d[static_cast<size_t>(row)], values.data(), operation.n * sizeof(uint32_t));
  }
}

// 2^(scale - 127) for each row (or column) and block of 32 along k; NaN for code 255.
void gather_scales(const Execution& x, int operand, std::array<double, kLanes>& scales) {
  const int byte = (x.instruction.op_sel >> operand & 1) | (x.instruction.op_sel_hi >> operand & 1) << 1;
  const uint16_t code = x.instruction.scale[static_cast<size_t>(operand)];
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t word = is_vector_register(code) ? x.wave.vector(code).lane[lane]
                                                   : read_scalar32(x.wave, x.instruction, code);
    const int exponent = static_cast<int>(word >> 8 * byte & 0xff);
    scales[static_cast<size_t>(lane)] = exponent == 0xff ? std::nan("") : std::ldexp(1.0, exponent - 127);
  }
}

// Each block of 32 along k is summed unscaled, then scaled and added; both roundings are to f32.
void multiply_scaled(const Execution& x) {
  const Operation& operation = x.operation;
  const int m = operation.m, n = operation.n;
  OperandRows a, b;
  ResultRows result;
  std::array<double, kLanes> scale_a, scale_b;
  std::array<float, kMaximumResult> sums, total;
  gather_a(x, a);
  gather_b(x, b);
  gather_scales(x, 0, scale_a);
  gather_scales(x, 1, scale_b);
  point_at_result(x, false, result);
  for (int i = 0; i < m; ++i)
    std::memcpy(total.data() + i * n, result.c[static_cast<size_t>(i)], n * sizeof(float));
  for (int part = 0; part < operation.k / kScaleBlock; ++part) {
    multiply_from_zero(x, a.row.data() + part * kScaleBlock, b.row.data() + part * kScaleBlock, kScaleBlock,
                       sums.data());
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        const double scale =
            scale_a[static_cast<size_t>(part * m + i)] * scale_b[static_cast<size_t>(part * n + j)];
        const size_t at = static_cast<size_t>(i * n + j);
        total[at] = static_cast<float>(total[at] + sums[at] * scale);
      }
  }
  for (int i = 0; i < m; ++i)
    std::memcpy(result.d[static_cast<size_t>(i)], total.data() + i * n, n * sizeof(float));
}

void read_f64(Wavefront& wave, uint16_t code, double sign, double* values) {
  const uint32_t* low = wave.vector(code).lane.data();
  const uint32_t* high = wave.vector(static_cast<uint16_t>(code + 1)).lane.data();
  for (int lane = 0; lane < kLanes; ++lane)
    values[lane] = sign * std::bit_cast<double>(low[lane] | uint64_t{high[lane]} << 32);
}

void write_f64(Wavefront& wave, uint16_t code, const double* values) {
  uint32_t* low = wave.vector(code).lane.data();
  uint32_t* high = wave.vector(static_cast<uint16_t>(code + 1)).lane.data();
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint64_t bits = std::bit_cast<uint64_t>(values[lane]);
    low[lane] = static_cast<uint32_t>(bits);
    high[lane] = static_cast<uint32_t>(bits >> 32);
  }
}

// The blgp field negates A, B and C. One element of A and B per lane.
void multiply_f64(const Execution& x) {
  constexpr int kMaximumPairs = 4;  // of result registers
  const Operation& operation = x.operation;
  Wavefront& wave = x.wave;
  const int m = operation.m, n = operation.n, k = operation.k;
  const uint8_t negate = x.instruction.blgp | x.instruction.neg;
  const double sign_c = negate & 4 ? -1.0 : 1.0;
  alignas(64) std::array<double, kLanes> a, b;
  alignas(64) std::array<double, kLanes * kMaximumPairs> result;
  read_f64(wave, x.instruction.src[0], negate & 1 ? -1.0 : 1.0, a.data());
  read_f64(wave, x.instruction.src[1], negate & 2 ? -1.0 : 1.0, b.data());
  const uint16_t c = x.instruction.src[2];
  if (is_vector_register(c)) {
    for (int r = 0; r < results_per_lane(operation); ++r)
      read_f64(wave, static_cast<uint16_t>(c + 2 * r), sign_c, result.data() + r * kLanes);
  } else {
    result.fill(sign_c * std::bit_cast<double>(read_scalar64(wave, x.instruction, c, x.context)));
  }
  std::array<const double*, kLanes> row_a, row_b;
  for (int group = 0; group < kLanes / m; ++group) {
    const OperandPart part = operand_part(operation, group);
    row_a[static_cast<size_t>(part.block * k + part.first_k)] = a.data() + group * m;
    row_b[static_cast<size_t>(part.block * k + part.first_k)] = b.data() + group * m;
  }
  for (int block = 0; block < operation.blocks; ++block) {
    std::array<void*, 16> rows;
    for (int row = 0; row < m; ++row) {
      const ResultPlace place = result_place(operation, block, row);
      rows[static_cast<size_t>(row)] = result.data() + place.r * kLanes + place.group * n;
    }
    multiply_add(row_a.data() + block * k, row_b.data() + block * k, k, rows.data(), rows.data(), m, n);
  }
  for (int r = 0; r < results_per_lane(operation); ++r)
    write_f64(wave, static_cast<uint16_t>(x.instruction.vdst + 2 * r), result.data() + r * kLanes);
}

void execute(const Operation& operation, Wavefront& wave, const Instruction& instruction,
             ExecutionContext& context) {
  Execution x{operation, wave, instruction, context, operation.a, operation.b};
  if (operation.a == Element::selected) {
    x.a = selected_element(instruction.cbsz);
    x.b = selected_element(instruction.blgp);
  }
  if (operation.a == Element::f64) return multiply_f64(x);
  if (operation.a == Element::i8) return multiply_i8(x);
  if (operation.scaled) return multiply_scaled(x);
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

constexpr size_t kOperationCount = std::size(kOperations), kOtherCount = 4;

template <size_t... kIndices>
constexpr std::array<SemanticsRow, kOperationCount + kOtherCount> make_rows(
    std::index_sequence<kIndices...>) {
  return {
      SemanticsRow{"v_accvgpr_read_b32", InstructionClass::accvgpr_move, move_accumulator},
      SemanticsRow{"v_accvgpr_write_b32", InstructionClass::accvgpr_move, move_accumulator},
      SemanticsRow{"v_accvgpr_mov_b32", InstructionClass::accvgpr_move, move_accumulator},
      // Half of a scaled MFMA on its own; compilers emit only the whole.
      SemanticsRow{"v_mfma_ld_scale_b32", InstructionClass::matrix, nullptr},
      SemanticsRow{kOperations[kIndices].mnemonic, InstructionClass::matrix, execute_operation<kIndices>}...};
}

constexpr auto kRows = make_rows(std::make_index_sequence<kOperationCount>{});

}  // namespace
}  // namespace matrix

std::span<const SemanticsRow> matrix_rows() { return matrix::kRows; }

}  // namespace wavecast::isa
