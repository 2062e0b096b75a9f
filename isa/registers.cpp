// Reads LLVM's register names ("SGPR4_SGPR5", "VCC_LO", "AGPR0") once into a table of ranges.
#include "isa/registers.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/MC/MCRegisterInfo.h>

namespace wavecast::isa {

namespace {

using llvm::StringRef;

constexpr uint16_t kFirstTrapTemporary = 108;  // TTMP0 of GFX9

struct NamedRange {
  const char* name;
  RegisterRange range;
};

// LLVM appends a generation to some names ("FLAT_SCR_LO_vi"), so these are prefixes, longest first.
constexpr NamedRange kNamed[] = {
    {"FLAT_SCR_LO", {RegisterFile::scalar, 1, 102}},   {"FLAT_SCR_HI", {RegisterFile::scalar, 1, 103}},
    {"FLAT_SCR", {RegisterFile::scalar, 2, 102}},      {"XNACK_MASK_LO", {RegisterFile::scalar, 1, 104}},
    {"XNACK_MASK_HI", {RegisterFile::scalar, 1, 105}}, {"XNACK_MASK", {RegisterFile::scalar, 2, 104}},
    {"VCC_LO", {RegisterFile::scalar, 1, 106}},        {"VCC_HI", {RegisterFile::scalar, 1, 107}},
    {"VCC", {RegisterFile::scalar, 2, 106}},           {"M0", {RegisterFile::scalar, 1, 124}},
    {"EXEC_LO", {RegisterFile::scalar, 1, 126}},       {"EXEC_HI", {RegisterFile::scalar, 1, 127}},
    {"EXEC", {RegisterFile::scalar, 2, 126}},
};

// "SGPR4_SGPR5" with prefix "SGPR" -> first 4, count 2.
bool read_tuple(StringRef name, StringRef prefix, RegisterFile file, uint16_t base, RegisterRange& range) {
  if (!name.starts_with(prefix)) return false;
  unsigned first = 0;
  if (name.substr(prefix.size()).take_while(llvm::isDigit).getAsInteger(10, first)) return false;
  range = {file, static_cast<uint8_t>(name.count(prefix)), static_cast<uint16_t>(base + first)};
  return true;
}

RegisterRange range_of(StringRef name) {
  RegisterRange range;
  if (read_tuple(name, "SGPR", RegisterFile::scalar, 0, range) ||
      read_tuple(name, "VGPR", RegisterFile::vgpr, 0, range) ||
      read_tuple(name, "AGPR", RegisterFile::agpr, 0, range) ||
      read_tuple(name, "TTMP", RegisterFile::scalar, kFirstTrapTemporary, range))
    return range;
  if (name == "SCC") return {RegisterFile::scc, 1, 0};
  for (const NamedRange& named : kNamed)
    if (name.starts_with(named.name)) return named.range;
  return range;
}

}  // namespace

std::vector<RegisterRange> register_ranges(const llvm::MCRegisterInfo& registers) {
  std::vector<RegisterRange> ranges(registers.getNumRegs());
  for (unsigned i = 1; i < registers.getNumRegs(); ++i) ranges[i] = range_of(registers.getName(i));
  return ranges;
}

}  // namespace wavecast::isa
