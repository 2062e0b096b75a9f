// Semantics of SMEM: scalar loads, stores and atomics, caches and clocks.
// Source: AMD CDNA3 ISA, "Scalar Memory Operations"; stores and atomics as GFX9 has them (gfx908, gfx90a).
// Leaves out: caching (loads always see memory) and address translation faults other than unmapped memory.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "isa/semantics/atomics.h"
#include "isa/semantics/memory_access.h"
#include "isa/semantics/scalar_operands.h"
#include "isa/semantics/semantics.h"

namespace wavecast::isa {

namespace {

using operand_code::kNone;

constexpr uint64_t kDword = 4;
constexpr uint64_t kDwordMask = ~uint64_t{3};  // scalar accesses ignore the low two address bits
constexpr uint64_t kBaseMask = (uint64_t{1} << 48) - 1;

// Byte offset from immediate and SGPR; the SGPR counts in `scale` bytes.
uint64_t offset_of(const Wavefront& wave, const Instruction& instruction, uint64_t scale = 1) {
  uint64_t offset = static_cast<uint64_t>(int64_t{instruction.offset});
  if (instruction.src[3] != kNone) offset += read_scalar32(wave, instruction, instruction.src[3]) * scale;
  return offset;
}

// Where the accesses of one instruction go: an address, and how many bytes from there are inside the buffer.
struct Target {
  uint64_t address = 0;
  uint64_t valid_bytes = UINT64_MAX;
};
using FindTarget = Target (*)(const Wavefront& wave, const Instruction& instruction);

Target global_target(const Wavefront& wave, const Instruction& instruction) {
  return {(wave.scalar64(instruction.src[2]) + offset_of(wave, instruction)) & kDwordMask};
}

// Per-wave scratch: the SGPR offset counts lanes' worth of bytes.
Target scratch_target(const Wavefront& wave, const Instruction& instruction) {
  constexpr uint64_t kLaneScale = 64;
  return {(wave.scalar64(instruction.src[2]) + offset_of(wave, instruction, kLaneScale)) & kDwordMask};
}

// Buffer resource: base in 47:0, stride in 61:48, number of records in 95:64 (bytes if the stride is 0).
Target buffer_target(const Wavefront& wave, const Instruction& instruction) {
  const uint64_t low = wave.scalar64(instruction.src[2]);
  const uint64_t stride = low >> 48 & 0x3fff;
  const uint64_t records = wave.scalar[instruction.src[2] + 2];
  const uint64_t size = stride == 0 ? records : records * stride;
  const uint64_t offset = offset_of(wave, instruction) & kDwordMask;
  return {(low & kBaseMask) + offset, offset < size ? size - offset : 0};
}

bool operands_fit(const Instruction& instruction, uint16_t data, uint32_t dwords, ExecutionContext& context) {
  constexpr uint32_t kScalarCodes = 128, kResourceDwords = 4;
  if (instruction.src[2] + kResourceDwords <= kScalarCodes &&
      (data == kNone || data + dwords <= kScalarCodes))
    return true;
  context.fault(-1, "a scalar operand reaches beyond the scalar registers");
  return false;
}

std::byte* find(ExecutionContext& context, uint64_t address, uint64_t bytes, const char* verb) {
  std::byte* host = context.memory.find(address, bytes, context.memory_hint);
  if (host == nullptr)
    context.fault(
        -1, fmt::format("{} {} bytes outside memory: {}", verb, bytes, context.memory.describe(address)));
  return host;
}

std::byte* find_to_write(ExecutionContext& context, uint64_t address, uint64_t bytes, const char* verb) {
  std::byte* host = find(context, address, bytes, verb);
  if (host == nullptr || context.memory.regions()[context.memory_hint].writable) return host;
  context.fault(-1, fmt::format("{} read-only memory: {}", verb, context.memory.describe(address)));
  return nullptr;
}

template <uint32_t dwords, FindTarget find_target>
void load(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  if (!operands_fit(instruction, instruction.vdst, dwords, context)) return;
  const Target target = find_target(wave, instruction);
  uint32_t* destination = &wave.scalar[instruction.vdst];
  // Dwords beyond the buffer's end read zero and touch nothing.
  const uint64_t valid = std::min<uint64_t>(target.valid_bytes / kDword, dwords) * kDword;
  if (valid != 0) {
    const std::byte* host = find(context, target.address, valid, "loads");
    if (host == nullptr) return;
    record_scalar_access(context, target.address, static_cast<uint16_t>(valid));
    std::memcpy(destination, host, valid);
  }
  std::memset(destination + valid / kDword, 0, dwords * kDword - valid);
}

template <uint32_t dwords, FindTarget find_target>
void store(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  if (!operands_fit(instruction, instruction.src[1], dwords, context)) return;
  const Target target = find_target(wave, instruction);
  const uint64_t valid = std::min<uint64_t>(target.valid_bytes / kDword, dwords) * kDword;
  if (valid == 0) return;
  std::byte* host = find_to_write(context, target.address, valid, "stores");
  if (host == nullptr) return;
  record_scalar_access(context, target.address, static_cast<uint16_t>(valid));
  std::memcpy(host, &wave.scalar[instruction.src[1]], valid);
}

using Atomic = uint64_t (*)(uint64_t memory, uint64_t data, uint64_t compare);

// The data registers hold the operand and, for compare-and-swap, the value to compare with behind it.
template <class Word, Atomic operation, FindTarget find_target>
void atomic(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  constexpr uint32_t kDwords = sizeof(Word) / sizeof(uint32_t);
  if (!operands_fit(instruction, instruction.src[1], 2 * kDwords, context)) return;
  const Target target = find_target(wave, instruction);
  if (target.valid_bytes < sizeof(Word)) return;
  std::byte* host = find_to_write(context, target.address, sizeof(Word), "updates");
  if (host == nullptr) return;
  record_scalar_access(context, target.address, sizeof(Word));
  Word memory = 0, data = 0, compare = 0;
  std::memcpy(&memory, host, sizeof memory);
  std::memcpy(&data, &wave.scalar[instruction.src[1]], sizeof data);
  std::memcpy(&compare, &wave.scalar[instruction.src[1] + kDwords], sizeof compare);
  const auto result = static_cast<Word>(operation(memory, data, compare));
  std::memcpy(host, &result, sizeof result);
  if (instruction.glc) std::memcpy(&wave.scalar[instruction.src[1]], &memory, sizeof memory);
}

void nothing(Wavefront&, const Instruction&, ExecutionContext&) {}
void read_clock(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  write_scalar64(wave, instruction.vdst, context.clock);
}

constexpr auto kLoad = InstructionClass::smem_load, kStore = InstructionClass::smem_store,
               kCache = InstructionClass::scalar_cache, kTime = InstructionClass::scalar_time;

constexpr MemoryShape loads(uint8_t bytes) { return {.bytes = bytes, .load = true}; }
constexpr MemoryShape stores(uint8_t bytes) { return {.bytes = bytes, .store = true}; }
constexpr MemoryShape updates(uint8_t bytes) { return {.bytes = bytes, .atomic = true}; }

// The 13 operations for one width and one way to address.
#define WAVECAST_SCALAR_ATOMICS(prefix, suffix, word, bits, target)                                      \
  {prefix "_swap" suffix, kStore, atomic<word, atomics::swap, target>, updates(sizeof(word))},           \
      {prefix "_cmpswap" suffix, kStore, atomic<word, atomics::compare_swap, target>,                    \
       updates(sizeof(word))},                                                                           \
      {prefix "_add" suffix, kStore, atomic<word, atomics::add##bits, target>, updates(sizeof(word))},   \
      {prefix "_sub" suffix, kStore, atomic<word, atomics::sub##bits, target>, updates(sizeof(word))},   \
      {prefix "_smin" suffix, kStore, atomic<word, atomics::smin##bits, target>, updates(sizeof(word))}, \
      {prefix "_umin" suffix, kStore, atomic<word, atomics::umin##bits, target>, updates(sizeof(word))}, \
      {prefix "_smax" suffix, kStore, atomic<word, atomics::smax##bits, target>, updates(sizeof(word))}, \
      {prefix "_umax" suffix, kStore, atomic<word, atomics::umax##bits, target>, updates(sizeof(word))}, \
      {prefix "_and" suffix, kStore, atomic<word, atomics::bit_and, target>, updates(sizeof(word))},     \
      {prefix "_or" suffix, kStore, atomic<word, atomics::bit_or, target>, updates(sizeof(word))},       \
      {prefix "_xor" suffix, kStore, atomic<word, atomics::bit_xor, target>, updates(sizeof(word))},     \
      {prefix "_inc" suffix, kStore, atomic<word, atomics::inc##bits, target>, updates(sizeof(word))}, { \
    prefix "_dec" suffix, kStore, atomic<word, atomics::dec##bits, target>, updates(sizeof(word))        \
  }

constexpr SemanticsRow kRows[] = {
    {"s_load_dword", kLoad, load<1, global_target>, loads(4)},
    {"s_load_dwordx2", kLoad, load<2, global_target>, loads(8)},
    {"s_load_dwordx4", kLoad, load<4, global_target>, loads(16)},
    {"s_load_dwordx8", kLoad, load<8, global_target>, loads(32)},
    {"s_load_dwordx16", kLoad, load<16, global_target>, loads(64)},
    {"s_scratch_load_dword", kLoad, load<1, scratch_target>, loads(4)},
    {"s_scratch_load_dwordx2", kLoad, load<2, scratch_target>, loads(8)},
    {"s_scratch_load_dwordx4", kLoad, load<4, scratch_target>, loads(16)},
    {"s_buffer_load_dword", kLoad, load<1, buffer_target>, loads(4)},
    {"s_buffer_load_dwordx2", kLoad, load<2, buffer_target>, loads(8)},
    {"s_buffer_load_dwordx4", kLoad, load<4, buffer_target>, loads(16)},
    {"s_buffer_load_dwordx8", kLoad, load<8, buffer_target>, loads(32)},
    {"s_buffer_load_dwordx16", kLoad, load<16, buffer_target>, loads(64)},
    {"s_store_dword", kStore, store<1, global_target>, stores(4)},
    {"s_store_dwordx2", kStore, store<2, global_target>, stores(8)},
    {"s_store_dwordx4", kStore, store<4, global_target>, stores(16)},
    {"s_scratch_store_dword", kStore, store<1, scratch_target>, stores(4)},
    {"s_scratch_store_dwordx2", kStore, store<2, scratch_target>, stores(8)},
    {"s_scratch_store_dwordx4", kStore, store<4, scratch_target>, stores(16)},
    {"s_buffer_store_dword", kStore, store<1, buffer_target>, stores(4)},
    {"s_buffer_store_dwordx2", kStore, store<2, buffer_target>, stores(8)},
    {"s_buffer_store_dwordx4", kStore, store<4, buffer_target>, stores(16)},
    WAVECAST_SCALAR_ATOMICS("s_atomic", "", uint32_t, 32, global_target),
    WAVECAST_SCALAR_ATOMICS("s_atomic", "_x2", uint64_t, 64, global_target),
    WAVECAST_SCALAR_ATOMICS("s_buffer_atomic", "", uint32_t, 32, buffer_target),
    WAVECAST_SCALAR_ATOMICS("s_buffer_atomic", "_x2", uint64_t, 64, buffer_target),
    {"s_memtime", kTime, read_clock},
    {"s_memrealtime", kTime, read_clock},
    {"s_dcache_inv", kCache, nothing},
    {"s_dcache_inv_vol", kCache, nothing},
    {"s_dcache_wb", kCache, nothing},
    {"s_dcache_wb_vol", kCache, nothing},
    {"s_dcache_discard", kCache, nothing},
    {"s_dcache_discard_x2", kCache, nothing},
    {"s_atc_probe", kCache, nothing},
    {"s_atc_probe_buffer", kCache, nothing},
};
#undef WAVECAST_SCALAR_ATOMICS

}  // namespace

std::span<const SemanticsRow> scalar_memory_rows() { return kRows; }

}  // namespace wavecast::isa
