// Joins the scalar ALU's tables.
#include "isa/semantics/scalar_alu.h"

#include <vector>

namespace wavecast::isa {

std::span<const SemanticsRow> scalar_alu_rows() {
  static const std::vector<SemanticsRow> rows = [] {
    std::vector<SemanticsRow> all;
    for (auto part : {scalar_binary_rows(), scalar_unary_rows(), scalar_compare_rows(), scalar_state_rows()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return rows;
}

}  // namespace wavecast::isa
