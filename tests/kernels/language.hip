// What HIP programs use beyond arithmetic on floats: three-dimensional launches, constant and device
// variables, votes and lane exchanges, all integer and float atomics, dynamic LDS, narrow types, 64-bit
// integers, half precision, dot products. Launch: one-dimensional with any grid and block unless said
// otherwise.
#include <hip/hip_runtime.h>

__constant__ unsigned primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__device__ unsigned visits = 100;

// Any three-dimensional launch; ten words per work-item in the order of its global number.
__global__ void launch_geometry(unsigned* out) {
  const unsigned group = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned item = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned* words = out + size_t(group * blockDim.x * blockDim.y * blockDim.z + item) * 10;
  words[0] = threadIdx.x, words[1] = threadIdx.y, words[2] = threadIdx.z;
  words[3] = blockIdx.x, words[4] = blockIdx.y, words[5] = blockIdx.z;
  words[6] = blockDim.x * 10000 + blockDim.y * 100 + blockDim.z;
  words[7] = gridDim.x * 10000 + gridDim.y * 100 + gridDim.z;
  words[8] = primes[item % 8];
  words[9] = atomicAdd(&visits, 1u);
}

// Steps of the Collatz sequence, with a continue, a break and a limit: lanes leave the loop one by one.
__global__ void divergent_loop(const unsigned* in, unsigned* out, unsigned n, unsigned limit) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long value = in[i];
  unsigned steps = 0, even = 0;
  while (value != 1) {
    if (++steps == limit) break;
    if (value % 2 == 0) {
      value /= 2;
      ++even;
      continue;
    }
    value = 3 * value + 1;
  }
  out[i] = steps * 1000 + even;
}

// One full wavefront: votes, broadcasts, permutations and DPP. Ten words per lane.
__global__ void lane_exchange(const unsigned* in, unsigned long long* out) {
  const unsigned lane = threadIdx.x, value = in[lane];
  unsigned long long* words = out + lane * 10;
  words[0] = __ballot(value % 3 == 0);
  words[1] = __any(value == in[5]) * 2 + __all(value < 0x80000000u);
  words[2] = __shfl(value, (lane * 7 + 3) % 64);
  words[3] = __shfl_xor(value, 21);
  words[4] = __shfl_up(value, 5, 16);
  words[5] = static_cast<unsigned>(__builtin_amdgcn_readfirstlane(value) + __builtin_amdgcn_readlane(value, 33));
  words[6] =
      static_cast<unsigned>(__builtin_amdgcn_update_dpp(7777, value, 0x111, 0xf, 0xf, false));  // row_shr:1
  words[7] = static_cast<unsigned>(
      __builtin_amdgcn_update_dpp(0, value, 0x1b, 0xf, 0xf, true));              // quad_perm:[3,2,1,0]
  words[8] = static_cast<unsigned>(__builtin_amdgcn_ds_swizzle(value, 0x041f));  // lanes exchanged by xor 1
  words[9] = value % 2 ? __popcll(__ballot(1)) : 0;
}

// Integer atomics on words 0..9, 64-bit ones on wide[0..2], float ones (values that add exactly) on f32 and
// f64.
__global__ void atomics(const unsigned* in, unsigned* words, unsigned long long* wide, float* f32,
                        double* f64, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned value = in[i];
  atomicAdd(&words[0], value);
  atomicSub(&words[1], value);
  atomicMin(&words[2], value);
  atomicMax(&words[3], value);
  atomicAnd(&words[4], value | 0xff00ff00);
  atomicOr(&words[5], value & 0x00ff00ff);
  atomicXor(&words[6], value);
  atomicInc(&words[7], 99u);
  atomicDec(&words[8], 50u);
  atomicMax(reinterpret_cast<int*>(&words[9]), static_cast<int>(value));
  atomicAdd(&wide[0], static_cast<unsigned long long>(value) << 20);
  atomicMax(&wide[1], static_cast<unsigned long long>(value) << 16 | i);
  for (unsigned long long seen = wide[2], assumed;;) {  // sum of squares by compare-and-swap
    assumed = seen;
    seen = atomicCAS(&wide[2], assumed, assumed + static_cast<unsigned long long>(value) * value);
    if (seen == assumed) break;
  }
  atomicAdd(f32, static_cast<float>(value % 64));
  atomicAdd(f64, static_cast<double>(value) * 0.5);
}

