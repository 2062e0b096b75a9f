// Byte patterns on which LLVM 22.1's AMDGPU disassembler crashes, found by feeding it random words. Each is
// either no instruction of any CDNA target, or can be shown to LLVM in another form. Drop this file when LLVM
// survives them.
#pragma once

#include "isa/encoding_fields.h"

namespace wavecast::isa {

// False: not an instruction, do not ask LLVM. Otherwise `words` may have been changed where only LLVM's text
// depends on it.
bool make_safe_for_llvm(EncodedWords& words);

}  // namespace wavecast::isa
