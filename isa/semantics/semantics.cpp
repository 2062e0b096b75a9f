// Looks a mnemonic up in the rows of all encoding families.
#include "isa/semantics/semantics.h"

#include <unordered_map>

namespace wavecast::isa {

const SemanticsRow* find_semantics(std::string_view mnemonic) {
  static const auto table = [] {
    std::unordered_map<std::string_view, const SemanticsRow*> rows;
    for (auto family : {scalar_alu_rows(), program_control_rows(), scalar_memory_rows(), vop1_rows(), vop2_rows(), vopc_rows(),
                        vop3_rows(), vop3p_rows(), matrix_rows(), ds_rows(), buffer_rows(), flat_rows()})
      for (const SemanticsRow& row : family) rows.emplace(row.mnemonic, &row);
    return rows;
  }();
  auto found = table.find(mnemonic);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace wavecast::isa
