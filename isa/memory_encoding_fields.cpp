// Bit positions of SMEM, DS, MUBUF, MTBUF and FLAT.
#include "isa/memory_encoding_fields.h"

namespace wavecast::isa {

namespace {

using operand_code::kFirstAgpr;
using operand_code::kFirstVgpr;

constexpr uint32_t kNoScalarBase = 0x7f;  // "off" in the saddr field of FLAT
constexpr uint8_t kScratchSegment = 1;

uint16_t code(uint32_t field) { return static_cast<uint16_t>(field); }
uint16_t vector(uint32_t field, bool agpr) {
  return static_cast<uint16_t>((agpr ? kFirstAgpr : kFirstVgpr) + field);
}

int32_t sign_extend(uint32_t value, unsigned bits) {
  const unsigned shift = 32 - bits;
  return static_cast<int32_t>(value << shift) >> shift;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
bool has_vector_data(std::string_view mnemonic) {
  return contains(mnemonic, "_store") || contains(mnemonic, "_atomic");
}
bool has_gfx940_cache_bits(Generation generation) {
  return generation == Generation::gfx942 || generation == Generation::gfx950;
}

}  // namespace

void read_smem(Instruction& out, const EncodedWords& words, const OpcodeShape& shape) {
  constexpr unsigned kOffsetBits = 21;
  const bool stores = contains(shape.mnemonic, "_store") || contains(shape.mnemonic, "_atomic");
  if (shape.definitions > 0) out.vdst = code(words.bits(6, 7));
  if (stores) out.src[1] = code(words.bits(6, 7));
  if (shape.sources > 0) out.src[2] = code(words.bits(0, 6) << 1);
  out.glc = words.bit(16);
  const bool soffset_enabled = words.bit(14), has_immediate = words.bit(17);
  if (shape.sources == 0) return;
  if (has_immediate) out.offset = sign_extend(words.bits(32, kOffsetBits), kOffsetBits);
  if (soffset_enabled) {
    out.src[3] = code(words.bits(57, 7));
  } else if (!has_immediate) {
    out.src[3] = code(words.bits(32, 7));  // the offset field names a register
  }
}

void read_ds(Instruction& out, const EncodedWords& words, const OpcodeShape& shape, Generation generation) {
  const bool agpr = generation != Generation::gfx908 && words.bit(25);
  out.immediate = static_cast<int32_t>(words.bits(0, 16));
  // Only gfx908 has global data share; wave sync keeps the bit everywhere.
  out.gds = words.bit(16) && (generation == Generation::gfx908 || contains(shape.mnemonic, "_gws_"));
  if (shape.definitions > 0) out.vdst = vector(words.bits(56, 8), agpr);
  // Wave sync and the forms that add the lane number have data but no address.
  const bool no_address = contains(shape.mnemonic, "_addtid_") || contains(shape.mnemonic, "_gws_");
  unsigned remaining = shape.sources;
  if (!no_address && remaining > 0) out.src[0] = vector(words.bits(32, 8), false), --remaining;
  if (remaining > 0) out.src[1] = vector(words.bits(40, 8), agpr), --remaining;
  if (remaining > 0) out.src[2] = vector(words.bits(48, 8), agpr);
}

void read_buffer(Instruction& out, const EncodedWords& words, const OpcodeShape& shape,
                 Generation generation) {
  out.offset = static_cast<int32_t>(words.bits(0, 12));
  out.offen = words.bit(12);
  out.idxen = words.bit(13);
  out.glc = words.bit(14);
  const bool typed = out.encoding == Encoding::mtbuf;
  if (typed) {
    out.format = static_cast<uint8_t>(words.bits(19, 7));
    out.slc = words.bit(54);
    out.dlc = generation != Generation::gfx908 && words.bit(53);
  } else {
    out.dlc = generation != Generation::gfx908 && words.bit(15);
    out.lds = words.bit(16);
    out.slc = words.bit(17);
  }
  if (shape.sources == 0) return;  // cache maintenance
  const bool agpr = generation != Generation::gfx908 && words.bit(55);
  const uint16_t data = vector(words.bits(40, 8), agpr);
  if (shape.definitions > 0) out.vdst = data;
  if (has_vector_data(shape.mnemonic) && !contains(shape.mnemonic, "_lds_"))
    out.src[1] = data;  // LDS has its own address
  if (out.offen || out.idxen) out.src[0] = vector(words.bits(32, 8), false);
  out.src[2] = code(words.bits(48, 5) << 2);
  out.src[3] = code(words.bits(56, 8));
}

void read_flat(Instruction& out, const EncodedWords& words, const OpcodeShape& shape, Generation generation) {
  constexpr unsigned kOffsetBits = 13;
  out.segment = static_cast<uint8_t>(words.bits(14, 2));
  // Plain flat has an unsigned 12-bit offset, the segments a signed 13-bit one.
  out.offset = out.segment == 0 ? static_cast<int32_t>(words.bits(0, kOffsetBits - 1))
                                : sign_extend(words.bits(0, kOffsetBits), kOffsetBits);
  out.glc = words.bit(16);
  out.slc = words.bit(17);
  out.dlc = generation != Generation::gfx908 && words.bit(25);
  out.lds = contains(shape.mnemonic, "_load_lds_") || (!has_gfx940_cache_bits(generation) && words.bit(13));
  const bool agpr = generation != Generation::gfx908 && words.bit(55);
  const uint32_t scalar_base = words.bits(48, 7);
  out.saddr_off = out.segment == 0 || scalar_base == kNoScalarBase;
  if (out.segment ==
      kScratchSegment)  // gfx940 has a bit for the VGPR, earlier targets have either one or the other
    out.vaddr_off = has_gfx940_cache_bits(generation) ? !words.bit(13) : !out.saddr_off;
  if (!out.vaddr_off) out.src[0] = vector(words.bits(32, 8), false);
  if (has_vector_data(shape.mnemonic)) out.src[1] = vector(words.bits(40, 8), agpr);
  if (!out.saddr_off) out.src[2] = code(scalar_base);
  if (shape.definitions > 0) out.vdst = vector(words.bits(56, 8), agpr);
}

}  // namespace wavecast::isa
