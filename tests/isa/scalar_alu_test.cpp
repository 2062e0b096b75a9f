// Scalar instructions against formulas written bit by bit or in 128-bit arithmetic, on edge values and random
// operands.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "isa/decoder.h"
#include "isa/emulator.h"
#include "isa/execution_context.h"
#include "support/assembler.h"

namespace wavecast::isa {
namespace {

using Wide = __int128;

struct Outcome {
  uint64_t value;
  bool scc;
};
// Operands a, b (zero-extended), old destination and SCC before -> result and SCC after.
using Formula = std::function<Outcome(uint64_t a, uint64_t b, uint64_t old, bool scc)>;

struct Case {
  std::string text;  // sources s[12:13] and s[14:15], destination s[10:11]
  int bits;          // of the result; 0: only SCC
  Formula formula;
};

int64_t s32(uint64_t value) { return static_cast<int32_t>(static_cast<uint32_t>(value)); }
uint64_t u32(uint64_t value) { return static_cast<uint32_t>(value); }
bool bit(uint64_t value, unsigned position) { return (value >> position & 1) != 0; }

// Builds an integer from bits.
uint64_t from_bits(int count, const std::function<bool(int)>& value) {
  uint64_t result = 0;
  for (int i = 0; i < count; ++i)
    if (value(i)) result |= uint64_t{1} << i;
  return result;
}
// Bit i is true and lower bits were false -> i, else all ones.
uint64_t first(int count, const std::function<bool(int)>& value) {
  for (int i = 0; i < count; ++i)
    if (value(i)) return static_cast<uint64_t>(i);
  return 0xffffffff;
}
uint64_t count_of(int count, const std::function<bool(int)>& value) {
  uint64_t result = 0;
  for (int i = 0; i < count; ++i) result += value(i);
  return result;
}

Outcome logical(uint64_t value) { return {value, value != 0}; }

// Field of `bits`-wide a described by b, bit by bit.
uint64_t field(uint64_t a, uint64_t b, int bits, bool is_signed) {
  const int begin = static_cast<int>(b & (bits - 1)), width = static_cast<int>(b >> 16 & 0x7f);
  if (width == 0) return 0;
  const auto source = [&](int i) {
    return i < bits ? bit(a, static_cast<unsigned>(i)) : is_signed && bit(a, static_cast<unsigned>(bits - 1));
  };
  return from_bits(bits, [&](int i) {
    if (i < width) return source(begin + i);
    return is_signed && source(begin + width - 1);
  });
}

std::vector<Case> arithmetic_cases() {
  const auto range = [](Wide exact, bool is_signed) {
    return is_signed ? exact != static_cast<int32_t>(exact) : exact < 0 || exact > 0xffffffffLL;
  };
  std::vector<Case> cases = {
      {"s_add_u32 s10, s12, s14", 32,
       [=](auto a, auto b, auto, bool) {
         const Wide e = Wide(a) + b;
         return Outcome{u32(e), range(e, false)};
       }},
      {"s_sub_u32 s10, s12, s14", 32,
       [=](auto a, auto b, auto, bool) {
         const Wide e = Wide(a) - Wide(b);
         return Outcome{u32(e), range(e, false)};
       }},
      {"s_addc_u32 s10, s12, s14", 32,
       [=](auto a, auto b, auto, bool c) {
         const Wide e = Wide(a) + b + c;
         return Outcome{u32(e), range(e, false)};
       }},
      {"s_subb_u32 s10, s12, s14", 32,
       [=](auto a, auto b, auto, bool c) {
         const Wide e = Wide(a) - Wide(b) - c;
         return Outcome{u32(e), range(e, false)};
       }},
      {"s_add_i32 s10, s12, s14", 32,
       [=](auto a, auto b, auto, bool) {
         const Wide e = Wide(s32(a)) + s32(b);
         return Outcome{u32(e), range(e, true)};
       }},
      {"s_sub_i32 s10, s12, s14", 32,
       [=](auto a, auto b, auto, bool) {
         const Wide e = Wide(s32(a)) - s32(b);
         return Outcome{u32(e), range(e, true)};
       }},
      {"s_absdiff_i32 s10, s12, s14", 32,
       [](auto a, auto b, auto, bool) {
         const int32_t d = static_cast<int32_t>(u32(a - b));
         const uint64_t v = u32(d < 0 ? -int64_t{d} : int64_t{d});
         return logical(v);
       }},
      {"s_min_i32 s10, s12, s14", 32,
       [](auto a, auto b, auto, bool) {
         return Outcome{u32(std::min(s32(a), s32(b))), s32(a) < s32(b)};
       }},
      {"s_max_i32 s10, s12, s14", 32,
       [](auto a, auto b, auto, bool) {
         return Outcome{u32(std::max(s32(a), s32(b))), s32(a) >= s32(b)};
       }},
      {"s_min_u32 s10, s12, s14", 32,
       [](auto a, auto b, auto, bool) {
         return Outcome{std::min(a, b), a < b};
       }},
      {"s_max_u32 s10, s12, s14", 32,
       [](auto a, auto b, auto, bool) {
         return Outcome{std::max(a, b), a >= b};
       }},
      {"s_mul_i32 s10, s12, s14", 32,
       [](auto a, auto b, auto, bool c) {
         return Outcome{u32(a * b), c};
       }},
      {"s_mul_hi_u32 s10, s12, s14", 32,
       [](auto a, auto b, auto, bool c) {
         return Outcome{u32(static_cast<uint64_t>(Wide(a) * b >> 32)), c};
       }},
      {"s_mul_hi_i32 s10, s12, s14", 32,
       [](auto a, auto b, auto, bool c) {
         return Outcome{u32(static_cast<uint64_t>(Wide(s32(a)) * s32(b) >> 32)), c};
       }},
      {"s_pack_ll_b32_b16 s10, s12, s14", 32,
       [](auto a, auto b, auto, bool c) {
         return Outcome{u32(a % 65536 + b % 65536 * 65536), c};
       }},
      {"s_pack_lh_b32_b16 s10, s12, s14", 32,
       [](auto a, auto b, auto, bool c) {
         return Outcome{u32(a % 65536 + b / 65536 * 65536), c};
       }},
      {"s_pack_hh_b32_b16 s10, s12, s14", 32,
       [](auto a, auto b, auto, bool c) {
         return Outcome{u32(a / 65536 + b / 65536 * 65536), c};
       }},
      {"s_addk_i32 s10, 0x8001", 32,
       [=](auto, auto, auto old, bool) {
         const Wide e = Wide(s32(old)) - 32767;
         return Outcome{u32(e), range(e, true)};
       }},
      {"s_mulk_i32 s10, 0xfffe", 32,
       [](auto, auto, auto old, bool c) {
         return Outcome{u32(0 - 2 * old), c};
       }},
      {"s_movk_i32 s10, 0x8000", 32,
       [](auto, auto, auto, bool c) {
         return Outcome{0xffff8000, c};
       }},
      {"s_cmovk_i32 s10, 0x7fff", 32,
       [](auto, auto, auto old, bool c) {
         return Outcome{c ? 0x7fff : u32(old), c};
       }},
      {"s_abs_i32 s10, s12", 32,
       [](auto a, auto, auto, bool) { return logical(u32(s32(a) < 0 ? -s32(a) : s32(a))); }},
      {"s_sext_i32_i8 s10, s12", 32,
       [](auto a, auto, auto, bool c) {
         return Outcome{u32(static_cast<uint64_t>(int64_t{static_cast<int8_t>(a)})), c};
       }},
      {"s_sext_i32_i16 s10, s12", 32,
       [](auto a, auto, auto, bool c) {
         return Outcome{u32(static_cast<uint64_t>(int64_t{static_cast<int16_t>(a)})), c};
       }},
  };
  for (unsigned shift = 1; shift <= 4; ++shift)
    cases.push_back(
        {"s_lshl" + std::to_string(shift) + "_add_u32 s10, s12, s14", 32, [=](auto a, auto b, auto, bool) {
           const Wide exact = Wide(a) * (1 << shift) + b;
           return Outcome{u32(static_cast<uint64_t>(exact)), range(exact, false)};
         }});
  return cases;
}

// Logic and shifts of both widths.
std::vector<Case> logic_cases(int bits) {
  const std::string w = bits == 32 ? "b32" : "b64", u = bits == 32 ? "u32" : "u64",
                    i = bits == 32 ? "i32" : "i64";
  const std::string operands = bits == 32 ? " s10, s12, s14" : " s[10:11], s[12:13], s[14:15]";
  const std::string shift_operands = bits == 32 ? " s10, s12, s14" : " s[10:11], s[12:13], s14";
  const std::string one = bits == 32 ? " s10, s12" : " s[10:11], s[12:13]";
  const std::string narrow = bits == 32 ? " s10, s12" : " s10, s[12:13]";
  const auto per_bit = [bits](bool (*operation)(bool, bool)) {
    return [bits, operation](auto a, auto b, auto, bool) {
      return logical(from_bits(bits, [&](int k) {
        return operation(bit(a, static_cast<unsigned>(k)), bit(b, static_cast<unsigned>(k)));
      }));
    };
  };
  const auto at = [](uint64_t value, int position) { return bit(value, static_cast<unsigned>(position)); };
  const auto count = [bits](uint64_t b) { return static_cast<int>(b % static_cast<uint64_t>(bits)); };
  return {
      {"s_and_" + w + operands, bits, per_bit([](bool x, bool y) { return x && y; })},
      {"s_or_" + w + operands, bits, per_bit([](bool x, bool y) { return x || y; })},
      {"s_xor_" + w + operands, bits, per_bit([](bool x, bool y) { return x != y; })},
      {"s_andn2_" + w + operands, bits, per_bit([](bool x, bool y) { return x && !y; })},
      {"s_orn2_" + w + operands, bits, per_bit([](bool x, bool y) { return x || !y; })},
      {"s_nand_" + w + operands, bits, per_bit([](bool x, bool y) { return !(x && y); })},
      {"s_nor_" + w + operands, bits, per_bit([](bool x, bool y) { return !(x || y); })},
      {"s_xnor_" + w + operands, bits, per_bit([](bool x, bool y) { return x == y; })},
      {"s_cselect_" + w + operands, bits,
       [](auto a, auto b, auto, bool c) {
         return Outcome{c ? a : b, c};
       }},
      {"s_lshl_" + w + shift_operands, bits,
       [=](auto a, auto b, auto, bool) {
         return logical(from_bits(bits, [&](int k) { return k >= count(b) && at(a, k - count(b)); }));
       }},
      {"s_lshr_" + w + shift_operands, bits,
       [=](auto a, auto b, auto, bool) {
         return logical(from_bits(bits, [&](int k) { return k + count(b) < bits && at(a, k + count(b)); }));
       }},
      {"s_ashr_" + i + shift_operands, bits,
       [=](auto a, auto b, auto, bool) {
         return logical(from_bits(bits, [&](int k) { return at(a, std::min(k + count(b), bits - 1)); }));
       }},
      {"s_bfe_" + u + shift_operands, bits,
       [=](auto a, auto b, auto, bool) { return logical(field(a, b, bits, false)); }},
      {"s_bfe_" + i + shift_operands, bits,
       [=](auto a, auto b, auto, bool) { return logical(field(a, b, bits, true)); }},
      {"s_bfm_" + w + (bits == 32 ? " s10, s12, s14" : " s[10:11], s12, s14"), bits,
       [=](auto a, auto b, auto, bool c) {
         return Outcome{from_bits(bits, [&](int k) { return k >= count(b) && k < count(b) + count(a); }), c};
       }},
      {"s_not_" + w + one, bits,
       [=](auto a, auto, auto, bool) { return logical(from_bits(bits, [&](int k) { return !at(a, k); })); }},
      {"s_mov_" + w + one, bits,
       [](auto a, auto, auto, bool c) {
         return Outcome{a, c};
       }},
      {"s_cmov_" + w + one, bits,
       [](auto a, auto, auto old, bool c) {
         return Outcome{c ? a : old, c};
       }},
      {"s_brev_" + w + one, bits,
       [=](auto a, auto, auto, bool c) {
         return Outcome{from_bits(bits, [&](int k) { return at(a, bits - 1 - k); }), c};
       }},
      {"s_wqm_" + w + one, bits,
       [=](auto a, auto, auto, bool) {
         return logical(from_bits(bits, [&](int k) { return (a >> (k / 4 * 4) & 15) != 0; }));
       }},
      {"s_quadmask_" + w + one, bits,
       [=](auto a, auto, auto, bool) {
         return logical(from_bits(bits / 4, [&](int k) { return (a >> (k * 4) & 15) != 0; }));
       }},
      {"s_bcnt0_i32_" + w + narrow, 32,
       [=](auto a, auto, auto, bool) { return logical(count_of(bits, [&](int k) { return !at(a, k); })); }},
      {"s_bcnt1_i32_" + w + narrow, 32,
       [=](auto a, auto, auto, bool) { return logical(count_of(bits, [&](int k) { return at(a, k); })); }},
      {"s_ff0_i32_" + w + narrow, 32,
       [=](auto a, auto, auto, bool c) {
         return Outcome{first(bits, [&](int k) { return !at(a, k); }), c};
       }},
      {"s_ff1_i32_" + w + narrow, 32,
       [=](auto a, auto, auto, bool c) {
         return Outcome{first(bits, [&](int k) { return at(a, k); }), c};
       }},
      {"s_flbit_i32_" + w + narrow, 32,
       [=](auto a, auto, auto, bool c) {
         return Outcome{first(bits, [&](int k) { return at(a, bits - 1 - k); }), c};
       }},
      {(bits == 32 ? "s_flbit_i32" : "s_flbit_i32_i64") + narrow, 32,
       [=](auto a, auto, auto, bool c) {
         return Outcome{first(bits, [&](int k) { return at(a, bits - 1 - k) != at(a, bits - 1); }), c};
       }},
      {"s_bitset0_" + w + (bits == 32 ? " s10, s12" : " s[10:11], s12"), bits,
       [=](auto a, auto, auto old, bool c) {
         return Outcome{from_bits(bits, [&](int k) { return k != count(a) && at(old, k); }), c};
       }},
      {"s_bitset1_" + w + (bits == 32 ? " s10, s12" : " s[10:11], s12"), bits,
       [=](auto a, auto, auto old, bool c) {
         return Outcome{from_bits(bits, [&](int k) { return k == count(a) || at(old, k); }), c};
       }},
      {"s_bitcmp0_" + w + (bits == 32 ? " s12, s14" : " s[12:13], s14"), 0,
       [=](auto a, auto b, auto, bool) {
         return Outcome{0, !at(a, count(b))};
       }},
      {"s_bitcmp1_" + w + (bits == 32 ? " s12, s14" : " s[12:13], s14"), 0,
       [=](auto a, auto b, auto, bool) {
         return Outcome{0, at(a, count(b))};
       }},
      {"s_cmp_eq_" + (bits == 32 ? std::string("u32 s12, s14") : std::string("u64 s[12:13], s[14:15]")), 0,
       [](auto a, auto b, auto, bool) {
         return Outcome{0, a == b};
       }},
      {"s_cmp_lg_" + (bits == 32 ? std::string("u32 s12, s14") : std::string("u64 s[12:13], s[14:15]")), 0,
       [](auto a, auto b, auto, bool) {
         return Outcome{0, a != b};
       }},
  };
}

std::vector<Case> compare_cases() {
  std::vector<Case> cases;
  using Predicate = bool (*)(int64_t, int64_t);
  const std::pair<const char*, Predicate> predicates[] = {{"eq", [](int64_t a, int64_t b) { return a == b; }},
                                                          {"lg", [](int64_t a, int64_t b) { return a != b; }},
                                                          {"gt", [](int64_t a, int64_t b) { return a > b; }},
                                                          {"ge", [](int64_t a, int64_t b) { return a >= b; }},
                                                          {"lt", [](int64_t a, int64_t b) { return a < b; }},
                                                          {"le", [](int64_t a, int64_t b) { return a <= b; }}};
  for (const auto& [name, predicate] : predicates) {
    const Predicate holds = predicate;
    const std::string compare = std::string("s_cmp_") + name, constant = std::string("s_cmpk_") + name;
    cases.push_back({compare + "_i32 s12, s14", 0, [=](auto a, auto b, auto, bool) {
                       return Outcome{0, holds(s32(a), s32(b))};
                     }});
    cases.push_back({compare + "_u32 s12, s14", 0, [=](auto a, auto b, auto, bool) {
                       return Outcome{0, holds(static_cast<int64_t>(a), static_cast<int64_t>(b))};
                     }});
    cases.push_back({constant + "_i32 s12, 0x8000", 0, [=](auto a, auto, auto, bool) {
                       return Outcome{0, holds(s32(a), -32768)};
                     }});
    cases.push_back({constant + "_u32 s12, 0x8000", 0, [=](auto a, auto, auto, bool) {
                       return Outcome{0, holds(static_cast<int64_t>(a), 32768)};
                     }});
  }
  cases.push_back(
      {"s_bitreplicate_b64_b32 s[10:11], s12", 64, [](auto a, auto, auto, bool c) {
         return Outcome{from_bits(64, [&](int k) { return bit(a, static_cast<unsigned>(k / 2)); }), c};
       }});
  return cases;
}

uint64_t interesting(std::mt19937_64& random) {
  static constexpr uint64_t kEdges[] = {0,
                                        1,
                                        2,
                                        31,
                                        32,
                                        63,
                                        64,
                                        0x7fff,
                                        0x8000,
                                        0x7fffffff,
                                        0x80000000,
                                        0xffffffff,
                                        0xffff8000,
                                        0x100000000,
                                        0x7fffffffffffffff,
                                        0x8000000000000000,
                                        0xffffffffffffffff};
  switch (random() % 4) {
    case 0:
      return kEdges[random() % std::size(kEdges)];
    case 1:
      return random() >> (random() % 64);
    case 2:
      return (random() % 70) << 16 | random() % 70;  // field descriptions of s_bfe
    default:
      return random();
  }
}

void check_cases(const std::vector<Case>& cases, const std::string& processor) {
  std::string text;
  for (const Case& test : cases) text += test.text + "\n";
  const std::vector<std::byte> code = test::assemble_bytes(text, processor);
  auto decoder = Decoder::create(TargetId{processor});
  ASSERT_TRUE(decoder);
  const LoadedKernel kernel;
  Memory memory;
  ExecutionContext context(kernel, memory);
  std::mt19937_64 random(7);
  size_t offset = 0;
  for (const Case& test : cases) {
    Instruction instruction;
    ASSERT_TRUE(decoder->decode(std::span(code).subspan(offset), offset, instruction)) << test.text;
    offset += instruction.size;
    ASSERT_NE(instruction.execute, nullptr) << test.text;
    const bool wide_source = test.text.find("[12:13]") != std::string::npos,
               wide_second = test.text.find("[14:15]") != std::string::npos;
    for (int round = 0; round < 3000; ++round) {
      Wavefront wave;
      const uint64_t a = interesting(random), b = round % 5 == 0 ? a : interesting(random), old = random();
      const bool scc = (random() & 1) != 0;
      wave.set_scalar64(12, a);
      wave.set_scalar64(14, b);
      wave.set_scalar64(10, old);
      wave.scc = scc;
      instruction.execute(wave, instruction, context);
      const Outcome expected = test.formula(wide_source ? a : u32(a), wide_second ? b : u32(b), old, scc);
      ASSERT_EQ(wave.scc, expected.scc)
          << test.text << std::hex << " a " << a << " b " << b << " old " << old << " scc " << scc;
      const uint64_t got = test.bits == 64 ? wave.scalar64(10) : wave.scalar[10];
      if (test.bits != 0) {
        ASSERT_EQ(got, test.bits == 64 ? expected.value : u32(expected.value))
            << test.text << std::hex << " a " << a << " b " << b << " old " << old << " scc " << scc;
      }
      ASSERT_EQ(wave.scalar64(12), a);
      ASSERT_EQ(wave.scalar64(14), b);
    }
  }
  EXPECT_FALSE(context.faulted);
}

TEST(ScalarAlu, ArithmeticMatchesExactFormulas) { check_cases(arithmetic_cases(), "gfx942"); }
TEST(ScalarAlu, Logic32MatchesBitwiseFormulas) { check_cases(logic_cases(32), "gfx90a"); }
TEST(ScalarAlu, Logic64MatchesBitwiseFormulas) { check_cases(logic_cases(64), "gfx942"); }
TEST(ScalarAlu, ComparesMatchIntegerOrder) { check_cases(compare_cases(), "gfx908"); }

// EXEC operations: result, saved mask and SCC from the definition in words.
TEST(ScalarAlu, SaveExecFamily) {
  using Operation = uint64_t (*)(uint64_t, uint64_t);
  const std::pair<std::string, Operation> operations[] = {
      {"s_and_saveexec_b64", [](uint64_t s, uint64_t e) { return s & e; }},
      {"s_or_saveexec_b64", [](uint64_t s, uint64_t e) { return s | e; }},
      {"s_xor_saveexec_b64", [](uint64_t s, uint64_t e) { return s ^ e; }},
      {"s_andn2_saveexec_b64", [](uint64_t s, uint64_t e) { return s & ~e; }},
      {"s_orn2_saveexec_b64", [](uint64_t s, uint64_t e) { return s | ~e; }},
      {"s_nand_saveexec_b64", [](uint64_t s, uint64_t e) { return ~(s & e); }},
      {"s_nor_saveexec_b64", [](uint64_t s, uint64_t e) { return ~(s | e); }},
      {"s_xnor_saveexec_b64", [](uint64_t s, uint64_t e) { return ~(s ^ e); }},
      {"s_andn1_saveexec_b64", [](uint64_t s, uint64_t e) { return ~s & e; }},
      {"s_orn1_saveexec_b64", [](uint64_t s, uint64_t e) { return ~s | e; }},
      {"s_andn1_wrexec_b64", [](uint64_t s, uint64_t e) { return ~s & e; }},
      {"s_andn2_wrexec_b64", [](uint64_t s, uint64_t e) { return s & ~e; }},
  };
  std::string text;
  for (const auto& operation : operations) text += operation.first + " s[10:11], s[12:13]\n";
  const std::vector<std::byte> code = test::assemble_bytes(text, "gfx942");
  auto decoder = Decoder::create(TargetId{"gfx942"});
  const LoadedKernel kernel;
  Memory memory;
  ExecutionContext context(kernel, memory);
  std::mt19937_64 random(3);
  size_t offset = 0;
  for (const auto& [name, operation] : operations) {
    Instruction instruction;
    ASSERT_TRUE(decoder->decode(std::span(code).subspan(offset), offset, instruction));
    offset += instruction.size;
    for (int round = 0; round < 200; ++round) {
      Wavefront wave;
      const uint64_t source = interesting(random), exec = interesting(random);
      wave.set_scalar64(12, source);
      wave.set_exec(exec);
      instruction.execute(wave, instruction, context);
      const uint64_t expected = operation(source, exec);
      ASSERT_EQ(wave.exec(), expected) << name;
      ASSERT_EQ(wave.scalar64(10), name.find("wrexec") != std::string::npos ? expected : exec) << name;
      ASSERT_EQ(wave.scc, expected != 0) << name;
    }
  }
}

// Values of constants, literals and status operands as AMD's operand table lists them.
TEST(ScalarAlu, SpecialSourceOperands) {
  struct Expected {
    std::string text;
    uint64_t value;
  };
  const Expected expectations[] = {
      {"s_mov_b64 s[10:11], -16", ~uint64_t{0} - 15},
      {"s_mov_b64 s[10:11], 64", 64},
      {"s_mov_b64 s[10:11], 0.5", 0x3fe0000000000000},
      {"s_mov_b64 s[10:11], 0.15915494309189532", 0x3fc45f306dc9c882},
      {"s_mov_b64 s[10:11], 0xfedcba98", 0xfedcba98},
      {"s_ashr_i64 s[10:11], 0x80000000, 0", 0xffffffff80000000},
      {"s_mov_b64 s[10:11], src_shared_base", uint64_t{0x12345678} << 32},
      {"s_mov_b64 s[10:11], src_private_limit", uint64_t{0x9abcdef0} << 32 | 0xffffffff},
      {"s_mov_b64 s[10:11], vcc", 0x1122334455667788},
      {"s_mov_b64 s[10:11], exec", 0},
      {"s_mov_b64 s[10:11], src_execz", 1},
      {"s_mov_b64 s[10:11], src_vccz", 0},
      {"s_mov_b64 s[10:11], src_scc", 1},
  };
  std::string text;
  for (const Expected& expectation : expectations) text += expectation.text + "\n";
  const std::vector<std::byte> code = test::assemble_bytes(text, "gfx942");
  auto decoder = Decoder::create(TargetId{"gfx942"});
  const LoadedKernel kernel;
  Memory memory;
  ExecutionContext context(kernel, memory);
  context.shared_aperture = uint64_t{0x12345678} << 32;
  context.private_aperture = uint64_t{0x9abcdef0} << 32;
  size_t offset = 0;
  for (const Expected& expectation : expectations) {
    Instruction instruction;
    ASSERT_TRUE(decoder->decode(std::span(code).subspan(offset), offset, instruction)) << expectation.text;
    offset += instruction.size;
    Wavefront wave;
    wave.scc = true;
    wave.set_vcc(0x1122334455667788);
    instruction.execute(wave, instruction, context);
    EXPECT_EQ(wave.scalar64(10), expectation.value) << expectation.text;
  }
}

}  // namespace
}  // namespace wavecast::isa
