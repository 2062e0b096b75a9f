// values[i] *= factor. Launch: grid n / block.
#include <hip/hip_runtime.h>

__global__ void vector_scale(float* values, float factor) { values[blockIdx.x * blockDim.x + threadIdx.x] *= factor; }
