// Decodes single GFX9/CDNA instructions: LLVM MC gives size, opcode and registers, the encoding gives every
// field. Source: LLVM 22 AMDGPU disassembler; AMD CDNA3 ISA. Leaves out: control flow between instructions
// (program.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "isa/error.h"
#include "isa/instruction.h"
#include "isa/target.h"

namespace wavecast::isa {

// Not thread-safe; creating one costs about a millisecond.
class Decoder {
 public:
  // Errors: a processor that LLVM or the encoding tables do not know.
  static Expected<Decoder> create(const TargetId& target);
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;
  ~Decoder();

  // Decodes the instruction at the start of `code`, which lies at `address`. False if these bytes are none.
  bool decode(std::span<const std::byte> code, uint64_t address, Instruction& out);
  // Assembly text of the instruction at the start of `code`, or empty.
  std::string disassemble(std::span<const std::byte> code, uint64_t address);
  // LLVM's name of an opcode ("V_ADD_U32_e32_gfx9").
  std::string opcode_name(uint32_t opcode) const;

 private:
  struct Impl;
  explicit Decoder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace wavecast::isa
