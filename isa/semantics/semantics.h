// The table of instruction semantics: one row per opcode, one file per encoding family.
// A new instruction is one row in the file of its family.
#pragma once

#include <span>
#include <string_view>

#include "isa/instruction.h"

namespace wavecast::isa {

// Memory width and kind of a row; zero for arithmetic.
struct MemoryShape {
  uint8_t bytes = 0;          // per lane (vector) or in all (scalar); for two-address LDS forms, of one address
  bool load = false, store = false, atomic = false;
};

struct SemanticsRow {
  std::string_view mnemonic;  // as LLVM prints it, without encoding suffix (_e32, _e64, _sdwa, _dpp)
  InstructionClass instruction_class;
  Semantics execute;          // null: known and classified, but the emulator refuses to run it
  MemoryShape memory = {};
};

// The rows of each family. VOP1/VOP2/VOPC rows serve their e32, e64 (VOP3), SDWA and DPP forms alike: the operand
// readers look at the instruction's modifiers.
std::span<const SemanticsRow> scalar_alu_rows();      // sop1 sop2 sopk sopc          semantics/scalar_alu.cpp
std::span<const SemanticsRow> program_control_rows(); // sopp                         semantics/program_control.cpp
std::span<const SemanticsRow> scalar_memory_rows();   // smem                         semantics/scalar_memory.cpp
std::span<const SemanticsRow> vop1_rows();            //                              semantics/vop1.cpp
std::span<const SemanticsRow> vop2_rows();            //                              semantics/vop2.cpp
std::span<const SemanticsRow> vopc_rows();            //                              semantics/vopc.cpp
std::span<const SemanticsRow> vop3_rows();            // VOP3-only opcodes            semantics/vop3.cpp
std::span<const SemanticsRow> vop3p_rows();           // packed and dot               semantics/vop3p.cpp
std::span<const SemanticsRow> matrix_rows();          // mfma, smfmac, accvgpr        semantics/matrix.cpp
std::span<const SemanticsRow> ds_rows();              // LDS, GDS                     semantics/ds.cpp
std::span<const SemanticsRow> buffer_rows();          // mubuf mtbuf                  semantics/buffer.cpp
std::span<const SemanticsRow> flat_rows();            // flat global scratch          semantics/flat.cpp

// Row for a mnemonic in any family, or null.
const SemanticsRow* find_semantics(std::string_view mnemonic);

}  // namespace wavecast::isa
