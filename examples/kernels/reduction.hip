// Sums of an array: work-items add a grid-stride slice each, a wavefront folds its lanes with shuffles,
// wavefronts meet in LDS, one partial sum per work-group leaves. Launch: any grid, block a multiple of 64 up
// to 1024.
#include <hip/hip_runtime.h>

constexpr unsigned kWavefront = 64;
constexpr unsigned kMaxWavefronts = 1024 / kWavefront;

template <class T>
__device__ T wavefront_sum(T value) {
#pragma unroll
  for (unsigned distance = kWavefront / 2; distance > 0; distance /= 2) value += __shfl_down(value, distance);
  return value;
}

// The sum of the work-group, in work-item 0.
template <class T>
__device__ T work_group_sum(T value) {
  __shared__ T partial[kMaxWavefronts];
  const unsigned lane = threadIdx.x % kWavefront, wavefront = threadIdx.x / kWavefront;
  value = wavefront_sum(value);
  if (lane == 0) partial[wavefront] = value;
  __syncthreads();
  if (wavefront == 0) value = wavefront_sum(lane < blockDim.x / kWavefront ? partial[lane] : T{0});
  return value;
}

__global__ void reduce_sum_f64(const double* in, double* partial_sums, unsigned n) {
  double sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  sum = work_group_sum(sum);
  if (threadIdx.x == 0) partial_sums[blockIdx.x] = sum;
}

// The whole sum modulo 2^32, added to *total.
__global__ void reduce_sum_u32(const unsigned* in, unsigned* total, unsigned n) {
  unsigned sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  sum = work_group_sum(sum);
  if (threadIdx.x == 0) atomicAdd(total, sum);
}
