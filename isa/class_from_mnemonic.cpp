// Naming rules of AMD mnemonics: "_load_dwordx2", "ds_read_b64", "_atomic_add_x2", "v_..._f64".
#include "isa/class_from_mnemonic.h"

#include <initializer_list>

namespace wavecast::isa {

namespace {

using Class = InstructionClass;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  for (std::string_view part : parts)
    if (contains(text, part)) return true;
  return false;
}

// Bytes that a memory mnemonic moves per lane (vector) or in all (scalar).
uint8_t width_of(std::string_view mnemonic) {
  struct Width {
    std::string_view part;
    uint8_t bytes;
  };
  static constexpr Width kWidths[] = {{"dwordx16", 64},
                                      {"dwordx8", 32},
                                      {"dwordx4", 16},
                                      {"dwordx3", 12},
                                      {"dwordx2", 8},
                                      {"_x2", 8},
                                      {"dword", 4},
                                      {"short", 2},
                                      {"byte", 1},
                                      {"b128", 16},
                                      {"b96", 12},
                                      {"b64", 8},
                                      {"u64", 8},
                                      {"i64", 8},
                                      {"f64", 8},
                                      {"format_d16_xyzw", 8},
                                      {"format_d16_xyz", 6},
                                      {"format_d16_xy", 4},
                                      {"format_d16", 2},
                                      {"format_xyzw", 16},
                                      {"format_xyz", 12},
                                      {"format_xy", 8},
                                      {"format_x", 4},
                                      {"b16", 2},
                                      {"u16", 2},
                                      {"i16", 2},
                                      {"_b8", 1},
                                      {"_u8", 1},
                                      {"_i8", 1}};
  for (const Width& width : kWidths)
    if (contains(mnemonic, width.part)) return width.bytes;
  return 4;
}

DerivedClass vector_memory(std::string_view mnemonic, bool flat) {
  DerivedClass result;
  result.memory.bytes = width_of(mnemonic);
  if (contains(mnemonic, "atomic")) {
    result.instruction_class = flat ? Class::flat_atomic : Class::vmem_atomic;
    result.memory.atomic = true;
  } else if (contains(mnemonic, "_store")) {
    result.instruction_class = flat ? Class::flat_store : Class::vmem_store;
    result.memory.store = true;
  } else if (contains(mnemonic, "_load")) {
    result.instruction_class = contains(mnemonic, "_lds_") ? Class::vmem_load_to_lds
                               : flat                      ? Class::flat_load
                                                           : Class::vmem_load;
    result.memory.load = true;
  } else {
    result = {Class::vector_cache, {}};
  }
  return result;
}

DerivedClass data_share(std::string_view mnemonic) {
  if (contains_any(mnemonic, {"permute", "swizzle"})) return {Class::lds_cross_lane, {}};
  if (contains(mnemonic, "_gws_")) return {Class::gds, {}};
  if (mnemonic == "ds_nop") return {Class::nop, {}};
  const uint8_t bytes = width_of(mnemonic);
  if (contains(mnemonic, "_read")) return {Class::lds_read, {.bytes = bytes, .load = true}};
  if (contains(mnemonic, "_write")) return {Class::lds_write, {.bytes = bytes, .store = true}};
  return {Class::lds_atomic, {.bytes = bytes, .atomic = true}};
}

DerivedClass scalar_memory(std::string_view mnemonic) {
  if (contains(mnemonic, "time")) return {Class::scalar_time, {}};
  if (contains_any(mnemonic, {"dcache", "icache"})) return {Class::scalar_cache, {}};
  const uint8_t bytes = width_of(mnemonic);
  if (contains(mnemonic, "_load")) return {Class::smem_load, {.bytes = bytes, .load = true}};
  const bool atomic = contains(mnemonic, "atomic");
  return {Class::smem_store, {.bytes = bytes, .store = !atomic, .atomic = atomic}};
}

Class vector_alu(std::string_view mnemonic) {
  if (contains_any(mnemonic, {"readlane", "readfirstlane", "writelane", "permlane"}))
    return Class::valu_cross_lane;
  if (contains(mnemonic, "accvgpr")) return Class::accvgpr_move;
  if (contains_any(mnemonic, {"v_rcp", "v_rsq", "v_sqrt", "v_exp_", "v_log_", "v_sin", "v_cos"}))
    return contains(mnemonic, "f64") ? Class::valu_transcendental_f64 : Class::valu_transcendental;
  if (mnemonic.starts_with("v_cvt") && contains(mnemonic, "f64")) return Class::valu_conversion;
  if (mnemonic.starts_with("v_pk_") && contains_any(mnemonic, {"_f32", "mov_b32"}))
    return Class::valu_packed_f32;
  if (contains(mnemonic, "f64")) return Class::valu_f64;
  if (contains_any(mnemonic, {"i64", "u64", "b64"})) return Class::valu_int64;
  if (contains_any(mnemonic, {"v_mul_lo_u32", "v_mul_hi_u32", "v_mul_hi_i32"}))
    return Class::valu_quarter_rate;
  if (mnemonic.starts_with("v_dot")) return Class::valu_dot;
  return Class::valu;
}

Class program_control(std::string_view mnemonic) {
  if (contains(mnemonic, "branch")) return Class::branch;
  if (mnemonic == "s_barrier") return Class::barrier;
  if (mnemonic.starts_with("s_waitcnt")) return Class::waitcnt;
  if (mnemonic.starts_with("s_endpgm")) return Class::end_program;
  if (mnemonic.starts_with("s_sendmsg")) return Class::message;
  if (mnemonic.starts_with("s_sleep")) return Class::sleep;
  if (mnemonic == "s_nop") return Class::nop;
  if (contains(mnemonic, "icache")) return Class::scalar_cache;
  return Class::internal;
}

}  // namespace

DerivedClass class_from_mnemonic(Encoding encoding, std::string_view mnemonic) {
  switch (encoding) {
    case Encoding::sop1:
    case Encoding::sop2:
    case Encoding::sopk:
    case Encoding::sopc: {
      const bool jumps = contains_any(mnemonic, {"setpc", "swappc", "call_b64", "s_rfe", "branch"});
      return {jumps ? Class::branch : Class::salu, {}};
    }
    case Encoding::sopp:
      return {program_control(mnemonic), {}};
    case Encoding::smem:
      return scalar_memory(mnemonic);
    case Encoding::vop1:
    case Encoding::vop2:
    case Encoding::vopc:
    case Encoding::vop3:
    case Encoding::vop3p:
      return {vector_alu(mnemonic), {}};
    case Encoding::mai:
      return {contains(mnemonic, "accvgpr") ? Class::accvgpr_move : Class::matrix, {}};
    case Encoding::ds:
      return data_share(mnemonic);
    case Encoding::mubuf:
    case Encoding::mtbuf:
      return vector_memory(mnemonic, false);
    case Encoding::flat:
      return vector_memory(mnemonic, mnemonic.starts_with("flat_"));
  }
  return {};
}

}  // namespace wavecast::isa