// Reverses each work-group's elements through LDS whose size the launch gives: blockDim.x words.
__global__ void reverse_in_dynamic_lds(const unsigned* in, unsigned* out) {
  extern __shared__ unsigned words[];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  words[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = words[blockDim.x - 1 - threadIdx.x];
}

// Loads and stores of every width, signed and unsigned, and an unaligned one.
__global__ void narrow_types(const unsigned char* u8, const signed char* i8, const unsigned short* u16,
                             const short* i16, int* sums, unsigned char* u8_out, short* i16_out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned unaligned;
  __builtin_memcpy(&unaligned, u8 + i + 1, sizeof unaligned);  // `u8` has n + 4 bytes
  sums[i] = u8[i] + i8[i] * 3 - u16[i] + i16[i] + int(unaligned & 0xffff);
  u8_out[i] = u8[i] + i8[i];
  i16_out[i] = u16[i] * i16[i];
}

// 64-bit arithmetic and bit operations; seven words per work-item.
__global__ void integers_64(const long long* a, const long long* b, unsigned long long* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long x = a[i], y = b[i];
  unsigned long long* words = out + size_t(i) * 7;
  words[0] = x / y;
  words[1] = static_cast<unsigned long long>(x) % static_cast<unsigned long long>(y);
  words[2] = static_cast<unsigned long long>(x) * static_cast<unsigned long long>(y);
  words[3] = __umul64hi(x, y);
  words[4] = x >> (y & 63);
  words[5] = static_cast<unsigned long long>(x) << (y & 63) | static_cast<unsigned long long>(x) >> (-y & 63);
  words[6] = __popcll(x) + 100 * __clzll(x) + 10000 * __ffsll(y) +
             (__brev(static_cast<unsigned>(x)) & 0xff) * 1000000ull;
}

// Operations that HIP rounds correctly: the host's are the same.
__global__ void rounded_math(const float* a, const float* b, float* f32, double* f64, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = a[i], y = b[i];
  f32[i * 6 + 0] = x / y;
  f32[i * 6 + 1] = __builtin_sqrtf(__builtin_fabsf(x));
  f32[i * 6 + 2] = __builtin_fmaf(x, y, -x);
  f32[i * 6 + 3] = __builtin_rintf(x * 8.0f);
  f32[i * 6 + 4] =
      static_cast<float>(static_cast<int>(x)) + static_cast<float>(static_cast<unsigned>(__builtin_fabsf(y)));
  f32[i * 6 + 5] = __builtin_fminf(x, y) - __builtin_fmaxf(x, -y);
  const double u = static_cast<double>(x) * 1.1, v = static_cast<double>(y) * 0.9;
  f64[i * 4 + 0] = u / v;
  f64[i * 4 + 1] = __builtin_sqrt(__builtin_fabs(u));
  f64[i * 4 + 2] = __builtin_fma(u, v, -u);
  f64[i * 4 + 3] = __builtin_floor(u) + static_cast<double>(static_cast<float>(v));
}

// Library functions of the device's mathematics library, within the error bounds it states.
__global__ void library_math(const float* in, float* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  float* words = out + size_t(i) * 8;
  words[0] = sinf(x);
  words[1] = cosf(x * 1000.0f);
  words[2] = expf(x);
  words[3] = logf(fabsf(x) + 0.001f);
  words[4] = powf(fabsf(x), 1.7f);
  words[5] = tanhf(x);
  words[6] = erff(x);
  words[7] = cbrtf(x);
}

typedef _Float16 half2v __attribute__((ext_vector_type(2)));

// Half precision, one by one and packed; four halves per work-item. Then dot products into 32 bits.
__global__ void half_precision(const half2v* a, const half2v* b, _Float16* out, const int* packed_a,
                               const int* packed_b, int* dots, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const half2v x = a[i], y = b[i];
  const half2v fused = __builtin_elementwise_fma(x, y, x);
  out[i * 4 + 0] = x.x * y.y;
  out[i * 4 + 1] = x.y + y.x;
  out[i * 4 + 2] = fused.x;
  out[i * 4 + 3] = fused.y;
  dots[i] = __builtin_amdgcn_sdot4(packed_a[i], packed_b[i], int(i), false);
}
