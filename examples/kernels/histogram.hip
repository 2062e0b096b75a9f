// Counts of byte values: atomics on a work-group's own bins in LDS, then one global atomic per bin and
// work-group. Launch: any grid, block 256; `words` 32-bit words hold four values each; `bins` has 256
// counters and starts at zero.
#include <hip/hip_runtime.h>

constexpr unsigned kBins = 256;

__global__ __launch_bounds__(kBins) void histogram(const unsigned* data, unsigned* bins, unsigned words) {
  __shared__ unsigned local[kBins];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
    const unsigned word = data[i];
#pragma unroll
    for (unsigned byte = 0; byte < 4; ++byte) atomicAdd(&local[word >> 8 * byte & 0xff], 1u);
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
