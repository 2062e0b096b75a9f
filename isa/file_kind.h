// What a file is, by its first bytes, so that a message can say "this is a PNG image" instead of "not an ELF
// file". Source: the formats' published magic numbers.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "isa/error.h"

namespace wavecast::isa {

// The error for a file that holds no code object in any form read here. `bytes` is not empty.
Error no_code_object_error(std::span<const std::byte> bytes, const std::string& place);

bool is_llvm_bitcode(std::span<const std::byte> bytes);

}  // namespace wavecast::isa
