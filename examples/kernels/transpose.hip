// out = transpose of in, through a tile in LDS so that both sides move whole cache lines. Without padding the
// lanes of a wavefront read LDS at a stride of 32 words, all in one bank; one word of padding per row spreads
// them. Launch: grid (columns / 32, rows / 32), block (32, 8); rows and columns multiples of 32.
#include <hip/hip_runtime.h>

constexpr unsigned kTile = 32;
constexpr unsigned kRowsPerStep = 8;

template <unsigned padding>
__device__ void transpose_tile(const float* in, float* out, unsigned rows, unsigned columns) {
  __shared__ float tile[kTile][kTile + padding];
  unsigned column = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
#pragma unroll
  for (unsigned step = 0; step < kTile; step += kRowsPerStep)
    tile[threadIdx.y + step][threadIdx.x] = in[(row + step) * columns + column];
  __syncthreads();
  column = blockIdx.y * kTile + threadIdx.x;
  row = blockIdx.x * kTile + threadIdx.y;
#pragma unroll
  for (unsigned step = 0; step < kTile; step += kRowsPerStep)
    out[(row + step) * rows + column] = tile[threadIdx.x][threadIdx.y + step];
}

__global__ void transpose_padded(const float* in, float* out, unsigned rows, unsigned columns) {
  transpose_tile<1>(in, out, rows, columns);
}

__global__ void transpose_conflicting(const float* in, float* out, unsigned rows, unsigned columns) {
  transpose_tile<0>(in, out, rows, columns);
}
