// Classes of instructions that cost alike: the only key by which timing is looked up (class x gfx target).
// Names are those of the YAML files in hardware/timing/.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wavecast::isa {

// clang-format off
#define WAVECAST_INSTRUCTION_CLASSES(X) \
  X(valu)                 /* full-rate 32-bit and 16-bit vector operation */ \
  X(valu_packed_f32)      /* v_pk_*_f32, v_pk_mov_b32 */ \
  X(valu_f64)             /* 64-bit float add, mul, fma, min, max, compare */ \
  X(valu_int64)           /* 64-bit integer and shift, v_mad_u64_u32, v_lshl_add_u64 */ \
  X(valu_quarter_rate)    /* 32-bit multiply low/high and the like */ \
  X(valu_conversion)      /* conversions involving f64 */ \
  X(valu_transcendental)  /* f32/f16 rcp, rsq, sqrt, exp, log, sin, cos */ \
  X(valu_transcendental_f64) \
  X(valu_dot)             /* dot products without MFMA */ \
  X(valu_cross_lane)      /* readlane, readfirstlane, writelane, DPP and permlane forms */ \
  X(matrix)               /* MFMA and SMFMAC: timed by mnemonic */ \
  X(accvgpr_move)         /* v_accvgpr_read/write/mov */ \
  X(salu)                 \
  X(smem_load)            \
  X(smem_store)           /* scalar stores and atomics */ \
  X(scalar_cache)         /* s_dcache_*, s_icache_inv */ \
  X(scalar_time)          /* s_memtime, s_memrealtime */ \
  X(lds_read)             \
  X(lds_write)            \
  X(lds_atomic)           \
  X(lds_cross_lane)       /* ds_permute, ds_bpermute, ds_swizzle: LDS port, no LDS memory */ \
  X(gds)                  /* global data share and global wave sync */ \
  X(vmem_load)            /* buffer, global, scratch: known not to touch LDS */ \
  X(vmem_store)           \
  X(vmem_atomic)          \
  X(vmem_load_to_lds)     \
  X(flat_load)            /* flat: memory or LDS, decided per address */ \
  X(flat_store)           \
  X(flat_atomic)          \
  X(vector_cache)         /* buffer_inv, buffer_wbl2, buffer_wbinvl1 */ \
  X(branch)               \
  X(barrier)              \
  X(waitcnt)              \
  X(nop)                  \
  X(sleep)                \
  X(message)              /* s_sendmsg */ \
  X(internal)             /* s_setprio, s_set_gpr_idx_*, s_clause and other sequencer state */ \
  X(end_program)
// clang-format on

enum class InstructionClass : uint8_t {
#define WAVECAST_X(name) name,
  WAVECAST_INSTRUCTION_CLASSES(WAVECAST_X)
#undef WAVECAST_X
};

inline constexpr int kInstructionClassCount = 0
#define WAVECAST_X(name) +1
    WAVECAST_INSTRUCTION_CLASSES(WAVECAST_X)
#undef WAVECAST_X
    ;

constexpr std::string_view to_string(InstructionClass instruction_class) {
  constexpr std::string_view kNames[] = {
#define WAVECAST_X(name) #name,
      WAVECAST_INSTRUCTION_CLASSES(WAVECAST_X)
#undef WAVECAST_X
  };
  return kNames[static_cast<int>(instruction_class)];
}

constexpr bool is_valu(InstructionClass c) { return c <= InstructionClass::accvgpr_move; }
constexpr bool is_scalar_memory(InstructionClass c) { return c >= InstructionClass::smem_load && c <= InstructionClass::scalar_time; }
constexpr bool is_lds(InstructionClass c) { return c >= InstructionClass::lds_read && c <= InstructionClass::gds; }
constexpr bool is_vector_memory(InstructionClass c) { return c >= InstructionClass::vmem_load && c <= InstructionClass::vector_cache; }
constexpr bool is_vector_atomic(InstructionClass c) { return c == InstructionClass::vmem_atomic || c == InstructionClass::flat_atomic; }
constexpr bool is_flat(InstructionClass c) { return c >= InstructionClass::flat_load && c <= InstructionClass::flat_atomic; }

}  // namespace wavecast::isa
