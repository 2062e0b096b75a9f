// What a wavefront did, in order: executed instructions and the addresses its memory instructions touched.
// Knows no time: cache lines, banks and counts of cycles are derived from it in model/.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace wavecast::isa {

// One executed instruction. `access` is an index into WaveTrace::accesses, or kNoAccess.
struct TraceRecord {
  static constexpr uint32_t kNoAccess = 0xffffffff;
  uint32_t instruction = 0;  // index into Program::instructions
  uint32_t access = kNoAccess;
};

enum class AddressSpace : uint8_t { global, lds, scalar };

// The addresses of one executed memory instruction. Lane i of `lanes` touches [address_i, address_i + bytes).
// If `affine`, address_i = base + i * stride; otherwise addresses are WaveTrace::addresses[first + rank of i in lanes].
// Scalar: one access of `bytes` at base. Lanes out of bounds of a buffer resource are not in `lanes`.
struct MemoryAccess {
  uint64_t lanes = 0;
  uint64_t base = 0;       // guest address, or byte offset in LDS
  int32_t stride = 0;
  uint32_t first = 0;
  uint16_t bytes = 0;      // per lane
  AddressSpace space = AddressSpace::global;
  bool affine = true;
  uint8_t second_offset_valid = 0;  // LDS read2/write2: a second access of `bytes` at + second_offset
  int32_t second_offset = 0;
  uint8_t more = 0;        // accesses of the same instruction that follow this one: dwords of swizzled scratch, lanes of
                           // a flat instruction in LDS, the LDS side of a load to LDS
};

struct WaveTrace {
  std::vector<TraceRecord> records;
  std::vector<MemoryAccess> accesses;
  std::vector<uint64_t> addresses;
  bool complete = false;   // the wave reached s_endpgm

  void clear() { records.clear(); accesses.clear(); addresses.clear(); complete = false; }
};

}  // namespace wavecast::isa
