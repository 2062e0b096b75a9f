// A complete HIP program around the vector addition: exits with 0 if the sums are right, 1 if not, 2 without
// a GPU.
#include <cstdio>
#include <vector>

#include "../../../examples/kernels/vector_add.hip"

int main() {
  constexpr unsigned kCount = 1000;
  std::vector<float> a(kCount), b(kCount), c(kCount);
  for (unsigned i = 0; i < kCount; ++i) a[i] = float(i), b[i] = 0.5f * float(i);
  float* device[3];
  for (float*& pointer : device)
    if (hipMalloc(&pointer, kCount * sizeof(float)) != hipSuccess) {
      std::fprintf(stderr, "hipMalloc failed: %s\n", hipGetErrorString(hipGetLastError()));
      return 2;
    }
  bool done = hipMemcpy(device[0], a.data(), kCount * sizeof(float), hipMemcpyHostToDevice) == hipSuccess &&
              hipMemcpy(device[1], b.data(), kCount * sizeof(float), hipMemcpyHostToDevice) == hipSuccess;
  vector_add<<<(kCount + 255) / 256, 256>>>(device[0], device[1], device[2], kCount);
  done = done && hipGetLastError() == hipSuccess &&
         hipMemcpy(c.data(), device[2], kCount * sizeof(float), hipMemcpyDeviceToHost) == hipSuccess;
  for (unsigned i = 0; i < kCount; ++i) done = done && c[i] == a[i] + b[i];
  for (float* pointer : device) done = hipFree(pointer) == hipSuccess && done;
  std::puts(done ? "sums are right" : "sums are wrong");
  return done ? 0 : 1;
}
