// c = a in double precision, the copy kernel that public counter tables of MI210 and MI300X were taken with.
// The unused arguments are part of its signature there. Launch: grid ceil(n / 256), block 256.
#include <hip/hip_runtime.h>

__global__ void vecCopy(double* a, double* b, double* c, int n, int stride) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) c[id] = a[id];
}
