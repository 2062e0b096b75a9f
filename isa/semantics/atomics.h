// Read-modify-write operations of LDS, buffer and flat atomics on the low 32 or 64 bits of an old value.
// Floating-point ones round to nearest even and keep denormals; the MODE register and the memory's own flush
// controls are left out. Source: AMD CDNA3 ISA, opcode descriptions of DS, MUBUF and FLAT.
#pragma once

#include <cstdint>

namespace wavecast::isa::atomics {

uint64_t add32(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t add64(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t sub32(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t sub64(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t rsub32(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t rsub64(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t inc32(uint64_t memory, uint64_t data, uint64_t compare);  // wraps to 0 above data
uint64_t inc64(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t dec32(uint64_t memory, uint64_t data, uint64_t compare);  // wraps to data at 0 or above data
uint64_t dec64(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t smin32(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t smin64(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t smax32(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t smax64(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t umin32(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t umin64(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t umax32(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t umax64(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t bit_and(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t bit_or(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t bit_xor(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t swap(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t compare_swap(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t compare_swap_f32(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t compare_swap_f64(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t masked_or(uint64_t memory, uint64_t data, uint64_t mask);  // clears the mask's bits, then ors data
uint64_t wrap32(uint64_t memory, uint64_t data,
                uint64_t add);  // memory >= data ? memory - data : memory + add
uint64_t add_f32(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t add_f64(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t min_f32(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t min_f64(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t max_f32(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t max_f64(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t pk_add_f16(uint64_t memory, uint64_t data, uint64_t compare);
uint64_t pk_add_bf16(uint64_t memory, uint64_t data, uint64_t compare);

}  // namespace wavecast::isa::atomics
