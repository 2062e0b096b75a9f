// Turns a problem of one instruction into an Error that says where in which kernel, work-group, wave and
// lane.
#pragma once

#include <string>

#include "isa/emulator.h"

namespace wavecast::isa {

struct Fault {
  std::string reason, remedy;
  int lane = -1;  // -1: not of one lane
};

// `instruction` is where it happened; an index outside the program is allowed.
Error make_error(const LoadedKernel& loaded, Dim3 work_group, uint32_t wave, uint32_t instruction,
                 const Fault& fault);

}  // namespace wavecast::isa
