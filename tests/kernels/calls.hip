// Scratch memory and calls: a private array with run-time indices, functions that are not inlined, recursion
// of a depth that depends on the data, calls through a table of function pointers that differ between lanes.
// Launch: grid ceil(n / block), any block.
#include <hip/hip_runtime.h>

typedef unsigned (*Operation)(unsigned, unsigned);

__device__ __attribute__((noinline)) unsigned rotate_add(unsigned x, unsigned y) {
  return (x << 7 | x >> 25) + y;
}
__device__ __attribute__((noinline)) unsigned multiply_xor(unsigned x, unsigned y) {
  return x * 2654435761u ^ y;
}
__device__ __attribute__((noinline)) unsigned larger_half(unsigned x, unsigned y) {
  return (x > y ? x : y) / 2 + 1;
}

// A variable, not a constant: its entries are relocated when the code object is loaded.
__device__ Operation operations[3] = {rotate_add, multiply_xor, larger_half};

__device__ __attribute__((noinline)) unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

// Sorts 64 values of its own in scratch (the index of every swap depends on the data) and hashes them in
// order.
__global__ void sort_private(const unsigned* in, unsigned* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned values[64];
  for (unsigned j = 0; j < 64; ++j) values[j] = in[i] * (2 * j + 1) >> j % 7;
#pragma unroll 1
  for (unsigned j = 1; j < 64; ++j) {
    const unsigned value = values[j];
    unsigned hole = j;
#pragma unroll 1
    while (hole > 0 && values[hole - 1] > value) {
      values[hole] = values[hole - 1];
      --hole;
    }
    values[hole] = value;
  }
  unsigned hash = 0;
#pragma unroll 1
  for (unsigned j = 0; j < 64; ++j) hash = rotate_add(hash, values[j]);
  out[i] = hash;
}

__global__ void recurse(const unsigned* in, unsigned* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = ackermann(in[i] % 3, in[i] / 3 % 5);
}

__global__ void call_through_table(const unsigned* in, unsigned* out, unsigned n, unsigned rounds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned value = in[i];
  for (unsigned round = 0; round < rounds; ++round) value = operations[value % 3](value, i + round);
  out[i] = value;
}
