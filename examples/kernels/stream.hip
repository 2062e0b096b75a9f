// Memory streams in double precision, one element per work-item: write only, read only, read and write.
// Launch: grid n / block, any block; n is the number of work-items. Dynamic LDS limits the occupancy without
// other effect.
#include <hip/hip_runtime.h>

__global__ void stream_init(double* a, double value) {
  a[size_t{blockIdx.x} * blockDim.x + threadIdx.x] = value;
}

// The store never happens for finite input, but the compiler cannot know and keeps the load.
__global__ void stream_read(double* a, const double* b) {
  const double value = b[size_t{blockIdx.x} * blockDim.x + threadIdx.x];
  if (value == __builtin_inf()) a[0] = value;
}

__global__ void stream_scale(double* a, const double* b, double factor) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  a[i] = factor * b[i];
}
