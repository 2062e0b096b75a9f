// c = a + b, one element per work-item: the smallest complete kernel.
// Launch: grid ceil(n / 256), block 256.
#include <hip/hip_runtime.h>

__global__ void vector_add(const float* a, const float* b, float* c, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
