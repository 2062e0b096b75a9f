// One decoded instruction of gfx908/gfx90a/gfx942/gfx950: identity, operands and modifiers as the encoding has them,
// the registers it reads and writes (for dependencies), the counters it uses, and its emulation function.
// Identity and registers come from LLVM MC; fields from the encoding itself (AMD CDNA ISA documents, "Microcode Formats").
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "isa/instruction_class.h"

namespace wavecast::isa {

struct Wavefront;
struct ExecutionContext;
struct Instruction;

// Executes one instruction for the 64 lanes of a wavefront. Problems are reported through the context.
using Semantics = void (*)(Wavefront&, const Instruction&, ExecutionContext&);

enum class Encoding : uint8_t { sop1, sop2, sopk, sopc, sopp, smem, vop1, vop2, vopc, vop3, vop3p, mai, ds, mubuf, mtbuf, flat };

// Source operands keep the 9-bit code of the encoding; literals are replaced by kLiteralCode and `literal`.
// 0-127 scalar registers (VCC 106/107, M0 124, EXEC 126/127), 128-208 integer constants, 235-239 apertures,
// 240-248 float constants, 251-253 VCCZ EXECZ SCC, 255 literal, 256-511 VGPR; 512-767 here means AGPR.
namespace operand_code {
inline constexpr uint16_t kFlatScratchLo = 102, kXnackMaskLo = 104, kVccLo = 106, kM0 = 124, kExecLo = 126, kExecHi = 127;
inline constexpr uint16_t kSharedBase = 235, kSharedLimit = 236, kPrivateBase = 237, kPrivateLimit = 238;
inline constexpr uint16_t kScc = 253, kLiteral = 255, kFirstVgpr = 256, kFirstAgpr = 512, kNone = 0xffff;
}  // namespace operand_code

enum class RegisterFile : uint8_t { scalar, vgpr, agpr, scc };

// `count` consecutive 32-bit registers. Scalar numbers are operand codes 0-127.
struct RegisterRange {
  RegisterFile file = RegisterFile::scalar;
  uint8_t count = 0;
  uint16_t first = 0;
  bool operator==(const RegisterRange&) const = default;
};

// What s_waitcnt waits for; a count of kNoWait means "any".
struct WaitCounts {
  static constexpr uint8_t kNoWait = 0xff;
  uint8_t vmcnt = kNoWait, lgkmcnt = kNoWait, expcnt = kNoWait;
};

// SDWA selectors and DPP control, present only in those forms of VOP1/VOP2/VOPC.
struct SubDword { uint8_t dst_sel = 6, dst_unused = 0, src0_sel = 6, src1_sel = 6; bool src0_sext = false, src1_sext = false; };
struct DataParallel { uint16_t control = 0; uint8_t row_mask = 0xf, bank_mask = 0xf; bool bound_control = false, fetch_inactive = false; };

struct Instruction {
  Semantics execute = nullptr;  // null: no semantics yet, the emulator stops there
  uint64_t address = 0;         // in the code object
  uint32_t opcode = 0;          // of LLVM's AMDGPU instruction table
  std::string_view mnemonic;    // without encoding suffix: "v_add_u32"; interned for the process
  uint8_t size = 0;             // bytes
  Encoding encoding = Encoding::sopp;
  InstructionClass instruction_class = InstructionClass::internal;

  // Operands. vdst is a VGPR/AGPR code (256+/512+) or a scalar code, sdst a scalar code (VOP3B carry, VOPC in VOP3).
  uint16_t vdst = operand_code::kNone;
  uint16_t sdst = operand_code::kNone;
  std::array<uint16_t, 4> src = {operand_code::kNone, operand_code::kNone, operand_code::kNone, operand_code::kNone};
  uint32_t literal = 0;
  int32_t immediate = 0;        // SOPK/SOPP simm16 (sign-extended), DS offset (offset0 | offset1 << 8 for two-address forms)

  // VOP3 modifiers, one bit per source (bit 3 of op_sel is the destination).
  uint8_t neg = 0, abs = 0, op_sel = 0, op_sel_hi = 0, neg_hi = 0, omod = 0;
  bool clamp = false;
  bool has_sdwa = false, has_dpp = false;
  SubDword sdwa;
  DataParallel dpp;
  uint8_t cbsz = 0, abid = 0, blgp = 0;  // MFMA
  // gfx950 scaled MFMA: source codes of the two scales; their byte selects are bit i of op_sel (low) and op_sel_hi (high).
  std::array<uint16_t, 2> scale = {operand_code::kNone, operand_code::kNone};

  // Memory forms. src[0] = address VGPR, src[1] = data VGPR, src[2] = SGPR base (saddr / resource / sbase), src[3] = soffset.
  // DS: src[0] = address, src[1] = data0, src[2] = data1. SMEM: vdst = loaded SGPRs, src[1] = stored SGPRs.
  int32_t offset = 0;           // signed bytes (flat, global, scratch), unsigned (buffer), SMEM immediate
  bool offen = false, idxen = false, glc = false, slc = false, dlc = false, lds = false, gds = false;  // glc = sc0, slc = nt, dlc = sc1 on gfx942
  bool saddr_off = true;        // flat family: no SGPR base; for scratch also: no VGPR if `vaddr_off`
  bool vaddr_off = false;
  uint8_t segment = 0;          // flat family: 0 flat, 1 scratch, 2 global
  uint8_t format = 0;           // MTBUF
  uint8_t memory_bytes = 0;     // bytes per lane (vector) or in all (scalar); 0 for none
  bool is_load = false, is_store = false, is_atomic = false, returns_value = false;

  // Dependencies and counters, for the timing model and the checkers.
  std::array<RegisterRange, 6> reads{};
  std::array<RegisterRange, 4> writes{};
  uint8_t read_count = 0, write_count = 0;
  uint8_t vmcnt = 0, lgkmcnt = 0, expcnt = 0;  // how much issuing it increments each counter
  WaitCounts wait;                              // only for class waitcnt
  int32_t branch_target = -1;                   // index into Program::instructions; -1 none or computed
  uint16_t vgpr_end = 0, agpr_end = 0;          // one past the highest VGPR and AGPR it names
  bool next_is_code = true;                     // false: what follows does not decode or is outside the program

  bool writes_vector() const { return vdst >= operand_code::kFirstVgpr && vdst != operand_code::kNone; }
};

}  // namespace wavecast::isa
