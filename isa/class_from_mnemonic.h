// Class and memory width for mnemonics that have no semantics row, so that every instruction can be listed
// and counted. Derived from the encoding and AMD's naming scheme; timing accuracy of such an instruction is
// that of its class.
#pragma once

#include <string_view>

#include "isa/instruction.h"
#include "isa/semantics/semantics.h"

namespace wavecast::isa {

struct DerivedClass {
  InstructionClass instruction_class = InstructionClass::internal;
  MemoryShape memory;
};

DerivedClass class_from_mnemonic(Encoding encoding, std::string_view mnemonic);

}  // namespace wavecast::isa
