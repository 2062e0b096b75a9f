// Appends the addresses of one memory instruction to the trace. Semantics call it once per address space
// touched; the emulator links the accesses to the instruction's TraceRecord (several accesses of one
// instruction are consecutive). Leaves out: lanes that a buffer resource drops as out of bounds; the caller
// removes them from `lanes`.
#pragma once

#include <cstdint>
#include <span>

#include "isa/execution_context.h"

namespace wavecast::isa {

// Lane i of `lanes` touches [addresses[i], addresses[i] + bytes); other entries of `addresses` may hold
// anything. Guest addresses for AddressSpace::global, byte offsets for lds. Nothing happens without a trace
// or without lanes.
void record_vector_access(ExecutionContext& context, AddressSpace space, uint64_t lanes,
                          std::span<const uint64_t, 64> addresses, uint16_t bytes);

// The same for LDS offsets held in 32 bits.
void record_lds_access(ExecutionContext& context, uint64_t lanes, std::span<const uint32_t, 64> offsets,
                       uint16_t bytes);

// ds_read2/ds_write2: two accesses of `bytes`, the second `second_offset` bytes after the first.
void record_lds_pair_access(ExecutionContext& context, uint64_t lanes, std::span<const uint32_t, 64> offsets,
                            uint16_t bytes, int32_t second_offset);

// SMEM: `bytes` at one guest address.
void record_scalar_access(ExecutionContext& context, uint64_t address, uint16_t bytes);

}  // namespace wavecast::isa
