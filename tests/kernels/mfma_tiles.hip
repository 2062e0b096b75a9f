// One MFMA tile per wavefront for each input type, operands straight from memory: C = A * B with A m x k and
// B given as n x k, both row-major along k, C m x n. f32 results for bf16 and fp8, i32 for i8, f64 for f64.
// Launch: block 64, grid (n / tile, m / tile), tile 32 (16 for f64); k a multiple of 16.
#include <hip/hip_runtime.h>

typedef short short4v __attribute__((ext_vector_type(4)));
typedef float float16 __attribute__((ext_vector_type(16)));
typedef int int16 __attribute__((ext_vector_type(16)));
typedef double double4v __attribute__((ext_vector_type(4)));

// Where lane l of a 32x32 tile starts reading k, and where its result r lies.
struct Tile32 {
  int lane = threadIdx.x, row = blockIdx.y * 32, column = blockIdx.x * 32;
  template <class T>
  __device__ const T* operand_a(const T* a, int k, int per_lane) const {
    return a + size_t(row + lane % 32) * k + lane / 32 * per_lane;
  }
  template <class T>
  __device__ const T* operand_b(const T* b, int k, int per_lane) const {
    return b + size_t(column + lane % 32) * k + lane / 32 * per_lane;
  }
  template <class T, class V>
  __device__ void store(T* c, int n, V sum) const {
    for (int r = 0; r < 16; ++r)
      c[size_t(row + 8 * (r / 4) + 4 * (lane / 32) + r % 4) * n + column + lane % 32] = sum[r];
  }
};

__global__ __launch_bounds__(64) void mfma_bf16(const short* a, const short* b, float* c, int n, int k) {
  Tile32 tile;
  const short *from_a = tile.operand_a(a, k, 4), *from_b = tile.operand_b(b, k, 4);
  float16 sum = {};
  for (int done = 0; done < k; done += 8)
    sum = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(*reinterpret_cast<const short4v*>(from_a + done),
                                                   *reinterpret_cast<const short4v*>(from_b + done), sum, 0,
                                                   0, 0);
  tile.store(c, n, sum);
}

__global__ __launch_bounds__(64) void mfma_i8(const signed char* a, const signed char* b, int* c, int n,
                                              int k) {
  Tile32 tile;
  int16 sum = {};
#if defined(__gfx90a__)
  const signed char *from_a = tile.operand_a(a, k, 4), *from_b = tile.operand_b(b, k, 4);
  for (int done = 0; done < k; done += 8)
    sum = __builtin_amdgcn_mfma_i32_32x32x8i8(*reinterpret_cast<const int*>(from_a + done),
                                              *reinterpret_cast<const int*>(from_b + done), sum, 0, 0, 0);
#else
  const signed char *from_a = tile.operand_a(a, k, 8), *from_b = tile.operand_b(b, k, 8);
  for (int done = 0; done < k; done += 16)
    sum = __builtin_amdgcn_mfma_i32_32x32x16_i8(*reinterpret_cast<const long*>(from_a + done),
                                                *reinterpret_cast<const long*>(from_b + done), sum, 0, 0, 0);
#endif
  tile.store(c, n, sum);
}

#if !defined(__gfx90a__)
// e4m3: with the finite, unsigned-zero encoding (bias 8) on gfx942, with the OCP encoding (bias 7) on gfx950.
__global__ __launch_bounds__(64) void mfma_fp8(const unsigned char* a, const unsigned char* b, float* c,
                                               int n, int k) {
  Tile32 tile;
  const unsigned char *from_a = tile.operand_a(a, k, 8), *from_b = tile.operand_b(b, k, 8);
  float16 sum = {};
  for (int done = 0; done < k; done += 16)
    sum = __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(*reinterpret_cast<const long*>(from_a + done),
                                                     *reinterpret_cast<const long*>(from_b + done), sum, 0, 0,
                                                     0);
  tile.store(c, n, sum);
}
#endif

// Result r of lane l is row 4 * r + l / 16 of the tile, column l % 16.
__global__ __launch_bounds__(64) void mfma_f64(const double* a, const double* b, double* c, int n, int k) {
  const int lane = threadIdx.x, row = blockIdx.y * 16, column = blockIdx.x * 16;
  const double* from_a = a + size_t(row + lane % 16) * k + lane / 16;
  const double* from_b = b + size_t(column + lane % 16) * k + lane / 16;
  double4v sum = {};
  for (int done = 0; done < k; done += 4)
    sum = __builtin_amdgcn_mfma_f64_16x16x4f64(from_a[done], from_b[done], sum, 0, 0, 0);
  for (int r = 0; r < 4; ++r) c[size_t(row + 4 * r + lane / 16) * n + column + lane % 16] = sum[r];
}
