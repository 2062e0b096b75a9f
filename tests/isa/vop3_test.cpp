// VOP2 and VOP3 integer instructions, minimum/maximum/median, ldexp, conversions to packed formats and
// cross-lane moves, against plain definitions with wide integers or MPFR.
#include <gtest/gtest.h>

#include <functional>

#include "support/float_formats.h"
#include "support/lane_machine.h"
#include "support/mpfr_reference.h"

namespace wavecast::test {
namespace {

using isa::kLanes;
using u32 = uint32_t;
using u64 = uint64_t;
using i64 = int64_t;

// An integer instruction on v[0:1], v[2:3], v[4:5] into v[8:9]; `d` is the old v[8:9].
struct IntegerOperation {
  std::string text;
  std::function<u64(u64 a, u64 b, u64 c, u64 d)> reference;
  std::string processor = "gfx942";
  bool wide = false;  // 64-bit result
};

i64 s32(u64 v) { return static_cast<int32_t>(v); }
i64 s16(u64 v) { return static_cast<int16_t>(v); }
i64 s24(u64 v) { return static_cast<int32_t>(static_cast<u32>(v) << 8) >> 8; }
u64 lo(u64 v) { return static_cast<u32>(v); }
u64 h(u64 v) { return v & 0xffff; }
u64 clamp_s32(i64 v) { return static_cast<u32>(std::clamp<i64>(v, INT32_MIN, INT32_MAX)); }
u64 clamp_u32(u64 v) { return std::min<u64>(v, UINT32_MAX); }
u64 clamp_s16(i64 v) { return h(static_cast<u64>(std::clamp<i64>(v, INT16_MIN, INT16_MAX))); }
u64 clamp_u16(i64 v) { return static_cast<u64>(std::clamp<i64>(v, 0, UINT16_MAX)); }
u64 median(i64 a, i64 b, i64 c) {
  return static_cast<u64>(a + b + c - std::min({a, b, c}) - std::max({a, b, c}));
}
u64 sad_u8(u64 a, u64 b, bool masked = false) {
  u64 sum = 0;
  for (int i = 0; i < 32; i += 8) {
    const i64 x = a >> i & 255, y = b >> i & 255;
    if (!masked || y) sum += static_cast<u64>(std::abs(x - y));
  }
  return sum;
}

// Values that provoke carries, saturation and sign changes.
u64 integer_pattern(Random& random) {
  const u64 special[] = {
      0,      1,      0x7fffffff,         0x80000000,         0xffffffff, 0x7fff,
      0x8000, 0xffff, 0x7fffffffffffffff, 0x8000000000000000, ~u64{0},    0x00ff00ff00ff00ff};
  return random.below(4) ? random.next() >> random.below(40) : special[random.below(std::size(special))];
}

void check_all(const std::vector<IntegerOperation>& operations) {
  for (const std::string processor : {"gfx908", "gfx90a", "gfx942", "gfx950"}) {
    std::string text;
    std::vector<const IntegerOperation*> own;
    for (const IntegerOperation& operation : operations)
      if (operation.processor == processor) text += operation.text + "\n", own.push_back(&operation);
    if (own.empty()) continue;
    LaneMachine machine(processor);
    const auto code = machine.assemble(text);
    ASSERT_EQ(code.size(), own.size());
    for (size_t i = 0; i < own.size(); ++i) {
      Random random(i + 1);
      for (int round = 0; round < 20; ++round) {
        std::array<u64, kLanes> old;
        for (int lane = 0; lane < kLanes; ++lane) {
          for (int slot = 0; slot < 3; ++slot) machine.set64(2 * slot, lane, integer_pattern(random));
          machine.set64(8, lane, old[lane] = random.next());
        }
        machine.wave.set_exec(round % 2 ? random.next() : ~u64{0});
        machine.run(code[i]);
        for (int lane = 0; lane < kLanes; ++lane) {
          const bool active = machine.wave.exec() >> lane & 1;
          const u64 expected = active ? own[i]->reference(machine.v64(0, lane), machine.v64(2, lane),
                                                          machine.v64(4, lane), old[lane])
                                      : old[lane];
          const u64 actual = own[i]->wide ? machine.v64(8, lane) : machine.v(8, lane);
          ASSERT_EQ(actual, own[i]->wide ? expected : lo(expected))
              << own[i]->text << std::hex << " lane " << lane << ": " << machine.v64(0, lane) << ", "
              << machine.v64(2, lane) << ", " << machine.v64(4, lane);
        }
      }
    }
  }
}

TEST(Vop2, Integers32) {
  check_all({
      {"v_add_u32_e32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return a + b; }},
      {"v_add_u32_e64 v8, v0, v2 clamp", [](u64 a, u64 b, u64, u64) { return clamp_u32(lo(a) + lo(b)); }},
      {"v_sub_u32_e32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return a - b; }},
      {"v_sub_u32_e64 v8, v0, v2 clamp", [](u64 a, u64 b, u64, u64) { return lo(a) < lo(b) ? 0 : a - b; }},
      {"v_subrev_u32_e32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return b - a; }},
      {"v_and_b32_e32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return a & b; }},
      {"v_or_b32_e32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return a | b; }},
      {"v_xor_b32_e32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return a ^ b; }},
      {"v_xnor_b32_e32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return ~(a ^ b); }},
      {"v_lshlrev_b32_e32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return lo(b) << (a & 31); }},
      {"v_lshrrev_b32_e32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return lo(b) >> (a & 31); }},
      {"v_ashrrev_i32_e32 v8, v0, v2",
       [](u64 a, u64 b, u64, u64) { return static_cast<u64>(s32(b) >> (a & 31)); }},
      {"v_mul_i32_i24_e32 v8, v0, v2",
       [](u64 a, u64 b, u64, u64) { return static_cast<u64>(s24(a) * s24(b)); }},
      {"v_mul_hi_i32_i24_e32 v8, v0, v2",
       [](u64 a, u64 b, u64, u64) { return static_cast<u64>(s24(a) * s24(b) >> 32); }},
      {"v_mul_u32_u24_e32 v8, v0, v2",
       [](u64 a, u64 b, u64, u64) { return (a & 0xffffff) * (b & 0xffffff); }},
      {"v_mul_hi_u32_u24_e32 v8, v0, v2",
       [](u64 a, u64 b, u64, u64) { return (a & 0xffffff) * (b & 0xffffff) >> 32; }},
      {"v_min_i32_e32 v8, v0, v2",
       [](u64 a, u64 b, u64, u64) { return static_cast<u64>(std::min(s32(a), s32(b))); }},
      {"v_max_i32_e32 v8, v0, v2",
       [](u64 a, u64 b, u64, u64) { return static_cast<u64>(std::max(s32(a), s32(b))); }},
      {"v_min_u32_e32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return std::min(lo(a), lo(b)); }},
      {"v_max_u32_e32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return std::max(lo(a), lo(b)); }},
  });
}

TEST(Vop2, Integers16ZeroTheUpperHalf) {
  check_all({
      {"v_add_u16_e32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return h(a + b); }},
      {"v_add_u16_e64 v8, v0, v2 clamp",
       [](u64 a, u64 b, u64, u64) { return clamp_u16(static_cast<i64>(h(a) + h(b))); }},
      {"v_sub_u16_e32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return h(a - b); }},
      {"v_subrev_u16_e32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return h(b - a); }},
      {"v_mul_lo_u16_e32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return h(a * b); }},
      {"v_lshlrev_b16_e32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return h(h(b) << (a & 15)); }},
      {"v_lshrrev_b16_e32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return h(b) >> (a & 15); }},
      {"v_ashrrev_i16_e32 v8, v0, v2",
       [](u64 a, u64 b, u64, u64) { return h(static_cast<u64>(s16(b) >> (a & 15))); }},
      {"v_max_u16_e32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return std::max(h(a), h(b)); }},
      {"v_min_u16_e32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return std::min(h(a), h(b)); }},
      {"v_max_i16_e32 v8, v0, v2",
       [](u64 a, u64 b, u64, u64) { return h(static_cast<u64>(std::max(s16(a), s16(b)))); }},
      {"v_min_i16_e32 v8, v0, v2",
       [](u64 a, u64 b, u64, u64) { return h(static_cast<u64>(std::min(s16(a), s16(b)))); }},
  });
}

TEST(Vop3, Integers) {
  check_all({
      {"v_mad_i32_i24 v8, v0, v2, v4",
       [](u64 a, u64 b, u64 c, u64) { return static_cast<u64>(s24(a) * s24(b) + s32(c)); }},
      {"v_mad_i32_i24 v8, v0, v2, v4 clamp",
       [](u64 a, u64 b, u64 c, u64) { return clamp_s32(s24(a) * s24(b) + s32(c)); }},
      {"v_mad_u32_u24 v8, v0, v2, v4",
       [](u64 a, u64 b, u64 c, u64) { return (a & 0xffffff) * (b & 0xffffff) + c; }},
      {"v_mad_u32_u24 v8, v0, v2, v4 clamp",
       [](u64 a, u64 b, u64 c, u64) { return clamp_u32((a & 0xffffff) * (b & 0xffffff) + lo(c)); }},
      {"v_bfe_u32 v8, v0, v2, v4",
       [](u64 a, u64 b, u64 c, u64) { return (lo(a) >> (b & 31)) & ((u64{1} << (c & 31)) - 1); }},
      {"v_bfe_i32 v8, v0, v2, v4",
       [](u64 a, u64 b, u64 c, u64) {
         const int width = static_cast<int>(c & 31);
         const u64 field = static_cast<u64>(s32(a) >> (b & 31)) & ((u64{1} << width) - 1);
         return width && field >> (width - 1) & 1 ? field - (u64{1} << width) : field;
       }},
      {"v_bfi_b32 v8, v0, v2, v4", [](u64 a, u64 b, u64 c, u64) { return (a & b) | (~a & c); }},
      {"v_bfm_b32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return ((u64{1} << (a & 31)) - 1) << (b & 31); }},
      {"v_alignbit_b32 v8, v0, v2, v4",
       [](u64 a, u64 b, u64 c, u64) { return (a << 32 | lo(b)) >> (c & 31); }},
      {"v_alignbyte_b32 v8, v0, v2, v4",
       [](u64 a, u64 b, u64 c, u64) { return (a << 32 | lo(b)) >> (8 * (c & 3)); }},
      {"v_lerp_u8 v8, v0, v2, v4",
       [](u64 a, u64 b, u64 c, u64) {
         u64 r = 0;
         for (int i = 0; i < 32; i += 8) r |= ((a >> i & 255) + (b >> i & 255) + (c >> i & 1)) / 2 << i;
         return r;
       }},
      {"v_perm_b32 v8, v0, v2, v4",
       [](u64 a, u64 b, u64 c, u64) {
         const u64 data = a << 32 | lo(b);
         const u64 bytes[16] = {data & 255,
                                data >> 8 & 255,
                                data >> 16 & 255,
                                data >> 24 & 255,
                                data >> 32 & 255,
                                data >> 40 & 255,
                                data >> 48 & 255,
                                data >> 56,
                                data >> 15 & 1 ? 255u : 0,
                                data >> 31 & 1 ? 255u : 0,
                                data >> 47 & 1 ? 255u : 0,
                                data >> 63 ? 255u : 0,
                                0,
                                255,
                                255,
                                255};
         u64 r = 0;
         for (int i = 0; i < 32; i += 8) r |= bytes[std::min<u64>(c >> i & 255, 13)] << i;
         return r;
       }},
      {"v_min3_i32 v8, v0, v2, v4",
       [](u64 a, u64 b, u64 c, u64) {
         return static_cast<u64>(std::min({s32(a), s32(b), s32(c)}));
       }},
      {"v_max3_u32 v8, v0, v2, v4",
       [](u64 a, u64 b, u64 c, u64) {
         return std::max({lo(a), lo(b), lo(c)});
       }},
      {"v_max3_i32 v8, v0, v2, v4",
       [](u64 a, u64 b, u64 c, u64) {
         return static_cast<u64>(std::max({s32(a), s32(b), s32(c)}));
       }},
      {"v_min3_u32 v8, v0, v2, v4",
       [](u64 a, u64 b, u64 c, u64) {
         return std::min({lo(a), lo(b), lo(c)});
       }},
      {"v_med3_i32 v8, v0, v2, v4", [](u64 a, u64 b, u64 c, u64) { return median(s32(a), s32(b), s32(c)); }},
      {"v_med3_u32 v8, v0, v2, v4",
       [](u64 a, u64 b, u64 c, u64) {
         return median(static_cast<i64>(lo(a)), static_cast<i64>(lo(b)), static_cast<i64>(lo(c)));
       }},
      {"v_sad_u8 v8, v0, v2, v4", [](u64 a, u64 b, u64 c, u64) { return sad_u8(a, b) + c; }},
      {"v_sad_hi_u8 v8, v0, v2, v4", [](u64 a, u64 b, u64 c, u64) { return (sad_u8(a, b) << 16) + c; }},
      {"v_msad_u8 v8, v0, v2, v4", [](u64 a, u64 b, u64 c, u64) { return sad_u8(a, b, true) + c; }},
      {"v_sad_u16 v8, v0, v2, v4",
       [](u64 a, u64 b, u64 c, u64) {
         const auto d = [](u64 x, u64 y) {
           return static_cast<u64>(std::abs(static_cast<i64>(x) - static_cast<i64>(y)));
         };
         return d(h(a), h(b)) + d(h(a >> 16), h(b >> 16)) + c;
       }},
      {"v_sad_u32 v8, v0, v2, v4",
       [](u64 a, u64 b, u64 c, u64) {
         return static_cast<u64>(std::abs(static_cast<i64>(lo(a)) - static_cast<i64>(lo(b)))) + c;
       }},
      {"v_xad_u32 v8, v0, v2, v4", [](u64 a, u64 b, u64 c, u64) { return (a ^ b) + c; }},
      {"v_lshl_add_u32 v8, v0, v2, v4", [](u64 a, u64 b, u64 c, u64) { return (a << (b & 31)) + c; }},
      {"v_add_lshl_u32 v8, v0, v2, v4", [](u64 a, u64 b, u64 c, u64) { return lo(a + b) << (c & 31); }},
      {"v_add3_u32 v8, v0, v2, v4", [](u64 a, u64 b, u64 c, u64) { return a + b + c; }},
      {"v_lshl_or_b32 v8, v0, v2, v4", [](u64 a, u64 b, u64 c, u64) { return (a << (b & 31)) | c; }},
      {"v_and_or_b32 v8, v0, v2, v4", [](u64 a, u64 b, u64 c, u64) { return (a & b) | c; }},
      {"v_or3_b32 v8, v0, v2, v4", [](u64 a, u64 b, u64 c, u64) { return a | b | c; }},
      {"v_mul_lo_u32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return a * b; }},
      {"v_mul_hi_u32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return lo(a) * lo(b) >> 32; }},
      {"v_mul_hi_i32 v8, v0, v2",
       [](u64 a, u64 b, u64, u64) { return static_cast<u64>(s32(a) * s32(b) >> 32); }},
      {"v_bcnt_u32_b32 v8, v0, v2",
       [](u64 a, u64 b, u64, u64) { return static_cast<u64>(std::popcount(lo(a))) + b; }},
      {"v_add_i32 v8, v0, v2 clamp", [](u64 a, u64 b, u64, u64) { return clamp_s32(s32(a) + s32(b)); }},
      {"v_sub_i32 v8, v0, v2 clamp", [](u64 a, u64 b, u64, u64) { return clamp_s32(s32(a) - s32(b)); }},
      {"v_add_i32 v8, v0, v2", [](u64 a, u64 b, u64, u64) { return a + b; }},
      {"v_cvt_pk_u16_u32 v8, v0, v2",
       [](u64 a, u64 b, u64, u64) {
         return std::min<u64>(lo(a), 0xffff) | std::min<u64>(lo(b), 0xffff) << 16;
       }},
      {"v_cvt_pk_i16_i32 v8, v0, v2",
       [](u64 a, u64 b, u64, u64) { return clamp_s16(s32(a)) | clamp_s16(s32(b)) << 16; }},
      {"v_mad_u32_u16 v8, v0, v2, v4 op_sel:[1,0,0,0]",
       [](u64 a, u64 b, u64 c, u64) { return h(a >> 16) * h(b) + c; }},
      {"v_mad_i32_i16 v8, v0, v2, v4",
       [](u64 a, u64 b, u64 c, u64) { return static_cast<u64>(s16(a) * s16(b) + s32(c)); }},
      {"v_lshl_add_u64 v[8:9], v[0:1], v2, v[4:5]",
       [](u64 a, u64 b, u64 c, u64) { return (a << (b & 7)) + c; }, "gfx942", true},
      {"v_lshlrev_b64 v[8:9], v0, v[2:3]", [](u64 a, u64 b, u64, u64) { return b << (a & 63); }, "gfx942",
       true},
      {"v_lshrrev_b64 v[8:9], v0, v[2:3]", [](u64 a, u64 b, u64, u64) { return b >> (a & 63); }, "gfx942",
       true},
      {"v_ashrrev_i64 v[8:9], v0, v[2:3]",
       [](u64 a, u64 b, u64, u64) { return static_cast<u64>(static_cast<i64>(b) >> (a & 63)); }, "gfx942",
       true},
      // Register pairs that overlap by one register.
      {"v_lshlrev_b64 v[8:9], 8, v[4:5]", [](u64, u64, u64 c, u64) { return c << 8; }, "gfx942", true},
      {"v_qsad_pk_u16_u8 v[8:9], v[0:1], v2, v[4:5]",
       [](u64 a, u64 b, u64 c, u64) {
         u64 r = 0;
         for (int i = 0; i < 4; ++i) r |= h(sad_u8(lo(a >> (8 * i)), b) + h(c >> (16 * i))) << (16 * i);
         return r;
       },
       "gfx90a", true},
      {"v_bitop3_b32 v8, v0, v2, v4 bitop3:0xca", [](u64 a, u64 b, u64 c, u64) { return (a & b) | (~a & c); },
       "gfx950"},
      {"v_bitop3_b32 v8, v0, v2, v4 bitop3:0x96", [](u64 a, u64 b, u64 c, u64) { return a ^ b ^ c; },
       "gfx950"},
      {"v_bitop3_b16 v8, v0, v2, v4 bitop3:0x80",
       [](u64 a, u64 b, u64 c, u64 d) { return h(a & b & c) | (lo(d) & 0xffff0000); }, "gfx950"},
      {"v_ashr_pk_i8_i32 v8, v0, v2, v4",
       [](u64 a, u64 b, u64 c, u64 d) {
         const auto byte = [&](u64 v) {
           return static_cast<u64>(std::clamp<i64>(s32(v) >> (c & 31), -128, 127)) & 255;
         };
         return byte(a) | byte(b) << 8 | (lo(d) & 0xffff0000);
       },
       "gfx950"},
      {"v_ashr_pk_u8_i32 v8, v0, v2, v4",
       [](u64 a, u64 b, u64 c, u64 d) {
         const auto byte = [&](u64 v) {
           return static_cast<u64>(std::clamp<i64>(s32(v) >> (c & 31), 0, 255));
         };
         return byte(a) | byte(b) << 8 | (lo(d) & 0xffff0000);
       },
       "gfx950"},
  });
}

// GFX9's op_sel forms keep the half they do not write; the legacy forms zero it.
TEST(Vop3, Integers16) {
  const auto keep = [](u64 low, u64 d) { return h(low) | (lo(d) & 0xffff0000); };
  check_all({
      {"v_mad_u16 v8, v0, v2, v4", [=](u64 a, u64 b, u64 c, u64 d) { return keep(a * b + c, d); }},
      {"v_mad_u16 v8, v0, v2, v4 clamp",
       [=](u64 a, u64 b, u64 c, u64 d) { return keep(clamp_u16(static_cast<i64>(h(a) * h(b) + h(c))), d); }},
      {"v_mad_legacy_u16 v8, v0, v2, v4", [](u64 a, u64 b, u64 c, u64) { return h(a * b + c); }},
      {"v_mad_i16 v8, v0, v2, v4 clamp",
       [=](u64 a, u64 b, u64 c, u64 d) { return keep(clamp_s16(s16(a) * s16(b) + s16(c)), d); }},
      {"v_mad_i16 v8, v0, v2, v4 op_sel:[1,0,1,1]",
       [](u64 a, u64 b, u64 c, u64 d) {
         return h(d) | h(static_cast<u64>(s16(a >> 16) * s16(b) + s16(c >> 16))) << 16;
       }},
      {"v_add_i16 v8, v0, v2 clamp",
       [=](u64 a, u64 b, u64, u64 d) { return keep(clamp_s16(s16(a) + s16(b)), d); }},
      {"v_sub_i16 v8, v0, v2 op_sel:[0,1,1]",
       [](u64 a, u64 b, u64, u64 d) { return h(d) | h(a - (b >> 16)) << 16; }},
      {"v_min3_i16 v8, v0, v2, v4",
       [=](u64 a, u64 b, u64 c, u64 d) {
         return keep(static_cast<u64>(std::min({s16(a), s16(b), s16(c)})), d);
       }},
      {"v_max3_u16 v8, v0, v2, v4",
       [=](u64 a, u64 b, u64 c, u64 d) {
         return keep(std::max({h(a), h(b), h(c)}), d);
       }},
      {"v_med3_i16 v8, v0, v2, v4",
       [=](u64 a, u64 b, u64 c, u64 d) { return keep(median(s16(a), s16(b), s16(c)), d); }},
      {"v_pack_b32_f16 v8, v0, v2 op_sel:[1,0,0]",
       [](u64 a, u64 b, u64, u64) { return h(a >> 16) | h(b) << 16; }},
  });
}

TEST(Vop3, CarryChains) {
  LaneMachine machine("gfx942");
  const auto code = machine.assemble(
      "v_add_co_u32_e32 v8, vcc, v0, v2\nv_addc_co_u32_e32 v9, vcc, v1, v3, vcc\nv_addc_co_u32_e64 v10, "
      "s[4:5], 0, 0, vcc\n"
      "v_sub_co_u32_e64 v12, s[6:7], v0, v2\nv_subb_co_u32_e64 v13, s[8:9], v1, v3, s[6:7]\n"
      "v_subrev_co_u32_e32 v14, vcc, v0, v2\nv_subbrev_co_u32_e32 v15, vcc, v1, v3, vcc");
  Random random(5);
  for (int round = 0; round < 50; ++round) {
    for (int lane = 0; lane < kLanes; ++lane)
      machine.set64(0, lane, integer_pattern(random)), machine.set64(2, lane, integer_pattern(random));
    machine.run(code);
    for (int lane = 0; lane < kLanes; ++lane) {
      const unsigned __int128 a = machine.v64(0, lane), b = machine.v64(2, lane);
      EXPECT_EQ(machine.v64(8, lane), static_cast<u64>(a + b));
      EXPECT_EQ(machine.v(10, lane), static_cast<u32>((a + b) >> 64));
      EXPECT_EQ(machine.v64(12, lane), static_cast<u64>(a - b));
      EXPECT_EQ(machine.wave.scalar64(8) >> lane & 1, a < b);
      EXPECT_EQ(machine.v64(14, lane), static_cast<u64>(b - a));
      EXPECT_EQ(machine.wave.vcc() >> lane & 1, b < a);
    }
  }
}

TEST(Vop3, WideMultiplyAdd) {
  LaneMachine machine("gfx942");
  const auto code = machine.assemble(
      "v_mad_u64_u32 v[8:9], vcc, v0, v2, v[4:5]\nv_mad_i64_i32 v[10:11], s[4:5], v0, v2, v[4:5]");
  Random random(6);
  for (int round = 0; round < 50; ++round) {
    for (int lane = 0; lane < kLanes; ++lane)
      for (int slot = 0; slot < 3; ++slot) machine.set64(2 * slot, lane, integer_pattern(random));
    machine.run(code);
    for (int lane = 0; lane < kLanes; ++lane) {
      const u64 a = machine.v(0, lane), b = machine.v(2, lane), c = machine.v64(4, lane);
      const unsigned __int128 sum = static_cast<unsigned __int128>(a) * b + c;
      EXPECT_EQ(machine.v64(8, lane), static_cast<u64>(sum));
      EXPECT_EQ(machine.wave.vcc() >> lane & 1, static_cast<u64>(sum >> 64));
      const __int128 difference = static_cast<__int128>(s32(a)) * s32(b) + static_cast<i64>(c);
      EXPECT_EQ(machine.v64(10, lane), static_cast<u64>(difference));
      EXPECT_EQ(machine.wave.scalar64(4) >> lane & 1, static_cast<u64>(difference >> 64) & 1);
    }
  }
}

TEST(Vop3, MqsadAccumulatesInFourRegisters) {
  LaneMachine machine("gfx90a");
  Random random(8);
  machine.randomise(0, 24, random);
  std::array<std::array<u32, 4>, kLanes> old;
  for (int lane = 0; lane < kLanes; ++lane)
    for (int i = 0; i < 4; ++i) old[lane][i] = machine.v(8 + i, lane);
  machine.run("v_mqsad_u32_u8 v[16:19], v[0:1], v2, v[8:11]");
  for (int lane = 0; lane < kLanes; ++lane)
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(machine.v(16 + i, lane),
                static_cast<u32>(sad_u8(lo(machine.v64(0, lane) >> (8 * i)), machine.v(2, lane), true) +
                                 old[lane][i]));
}

// Minimum, maximum and median with NaN and signed zeros, with and without IEEE mode, as the ISA document
// defines them.
template <bool kMaximum>
u64 extreme(int width, bool ieee, u64 a, u64 b) {
  const u64 quiet = width == 16 ? 0x200 : width == 32 ? 0x400000 : u64{1} << 51;
  const double x = pattern_value(width, a), y = pattern_value(width, b);
  if (ieee && std::isnan(x) && !(a & quiet)) return a | quiet;
  if (ieee && std::isnan(y) && !(b & quiet)) return b | quiet;
  if (std::isnan(x)) return b;
  if (std::isnan(y)) return a;
  if (x == 0 && y == 0) return std::signbit(x) == kMaximum ? b : a;
  return (kMaximum ? x >= y : x < y) ? a : b;
}

TEST(Vop3, MinimumMaximumMedian) {
  for (const int width : {16, 32, 64}) {
    const std::string type = "f" + std::to_string(width);
    const std::string d = width == 64 ? "v[8:9], v[0:1], v[2:3]" : "v8, v0, v2",
                      suffix = width == 64 ? "" : "_e32";
    LaneMachine machine("gfx942");
    std::string text = "v_min_" + type + suffix + " " + d + "\nv_max_" + type + suffix + " " +
                       (width == 64 ? "v[10:11], v[0:1], v[2:3]" : "v10, v0, v2") + "\n";
    if (width != 64)
      text += "v_min3_" + type + " v12, v0, v2, v4\nv_max3_" + type + " v13, v0, v2, v4\nv_med3_" + type +
              " v14, v0, v2, v4\n";
    const auto code = machine.assemble(text);
    Random random(static_cast<u64>(width));
    for (int round = 0; round < 200; ++round) {
      const bool ieee = round % 2;
      machine.wave.mode = ieee ? kUsualMode : kUsualMode & ~(1u << 9);
      for (int lane = 0; lane < kLanes; ++lane)
        for (int slot = 0; slot < 3; ++slot) {
          const bool again = slot > 0 && random.below(4) == 0;
          machine.set64(2 * slot, lane, again ? machine.v64(0, lane) : float_pattern(width, random));
        }
      machine.run(code);
      for (int lane = 0; lane < kLanes; ++lane) {
        const u64 a = machine.v64(0, lane), b = machine.v64(2, lane), c = machine.v64(4, lane);
        const auto result = [&](int r) {
          return width == 64   ? machine.v64(r, lane)
                 : width == 16 ? h(machine.v(r, lane))
                               : machine.v(r, lane);
        };
        const auto lowest = [&](u64 x, u64 y) { return extreme<false>(width, ieee, x, y); };
        const auto highest = [&](u64 x, u64 y) { return extreme<true>(width, ieee, x, y); };
        ASSERT_EQ(result(8), lowest(a, b)) << std::hex << a << " " << b;
        ASSERT_EQ(result(10), highest(a, b)) << std::hex << a << " " << b;
        if (width == 64) continue;
        ASSERT_EQ(result(12), lowest(lowest(a, b), c));
        ASSERT_EQ(result(13), highest(highest(a, b), c));
        const auto value = [&](u64 v) { return pattern_value(width, v); };
        u64 middle;
        if (std::isnan(value(a)) || std::isnan(value(b)) || std::isnan(value(c)))
          middle = lowest(lowest(a, b), c);
        else if (value(highest(highest(a, b), c)) == value(a))
          middle = highest(b, c);
        else if (value(highest(highest(a, b), c)) == value(b))
          middle = highest(a, c);
        else
          middle = highest(a, b);
        // Equal zeros of different sign: the document leaves the choice between them to the order of
        // operands.
        if (value(middle) == 0)
          ASSERT_EQ(value(result(14)), 0);
        else
          ASSERT_EQ(result(14), middle) << std::hex << a << " " << b << " " << c;
      }
    }
  }
}

TEST(Vop3, Minimum3Of2019) {
  LaneMachine machine("gfx950");
  const auto code = machine.assemble(
      "v_minimum3_f32 v8, v0, v2, v4\nv_maximum3_f32 v9, v0, v2, v4\nv_pk_minimum3_f16 v10, v0, v2, "
      "v4\nv_pk_maximum3_f16 v11, v0, v2, v4");
  Random random(9);
  const auto extremes = [](double a, double b, double c, bool maximum) {
    if (std::isnan(a) || std::isnan(b) || std::isnan(c)) return std::numeric_limits<double>::quiet_NaN();
    double best = a;
    for (double v : {b, c})
      if (maximum ? v > best || (v == best && !std::signbit(v)) : v < best || (v == best && std::signbit(v)))
        best = v;
    return best;
  };
  for (int round = 0; round < 100; ++round) {
    for (int lane = 0; lane < kLanes; ++lane)
      for (int r = 0; r < 6; ++r)
        machine.v(r, lane) =
            static_cast<u32>(round % 2 ? float_pattern(32, random)
                                       : float_pattern(16, random) | float_pattern(16, random) << 16);
    machine.run(code);
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto f = [&](int r) { return pattern_value(32, machine.v(r, lane)); };
      EXPECT_TRUE(same_value(f(8), extremes(f(0), f(2), f(4), false)));
      EXPECT_TRUE(same_value(f(9), extremes(f(0), f(2), f(4), true)));
      for (int half = 0; half < 2; ++half) {
        const auto v = [&](int r) { return half_value(machine.v(r, lane) >> (16 * half) & 0xffff); };
        EXPECT_TRUE(same_value(v(10), extremes(v(0), v(2), v(4), false)));
        EXPECT_TRUE(same_value(v(11), extremes(v(0), v(2), v(4), true)));
      }
    }
  }
}

TEST(Vop3, Ldexp) {
  LaneMachine machine("gfx942");
  const auto code = machine.assemble(
      "v_ldexp_f32 v8, v0, v2\nv_ldexp_f64 v[10:11], v[0:1], v2\nv_ldexp_f16_e32 v12, v0, v2");
  Random random(10);
  for (uint32_t rounding = 0; rounding < 4; ++rounding)
    for (int round = 0; round < 100; ++round) {
      machine.wave.mode = kUsualMode | rounding | rounding << 2;
      const int width = round % 3 == 0 ? 16 : round % 3 == 1 ? 32 : 64;
      for (int lane = 0; lane < kLanes; ++lane) {
        machine.set64(0, lane, float_pattern(width, random));
        const int ranges[] = {30, 300, 2200, 40000};
        const i64 range = ranges[random.below(4)];
        machine.v(2, lane) =
            static_cast<u32>(static_cast<i64>(random.below(static_cast<u64>(2 * range))) - range);
      }
      machine.run(code);
      for (int lane = 0; lane < kLanes; ++lane) {
        const int exponent = static_cast<int32_t>(machine.v(2, lane));
        const auto expected = [&](int w, u64 bits, long e) {
          return reference_scale(range_of(w), kRoundings[rounding], pattern_value(w, bits), e);
        };
        EXPECT_TRUE(same_value(machine.f32(8, lane), expected(32, machine.v(0, lane), exponent)))
            << exponent << " " << machine.f32(0, lane);
        EXPECT_TRUE(same_value(machine.f64(10, lane), expected(64, machine.v64(0, lane), exponent)))
            << exponent << " " << machine.f64(0, lane);
        EXPECT_TRUE(same_value(half_value(machine.v(12, lane)),
                               expected(16, h(machine.v(0, lane)), static_cast<int16_t>(exponent))));
      }
      if (::testing::Test::HasFailure()) return;
    }
}

TEST(Vop3, PackedConversions) {
  LaneMachine machine("gfx950");
  const auto code = machine.assemble(
      "v_cvt_pkrtz_f16_f32 v8, v0, v2\nv_cvt_pk_f16_f32 v9, v0, v2\nv_cvt_pk_bf16_f32 v10, v0, "
      "v2\nv_cvt_pknorm_i16_f32 v11, v0, v2\n"
      "v_cvt_pknorm_u16_f32 v12, v0, v2\nv_cvt_pk_u8_f32 v13, v0, 2, v2\nv_mul_legacy_f32 v14, v0, v2");
  Random random(12);
  for (int round = 0; round < 100; ++round) {
    for (int lane = 0; lane < kLanes; ++lane)
      for (int slot = 0; slot < 2; ++slot)
        machine.v(2 * slot, lane) = static_cast<u32>(float_pattern(32, random));
    machine.run(code);
    for (int lane = 0; lane < kLanes; ++lane) {
      const double a = machine.f32(0, lane), b = machine.f32(2, lane);
      const auto halves = [&](int r, const std::function<void(u32, double)>& verify) {
        verify(machine.v(r, lane) & 0xffff, a);
        verify(machine.v(r, lane) >> 16, b);
      };
      halves(8, [](u32 bits, double v) {
        EXPECT_TRUE(same_value(half_value(bits), reference_convert(kHalfRange, MPFR_RNDZ, v))) << v;
      });
      halves(9, [](u32 bits, double v) {
        EXPECT_TRUE(same_value(half_value(bits), reference_convert(kHalfRange, MPFR_RNDN, v))) << v;
      });
      const IeeeRange bf16{8, -132, 128};
      halves(10, [&](u32 bits, double v) {
        EXPECT_TRUE(same_value(pattern_value(32, u64{bits} << 16), reference_convert(bf16, MPFR_RNDN, v)))
            << v;
      });
      const auto scaled = [](double v, double low, double factor) {
        if (std::isnan(v)) return 0.0;
        return std::rint(std::clamp(v, low, 1.0) * factor);
      };
      halves(11,
             [&](u32 bits, double v) { EXPECT_EQ(static_cast<int16_t>(bits), scaled(v, -1, 32767)) << v; });
      halves(12, [&](u32 bits, double v) { EXPECT_EQ(bits, scaled(v, 0, 65535)) << v; });
      const u32 byte = std::isnan(a) ? 0 : static_cast<u32>(std::clamp(std::trunc(a), 0.0, 255.0));
      EXPECT_EQ(machine.v(13, lane), (machine.v(2, lane) & 0xff00ffff) | byte << 16);
      EXPECT_TRUE(same_value(machine.f32(14, lane),
                             a == 0 || b == 0 ? 0 : reference_mul(kSingleRange, MPFR_RNDN, a, b)));
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Vop3, CubeMap) {
  LaneMachine machine("gfx942");
  const auto code = machine.assemble(
      "v_cubeid_f32 v8, v0, v2, v4\nv_cubesc_f32 v9, v0, v2, v4\nv_cubetc_f32 v10, v0, v2, v4\nv_cubema_f32 "
      "v11, v0, v2, v4");
  const float directions[6][3] = {{3, 1, 2}, {-3, 1, 2}, {1, 3, 2}, {1, -3, 2}, {1, 2, 3}, {1, 2, -3}};
  const float expected[6][4] = {{0, -2, -1, 6}, {1, 2, -1, -6}, {2, 1, 2, 6},
                                {3, 1, -2, -6}, {4, 1, -2, 6},  {5, -1, -2, -6}};
  for (int face = 0; face < 6; ++face)
    for (int i = 0; i < 3; ++i) machine.v(2 * i, face) = std::bit_cast<u32>(directions[face][i]);
  machine.run(code);
  for (int face = 0; face < 6; ++face)
    for (int i = 0; i < 4; ++i) EXPECT_EQ(machine.f32(8 + i, face), expected[face][i]) << face << " " << i;
}

}  // namespace
}  // namespace wavecast::test
