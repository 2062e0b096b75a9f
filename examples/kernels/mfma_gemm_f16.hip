// C = A * B on the matrix cores: f16 inputs, f32 sums and results. A is m x k and B is given as n x k, both
// row-major, so that both are read along k; C is m x n. A work-group of 4 wavefronts computes 128x128, each
// wavefront 64x64 as 2x2 MFMA tiles of 32x32; slices 32 deep go through LDS while the next ones are on their
// way in registers. Launch: grid (n / 128, m / 128), block 256; m and n multiples of 128, k a multiple of 32.
#include <hip/hip_runtime.h>

typedef _Float16 half8 __attribute__((ext_vector_type(8)));
typedef float float16 __attribute__((ext_vector_type(16)));

constexpr int kTile = 128;   // rows and columns of C per work-group
constexpr int kDepth = 32;   // k per slice
constexpr int kMfma = 32;    // rows and columns of one MFMA
constexpr int kPerLane = 8;  // f16 in one 16-byte access
constexpr int kRow =
    kDepth + kPerLane;  // LDS row, padded: 80 bytes spread a wavefront's 16-byte reads over all banks

// sum += a * b over k of 16. Lane l holds row l % 32 and the 8 values of k from l / 32 * 8. The older
// instruction takes 4 values of k per lane, so it is issued twice; that pairs the same k of A and B in
// another order, with the same sum.
__device__ float16 multiply(half8 a, half8 b, float16 sum) {
#if defined(__gfx950__)
  return __builtin_amdgcn_mfma_f32_32x32x16_f16(a, b, sum, 0, 0, 0);
#else
  sum = __builtin_amdgcn_mfma_f32_32x32x8f16(a.lo, b.lo, sum, 0, 0, 0);
  return __builtin_amdgcn_mfma_f32_32x32x8f16(a.hi, b.hi, sum, 0, 0, 0);
#endif
}

__global__ __launch_bounds__(256, 2) void mfma_gemm_f16(const _Float16* a, const _Float16* b, float* c, int m,
                                                        int n, int k) {
  __shared__ __attribute__((aligned(16))) _Float16 slice_a[kTile][kRow];
  __shared__ __attribute__((aligned(16))) _Float16 slice_b[kTile][kRow];
  const int id = threadIdx.x, lane = id % 64, wavefront = id / 64;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;

  // A row of a slice is 64 bytes, four work-items; 256 work-items move half a slice of A and B at once.
  const int load_row = id / 4, load_k = id % 4 * kPerLane;
  const _Float16* next_a = a + size_t(first_row + load_row) * k + load_k;
  const _Float16* next_b = b + size_t(first_column + load_row) * k + load_k;
  const size_t half_slice = size_t(kTile / 2) * k;
  half8 moving_a[2], moving_b[2];
  auto load = [&] {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      moving_a[i] = *reinterpret_cast<const half8*>(next_a + i * half_slice);
      moving_b[i] = *reinterpret_cast<const half8*>(next_b + i * half_slice);
    }
    next_a += kDepth;
    next_b += kDepth;
  };

  const int row = wavefront / 2 * (kTile / 2), column = wavefront % 2 * (kTile / 2);
  const int in_tile = lane % kMfma, lane_k = lane / kMfma * kPerLane;
  float16 sum[2][2] = {};
  load();
  for (int done = 0; done < k; done += kDepth) {
    __syncthreads();  // everyone has read the slice before
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      *reinterpret_cast<half8*>(&slice_a[load_row + i * kTile / 2][load_k]) = moving_a[i];
      *reinterpret_cast<half8*>(&slice_b[load_row + i * kTile / 2][load_k]) = moving_b[i];
    }
    __syncthreads();
    if (done + kDepth < k) load();
#pragma unroll
    for (int depth = 0; depth < kDepth; depth += 2 * kPerLane) {
      half8 fragment_a[2], fragment_b[2];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        fragment_a[i] = *reinterpret_cast<const half8*>(&slice_a[row + i * kMfma + in_tile][depth + lane_k]);
        fragment_b[i] =
            *reinterpret_cast<const half8*>(&slice_b[column + i * kMfma + in_tile][depth + lane_k]);
      }
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) sum[i][j] = multiply(fragment_a[i], fragment_b[j], sum[i][j]);
    }
  }

  // Result r of lane l is row 8 * (r / 4) + 4 * (l / 32) + r % 4, column l % 32 of its MFMA tile.
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j)
#pragma unroll
      for (int r = 0; r < 16; ++r) {
        const int out_row = first_row + row + i * kMfma + 8 * (r / 4) + 4 * (lane / kMfma) + r % 4;
        c[size_t(out_row) * n + first_column + column + j * kMfma + in_tile] = sum[i][j][r];
      }
}
