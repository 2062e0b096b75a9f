// Changing the program counter: relative branches by index, computed ones by guest address. Internal to
// semantics/.
#pragma once

#include <cstdint>

#include "isa/execution_context.h"
#include "isa/instruction.h"
#include "isa/wavefront.h"

namespace wavecast::isa {

// Guest address of the instruction behind `instruction`: what s_getpc_b64 returns and calls save.
uint64_t next_address(const Instruction& instruction, const ExecutionContext& context);

// Continues at a guest address. Fault: no instruction starts there.
void jump_to(Wavefront& wave, ExecutionContext& context, uint64_t address);

// Takes the relative branch. Fault: its target is no instruction.
void branch(Wavefront& wave, const Instruction& instruction, ExecutionContext& context);

}  // namespace wavecast::isa
