// Bit fields of the GFX9/CDNA instruction encodings: which encoding a word has, and its operands and
// modifiers. Source: AMD CDNA3 ISA, "Microcode Formats"; gfx908/gfx90a/gfx950 differences from LLVM 22's
// TableGen encodings. Leaves out: graphics encodings (MIMG, EXP, VINTRP), which no CDNA target has.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "isa/instruction.h"
#include "isa/target.h"

namespace wavecast::isa {

// What LLVM's instruction table knows about an opcode and the bits do not say.
struct OpcodeShape {
  std::string_view mnemonic;  // without encoding suffix
  uint8_t definitions = 0;    // explicit results
  uint8_t sources = 0;        // explicit register or constant operands that have a field of their own
  bool destination_is_source = false;          // a tied operand, as in s_addk_i32
  bool reads_vcc = false, writes_vcc = false;  // without a field
};

// The encoding of an instruction that starts with `word`; nullopt for encodings that CDNA does not have.
std::optional<Encoding> encoding_of(uint32_t word);

// The raw words of an instruction; words past its end are zero.
struct EncodedWords {
  std::array<uint32_t, 4> word{};
  // Bits [first, first + count) of the instruction, count <= 32, inside one 64-bit half.
  uint32_t bits(unsigned first, unsigned count) const {
    const unsigned half = first / 64 * 2;
    const uint64_t value = word[half] | uint64_t{word[half + 1]} << 32;
    return static_cast<uint32_t>(value >> (first % 64) & ((uint64_t{1} << count) - 1));
  }
  bool bit(unsigned position) const { return bits(position, 1) != 0; }
};

// Fills operands and modifiers of `instruction`, whose encoding and size are set.
void read_fields(Instruction& instruction, const EncodedWords& words, const OpcodeShape& shape,
                 Generation generation);

}  // namespace wavecast::isa
