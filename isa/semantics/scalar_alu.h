// The parts of the scalar ALU's semantics table. Internal to semantics/.
#pragma once

#include <span>

#include "isa/semantics/semantics.h"

namespace wavecast::isa {

std::span<const SemanticsRow> scalar_binary_rows();   // SOP2 arithmetic and logic      scalar_binary.cpp
std::span<const SemanticsRow> scalar_unary_rows();    // SOP1 arithmetic and logic      scalar_unary.cpp
std::span<const SemanticsRow> scalar_compare_rows();  // SOPC, SOPK                     scalar_compare.cpp
std::span<const SemanticsRow> scalar_state_rows();  // EXEC, PC, indexing, hardware registers scalar_state.cpp

}  // namespace wavecast::isa
