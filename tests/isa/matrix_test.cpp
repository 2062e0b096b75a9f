// Every MFMA and SMFMAC of the four targets against a full matrix product in double, through layouts written
// here from the formulas "element -> register and lane" that AMD's matrix instruction calculator prints (the
// implementation maps the other way). Single entries printed by the calculator are checked as well.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <regex>

#include "support/machine.h"

namespace wavecast::isa {
namespace {

using test::Machine;

// A number format for the reference: exponent and mantissa bits, bias, and how many of the largest codes to
// avoid.
struct Type {
  const char* name;
  int bits, exponent_bits, mantissa_bits, bias;
  bool integer = false;
};
constexpr Type kF64{"f64", 64, 11, 52, 1023}, kF32{"f32", 32, 8, 23, 127}, kF16{"f16", 16, 5, 10, 15};
constexpr Type kBf16{"bf16", 16, 8, 7, 127}, kI8{"i8", 8, 0, 7, 0, true};
constexpr Type kFp8Fnuz{"fp8", 8, 4, 3, 8}, kBf8Fnuz{"bf8", 8, 5, 2, 16}, kFp8{"fp8", 8, 4, 3, 7},
    kBf8{"bf8", 8, 5, 2, 15};
constexpr Type kFp6{"fp6", 6, 2, 3, 1}, kBf6{"bf6", 6, 3, 2, 3}, kFp4{"fp4", 4, 2, 1, 1};

double value_of(const Type& type, uint64_t code) {
  if (type.integer) return static_cast<int8_t>(code);
  if (&type == &kF64) return std::bit_cast<double>(code);
  const int exponent = static_cast<int>(code >> type.mantissa_bits & ((1u << type.exponent_bits) - 1));
  const double mantissa =
      std::ldexp(static_cast<double>(code & ((uint64_t{1} << type.mantissa_bits) - 1)), -type.mantissa_bits);
  const double magnitude =
      exponent ? std::ldexp(1 + mantissa, exponent - type.bias) : std::ldexp(mantissa, 1 - type.bias);
  return code >> (type.bits - 1) & 1 ? -magnitude : magnitude;
}

// A random finite code of middling size; 8-bit and narrower formats use all codes that are numbers in every
// variant.
uint64_t random_code(Machine& machine, const Type& type) {
  if (type.integer) return machine.random(256);
  const uint64_t sign = machine.random(2);
  const int all_ones = (1 << type.exponent_bits) - 1;
  uint64_t exponent;
  if (type.bits <= 8) {
    exponent = machine.random(static_cast<uint32_t>(type.bits < 8 ? all_ones + 1 : all_ones));
  } else {
    exponent = static_cast<uint64_t>(type.bias) - 4 + machine.random(8);
  }
  uint64_t mantissa = machine.random_mask() & ((uint64_t{1} << type.mantissa_bits) - 1);
  if (exponent == 0 && mantissa == 0) mantissa = 1;  // the negative zero of FNUZ formats is NaN
  return sign << (type.bits - 1) | exponent << type.mantissa_bits | mantissa;
}

// One instruction as the test sees it.
struct Case {
  std::string processor, mnemonic, modifiers;
  int m = 0, n = 0, k = 0, blocks = 1;
  Type a{}, b{};
  bool sparse = false, split_a = false,
       split_b = false;  // split: 8-bit operand of f8f6f4, two halves of 16 elements
  const Type& result() const { return a.bits == 64 ? kF64 : kF32; }
  int held() const { return m * k * blocks / 64; }  // elements per lane of a dense operand
};

struct Place {
  int element, lane;
};

// Where A[i][k] (or B[k][i]) lies.
Place operand_place(const Case& c, bool split, int block, int i, int k) {
  if (c.a.bits == 64 && c.m == 4) return {0, 4 * block + 16 * k + i};
  if (c.blocks > 1) return {k, c.m * block + i};
  if (split) return {k / (c.k / 2) * 16 + k % 16, c.m * (k % (c.k / 2) / 16) + i};
  return {k % c.held(), c.m * (k / c.held()) + i};
}

Place result_place(const Case& c, int block, int i, int j) {
  if (c.a.bits == 64) return c.m == 4 ? Place{0, 16 * i + 4 * block + j} : Place{i / 4, 16 * (i % 4) + j};
  if (c.m == 4) return {i, 4 * block + j};
  if (c.m == 16) return {4 * block + i % 4, 16 * (i / 4) + j};
  return {16 * block + 4 * (i / 8) + i % 4, 32 * (i / 4) % 64 + j};
}

void put(VectorRegister* registers, int bits, const Place& place, uint64_t code) {
  for (int bit = 0; bit < bits; ++bit) {
    const int at = place.element * bits + bit;
    uint32_t& word = registers[at / 32].lane[static_cast<size_t>(place.lane)];
    word = (word & ~(1u << at % 32)) | static_cast<uint32_t>(code >> bit & 1) << at % 32;
  }
}

uint64_t get(const VectorRegister* registers, int bits, const Place& place) {
  uint64_t code = 0;
  for (int bit = 0; bit < bits; ++bit) {
    const int at = place.element * bits + bit;
    code |= uint64_t{registers[at / 32].lane[static_cast<size_t>(place.lane)] >> at % 32 & 1} << bit;
  }
  return code;
}

std::string registers(char file, int first, int count) {
  const std::string f(1, file);
  return count == 1 ? f + std::to_string(first)
                    : f + "[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

constexpr int kA = 40, kB = 60, kIndex = 80, kScaleA = 81, kScaleB = 82, kC = 128, kD = 192;

// Register files: gfx908 accumulates in AGPRs only; later targets are tried with A in AGPRs and the result in
// VGPRs.
struct Files {
  char a, b, cd;
};
Files files_of(const Case& c) {
  return c.processor == "gfx908" ? Files{'v', 'v', 'a'} : Files{'a', 'v', 'v'};
}

VectorRegister* file(Machine& machine, char name, int first) {
  return name == 'a' ? &machine.a(first) : &machine.v(first);
}

std::string text_of(const Case& c) {
  const Files files = files_of(c);
  const int results = c.m * c.n * c.blocks / 64 * (c.a.bits == 64 ? 2 : 1);
  std::string text = c.mnemonic + " " + registers(files.cd, kD, results);
  text += ", " + registers(files.a, kA, std::max(1, c.held() / (c.sparse ? 2 : 1) * c.a.bits / 32));
  text += ", " + registers(files.b, kB, std::max(1, c.held() * c.b.bits / 32));
  text += c.sparse ? ", v" + std::to_string(kIndex) : ", " + registers(files.cd, kC, results);
  if (c.mnemonic.find("_scale_") != std::string::npos)
    text += ", v" + std::to_string(kScaleA) + ", v" + std::to_string(kScaleB);
  return text + c.modifiers;
}

struct Matrices {
  std::vector<double> a, b, c, scale_a, scale_b;
};

// Random operands in registers and as numbers. For sparse A: 2 of 4 elements, index set `slot` of the
// register.
Matrices fill(Machine& machine, const Case& c, int slot, int scale_byte_a, int scale_byte_b) {
  const Files files = files_of(c);
  Matrices x;
  x.a.assign(static_cast<size_t>(c.blocks * c.m * c.k), 0);
  x.b.assign(static_cast<size_t>(c.blocks * c.k * c.n), 0);
  x.c.assign(static_cast<size_t>(c.blocks * c.m * c.n), 0);
  x.scale_a.assign(64, 1);
  x.scale_b.assign(64, 1);
  for (int block = 0; block < c.blocks; ++block) {
    for (int i = 0; i < c.m; ++i)
      for (int k = 0; k < c.k; ++k) {
        const size_t at = static_cast<size_t>((block * c.m + i) * c.k + k);
        const uint64_t code_b = random_code(machine, c.b);
        x.b[at] = value_of(c.b, code_b);  // [column][k]
        put(file(machine, files.b, kB), c.b.bits, operand_place(c, c.split_b, block, i, k), code_b);
        if (c.sparse) continue;
        const uint64_t code_a = random_code(machine, c.a);
        x.a[at] = value_of(c.a, code_a);
        put(file(machine, files.a, kA), c.a.bits, operand_place(c, c.split_a, block, i, k), code_a);
      }
    for (int i = 0; i < c.m; ++i)
      for (int j = 0; j < c.n; ++j) {
        const uint64_t code = c.a.integer ? machine.random() : random_code(machine, c.result());
        x.c[static_cast<size_t>((block * c.m + i) * c.n + j)] =
            c.a.integer ? static_cast<int32_t>(code) : value_of(c.result(), code);
        put(file(machine, files.cd, c.sparse ? kD : kC), c.result().bits, result_place(c, block, i, j), code);
      }
  }
  if (c.sparse)
    for (int i = 0; i < c.m; ++i)
      for (int group = 0; group < c.k / 4; ++group) {
        uint32_t first = machine.random(4), second = machine.random(3);
        second += second >= first;
        const int held = c.held() / 2, kept = group * 2;  // kept elements are packed along k
        for (int which = 0; which < 2; ++which) {
          const Place place{(kept + which) % held, c.m * ((kept + which) / held) + i};
          const uint64_t code = random_code(machine, c.a);
          const uint32_t position = which ? second : first;
          x.a[static_cast<size_t>(i * c.k + group * 4) + position] = value_of(c.a, code);
          put(file(machine, files.a, kA), c.a.bits, place, code);
          put(&machine.v(kIndex), 2, {slot * held + place.element, place.lane}, position);
        }
      }
  for (size_t lane = 0; lane < 64; ++lane) {  // E8M0, one per row and 32 elements of k
    x.scale_a[lane] =
        std::ldexp(1.0, static_cast<int>(machine.v(kScaleA).lane[lane] >> 8 * scale_byte_a & 0xff) - 127);
    x.scale_b[lane] =
        std::ldexp(1.0, static_cast<int>(machine.v(kScaleB).lane[lane] >> 8 * scale_byte_b & 0xff) - 127);
  }
  return x;
}

// Compares D with A B + C; floating-point results within the bound of k roundings of the sum of magnitudes.
void check(Machine& machine, const Case& c, const Matrices& x, bool scaled) {
  const VectorRegister* result = file(machine, files_of(c).cd, kD);
  const double unit = c.a.bits == 64 ? 0x1p-53 : 0x1p-24;
  for (int block = 0; block < c.blocks; ++block)
    for (int i = 0; i < c.m; ++i)
      for (int j = 0; j < c.n; ++j) {
        long double exact = x.c[static_cast<size_t>((block * c.m + i) * c.n + j)],
                    magnitude = std::fabs(exact);
        for (int k = 0; k < c.k; ++k) {
          long double product =
              static_cast<long double>(x.a[static_cast<size_t>((block * c.m + i) * c.k + k)]) *
              x.b[static_cast<size_t>((block * c.n + j) * c.k + k)];
          if (scaled)
            product *= x.scale_a[static_cast<size_t>(k / 32 * c.m + i)] *
                       x.scale_b[static_cast<size_t>(k / 32 * c.n + j)];
          exact += product;
          magnitude += std::fabs(product);
        }
        const uint64_t code = get(result, c.result().bits, result_place(c, block, i, j));
        if (c.a.integer) {
          ASSERT_EQ(static_cast<uint32_t>(code), static_cast<uint32_t>(static_cast<int64_t>(exact)))
              << c.mnemonic << " block " << block << " i " << i << " j " << j;
          continue;
        }
        const double found =
            c.a.bits == 64 ? std::bit_cast<double>(code) : std::bit_cast<float>(static_cast<uint32_t>(code));
        ASSERT_LE(std::fabs(static_cast<double>(found - exact)),
                  1.01 * (c.k + 2) * unit * static_cast<double>(magnitude))
            << c.processor << " " << c.mnemonic << c.modifiers << " block " << block << " i " << i << " j "
            << j << ": " << found << " instead of " << static_cast<double>(exact);
      }
}

Type type_named(const std::string& name, bool ocp) {
  if (name == "f64") return kF64;
  if (name == "f32" || name == "xf32") return kF32;
  if (name == "f16") return kF16;
  if (name == "i8") return kI8;
  if (name == "fp8") return ocp ? kFp8 : kFp8Fnuz;
  if (name == "bf8") return ocp ? kBf8 : kBf8Fnuz;
  return kBf16;
}

// "v_mfma_f32_32x32x8f16", "v_mfma_f32_32x32x4_2b_f16", "v_smfmac_f32_16x16x64_fp8_bf8"
Case make_case(const std::string& processor, const std::string& mnemonic) {
  static const std::regex pattern(
      "v_(s?)mfma.*_(\\d+)x(\\d+)x(\\d+)(?:_(\\d+)b)?_?([a-z]+\\d+)(?:_1k)?(?:_([a-z]+\\d+))?");
  std::smatch match;
  Case c;
  if (!std::regex_match(mnemonic, match, pattern)) throw std::runtime_error("name: " + mnemonic);
  c.processor = processor;
  c.mnemonic = mnemonic;
  c.sparse = match[1].length() > 0;
  c.m = std::stoi(match[2]);
  c.n = std::stoi(match[3]);
  c.k = std::stoi(match[4]);
  const bool ocp = processor == "gfx950";
  c.a = type_named(match[6], ocp);
  c.b = match[7].length() ? type_named(match[7], ocp) : c.a;
  if (match[5].length()) c.blocks = std::stoi(match[5]);
  return c;
}

// Cases of one processor, assembled together.
void check_cases(const std::vector<Case>& cases) {
  Machine machine(cases[0].processor);
  std::string text;
  for (const Case& c : cases) text += text_of(c) + "\n";
  const auto code = machine.assemble(text);
  ASSERT_EQ(code.size(), cases.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    machine.wave.set_exec(machine.random(2) ? 0 : machine.random_mask());  // ignored
    const Matrices matrices = fill(machine, cases[i], 0, 0, 0);
    machine.execute(code[i]);
    check(machine, cases[i], matrices, false);
  }
}

// Block counts that the older names leave out.
Case old_case(const std::string& processor, const std::string& mnemonic, int blocks) {
  Case c = make_case(processor, mnemonic);
  c.blocks = blocks;
  return c;
}

TEST(Matrix, Gfx908) {
  const std::vector<std::pair<std::string, int>> names = {
      {"f32_32x32x1f32", 2}, {"f32_16x16x1f32", 4},  {"f32_4x4x1f32", 16},   {"f32_32x32x2f32", 1},
      {"f32_16x16x4f32", 1}, {"f32_32x32x4f16", 2},  {"f32_16x16x4f16", 4},  {"f32_4x4x4f16", 16},
      {"f32_32x32x8f16", 1}, {"f32_16x16x16f16", 1}, {"f32_32x32x2bf16", 2}, {"f32_16x16x2bf16", 4},
      {"f32_4x4x2bf16", 16}, {"f32_32x32x4bf16", 1}, {"f32_16x16x8bf16", 1}, {"i32_32x32x4i8", 2},
      {"i32_16x16x4i8", 4},  {"i32_4x4x4i8", 16},    {"i32_32x32x8i8", 1},   {"i32_16x16x16i8", 1}};
  for (const char* processor : {"gfx908", "gfx90a"}) {
    std::vector<Case> cases;
    for (const auto& [name, blocks] : names) cases.push_back(old_case(processor, "v_mfma_" + name, blocks));
    check_cases(cases);
  }
}

TEST(Matrix, Gfx90a) {
  std::vector<Case> cases;
  for (const auto& [name, blocks] : std::vector<std::pair<std::string, int>>{{"f32_32x32x4bf16_1k", 2},
                                                                             {"f32_16x16x4bf16_1k", 4},
                                                                             {"f32_4x4x4bf16_1k", 16},
                                                                             {"f32_32x32x8bf16_1k", 1},
                                                                             {"f32_16x16x16bf16_1k", 1},
                                                                             {"f64_16x16x4f64", 1},
                                                                             {"f64_4x4x4f64", 4}})
    cases.push_back(old_case("gfx90a", "v_mfma_" + name, blocks));
  check_cases(cases);
}

// Shapes that gfx942 and gfx950 have in common.
const std::vector<std::string> kGfx942Names = {
    "v_mfma_f32_32x32x1_2b_f32",     "v_mfma_f32_16x16x1_4b_f32",     "v_mfma_f32_4x4x1_16b_f32",
    "v_mfma_f32_32x32x2_f32",        "v_mfma_f32_16x16x4_f32",        "v_mfma_f32_32x32x4_2b_f16",
    "v_mfma_f32_16x16x4_4b_f16",     "v_mfma_f32_4x4x4_16b_f16",      "v_mfma_f32_32x32x8_f16",
    "v_mfma_f32_16x16x16_f16",       "v_mfma_i32_32x32x4_2b_i8",      "v_mfma_i32_16x16x4_4b_i8",
    "v_mfma_i32_4x4x4_16b_i8",       "v_mfma_i32_32x32x16_i8",        "v_mfma_i32_16x16x32_i8",
    "v_mfma_f32_32x32x4_2b_bf16",    "v_mfma_f32_16x16x4_4b_bf16",    "v_mfma_f32_4x4x4_16b_bf16",
    "v_mfma_f32_32x32x8_bf16",       "v_mfma_f32_16x16x16_bf16",      "v_mfma_f64_16x16x4_f64",
    "v_mfma_f64_4x4x4_4b_f64",       "v_mfma_f32_16x16x32_bf8_bf8",   "v_mfma_f32_16x16x32_bf8_fp8",
    "v_mfma_f32_16x16x32_fp8_bf8",   "v_mfma_f32_16x16x32_fp8_fp8",   "v_mfma_f32_32x32x16_bf8_bf8",
    "v_mfma_f32_32x32x16_bf8_fp8",   "v_mfma_f32_32x32x16_fp8_bf8",   "v_mfma_f32_32x32x16_fp8_fp8",
    "v_smfmac_f32_16x16x32_f16",     "v_smfmac_f32_32x32x16_f16",     "v_smfmac_f32_16x16x32_bf16",
    "v_smfmac_f32_32x32x16_bf16",    "v_smfmac_i32_16x16x64_i8",      "v_smfmac_i32_32x32x32_i8",
    "v_smfmac_f32_16x16x64_bf8_bf8", "v_smfmac_f32_16x16x64_bf8_fp8", "v_smfmac_f32_16x16x64_fp8_bf8",
    "v_smfmac_f32_16x16x64_fp8_fp8", "v_smfmac_f32_32x32x32_bf8_bf8", "v_smfmac_f32_32x32x32_bf8_fp8",
    "v_smfmac_f32_32x32x32_fp8_bf8", "v_smfmac_f32_32x32x32_fp8_fp8"};

TEST(Matrix, Gfx942) {
  std::vector<Case> cases;
  for (const std::string& name : kGfx942Names) cases.push_back(make_case("gfx942", name));
  check_cases(cases);
}

// xf32 operands with no more than the 10 mantissa bits that the format keeps.
TEST(Matrix, Xf32KeepsTenMantissaBits) {
  for (const char* name : {"v_mfma_f32_16x16x8_xf32", "v_mfma_f32_32x32x4_xf32"}) {
    const Case c = make_case("gfx942", name);
    Machine machine("gfx942");
    const auto code = machine.assemble(text_of(c));
    Matrices x = fill(machine, c, 0, 0, 0);
    for (auto [values, base, f] : {std::tuple{&x.a, kA, files_of(c).a}, std::tuple{&x.b, kB, files_of(c).b}})
      for (int i = 0; i < c.m; ++i)
        for (int k = 0; k < c.k; ++k) {
          double& value = (*values)[static_cast<size_t>(i * c.k + k)];
          const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(value)) & 0xffffe000;
          value = std::bit_cast<float>(bits);
          // Less than half of the last kept bit is dropped again.
          put(file(machine, f, base), 32, operand_place(c, false, 0, i, k), bits | 0xfff);
        }
    machine.execute(code[0]);
    check(machine, c, x, false);
  }
}

TEST(Matrix, Gfx950) {
  std::vector<Case> cases;
  for (const std::string& name : kGfx942Names) cases.push_back(make_case("gfx950", name));
  for (const char* name :
       {"v_mfma_f32_16x16x32_f16",        "v_mfma_f32_32x32x16_f16",        "v_mfma_f32_16x16x32_bf16",
        "v_mfma_f32_32x32x16_bf16",       "v_mfma_i32_16x16x64_i8",         "v_mfma_i32_32x32x32_i8",
        "v_smfmac_f32_16x16x64_f16",      "v_smfmac_f32_32x32x32_f16",      "v_smfmac_f32_16x16x64_bf16",
        "v_smfmac_f32_32x32x32_bf16",     "v_smfmac_i32_16x16x128_i8",      "v_smfmac_i32_32x32x64_i8",
        "v_smfmac_f32_16x16x128_bf8_bf8", "v_smfmac_f32_16x16x128_bf8_fp8", "v_smfmac_f32_16x16x128_fp8_bf8",
        "v_smfmac_f32_16x16x128_fp8_fp8", "v_smfmac_f32_32x32x64_bf8_bf8",  "v_smfmac_f32_32x32x64_bf8_fp8",
        "v_smfmac_f32_32x32x64_fp8_bf8",  "v_smfmac_f32_32x32x64_fp8_fp8"})
    cases.push_back(make_case("gfx950", name));
  check_cases(cases);
}

Case f8f6f4_case(int shape, int format_a, int format_b, bool scaled) {
  static constexpr Type kTypes[] = {kFp8, kBf8, kFp6, kBf6, kFp4};
  Case c;
  c.processor = "gfx950";
  c.mnemonic = std::string(scaled ? "v_mfma_scale_f32_" : "v_mfma_f32_") +
               (shape == 16 ? "16x16x128" : "32x32x64") + "_f8f6f4";
  c.m = c.n = shape;
  c.k = shape == 16 ? 128 : 64;
  c.a = kTypes[format_a];
  c.b = kTypes[format_b];
  c.split_a = c.a.bits == 8;
  c.split_b = c.b.bits == 8;
  c.modifiers = " cbsz:" + std::to_string(format_a) + " blgp:" + std::to_string(format_b);
  return c;
}

TEST(Matrix, MixedNarrowFormats) {
  std::vector<Case> cases;
  for (int shape : {16, 32})
    for (int a = 0; a < 5; ++a)
      for (int b = 0; b < 5; ++b) cases.push_back(f8f6f4_case(shape, a, b, false));
  check_cases(cases);
}

TEST(Matrix, ScaledNarrowFormats) {
  for (int shape : {16, 32})
    for (int format : {0, 2, 4}) {
      Case c = f8f6f4_case(shape, format, 4 - format, true);
      // Scale bytes 2 and 1: the low bit comes from op_sel, the high one from op_sel_hi.
      c.modifiers = " op_sel:[0,1,0] op_sel_hi:[1,0,0]" + c.modifiers;
      Machine machine("gfx950");
      const auto code = machine.assemble(text_of(c));
      for (int reg : {kScaleA, kScaleB})
        for (uint32_t& word : machine.v(reg).lane) {
          word = 0;
          for (int byte = 0; byte < 4; ++byte) word |= (117 + machine.random(20)) << 8 * byte;
        }
      const Matrices matrices = fill(machine, c, 0, 2, 1);
      machine.execute(code[0]);
      check(machine, c, matrices, true);
    }
}

TEST(Matrix, SparseIndexSetsAreSelectedByAbid) {
  struct Form {
    const char* name;
    int slots;
  };
  for (const Form& form : {Form{"v_smfmac_f32_16x16x32_f16", 4}, {"v_smfmac_f32_32x32x32_fp8_bf8", 2}})
    for (int slot = 0; slot < form.slots; ++slot) {
      Case c = make_case("gfx942", form.name);
      c.modifiers = " abid:" + std::to_string(slot);
      Machine machine("gfx942");
      const auto code = machine.assemble(text_of(c));
      const Matrices matrices = fill(machine, c, slot, 0, 0);
      machine.execute(code[0]);
      check(machine, c, matrices, false);
    }
}

// Entries of AMD's matrix instruction calculator (version of commit 2ef9189): A[i][k], B[k][j] and D[i][j] of
// a block.
struct Entry {
  const char* processor;
  const char* mnemonic;
  int bits;
  struct {
    int element, lane;
  } a, b, d;
};

TEST(Matrix, PlacesPrintedByTheCalculator) {
  const Entry entries[] = {
      {"gfx908", "v_mfma_f32_32x32x8f16", 16, {2, 45}, {2, 54}, {5, 54}},       // A[13][6], B[6][22]
      {"gfx908", "v_mfma_f32_4x4x4f16", 16, {1, 46}, {1, 47}, {2, 47}},         // block 11: A[2][1], B[1][3]
      {"gfx90a", "v_mfma_f32_16x16x4bf16_1k", 16, {3, 41}, {3, 46}, {9, 46}},   // block 2: A[9][3], B[3][14]
      {"gfx90a", "v_mfma_f64_16x16x4f64", 64, {0, 43}, {0, 39}, {2, 55}},       // A[11][2], B[2][7]
      {"gfx90a", "v_mfma_f64_4x4x4f64", 64, {0, 47}, {0, 45}, {0, 61}},         // block 3: A[3][2], B[2][1]
      {"gfx942", "v_mfma_i32_32x32x16_i8", 8, {5, 61}, {5, 37}, {13, 37}},      // A[29][13], B[13][5]
      {"gfx942", "v_mfma_f32_16x16x8_xf32", 32, {1, 38}, {1, 44}, {2, 28}},     // A[6][5], B[5][12]
      {"gfx942", "v_mfma_f32_16x16x32_fp8_fp8", 8, {5, 42}, {5, 35}, {2, 35}},  // A[10][21], B[21][3]
      {"gfx942", "v_mfma_f32_32x32x1_2b_f32", 32, {0, 59}, {0, 40}, {31, 8}},   // block 1: A[27][0], B[0][8]
      {"gfx942", "v_mfma_f32_16x16x16_f16", 16, {2, 37}, {2, 43}, {1, 27}},     // A[5][10], B[10][11]
  };
  for (const Entry& entry : entries) {
    Case c = make_case(entry.processor, entry.mnemonic);
    const std::string name = entry.mnemonic;
    if (name.find("4x4x4f16") != std::string::npos) c.blocks = 16;
    if (name.find("4x4x4f64") != std::string::npos || name.find("16x16x4bf16") != std::string::npos)
      c.blocks = 4;
    Machine machine(c.processor);
    for (int i = 0; i < Machine::kRegisters; ++i) machine.v(i).lane.fill(0), machine.a(i).lane.fill(0);
    const auto code = machine.assemble(text_of(c));
    // One in the element's format: 1 for i8, else the code of 1.0.
    const uint64_t one = c.a.integer ? 1 : static_cast<uint64_t>(c.a.bias) << c.a.mantissa_bits;
    put(file(machine, files_of(c).a, kA), entry.bits, {entry.a.element, entry.a.lane}, one);
    put(file(machine, files_of(c).b, kB), entry.bits, {entry.b.element, entry.b.lane}, one);
    machine.execute(code[0]);
    const VectorRegister* d = file(machine, files_of(c).cd, kD);
    const int width = c.result().bits;
    const uint64_t expected = c.a.integer ? 1 : width == 64 ? 0x3ff0000000000000 : 0x3f800000;
    for (int element = 0; element < c.m * c.n * c.blocks / 64; ++element)
      for (int lane = 0; lane < 64; ++lane)
        ASSERT_EQ(get(d, width, {element, lane}),
                  element == entry.d.element && lane == entry.d.lane ? expected : 0)
            << entry.mnemonic << " element " << element << " lane " << lane;
  }
}

// blgp on permuted lanes equals no blgp on registers permuted beforehand; the same for cbsz and abid.
TEST(Matrix, BroadcastModifiersPermuteLanes) {
  const auto b_source = [](int blgp, int lane) {
    switch (blgp) {
      case 1:
        return lane & 31;
      case 2:
        return lane | 32;
      case 3:
        return (lane + 16) & 63;
      default:
        return blgp ? (blgp - 4) * 16 + (lane & 15) : lane;
    }
  };
  for (int blgp = 1; blgp < 8; ++blgp) {
    Machine machine("gfx90a");
    machine.run("v_mfma_f32_16x16x4f32 v[0:3], v10, v11, 0 blgp:" + std::to_string(blgp));
    for (int lane = 0; lane < 64; ++lane)
      machine.v(12).lane[static_cast<size_t>(lane)] =
          machine.v(11).lane[static_cast<size_t>(b_source(blgp, lane))];
    machine.run("v_mfma_f32_16x16x4f32 v[4:7], v10, v12, 0");
    for (int r = 0; r < 4; ++r) ASSERT_EQ(machine.v(r).lane, machine.v(4 + r).lane) << "blgp " << blgp;
  }
  // Calculator: with cbsz:1 abid:1, A[3][0] of block 3 is read from lane 51; with abid:0, from lane 35.
  struct Broadcast {
    int cbsz, abid;
  };
  for (const Broadcast& broadcast : {Broadcast{1, 0}, {1, 1}, {2, 0}, {2, 3}}) {
    Machine machine("gfx942");
    machine.run("v_mfma_f32_16x16x1_4b_f32 v[16:31], v10, v11, 0 cbsz:" + std::to_string(broadcast.cbsz) +
                " abid:" + std::to_string(broadcast.abid));
    const int size = 1 << broadcast.cbsz;
    for (int lane = 0; lane < 64; ++lane) {
      const int block = lane / 16 / size * size + broadcast.abid;
      machine.v(12).lane[static_cast<size_t>(lane)] =
          machine.v(10).lane[static_cast<size_t>(16 * block + lane % 16)];
    }
    machine.run("v_mfma_f32_16x16x1_4b_f32 v[32:47], v12, v11, 0");
    for (int r = 0; r < 16; ++r) ASSERT_EQ(machine.v(16 + r).lane, machine.v(32 + r).lane);
  }
}

TEST(Matrix, DoubleFormsNegateTheirSources) {
  Machine machine("gfx942");
  for (int i = 10; i < 30; ++i) machine.v(i).lane.fill(0);
  for (int reg : {11, 13, 21}) machine.v(reg).lane.fill(0x3ff00000);  // 1.0
  machine.run("v_mfma_f64_4x4x4_4b_f64 v[0:1], v[10:11], v[12:13], v[20:21] neg:[1,0,0]");
  EXPECT_EQ(machine.v(1).lane[7], 0xc0080000u);  // 1 - 4 = -3
  machine.run("v_mfma_f64_4x4x4_4b_f64 v[0:1], v[10:11], v[12:13], v[20:21] neg:[0,0,1]");
  EXPECT_EQ(machine.v(1).lane[7], 0x40080000u);  // 4 - 1 = 3
}

TEST(Matrix, ConstantAccumulators) {
  Machine machine("gfx942");
  machine.v(10).lane.fill(0);
  machine.v(11).lane.fill(0);
  machine.run(
      "v_mfma_f32_16x16x4_f32 v[0:3], v10, v11, 1.0\nv_mfma_i32_16x16x32_i8 v[4:7], v[12:13], v[10:11], -5");
  EXPECT_EQ(machine.v(3).lane[9], 0x3f800000u);
  EXPECT_EQ(machine.v(4).lane[9], static_cast<uint32_t>(-5));
}

// PyTorch's numerical notes: MI200 flushes f16 and bf16 denormals in MFMA, MI100 and MI300 do not.
TEST(Matrix, OnlyGfx90aFlushesDenormals) {
  for (const char* processor : {"gfx908", "gfx90a"}) {
    Machine machine(processor);
    for (int i : {10, 11}) machine.v(i).lane.fill(0x00010001);  // smallest f16 denormal, 2^-24
    for (int i : {12, 13}) machine.v(i).lane.fill(0x3c003c00);  // 1.0
    for (int i = 4; i < 8; ++i) machine.a(i).lane.fill(0);
    machine.run("v_mfma_f32_16x16x16f16 a[0:3], v[10:11], v[12:13], a[4:7]");
    EXPECT_EQ(std::bit_cast<float>(machine.a(2).lane[40]),
              processor == std::string("gfx90a") ? 0.0f : 0x1p-20f);
  }
}

TEST(Matrix, ResultMayOverlapTheAccumulatorInPart) {
  for (int distance : {-2, 0, 2}) {
    Machine machine("gfx942");
    for (int r = 0; r < 4; ++r) machine.v(40 + r) = machine.v(20 + r);
    machine.run("v_mfma_i32_16x16x32_i8 v[0:3], v[10:11], v[12:13], v[40:43]\nv_mfma_i32_16x16x32_i8 " +
                registers('v', 20 + distance, 4) + ", v[10:11], v[12:13], v[20:23]");
    for (int r = 0; r < 4; ++r) EXPECT_EQ(machine.v(20 + distance + r).lane, machine.v(r).lane) << distance;
  }
}

TEST(Matrix, IntegersWrap) {
  Machine machine("gfx942");
  for (int i : {10, 11, 12, 13}) machine.v(i).lane.fill(0x7f7f7f7f);
  for (int i = 20; i < 24; ++i) machine.v(i).lane.fill(0x7fffffff);
  machine.run("v_mfma_i32_16x16x32_i8 v[0:3], v[10:11], v[12:13], v[20:23]");
  EXPECT_EQ(machine.v(1).lane[33], 0x7fffffffu + 32 * 127 * 127);
}

TEST(Matrix, AccumulatorMovesFollowExec) {
  Machine machine("gfx90a");
  machine.wave.set_exec(0xf0);
  const VectorRegister old = machine.v(1), from = machine.a(2);
  machine.run(
      "v_accvgpr_read_b32 v1, a2\nv_accvgpr_write_b32 a3, v5\nv_accvgpr_mov_b32 a4, a2\nv_accvgpr_write_b32 "
      "a6, 7");
  for (size_t lane = 0; lane < 64; ++lane)
    EXPECT_EQ(machine.v(1).lane[lane], lane / 4 == 1 ? from.lane[lane] : old.lane[lane]);
  EXPECT_EQ(machine.a(3).lane[5], machine.v(5).lane[5]);
  EXPECT_EQ(machine.a(4).lane[5], from.lane[5]);
  EXPECT_EQ(machine.a(6).lane[5], 7u);
}

}  // namespace
}  // namespace wavecast::isa
