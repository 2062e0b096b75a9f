// 5-point stencil in 2D through an LDS tile with halo, 7-point stencil in 3D straight from memory; points on
// the rim are copied. The order of operations is fixed by explicit fma, so that results can be compared bit
// by bit. Launch: 2D: block (32, 8), grid (ceil(width / 32), ceil(height / 8)); 3D: any block and a grid that
// covers the volume.
#include <hip/hip_runtime.h>

constexpr int kTileX = 32, kTileY = 8;

__global__ __launch_bounds__(kTileX* kTileY) void stencil_2d(const float* in, float* out, int width,
                                                             int height, float centre, float side) {
  __shared__ float tile[kTileY + 2][kTileX + 2];
  const int x = blockIdx.x * kTileX + threadIdx.x, y = blockIdx.y * kTileY + threadIdx.y;
  auto value = [&](int at_x, int at_y) {
    return at_x >= 0 && at_x < width && at_y >= 0 && at_y < height ? in[at_y * width + at_x] : 0.0f;
  };
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  tile[ty][tx] = value(x, y);
  if (threadIdx.x == 0) tile[ty][0] = value(x - 1, y);
  if (threadIdx.x == kTileX - 1) tile[ty][kTileX + 1] = value(x + 1, y);
  if (threadIdx.y == 0) tile[0][tx] = value(x, y - 1);
  if (threadIdx.y == kTileY - 1) tile[kTileY + 1][tx] = value(x, y + 1);
  __syncthreads();
  if (x >= width || y >= height) return;
  float result = tile[ty][tx];
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
    result = centre * tile[ty][tx];
    result = __builtin_fmaf(side, tile[ty][tx - 1], result);
    result = __builtin_fmaf(side, tile[ty][tx + 1], result);
    result = __builtin_fmaf(side, tile[ty - 1][tx], result);
    result = __builtin_fmaf(side, tile[ty + 1][tx], result);
  }
  out[y * width + x] = result;
}

__global__ void stencil_3d(const double* in, double* out, int nx, int ny, int nz, double centre,
                           double side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  const size_t row = nx, plane = row * ny, i = z * plane + y * row + x;
  double result = in[i];
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
    result = centre * in[i];
    result = __builtin_fma(side, in[i - 1], result);
    result = __builtin_fma(side, in[i + 1], result);
    result = __builtin_fma(side, in[i - row], result);
    result = __builtin_fma(side, in[i + row], result);
    result = __builtin_fma(side, in[i - plane], result);
    result = __builtin_fma(side, in[i + plane], result);
  }
  out[i] = result;
}
