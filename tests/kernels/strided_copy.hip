// out[i] = in[i * stride]: one cache line per lane at large strides. Launch: grid ceil(n / block), any block.
#include <hip/hip_runtime.h>

__global__ void strided_copy(const float* in, float* out, unsigned n, unsigned stride) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[size_t{i} * stride];
}
