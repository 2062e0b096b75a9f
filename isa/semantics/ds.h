// Addressing that LDS moves (ds.cpp) and LDS atomics (ds_atomics.cpp) share.
#pragma once

#include <span>

#include "isa/semantics/semantics.h"
#include "isa/semantics/vector_memory.h"

namespace wavecast::isa::ds {

// LDS byte offsets of the active lanes: address register + `offset`. False: nothing to do, or a fault.
bool addresses(Wavefront& wave, const Instruction& instruction, ExecutionContext& context, uint32_t offset,
               LaneAddresses& out);

// Both accesses of a two-address form, checked and recorded. `scale`: bytes per unit of the 8-bit offsets.
struct TwoAddresses {
  LaneAddresses first_addresses, second_addresses;
  LanePointers first, second;
};
bool two_addresses(Wavefront& wave, const Instruction& instruction, ExecutionContext& context, uint32_t bytes,
                   uint32_t scale, TwoAddresses& two);

// Records an access with a second one `second_offset` bytes after the first.
void record_pair(ExecutionContext& context, const LaneAddresses& addresses, uint32_t bytes,
                 int32_t second_offset);

std::span<const SemanticsRow> atomic_rows();

}  // namespace wavecast::isa::ds
