// Demangling through llvm::demangle. Source: Itanium C++ ABI.
#include "isa/demangle.h"

#include <llvm/Demangle/Demangle.h>

namespace wavecast::isa {

std::string demangle_kernel_name(std::string_view name) { return llvm::demangle(name); }

}  // namespace wavecast::isa
