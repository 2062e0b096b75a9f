// Typed buffer accesses: MTBUF, and the format forms of MUBUF that take their format from the resource.
// Leaves out: sRGB and other formats that GFX9 buffers do not have. Source: AMD CDNA3 ISA, "Buffer Resource
// Descriptor" (data and number formats, destination select) and "Memory Buffer Load and Store data formats".
#include <algorithm>
#include <cmath>
#include <cstring>

#include "isa/semantics/buffer.h"
#include "isa/semantics/small_float.h"

namespace wavecast::isa {
namespace buffer {
namespace {

// Widths of the components in bits, x first, starting at bit 0. Names of the data formats read from the top
// bit down.
struct Layout {
  std::array<uint8_t, 4> bits{};
  uint32_t bytes() const { return (bits[0] + bits[1] + bits[2] + bits[3]) / 8u; }
};
constexpr Layout kLayouts[16] = {
    {},                  // 0 invalid
    {{8}},               // 1 8
    {{16}},              // 2 16
    {{8, 8}},            // 3 8_8
    {{32}},              // 4 32
    {{16, 16}},          // 5 16_16
    {{11, 11, 10}},      // 6 10_11_11
    {{10, 11, 11}},      // 7 11_11_10
    {{2, 10, 10, 10}},   // 8 10_10_10_2
    {{10, 10, 10, 2}},   // 9 2_10_10_10
    {{8, 8, 8, 8}},      // 10 8_8_8_8
    {{32, 32}},          // 11 32_32
    {{16, 16, 16, 16}},  // 12 16_16_16_16
    {{32, 32, 32}},      // 13 32_32_32
    {{32, 32, 32, 32}},  // 14 32_32_32_32
    {},                  // 15 reserved
};

enum NumberFormat : uint8_t { kUnorm, kSnorm, kUscaled, kSscaled, kUint, kSint, kReserved, kFloat };

// Unsigned floats of the packed formats: f16 without sign and with fewer mantissa bits.
constexpr FloatFormat kUnsigned11{5, 6, 15, SpecialValues::ieee}, kUnsigned10{5, 5, 15, SpecialValues::ieee};

const FloatFormat& float_format(uint32_t bits) {
  return bits == 16 ? kF16 : bits == 11 ? kUnsigned11 : kUnsigned10;
}

uint32_t low_mask(uint32_t bits) { return bits == 32 ? ~0u : (1u << bits) - 1; }
uint32_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }

uint32_t decode_component(uint32_t raw, uint32_t bits, uint8_t number_format) {
  const int32_t with_sign = static_cast<int32_t>(raw << (32 - bits)) >> (32 - bits);
  switch (number_format) {
    case kUnorm:
      return bits_of(static_cast<float>(raw / static_cast<double>(low_mask(bits))));
    case kSnorm:
      return bits_of(static_cast<float>(std::max(with_sign / static_cast<double>(low_mask(bits - 1)), -1.0)));
    case kUscaled:
      return bits_of(static_cast<float>(raw));
    case kSscaled:
      return bits_of(static_cast<float>(with_sign));
    case kSint:
      return static_cast<uint32_t>(with_sign);
    case kFloat:
      return bits == 32 ? raw : bits_of(decode_float(float_format(bits), raw & low_mask(bits)));
    default:
      return raw;
  }
}

uint32_t encode_component(uint32_t value, uint32_t bits, uint8_t number_format) {
  const float number = std::bit_cast<float>(value);
  const double finite = std::isnan(number) ? 0.0 : number;
  const auto rounded = [&](double scale, double low, double high) {
    return static_cast<uint32_t>(static_cast<int64_t>(std::nearbyint(std::clamp(finite * scale, low, high))));
  };
  const double all = low_mask(bits), half = low_mask(bits - 1);
  switch (number_format) {
    case kUnorm:
      return rounded(all, 0, all);
    case kSnorm:
      return rounded(half, -half, half) & low_mask(bits);
    case kUscaled:
      return rounded(1, 0, all);
    case kSscaled:
      return rounded(1, -half - 1, half) & low_mask(bits);
    case kFloat:
      if (bits == 32) return value;
      // The packed formats have no sign: negative numbers become zero.
      return bits == 16   ? encode_float(kF16, number)
             : number < 0 ? 0
                          : encode_float(float_format(bits), number) & low_mask(bits);
    default:
      return value & low_mask(bits);
  }
}

}  // namespace

uint32_t format_bytes(uint8_t data_format) { return kLayouts[data_format & 0xf].bytes(); }
bool format_is_integer(uint8_t number_format) { return number_format == kUint || number_format == kSint; }

std::array<uint32_t, 4> read_format(uint8_t data_format, uint8_t number_format, const std::byte* memory) {
  const Layout& layout = kLayouts[data_format & 0xf];
  std::array<uint32_t, 4> words{}, components{0, 0, 0, format_is_integer(number_format) ? 1 : bits_of(1.0f)};
  std::memcpy(words.data(), memory, layout.bytes());
  uint32_t bit = 0;
  for (size_t i = 0; i < 4 && layout.bits[i]; bit += layout.bits[i++])
    components[i] = decode_component(words[bit / 32] >> bit % 32 & low_mask(layout.bits[i]), layout.bits[i],
                                     number_format);
  return components;
}

void write_format(uint8_t data_format, uint8_t number_format, const std::array<uint32_t, 4>& components,
                  std::byte* memory) {
  const Layout& layout = kLayouts[data_format & 0xf];
  std::array<uint32_t, 4> words{};
  uint32_t bit = 0;
  for (size_t i = 0; i < 4 && layout.bits[i]; bit += layout.bits[i++])
    words[bit / 32] |= encode_component(components[i], layout.bits[i], number_format) << bit % 32;
  std::memcpy(memory, words.data(), layout.bytes());
}

}  // namespace buffer

