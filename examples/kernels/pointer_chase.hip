// Load-to-use latency: one work-item follows a ring of pointers, one per 128-byte line, so that every load
// waits for the one before. Launch both with block 64 or less: link_ring with grid ceil(n / 64),
// pointer_chase with grid 1, block 1.
#include <hip/hip_runtime.h>

constexpr unsigned kPointersPerLine = 128 / sizeof(void*);
constexpr unsigned kUnroll = 16;

// Line order[i] points to line order[i + 1], the last one to the first; `order` is a permutation of 0..n-1.
__global__ void link_ring(void** lines, const unsigned* order, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned next = i + 1 == n ? 0 : i + 1;
  lines[size_t{order[i]} * kPointersPerLine] = &lines[size_t{order[next]} * kPointersPerLine];
}

// Follows kUnroll * rounds links. Adding the work-item's number keeps the address in a vector register: a
// uniform address would take the scalar path and measure the scalar cache instead.
__global__ void pointer_chase(void** start, void** end, unsigned rounds) {
  void** p = start + threadIdx.x;
  for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
    for (unsigned i = 0; i < kUnroll; ++i) p = static_cast<void**>(*p);
  }
  end[threadIdx.x] = p;
}
