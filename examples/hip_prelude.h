// Included by compile_kernel.sh before every HIP source: what HIP 5.2's headers need in order to compile with clang 22,
// whose names and intrinsics have moved on. Empty with the headers of HIP 6 and later.
// Leaves out: types that HIP 5.2 has no headers for (bf16, fp8).
#pragma once

#include <hip/hip_version.h>

#if HIP_VERSION_MAJOR < 6
// The header's own versions bind to an intrinsic that LLVM has removed; they stay unused under another name.
#define atomicInc wavecast_removed_atomic_inc
#define atomicDec wavecast_removed_atomic_dec
#include <hip/hip_runtime.h>
#undef atomicInc
#undef atomicDec

__device__ inline unsigned int atomicInc(unsigned int* address, unsigned int limit) {
  return __builtin_amdgcn_atomic_inc32(address, limit, __ATOMIC_RELAXED, "agent");
}
__device__ inline unsigned int atomicDec(unsigned int* address, unsigned int limit) {
  return __builtin_amdgcn_atomic_dec32(address, limit, __ATOMIC_RELAXED, "agent");
}

// Former device library functions that <hip/hip_fp16.h> calls.
typedef _Float16 wavecast_half2 __attribute__((ext_vector_type(2)));
extern "C" __device__ inline _Float16 __llvm_amdgcn_rcp_f16(_Float16 x) { return __builtin_amdgcn_rcph(x); }
extern "C" __device__ inline wavecast_half2 __llvm_amdgcn_rcp_2f16(wavecast_half2 x) {
  return wavecast_half2{__llvm_amdgcn_rcp_f16(x.x), __llvm_amdgcn_rcp_f16(x.y)};
}
#endif
