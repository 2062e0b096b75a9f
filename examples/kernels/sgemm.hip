// C = alpha * A * B + beta * C in single precision on the vector ALUs; all matrices row-major. A work-group
// of 256 computes a tile of 128x128 with 8x8 results per work-item; slices of A and B, 8 deep, go through
// LDS, double-buffered. Launch: grid (n / 128, m / 128), block 256; m and n multiples of 128, k a multiple
// of 8.
#include <hip/hip_runtime.h>

#include <type_traits>

constexpr int kTile = 128;  // rows and columns of C per work-group
constexpr int kDepth = 8;   // k per slice
constexpr int kHalf = kTile / 2;
constexpr int kPadding =
    4;  // floats per row of A's slice: its transposing stores would meet in few banks otherwise

__global__ __launch_bounds__(256, 3) void sgemm(const float* a, const float* b, float* c, int m, int n, int k,
                                                float alpha, float beta) {
  __shared__ __attribute__((aligned(16))) float slice_a[2][kDepth][kTile + kPadding];
  __shared__ __attribute__((aligned(16))) float slice_b[2][kDepth][kTile];
  const int id = threadIdx.x;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;

  // Each work-item moves one float4 of A (transposed on the way) and one of B per slice.
  const int load_a_row = id / 2, load_a_k = id % 2 * 4;
  const int load_b_k = id / 32, load_b_column = id % 32 * 4;
  const float* next_a = a + size_t(first_row + load_a_row) * k + load_a_k;
  const float* next_b = b + size_t(load_b_k) * n + first_column + load_b_column;

  // Its results are four blocks of 4x4, 64 apart, so that a wavefront's 16-byte LDS reads are contiguous.
  const int row = id / 16 * 4, column = id % 16 * 4;
  float sum[8][8] = {};

  auto store_slice = [&](int buffer, float4 from_a, float4 from_b) {
    slice_a[buffer][load_a_k + 0][load_a_row] = from_a.x;
    slice_a[buffer][load_a_k + 1][load_a_row] = from_a.y;
    slice_a[buffer][load_a_k + 2][load_a_row] = from_a.z;
    slice_a[buffer][load_a_k + 3][load_a_row] = from_a.w;
    *reinterpret_cast<float4*>(&slice_b[buffer][load_b_k][load_b_column]) = from_b;
  };
  store_slice(0, *reinterpret_cast<const float4*>(next_a), *reinterpret_cast<const float4*>(next_b));
  __syncthreads();

  int buffer = 0;
  for (int done = kDepth;; done += kDepth) {
    const bool more = done < k;
    float4 from_a, from_b;
    if (more) {
      next_a += kDepth;
      next_b += size_t(kDepth) * n;
      from_a = *reinterpret_cast<const float4*>(next_a);
      from_b = *reinterpret_cast<const float4*>(next_b);
    }
    // Half a slice at a time: the compiler reads ahead all that is unrolled, and three waves per SIMD leave
    // no room for more.
#pragma unroll 4
    for (int depth = 0; depth < kDepth; ++depth) {
      float fragment_a[8], fragment_b[8];
      *reinterpret_cast<float4*>(fragment_a) = *reinterpret_cast<const float4*>(&slice_a[buffer][depth][row]);
      *reinterpret_cast<float4*>(fragment_a + 4) =
          *reinterpret_cast<const float4*>(&slice_a[buffer][depth][row + kHalf]);
      *reinterpret_cast<float4*>(fragment_b) =
          *reinterpret_cast<const float4*>(&slice_b[buffer][depth][column]);
      *reinterpret_cast<float4*>(fragment_b + 4) =
          *reinterpret_cast<const float4*>(&slice_b[buffer][depth][column + kHalf]);
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] = __builtin_fmaf(fragment_a[i], fragment_b[j], sum[i][j]);
    }
    if (!more) break;
    // The other buffer was last read before the previous barrier.
    buffer ^= 1;
    store_slice(buffer, from_a, from_b);
    __syncthreads();
  }

  // beta of zero means that C need not hold numbers yet.
  auto write = [&](auto read_c) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float* out = c + size_t(first_row + row + i / 4 * kHalf + i % 4) * n + first_column + column;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float4* target = reinterpret_cast<float4*>(out + half * kHalf);
        const float4 old = read_c ? *target : float4{0, 0, 0, 0};
        const float* s = &sum[i][half * 4];
        *target =
            float4{__builtin_fmaf(alpha, s[0], beta * old.x), __builtin_fmaf(alpha, s[1], beta * old.y),
                   __builtin_fmaf(alpha, s[2], beta * old.z), __builtin_fmaf(alpha, s[3], beta * old.w)};
      }
    }
  };
  if (beta == 0) {
    write(std::false_type{});
  } else {
    write(std::true_type{});
  }
}
