// Buffer resources (V#) and the addresses that MUBUF and MTBUF instructions derive from them.
// Source: AMD CDNA3 ISA, "Buffer Resource Descriptor" and "Buffer Addressing"; Mesa's description of
// NUM_RECORDS on GFX9; LLVM 22 IntrinsicsAMDGPU.td (soffset takes no part in bounds checks and swizzling).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "isa/semantics/semantics.h"
#include "isa/semantics/vector_memory.h"

namespace wavecast::isa::buffer {

struct Resource {
  uint64_t base = 0;
  uint32_t stride = 0;        // bytes between records
  uint32_t num_records = 0;   // bytes; records of `stride` if the access has an index
  uint32_t index_stride = 8;  // records per swizzle row
  bool swizzle = false, add_lane = false;
  uint8_t data_format = 0, number_format = 0;
  std::array<uint8_t, 4> select{};  // per destination component: 0, 1, or 4 + component of the format
};

Resource decode_resource(const Wavefront& wave, uint16_t first_sgpr);

// One access of a wave: what each lane adds to the resource.
struct Access {
  Resource resource;
  uint64_t lanes = 0;
  uint32_t scalar_offset = 0;
  bool structured = false;  // bounds by record index, not by byte
  alignas(64) std::array<uint32_t, kLanes> index{}, offset{};
};

Access make_access(Wavefront& wave, const Instruction& instruction);

// Addresses of `bytes` starting `extra` bytes into each lane's item. Lanes outside the buffer are left out of
// `lanes`.
void addresses(const Access& access, uint32_t extra, uint32_t bytes, LaneAddresses& out);

// Number of memory bytes of one element of a format, 0 for a reserved one.
uint32_t format_bytes(uint8_t data_format);

// Components of one element in memory as 32-bit register values (f32, or integers for uint and sint formats),
// before the resource's component selection. Absent components read 0, 0, 0, 1.
std::array<uint32_t, 4> read_format(uint8_t data_format, uint8_t number_format, const std::byte* memory);
// The reverse. Normalised formats clamp and round to nearest even; integers keep their low bits.
void write_format(uint8_t data_format, uint8_t number_format, const std::array<uint32_t, 4>& components,
                  std::byte* memory);
bool format_is_integer(uint8_t number_format);

std::span<const SemanticsRow> format_rows();

}  // namespace wavecast::isa::buffer
