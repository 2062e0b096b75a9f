// One wavefront with registers, LDS and memory, that runs instructions assembled by llvm-mc: the bench for
// semantics tests.
#pragma once

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "isa/decoder.h"
#include "isa/emulator.h"
#include "isa/execution_context.h"
#include "support/assembler.h"

namespace wavecast::test {

struct Machine {
  explicit Machine(const std::string& processor_name = "gfx942", size_t lds_bytes = 65536)
      : processor(processor_name),
        lds(lds_bytes),
        context{kernel,
                memory,
                isa::generation_of(processor),
                lds,
                kSharedAperture,
                kPrivateAperture,
                &trace,
                0,
                0,
                false,
                -1,
                {},
                {}} {
    wave.registers = std::make_unique<isa::VectorRegister[]>(2 * kRegisters);
    wave.vgpr = wave.registers.get();
    wave.agpr = wave.vgpr + kRegisters;
    wave.vgpr_count = wave.agpr_count = kRegisters;
    wave.set_exec(~uint64_t{0});
    for (int i = 0; i < 2 * kRegisters; ++i)
      for (uint32_t& lane : wave.registers[static_cast<size_t>(i)].lane) lane = random();
  }

  // All instructions of a source, in order.
  std::vector<isa::Instruction> assemble(const std::string& text) {
    const std::vector<std::byte> bytes = assemble_bytes(text + "\n", processor);
    auto decoder = isa::Decoder::create(isa::TargetId{processor});
    if (!decoder) throw std::runtime_error(decoder.error().reason);
    std::vector<isa::Instruction> instructions;
    for (size_t at = 0; at < bytes.size();) {
      isa::Instruction instruction;
      if (!decoder->decode(std::span(bytes).subspan(at), at, instruction))
        throw std::runtime_error("undecodable: " + text);
      if (!instruction.execute)
        throw std::runtime_error("no semantics: " + std::string(instruction.mnemonic));
      at += instruction.size;
      instructions.push_back(instruction);
    }
    return instructions;
  }
  void execute(const isa::Instruction& instruction) { instruction.execute(wave, instruction, context); }
  void run(const std::string& text) {
    for (const isa::Instruction& instruction : assemble(text)) execute(instruction);
  }

  isa::MemoryRegion allocate(const std::string& name, uint64_t size, bool writable = true) {
    auto region = memory.allocate(name, size, writable);
    if (!region) throw std::runtime_error(region.error().reason);
    for (uint64_t i = 0; i < size; ++i) region->host[i] = static_cast<std::byte>(random());
    return *region;
  }
  void randomize_lds() {
    for (std::byte& byte : lds) byte = static_cast<std::byte>(random());
  }

  uint32_t random() { return static_cast<uint32_t>(engine()); }
  uint32_t random(uint32_t limit) { return random() % limit; }
  uint64_t random_mask() { return random() | uint64_t{random()} << 32; }
  isa::VectorRegister& v(int number) { return wave.vgpr[number]; }
  isa::VectorRegister& a(int number) { return wave.agpr[number]; }
  bool active(int lane) const { return wave.exec() >> lane & 1; }
  void set_address(int first, int lane, uint64_t address) {
    v(first).lane[static_cast<size_t>(lane)] = static_cast<uint32_t>(address);
    v(first + 1).lane[static_cast<size_t>(lane)] = static_cast<uint32_t>(address >> 32);
  }

  static constexpr int kRegisters = 256;
  static constexpr uint64_t kSharedAperture = uint64_t{0x10000} << 32,
                            kPrivateAperture = uint64_t{0x20000} << 32;
  std::string processor;
  std::mt19937_64 engine{12345};
  std::vector<std::byte> lds;
  isa::Memory memory;
  isa::LoadedKernel kernel;
  isa::WaveTrace trace;
  isa::ExecutionContext context;
  isa::Wavefront wave;
};

// The little-endian value of `bytes` bytes, sign-extended to 32 bits if `is_signed` (at most 4 bytes).
inline uint32_t value_of(const std::byte* from, uint32_t bytes, bool is_signed) {
  uint32_t value = 0;
  for (uint32_t i = 0; i < bytes; ++i) value |= std::to_integer<uint32_t>(from[i]) << 8 * i;
  if (is_signed && bytes < 4 && value >> (8 * bytes - 1) & 1) value |= ~0u << 8 * bytes;
  return value;
}

// What a load does to registers, for the reference models: width, sign, and which half of the register it
// fills.
struct LoadModel {
  const char* suffix;
  uint32_t bytes;
  bool is_signed = false;
  enum class Fill { all, low, high } fill = Fill::all;
  // The register after loading from `from` when it held `old` (dword `k` of a wide load).
  uint32_t result(const std::byte* from, uint32_t old, uint32_t k) const {
    if (bytes >= 4) return value_of(from + 4 * k, 4, false);
    const uint32_t value = value_of(from, bytes, is_signed);
    if (fill == Fill::low) return (old & 0xffff0000) | (value & 0xffff);
    if (fill == Fill::high) return (old & 0xffff) | value << 16;
    return value;
  }
  uint32_t dwords() const { return std::max(1u, bytes / 4); }
  // "v[10:13]" or "v10".
  std::string registers(int first) const {
    if (dwords() == 1) return "v" + std::to_string(first);
    return "v[" + std::to_string(first) + ":" + std::to_string(first + static_cast<int>(dwords()) - 1) + "]";
  }
};

}  // namespace wavecast::test
