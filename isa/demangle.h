// C++ kernel names for people: demangling that stays bounded on hostile names.
// Source: Itanium C++ ABI as llvm::demangle reads it.
#pragma once

#include <string>
#include <string_view>

namespace wavecast::isa {

// The demangled name, or the name itself if it is no mangled C++ name or would demangle to something
// unreasonable.
std::string demangle_kernel_name(std::string_view name);

}  // namespace wavecast::isa