namespace {

struct Format {
  uint8_t data, number;
  std::array<uint8_t, 4> select;
};

// MTBUF names the format itself and takes components in order; MUBUF's format forms follow the resource.
Format format_of(const Instruction& instruction, const buffer::Resource& resource) {
  if (instruction.encoding != Encoding::mtbuf)
    return {resource.data_format, resource.number_format, resource.select};
  return {static_cast<uint8_t>(instruction.format & 0xf),
          static_cast<uint8_t>(instruction.format >> 4),
          {4, 5, 6, 7}};
}

bool resolve(Wavefront& wave, const Instruction& instruction, ExecutionContext& context, bool write,
             buffer::Access& access, Format& format, LaneAddresses& addresses, LanePointers& pointers) {
  access = buffer::make_access(wave, instruction);
  if (!access.lanes) return false;
  if (instruction.lds) {
    context.fault(-1, "formatted load to LDS, which is not modelled", "load dwords to LDS instead");
    return false;
  }
  format = format_of(instruction, access.resource);
  const uint32_t bytes = buffer::format_bytes(format.data);
  if (bytes == 0) {
    context.fault(-1, "typed buffer access with an invalid data format",
                  "check the buffer resource that the kernel builds");
    return false;
  }
  buffer::addresses(access, 0, bytes, addresses);  // in bounds as a whole, or not at all
  if (!addresses.lanes) return true;
  if (!resolve_global(context, addresses, bytes, write, pointers)) return false;
  record_access(context, addresses, bytes, AddressSpace::global);
  return true;
}

uint32_t select_component(const std::array<uint32_t, 4>& components, uint8_t select, uint32_t one) {
  return select >= 4 ? components[select - 4u] : select == 1 ? one : 0;
}

// 16-bit register form of a component.
uint32_t narrow(uint32_t value, bool integer) {
  return integer ? value & 0xffff : float_to_f16(std::bit_cast<float>(value));
}
uint32_t widen(uint32_t half, uint8_t number_format) {
  if (number_format == buffer::kSint)
    return static_cast<uint32_t>(static_cast<int32_t>(static_cast<int16_t>(half)));
  return buffer::format_is_integer(number_format)
             ? half
             : std::bit_cast<uint32_t>(f16_to_float(static_cast<uint16_t>(half)));
}

enum class Width : uint8_t { full, half, high_half };

template <int kComponents, Width kWidth>
void load_format(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  buffer::Access access;
  Format format{};
  LaneAddresses addresses;
  LanePointers pointers;
  if (!resolve(wave, instruction, context, false, access, format, addresses, pointers)) return;
  const bool integer = buffer::format_is_integer(format.number);
  const uint32_t one = integer ? 1 : std::bit_cast<uint32_t>(1.0f);
  for_each_lane(access.lanes, [&](int lane) {
    std::array<uint32_t, 4> components{};  // out of bounds: zero, but 1 where the resource selects 1
    if (addresses.lanes >> lane & 1)
      components = buffer::read_format(format.data, format.number, pointers.pointer[lane]);
    for (int i = 0; i < kComponents; ++i) {
      const uint32_t value = select_component(components, format.select[static_cast<size_t>(i)], one);
      if constexpr (kWidth == Width::full) {
        wave.vector(static_cast<uint16_t>(instruction.vdst + i)).lane[lane] = value;
      } else {
        uint32_t& to = wave.vector(static_cast<uint16_t>(instruction.vdst + i / 2)).lane[lane];
        const uint32_t half = narrow(value, integer);
        to = kWidth == Width::high_half || i % 2 ? (to & 0xffff) | half << 16 : (to & 0xffff0000) | half;
      }
    }
  });
}

template <int kComponents, Width kWidth>
void store_format(Wavefront& wave, const Instruction& instruction, ExecutionContext& context) {
  buffer::Access access;
  Format format{};
  LaneAddresses addresses;
  LanePointers pointers;
  if (!resolve(wave, instruction, context, true, access, format, addresses, pointers)) return;
  for_each_lane(addresses.lanes, [&](int lane) {
    std::array<uint32_t, 4> components{};
    for (int i = 0; i < kComponents; ++i) {
      const uint8_t select = format.select[static_cast<size_t>(i)];
      if (select < 4) continue;
      uint32_t value;
      if constexpr (kWidth == Width::full) {
        value = wave.vector(static_cast<uint16_t>(instruction.src[1] + i)).lane[lane];
      } else {
        const uint32_t pair = wave.vector(static_cast<uint16_t>(instruction.src[1] + i / 2)).lane[lane];
        value = widen(kWidth == Width::high_half || i % 2 ? pair >> 16 : pair & 0xffff, format.number);
      }
      components[select - 4u] = value;
    }
    buffer::write_format(format.data, format.number, components, pointers.pointer[lane]);
  });
}

constexpr auto kLoad = InstructionClass::vmem_load, kStore = InstructionClass::vmem_store;

// clang-format off
#define WAVECAST_FORMATS(prefix) \
  {prefix "_load_format_x", kLoad, load_format<1, Width::full>, {4, true}}, \
  {prefix "_load_format_xy", kLoad, load_format<2, Width::full>, {8, true}}, \
  {prefix "_load_format_xyz", kLoad, load_format<3, Width::full>, {12, true}}, \
  {prefix "_load_format_xyzw", kLoad, load_format<4, Width::full>, {16, true}}, \
  {prefix "_load_format_d16_x", kLoad, load_format<1, Width::half>, {2, true}}, \
  {prefix "_load_format_d16_xy", kLoad, load_format<2, Width::half>, {4, true}}, \
  {prefix "_load_format_d16_xyz", kLoad, load_format<3, Width::half>, {6, true}}, \
  {prefix "_load_format_d16_xyzw", kLoad, load_format<4, Width::half>, {8, true}}, \
  {prefix "_store_format_x", kStore, store_format<1, Width::full>, {4, false, true}}, \
  {prefix "_store_format_xy", kStore, store_format<2, Width::full>, {8, false, true}}, \
  {prefix "_store_format_xyz", kStore, store_format<3, Width::full>, {12, false, true}}, \
  {prefix "_store_format_xyzw", kStore, store_format<4, Width::full>, {16, false, true}}, \
  {prefix "_store_format_d16_x", kStore, store_format<1, Width::half>, {2, false, true}}, \
  {prefix "_store_format_d16_xy", kStore, store_format<2, Width::half>, {4, false, true}}, \
  {prefix "_store_format_d16_xyz", kStore, store_format<3, Width::half>, {6, false, true}}, \
  {prefix "_store_format_d16_xyzw", kStore, store_format<4, Width::half>, {8, false, true}}

constexpr SemanticsRow kRows[] = {
  WAVECAST_FORMATS("buffer"),
  WAVECAST_FORMATS("tbuffer"),
  {"buffer_load_format_d16_hi_x", kLoad, load_format<1, Width::high_half>, {2, true}},
  {"buffer_store_format_d16_hi_x", kStore, store_format<1, Width::high_half>, {2, false, true}},
};
// clang-format on

}  // namespace

std::span<const SemanticsRow> buffer::format_rows() { return kRows; }

}  // namespace wavecast::isa
