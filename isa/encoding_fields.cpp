// Bit positions of scalar and vector ALU encodings; memory encodings are in memory_encoding_fields.cpp.
#include "isa/encoding_fields.h"

#include "isa/memory_encoding_fields.h"

namespace wavecast::isa {

namespace {

using operand_code::kFirstAgpr;
using operand_code::kFirstVgpr;
using operand_code::kLiteral;
using operand_code::kNone;
using operand_code::kVccLo;

// Source codes that announce a second word instead of naming an operand.
constexpr uint16_t kSdwaMarker = 249, kDppMarker = 250;
constexpr unsigned kSecondWord = 32;  // first bit of it
// SOPK's s_setreg_imm32_b32 has its value in a second word.
constexpr std::string_view kSetregLiteral = "s_setreg_imm32_b32";

uint16_t vgpr(uint32_t field) { return static_cast<uint16_t>(kFirstVgpr + field); }
uint16_t code(uint32_t field) { return static_cast<uint16_t>(field); }

void read_literal(Instruction& out, const EncodedWords& words) {
  for (uint16_t source : out.src)
    if (source == kLiteral) out.literal = words.word[1];
}

void read_scalar_alu(Instruction& out, const EncodedWords& words, const OpcodeShape& shape) {
  if (shape.sources > 0) out.src[0] = code(words.bits(0, 8));
  if (out.encoding != Encoding::sop1 && shape.sources > 1) out.src[1] = code(words.bits(8, 8));
  if (out.encoding != Encoding::sopc && shape.definitions > 0) out.vdst = code(words.bits(16, 7));
  // Destinations that name a register number only through M0 (s_movreld) still have the field.
  if (out.encoding == Encoding::sop1 && shape.definitions == 0 && shape.sources > 1)
    out.vdst = code(words.bits(16, 7));
  if (shape.mnemonic == "s_set_gpr_idx_on")
    out.immediate = static_cast<int32_t>(words.bits(8, 8));  // operand mask
  read_literal(out, words);
}

void read_sopk(Instruction& out, const EncodedWords& words, const OpcodeShape& shape) {
  out.immediate = static_cast<int16_t>(words.bits(0, 16));
  const uint16_t field = code(words.bits(16, 7));
  if (shape.definitions > 0) out.vdst = field;
  if (shape.mnemonic == kSetregLiteral) {
    out.src[0] = kLiteral;
    out.literal = words.word[1];
  } else if (shape.definitions == 0 ? shape.sources > 0 : shape.destination_is_source) {
    out.src[0] = field;
  }
}

// Byte, word and sign selectors of SDWA. VOPC has its result register where VOP1/VOP2 have selectors.
void read_sdwa(Instruction& out, const EncodedWords& words, const OpcodeShape& shape) {
  out.has_sdwa = true;
  const uint16_t first = code(words.bits(kSecondWord, 8));
  out.src[0] = words.bit(kSecondWord + 23) ? first : vgpr(first);
  if (shape.sources > 1 && words.bit(kSecondWord + 31)) out.src[1] = code(words.bits(9, 8));
  SubDword& sdwa = out.sdwa;
  sdwa.src0_sel = static_cast<uint8_t>(words.bits(kSecondWord + 16, 3));
  sdwa.src0_sext = words.bit(kSecondWord + 19);
  out.neg = static_cast<uint8_t>(words.bits(kSecondWord + 20, 1));
  out.abs = static_cast<uint8_t>(words.bits(kSecondWord + 21, 1));
  if (shape.sources > 1) {
    sdwa.src1_sel = static_cast<uint8_t>(words.bits(kSecondWord + 24, 3));
    sdwa.src1_sext = words.bit(kSecondWord + 27);
    out.neg |= static_cast<uint8_t>(words.bits(kSecondWord + 28, 1) << 1);
    out.abs |= static_cast<uint8_t>(words.bits(kSecondWord + 29, 1) << 1);
  }
  if (out.encoding == Encoding::vopc) {
    out.sdst = words.bit(kSecondWord + 15) ? code(words.bits(kSecondWord + 8, 7)) : kVccLo;
    return;
  }
  sdwa.dst_sel = static_cast<uint8_t>(words.bits(kSecondWord + 8, 3));
  sdwa.dst_unused = static_cast<uint8_t>(words.bits(kSecondWord + 11, 2));
  out.clamp = words.bit(kSecondWord + 13);
  out.omod = static_cast<uint8_t>(words.bits(kSecondWord + 14, 2));
}

void read_dpp(Instruction& out, const EncodedWords& words) {
  out.has_dpp = true;
  out.src[0] = vgpr(words.bits(kSecondWord, 8));
  out.dpp.control = static_cast<uint16_t>(words.bits(kSecondWord + 8, 9));
  out.dpp.bound_control = words.bit(kSecondWord + 19);
  out.neg = static_cast<uint8_t>(words.bits(kSecondWord + 20, 1) | words.bits(kSecondWord + 22, 1) << 1);
  out.abs = static_cast<uint8_t>(words.bits(kSecondWord + 21, 1) | words.bits(kSecondWord + 23, 1) << 1);
  out.dpp.bank_mask = static_cast<uint8_t>(words.bits(kSecondWord + 24, 4));
  out.dpp.row_mask = static_cast<uint8_t>(words.bits(kSecondWord + 28, 4));
}

// VOP2 opcodes with a literal that always follows: D = S0 * K + S1 (madmk) and D = S0 * S1 + K (madak).
bool has_multiplied_literal(std::string_view mnemonic) {
  return mnemonic.starts_with("v_madmk_") || mnemonic.starts_with("v_fmamk_");
}
bool has_added_literal(std::string_view mnemonic) {
  return mnemonic.starts_with("v_madak_") || mnemonic.starts_with("v_fmaak_");
}

void read_short_vector_alu(Instruction& out, const EncodedWords& words, const OpcodeShape& shape) {
  const uint16_t first = code(words.bits(0, 9));
  const uint16_t second = vgpr(words.bits(9, 8));
  if (shape.sources > 0 || shape.definitions > 1) out.src[0] = first;  // v_swap's operands are all tied
  if (out.encoding != Encoding::vop1 && shape.sources > 1) out.src[1] = second;
  if (out.encoding == Encoding::vopc) {
    out.sdst = kVccLo;
  } else if (shape.definitions > 0) {
    out.vdst = shape.mnemonic == "v_readfirstlane_b32" ? code(words.bits(17, 8)) : vgpr(words.bits(17, 8));
  }
  if (first == kSdwaMarker) read_sdwa(out, words, shape);
  if (first == kDppMarker) read_dpp(out, words);
  if (out.encoding == Encoding::vop2) {
    if (shape.reads_vcc) out.src[2] = kVccLo;
    if (shape.writes_vcc) out.sdst = kVccLo;
    if (has_multiplied_literal(shape.mnemonic)) out.src[1] = kLiteral, out.src[2] = second;
    if (has_added_literal(shape.mnemonic)) out.src[1] = second, out.src[2] = kLiteral;
  }
  read_literal(out, words);
}

void read_long_sources(Instruction& out, const EncodedWords& words, const OpcodeShape& shape, unsigned base) {
  constexpr unsigned kFirstSource = 32, kSourceBits = 9;
  for (unsigned i = 0; i < 3 && i < shape.sources; ++i)
    out.src[i] = code(words.bits(base + kFirstSource + i * kSourceBits, kSourceBits));
}

void read_vop3(Instruction& out, const EncodedWords& words, const OpcodeShape& shape) {
  constexpr uint32_t kFirstNonCompareOpcode = 0x100;  // VOP3 repeats the VOPC opcodes at 0
  read_long_sources(out, words, shape, 0);
  out.neg = static_cast<uint8_t>(words.bits(61, 3));
  out.omod = static_cast<uint8_t>(words.bits(59, 2));
  out.clamp = words.bit(15);
  if (shape.definitions > 1) {  // VOP3B: the second result takes the place of abs and op_sel
    out.vdst = vgpr(words.bits(0, 8));
    out.sdst = code(words.bits(8, 7));
    return;
  }
  out.abs = static_cast<uint8_t>(words.bits(8, 3));
  out.op_sel = static_cast<uint8_t>(words.bits(11, 4));
  if (words.bits(16, 10) < kFirstNonCompareOpcode) {
    out.sdst = code(words.bits(0, 8));
  } else if (shape.definitions > 0) {
    out.vdst = shape.mnemonic == "v_readlane_b32" ? code(words.bits(0, 8)) : vgpr(words.bits(0, 8));
  }
}

void read_vop3p(Instruction& out, const EncodedWords& words, const OpcodeShape& shape) {
  read_long_sources(out, words, shape, 0);
  if (shape.definitions > 0) out.vdst = vgpr(words.bits(0, 8));
  out.neg_hi = static_cast<uint8_t>(words.bits(8, 3));
  out.op_sel = static_cast<uint8_t>(words.bits(11, 3));
  out.op_sel_hi = static_cast<uint8_t>(words.bits(59, 2) | words.bits(14, 1) << 2);
  out.clamp = words.bit(15);
  out.neg = static_cast<uint8_t>(words.bits(61, 3));
}

void make_agpr(uint16_t& operand) {
  if (is_vgpr_code(operand)) operand = static_cast<uint16_t>(operand - kFirstVgpr + kFirstAgpr);
}

// MFMA, SMFMAC and AGPR moves. gfx950's scaled form puts the scales into a first half of its own.
void read_mai(Instruction& out, const EncodedWords& words, const OpcodeShape& shape, Generation generation) {
  constexpr unsigned kScaledSize = 16;
  const bool scaled = out.size == kScaledSize;
  const unsigned base = scaled ? 64 : 0;
  OpcodeShape own = shape;
  if (scaled) own.sources = 3;
  read_long_sources(out, words, own, base);
  out.vdst = vgpr(words.bits(base, 8));
  out.cbsz = static_cast<uint8_t>(words.bits(base + 8, 3));
  out.abid = static_cast<uint8_t>(words.bits(base + 11, 4));
  out.blgp = static_cast<uint8_t>(words.bits(base + 61, 3));
  if (scaled) {
    out.scale = {code(words.bits(32, 9)), code(words.bits(41, 9))};
    out.op_sel = static_cast<uint8_t>(words.bits(11, 2));
    out.op_sel_hi = static_cast<uint8_t>(words.bits(59, 2));
  }
  if (shape.mnemonic.starts_with("v_accvgpr_read")) {
    make_agpr(out.src[0]);
    return;
  }
  if (shape.mnemonic.starts_with("v_accvgpr_write")) {
    make_agpr(out.vdst);
    return;
  }
  // On gfx908 the accumulators are always AGPRs; from gfx90a on a bit says so.
  if (words.bit(base + 59)) make_agpr(out.src[0]);
  if (words.bit(base + 60)) make_agpr(out.src[1]);
  if (generation == Generation::gfx908 || words.bit(base + 15)) {
    make_agpr(out.vdst);
    // The sparse forms accumulate into vdst; their src2 is an index in a VGPR.
    if (!shape.mnemonic.starts_with("v_smfmac")) make_agpr(out.src[2]);
  }
}

}  // namespace

std::optional<Encoding> encoding_of(uint32_t word) {
  if (word >> 31 == 0) {
    switch (word >> 25) {
      case 0x3f:
        return Encoding::vop1;
      case 0x3e:
        return Encoding::vopc;
      default:
        return Encoding::vop2;
    }
  }
  if (word >> 30 == 0b10) {
    switch (word >> 23) {
      case 0x17d:
        return Encoding::sop1;
      case 0x17e:
        return Encoding::sopc;
      case 0x17f:
        return Encoding::sopp;
    }
    return word >> 28 == 0b1011 ? Encoding::sopk : Encoding::sop2;
  }
  if (word >> 23 == 0x1a7) return Encoding::vop3p;
  switch (word >> 26) {
    case 0x30:
      return Encoding::smem;
    case 0x34:
      return Encoding::vop3;
    case 0x36:
      return Encoding::ds;
    case 0x37:
      return Encoding::flat;
    case 0x38:
      return Encoding::mubuf;
    case 0x3a:
      return Encoding::mtbuf;
  }
  return std::nullopt;
}

void read_fields(Instruction& out, const EncodedWords& words, const OpcodeShape& shape,
                 Generation generation) {
  switch (out.encoding) {
    case Encoding::sop1:
    case Encoding::sop2:
    case Encoding::sopc:
      return read_scalar_alu(out, words, shape);
    case Encoding::sopk:
      return read_sopk(out, words, shape);
    case Encoding::sopp:
      out.immediate = static_cast<int16_t>(words.bits(0, 16));
      return;
    case Encoding::vop1:
      read_short_vector_alu(out, words, shape);
      if (shape.mnemonic == "v_accvgpr_mov_b32") make_agpr(out.src[0]), make_agpr(out.vdst);
      return;
    case Encoding::vop2:
    case Encoding::vopc:
      return read_short_vector_alu(out, words, shape);
    case Encoding::vop3:
      return read_vop3(out, words, shape);
    case Encoding::vop3p:
      return read_vop3p(out, words, shape);
    case Encoding::mai:
      return read_mai(out, words, shape, generation);
    case Encoding::smem:
      return read_smem(out, words, shape);
    case Encoding::ds:
      return read_ds(out, words, shape, generation);
    case Encoding::mubuf:
    case Encoding::mtbuf:
      return read_buffer(out, words, shape, generation);
    case Encoding::flat:
      return read_flat(out, words, shape, generation);
  }
}

}  // namespace wavecast::isa
