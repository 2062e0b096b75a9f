// Inclusive prefix sum of u32 in three launches: scan_tiles per work-group, scan_tiles again over the tile
// totals, add_offsets. Inside a work-group: shuffles per wavefront, then wavefront totals in LDS. Launch:
// block 256, grid ceil(n / 256); add_offsets with the same grid.
#include <hip/hip_runtime.h>

constexpr unsigned kWavefront = 64;
constexpr unsigned kBlock = 256;

__device__ unsigned wavefront_scan(unsigned value) {
  const unsigned lane = threadIdx.x % kWavefront;
#pragma unroll
  for (unsigned distance = 1; distance < kWavefront; distance *= 2) {
    const unsigned other = __shfl_up(value, distance);
    if (lane >= distance) value += other;
  }
  return value;
}

__global__ __launch_bounds__(kBlock) void scan_tiles(const unsigned* in, unsigned* out, unsigned* totals,
                                                     unsigned n) {
  __shared__ unsigned wavefront_total[kBlock / kWavefront];
  const unsigned i = blockIdx.x * kBlock + threadIdx.x;
  const unsigned lane = threadIdx.x % kWavefront, wavefront = threadIdx.x / kWavefront;
  unsigned sum = wavefront_scan(i < n ? in[i] : 0);
  if (lane == kWavefront - 1) wavefront_total[wavefront] = sum;
  __syncthreads();
  for (unsigned before = 0; before < wavefront; ++before) sum += wavefront_total[before];
  if (i < n) out[i] = sum;
  if (threadIdx.x == kBlock - 1) totals[blockIdx.x] = sum;
}

__global__ __launch_bounds__(kBlock) void add_offsets(unsigned* out, const unsigned* scanned_totals,
                                                      unsigned n) {
  const unsigned i = blockIdx.x * kBlock + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += scanned_totals[blockIdx.x - 1];
}
