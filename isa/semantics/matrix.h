// Shapes of MFMA and SMFMAC instructions and where their matrix elements lie in registers and lanes.
// Source: AMD matrix instruction calculator (gfx908 to gfx942), CDNA4 ISA and Triton's linear layouts
// (gfx950, 8-bit operands of f8f6f4). The layout of 6-bit operands of f8f6f4 is not published; consecutive
// elements are assumed.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isa/semantics/vector_memory.h"

namespace wavecast::isa::matrix {

// fp8 and bf8 are FNUZ before gfx950 and OCP on it; `selected`: named by the cbsz (A) or blgp (B) field.
enum class Element : uint8_t { f64, f32, xf32, f16, bf16, i8, fp8, bf8, fp6, bf6, fp4, selected };
constexpr int bits_of(Element element) {
  constexpr uint8_t kBits[] = {64, 32, 32, 16, 16, 8, 8, 8, 6, 6, 4, 0};
  return kBits[static_cast<int>(element)];
}

// D[m][n] = A[m][k] B[k][n] + C[m][n], for each of `blocks` independent blocks. Sparse: A keeps 2 of every 4
// elements along k.
struct Operation {
  std::string_view mnemonic;
  uint8_t m, n, k, blocks;
  Element a, b;
  bool sparse = false, scaled = false;
};

// Elements of one operand that a lane holds (kept ones, if A is sparse).
constexpr int elements_per_lane(const Operation& operation, bool sparse_operand) {
  return operation.m * operation.k * operation.blocks / kLanes / (sparse_operand ? 2 : 1);
}

// The lanes fall into 64 / m groups; lane i of group g holds row i (column i of B) of a block, and a part of
// k.
struct OperandPart {
  int block, first_k;
};
constexpr OperandPart operand_part(const Operation& operation, int group) {
  if (operation.a == Element::f64 && operation.m == 4) return {group % 4, group / 4};
  if (operation.blocks > 1) return {group, 0};
  return {0, group * elements_per_lane(operation, false)};
}

// k of element e in group g. The 8-bit operands of f8f6f4 come in two halves of 16 elements.
constexpr int k_of(const Operation& operation, Element element, int group, int e) {
  if (operation.a == Element::selected && bits_of(element) == 8)
    return e / 16 * (operation.k / 2) + 16 * group + e % 16;
  return operand_part(operation, group).first_k + e;
}

// Results (32 or 64 bits wide) per lane.
constexpr int results_per_lane(const Operation& operation) {
  return operation.m * operation.n * operation.blocks / kLanes;
}

// A row of a block of C and D lies in n neighbouring lanes (group `group`) of register r, one column per
// lane. In f64 forms r counts register pairs.
struct ResultPlace {
  int r, group;
};
constexpr ResultPlace result_place(const Operation& operation, int block, int row) {
  if (operation.a == Element::f64)
    return operation.m == 4 ? ResultPlace{0, 4 * row + block} : ResultPlace{row / 4, row % 4};
  if (operation.m == 4) return {row, block};
  if (operation.m == 16) return {4 * block + row % 4, row / 4};
  return {16 * block + row / 8 * 4 + row % 4, row / 4 % 2};
}

// Limits of all shapes, over all blocks: elements and rows of one operand, elements and rows of the result.
inline constexpr int kMaximumOperand = 2048, kMaximumK = 128, kMaximumResult = 2048, kMaximumRows = 64;

// The lane whose data lane `lane` takes for B, under the blgp field: 1 and 2 repeat a half, 3 rotates by 16
// lanes, 4-7 repeat a quarter.
constexpr int broadcast_lane(int blgp, int lane) {
  if (blgp == 1) return lane % 32;
  if (blgp == 2) return 32 + lane % 32;
  if (blgp == 3) return (lane + 16) % kLanes;
  return blgp >= 4 ? 16 * (blgp - 4) + lane % 16 : lane;
}

// Decodes `count` elements of `bits_of(element)` bits of 64 lanes from the registers at `code`: values[e * 64
// + lane].
void decode_elements(Wavefront& wave, uint16_t code, Element element, bool ocp, int count, float* values);

// D = A B + C on one block. a[step] points at m values (column `step` of A), b[step] at n values (row `step`
// of B), c[i] and d[i] at row i of n values; c[i] and d[i] may be the same, no other rows may overlap. n is
// 4, 16 or 32. Each element of D is a chain of k fused multiply-adds in ascending order, starting from C.
void multiply_add(const float* const* a, const float* const* b, int k, const void* const* c, void* const* d,
                  int m, int n);
void multiply_add(const double* const* a, const double* const* b, int k, const void* const* c, void* const* d,
                  int m, int n);

}  // namespace wavecast::isa::matrix
