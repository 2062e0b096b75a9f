// Every field against LLVM's printed text: random words of every encoding are decoded, LLVM's text is parsed
// by rules of its own, and operands and modifiers must agree. Covers hundreds of mnemonics per target without
// naming one.
#include <gtest/gtest.h>

#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "isa/decoder.h"
#include "isa/semantics/semantics.h"

namespace wavecast::isa {
namespace {

using namespace operand_code;

struct TextOperand {
  std::optional<uint16_t> code;   // register or constant
  std::optional<int64_t> number;  // as printed, if it is one
  bool neg = false, abs = false, sext = false;
  std::string text;
};

struct Text {
  std::string mnemonic;
  std::vector<TextOperand> operands;
  std::map<std::string, std::string> modifiers;  // "offset:16" -> {"offset", "16"}, "glc" -> {"glc", ""}
};

std::optional<uint16_t> register_code(std::string text) {
  static const std::map<std::string, uint16_t> kNamed = {{"vcc", 106},
                                                         {"vcc_lo", 106},
                                                         {"vcc_hi", 107},
                                                         {"exec", 126},
                                                         {"exec_lo", 126},
                                                         {"exec_hi", 127},
                                                         {"m0", 124},
                                                         {"flat_scratch", 102},
                                                         {"flat_scratch_lo", 102},
                                                         {"flat_scratch_hi", 103},
                                                         {"xnack_mask", 104},
                                                         {"xnack_mask_lo", 104},
                                                         {"xnack_mask_hi", 105},
                                                         {"src_shared_base", 235},
                                                         {"src_shared_limit", 236},
                                                         {"src_private_base", 237},
                                                         {"src_private_limit", 238},
                                                         {"src_pops_exiting_wave_id", 239},
                                                         {"src_vccz", 251},
                                                         {"src_execz", 252},
                                                         {"src_scc", 253},
                                                         {"src_lds_direct", 254},
                                                         {"off", kNone}};
  if (const auto named = kNamed.find(text); named != kNamed.end()) return named->second;
  const std::pair<const char*, uint16_t> kFiles[] = {{"ttmp", 108}, {"v", 256}, {"a", 512}, {"s", 0}};
  for (const auto& [prefix, base] : kFiles) {
    if (!text.starts_with(prefix)) continue;
    std::string digits = text.substr(std::string(prefix).size());
    if (digits.starts_with("[")) digits.erase(0, 1);
    if (digits.empty() || std::isdigit(static_cast<unsigned char>(digits[0])) == 0) continue;
    return static_cast<uint16_t>(base + std::stoi(digits));
  }
  static const std::map<std::string, uint16_t> kFloats = {{"0.5", 240},  {"-0.5", 241}, {"1.0", 242},
                                                          {"-1.0", 243}, {"2.0", 244},  {"-2.0", 245},
                                                          {"4.0", 246},  {"-4.0", 247}};
  if (const auto constant = kFloats.find(text); constant != kFloats.end()) return constant->second;
  if (text.starts_with("0.15915494")) return 248;
  return std::nullopt;
}

TextOperand parse_operand(std::string text) {
  TextOperand operand;
  operand.text = text;
  const auto unwrap = [&](const std::string& opening, char closing, bool& flag) {
    if (!text.starts_with(opening) || text.back() != closing) return;
    flag = true;
    text = text.substr(opening.size(), text.size() - opening.size() - 1);
  };
  unwrap("sext(", ')', operand.sext);
  unwrap("neg(", ')', operand.neg);
  if (text.starts_with("-|") ||
      (text.starts_with("-") && text.size() > 1 && std::isalpha(static_cast<unsigned char>(text[1])) != 0)) {
    operand.neg = true;
    text.erase(0, 1);
  }
  unwrap("|", '|', operand.abs);
  operand.code = register_code(text);
  if (operand.code) return operand;
  const bool minus = text.starts_with("-");
  const std::string digits = minus ? text.substr(1) : text;
  const bool hex = digits.starts_with("0x");
  uint64_t value = 0;
  const char* begin = digits.data() + (hex ? 2 : 0);
  const auto result = std::from_chars(begin, digits.data() + digits.size(), value, hex ? 16 : 10);
  if (result.ec == std::errc{} && result.ptr == digits.data() + digits.size())
    operand.number = minus ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
  return operand;
}

Text parse(const std::string& line) {
  Text text;
  size_t position = line.find(' ');
  text.mnemonic = line.substr(0, position);
  int depth = 0;
  std::string token;
  bool modifiers = false;
  const auto finish = [&] {
    if (token.empty()) return;
    const size_t colon = token.find(':');
    // "offset:4" and single words behind the operands are modifiers; "s[0:1]" has its colon in brackets.
    const bool has_value = colon != std::string::npos && token.find('[') > colon;
    static const std::set<std::string> kFlags = {"glc", "slc",   "nt",    "sc0",   "sc1", "lds",
                                                 "gds", "offen", "idxen", "clamp", "scc", "tfe"};
    if (has_value || kFlags.contains(token) || token.starts_with("row_") || token.starts_with("wave_") ||
        token.starts_with("quad_perm")) {
      modifiers = true;
      text.modifiers[token.substr(0, has_value ? colon : std::string::npos)] =
          has_value ? token.substr(colon + 1) : "";
    } else if (!modifiers) {
      text.operands.push_back(parse_operand(token));
    }
    token.clear();
  };
  for (; position < line.size(); ++position) {
    const char c = line[position];
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (depth == 0 && (c == ' ' || c == ',')) {
      finish();
      continue;
    }
    token += c;
  }
  finish();
  return text;
}

// "[1,0,1]" as bits 0, 1, 2.
uint32_t bits_of(const std::string& list) {
  uint32_t bits = 0, position = 0;
  for (char c : list)
    if (c == '0' || c == '1') bits |= static_cast<uint32_t>(c == '1') << position++;
  return bits;
}

class TextCheck {
 public:
  TextCheck(const Instruction& instruction, std::string line)
      : i_(instruction), line_(std::move(line)), text_(parse(line_)) {}

  void run() {
    if (i_.mnemonic == "s_set_gpr_idx_on")
      text_.operands.resize(1);  // the second names operands, not a value
    const bool returns_in_place = i_.encoding == Encoding::smem && i_.is_atomic;  // printed once
    switch (i_.encoding) {
      case Encoding::ds:
        operands({i_.vdst, i_.src[0], i_.src[1], i_.src[2]});
        break;
      case Encoding::flat:
        flat_operands();
        break;
      case Encoding::mubuf:
      case Encoding::mtbuf:
        buffer_operands();
        break;
      case Encoding::smem:
        operands({returns_in_place ? kNone : i_.vdst, i_.src[1], i_.src[2], i_.src[3]}, true);
        break;
      case Encoding::sopk:
      case Encoding::sopp:
        operands({i_.vdst == i_.src[0] ? kNone : i_.vdst, i_.src[0]}, i_.mnemonic != "s_setreg_imm32_b32");
        break;
      case Encoding::mai:
        operands({i_.vdst, i_.src[0], i_.src[1], i_.src[2], i_.scale[0], i_.scale[1]});
        break;
      default:
        operands({i_.vdst, i_.sdst, i_.src[0], i_.src[1], i_.src[2]});
        break;
    }
    modifiers();
  }

 private:
  // The printed operands that name registers or constants are `codes` without kNone, in order. With
  // `immediates`, printed numbers may be offsets and are left to modifiers().
  void operands(std::vector<uint16_t> codes, bool immediates = false) {
    std::erase(codes, kNone);
    size_t next = 0, source = 0;
    const bool has_result = i_.vdst != kNone;
    for (const TextOperand& operand : text_.operands) {
      if (operand.code == kNone) continue;
      if (immediates && !operand.code) continue;
      if (!operand.code && !operand.number) continue;  // "hwreg(...)", "sendmsg(...)"
      ASSERT_LT(next, codes.size()) << line_ << ": '" << operand.text
                                    << "' is not among the decoded operands";
      const uint16_t code = codes[next++];
      if (operand.code) {
        ASSERT_TRUE(same_register(code, *operand.code))
            << line_ << " at '" << operand.text << "', decoded " << code;
      } else {
        constant(code, *operand.number, operand.text);
      }
      if (!is_result(next - 1, has_result)) {
        source_modifiers(operand, source);
        ++source;
      }
    }
    // v_mfma with srcC tied etc. print all; implicit VCC of VOP2 prints too.
    ASSERT_EQ(next, codes.size()) << line_ << ": more operands decoded than printed";
  }
  // LLVM rounds misaligned scalar pairs and quads down, which are illegal anyway.
  static bool same_register(uint16_t code, uint16_t printed) {
    if (code == printed) return true;
    return code < 128 && (code / 2 * 2 == printed || code / 4 * 4 == printed);
  }
  bool is_result(size_t position, bool has_result) const {
    const size_t results = (has_result ? 1 : 0) + (i_.sdst != kNone ? 1 : 0);
    return position < results;
  }
  void constant(uint16_t code, int64_t number, const std::string& operand) {
    if (code == kLiteral) {
      // f16 operands print their low half, 64-bit float operands may print the literal as their high half.
      const auto printed = static_cast<uint64_t>(number);
      EXPECT_TRUE(static_cast<uint32_t>(printed) == i_.literal || printed == (i_.literal & 0xffff) ||
                  printed >> 32 == i_.literal)
          << line_ << std::hex << " literal " << i_.literal;
      return;
    }
    if (code >= 240 && code <= 248) {  // integer operations print float constants as their bits
      static constexpr int64_t kHalf[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                          0xc000, 0x4400, 0xc400, 0x3118};
      EXPECT_EQ(number, kHalf[code - 240]) << line_;
      return;
    }
    ASSERT_GE(number, -16) << line_ << " at " << operand;
    ASSERT_LE(number, 64) << line_ << " at " << operand;
    EXPECT_EQ(code, number >= 0 ? 128 + number : 192 - number) << line_ << " at " << operand;
  }
  void source_modifiers(const TextOperand& operand, size_t source) {
    if (i_.encoding != Encoding::vop3 && i_.encoding != Encoding::vop1 && i_.encoding != Encoding::vop2 &&
        i_.encoding != Encoding::vopc)
      return;
    if (i_.mnemonic == "v_cndmask_b32" && source == 2) return;
    if (i_.has_sdwa && operand.sext) {
      EXPECT_TRUE(source == 0 ? i_.sdwa.src0_sext : i_.sdwa.src1_sext) << line_;
    }
    if (operand.neg) {
      EXPECT_TRUE((i_.neg >> source & 1) != 0) << line_ << " neg of source " << source;
    }
    if (operand.abs) {
      EXPECT_TRUE((i_.abs >> source & 1) != 0) << line_ << " abs of source " << source;
    }
    if (takes_modifiers() && !operand.sext && operand.code) {
      EXPECT_EQ((i_.neg >> source & 1) != 0, operand.neg) << line_ << " neg of source " << source;
      EXPECT_EQ((i_.abs >> source & 1) != 0, operand.abs) << line_ << " abs of source " << source;
    }
  }
  // Float arithmetic prints neg and abs whenever their bits are set.
  bool takes_modifiers() const {
    return (i_.mnemonic.ends_with("_f32") || i_.mnemonic.ends_with("_f64")) &&
           (i_.mnemonic.starts_with("v_add") || i_.mnemonic.starts_with("v_mul_f") ||
            i_.mnemonic.starts_with("v_fma_f") || i_.mnemonic.starts_with("v_max_f"));
  }
  void flat_operands() {
    std::vector<uint16_t> codes = {i_.vdst, i_.vaddr_off ? kNone : i_.src[0], i_.src[1],
                                   i_.saddr_off ? kNone : i_.src[2]};
    operands(codes);
    EXPECT_EQ(i_.saddr_off && i_.src[2] != kNone, false) << line_;
  }
  void buffer_operands() {
    const bool returns = i_.is_atomic && i_.vdst != kNone;  // result and data are one register, printed once
    operands({returns ? kNone : i_.vdst, i_.src[1], i_.src[0], i_.src[2], i_.src[3]});
  }
  void number(const char* name, int64_t value, int64_t absent, int64_t mask = -1) {
    const auto found = text_.modifiers.find(name);
    const int64_t printed = found == text_.modifiers.end() ? absent : std::stoll(found->second, nullptr, 0);
    EXPECT_EQ(value, printed & mask) << line_ << " " << name;
  }
  bool flag(const char* name) const { return text_.modifiers.contains(name); }
  void modifiers() {
    switch (i_.encoding) {
      case Encoding::ds:
        if (flag("offset0") || flag("offset1")) {
          number("offset0", i_.immediate & 0xff, 0);
          number("offset1", i_.immediate >> 8, 0);
        } else if (!i_.mnemonic.starts_with("ds_read2") && !i_.mnemonic.starts_with("ds_write2") &&
                   !i_.mnemonic.starts_with("ds_wrxchg2") && i_.mnemonic != "ds_swizzle_b32" &&
                   i_.mnemonic != "ds_nop") {
          number("offset", i_.immediate, 0);
        }
        EXPECT_EQ(i_.gds, flag("gds")) << line_;
        break;
      case Encoding::flat:
      case Encoding::mubuf:
        if (text_.operands.empty()) break;
        // Plain flat has 12 offset bits; LLVM prints a thirteenth that hardware ignores.
        number("offset", i_.offset, 0, i_.encoding == Encoding::flat && i_.segment == 0 ? 0xfff : -1);
        EXPECT_EQ(i_.glc, flag("glc") || flag("sc0")) << line_;
        EXPECT_EQ(i_.slc, flag("slc") || flag("nt")) << line_;
        if (flag("sc1") || flag("scc")) {
          EXPECT_TRUE(i_.dlc) << line_;
        }
        if (i_.encoding == Encoding::mubuf) {
          EXPECT_EQ(i_.offen, flag("offen")) << line_;
          EXPECT_EQ(i_.idxen, flag("idxen")) << line_;
        }
        break;
      case Encoding::smem: {
        if (text_.operands.size() < 2 || i_.mnemonic.starts_with("s_atc") ||
            i_.mnemonic.starts_with("s_dcache"))
          break;
        int64_t printed = 0;
        for (const TextOperand& operand : text_.operands)
          if (operand.number) printed = *operand.number;
        if (flag("offset")) printed = std::stoll(text_.modifiers["offset"], nullptr, 0);
        EXPECT_EQ(i_.offset, printed) << line_;
        EXPECT_EQ(i_.glc, flag("glc")) << line_;
        break;
      }
      case Encoding::vop3p:
        if (flag("op_sel")) {
          EXPECT_EQ(i_.op_sel & 7u, bits_of(text_.modifiers["op_sel"])) << line_;
        }
        if (flag("neg_lo")) {
          EXPECT_EQ(i_.neg & 7u, bits_of(text_.modifiers["neg_lo"])) << line_;
        }
        if (flag("neg_hi")) {
          EXPECT_EQ(i_.neg_hi & 7u, bits_of(text_.modifiers["neg_hi"])) << line_;
        }
        if (flag("op_sel_hi") && i_.src[2] != kNone) {
          EXPECT_EQ(i_.op_sel_hi & 7u, bits_of(text_.modifiers["op_sel_hi"])) << line_;
        }
        break;
      case Encoding::mai:
        if (flag("cbsz")) number("cbsz", i_.cbsz, 0);
        if (flag("abid")) number("abid", i_.abid, 0);
        if (flag("blgp")) number("blgp", i_.blgp, 0);
        break;
      default:
        vector_modifiers();
    }
  }
  void vector_modifiers() {
    if (flag("clamp")) {
      EXPECT_TRUE(i_.clamp) << line_;
    }
    if (flag("mul")) {
      EXPECT_EQ(i_.omod, text_.modifiers["mul"] == "2" ? 1 : 2) << line_;
    }
    if (flag("div")) {
      EXPECT_EQ(i_.omod, 3) << line_;
    }
    if (i_.has_dpp) {
      number("row_mask", i_.dpp.row_mask, -1);
      number("bank_mask", i_.dpp.bank_mask, -1);
      EXPECT_EQ(i_.dpp.bound_control, flag("bound_ctrl")) << line_;
      if (flag("row_shr")) {
        EXPECT_EQ(i_.dpp.control, 0x110 + std::stoi(text_.modifiers["row_shr"])) << line_;
      }
    }
    if (!i_.has_sdwa) return;
    static const std::map<std::string, int> kSelectors = {{"BYTE_0", 0}, {"BYTE_1", 1}, {"BYTE_2", 2},
                                                          {"BYTE_3", 3}, {"WORD_0", 4}, {"WORD_1", 5},
                                                          {"DWORD", 6}};
    static const std::map<std::string, int> kUnused = {
        {"UNUSED_PAD", 0}, {"UNUSED_SEXT", 1}, {"UNUSED_PRESERVE", 2}};
    if (flag("dst_sel")) {
      EXPECT_EQ(i_.sdwa.dst_sel, kSelectors.at(text_.modifiers["dst_sel"])) << line_;
    }
    if (flag("dst_unused")) {
      EXPECT_EQ(i_.sdwa.dst_unused, kUnused.at(text_.modifiers["dst_unused"])) << line_;
    }
    if (flag("src0_sel")) {
      EXPECT_EQ(i_.sdwa.src0_sel, kSelectors.at(text_.modifiers["src0_sel"])) << line_;
    }
    if (flag("src1_sel")) {
      EXPECT_EQ(i_.sdwa.src1_sel, kSelectors.at(text_.modifiers["src1_sel"])) << line_;
    }
  }

  const Instruction& i_;
  std::string line_;
  Text text_;
};

struct EncodingPattern {
  uint32_t fixed, mask;
};
constexpr EncodingPattern kPatterns[] = {
    {0xbe800000, 0xff800000}, {0xbf000000, 0xff800000}, {0xb0000000, 0xf0000000},
    {0x80000000, 0xc0000000},                                                      // SOP1 C K 2
    {0x7e000000, 0xfe000000}, {0x7c000000, 0xfe000000}, {0x00000000, 0x80000000},  // VOP1 C 2
    {0xd0000000, 0xfc000000}, {0xd3800000, 0xff800000},                            // VOP3 3P
    {0xc0000000, 0xfc000000}, {0xd8000000, 0xfc000000}, {0xdc000000, 0xfc000000},  // SMEM DS FLAT
    {0xe0000000, 0xfc000000}, {0xe8000000, 0xfc000000},                            // MUBUF MTBUF
};

// Codes that no operand has; LLVM decodes them anyway.
bool names_reserved_operand(const std::string& text) {
  for (const char* part : {"Invalid", "null", "src_flat_scratch_base", "src_pops"})
    if (text.find(part) != std::string::npos) return true;
  return false;
}

class DecoderText : public ::testing::TestWithParam<const char*> {};

TEST_P(DecoderText, FieldsAgreeWithLlvm) {
  auto decoder = Decoder::create(TargetId{GetParam()});
  ASSERT_TRUE(decoder);
  std::mt19937 random(5);
  std::set<std::string> mnemonics;
  for (const EncodingPattern& pattern : kPatterns) {
    for (int round = 0; round < 12000; ++round) {
      std::array<uint32_t, 4> words{};
      for (uint32_t& word : words) word = random();
      words[0] = (words[0] & ~pattern.mask) | pattern.fixed;
      // gfx908 has no AGPRs in memory instructions; LLVM looks at the bit for some of them all the same.
      if (pattern.fixed == 0xdc000000 && std::string(GetParam()) == "gfx908") words[1] &= ~(1u << 23);
      if (round % 4 == 1) words[0] = (words[0] & ~0x1ffu) | 249;  // SDWA
      if (round % 4 == 2) words[0] = (words[0] & ~0x1ffu) | 250;  // DPP
      const auto bytes = std::as_bytes(std::span(words));
      Instruction instruction;
      if (!decoder->decode(bytes, 0, instruction)) continue;
      mnemonics.emplace(instruction.mnemonic);
      const std::string text = decoder->disassemble(bytes, 0);
      if (names_reserved_operand(text)) continue;
      TextCheck(instruction, text).run();
    }
  }
  // A generator that reached only a few opcodes would prove little.
  EXPECT_GT(mnemonics.size(), 700u);
}

// Every scalar opcode that the target's decoder accepts is in the semantics table.
TEST_P(DecoderText, EveryScalarOpcodeIsClassified) {
  auto decoder = Decoder::create(TargetId{GetParam()});
  ASSERT_TRUE(decoder);
  std::mt19937 random(9);
  std::set<std::string> missing, seen;
  const auto check = [&](uint32_t first) {
    for (int round = 0; round < 12; ++round) {
      const std::array<uint32_t, 4> words = {first | (static_cast<uint32_t>(random()) & 0x3e),
                                             static_cast<uint32_t>(random()) & 0x1fffff};
      Instruction instruction;
      if (!decoder->decode(std::as_bytes(std::span(words)), 0, instruction)) continue;
      seen.emplace(instruction.mnemonic);
      if (find_semantics(instruction.mnemonic) == nullptr) missing.emplace(instruction.mnemonic);
    }
  };
  for (uint32_t opcode = 0; opcode < 256; ++opcode) {
    check(0xbe800000 | opcode << 8);                     // SOP1
    check(0xc0020000 | opcode << 18);                    // SMEM with immediate
    if (opcode < 128) check(0xbf800000 | opcode << 16);  // SOPP
    if (opcode < 128) check(0xbf000000 | opcode << 16);  // SOPC
    if (opcode < 32) check(0xb0000000 | opcode << 23);   // SOPK
    if (opcode < 128) check(0x80000000 | opcode << 23);  // SOP2
  }
  std::string list;
  for (const std::string& mnemonic : missing) list += mnemonic + " ";
  EXPECT_EQ(list, "");
  EXPECT_GT(seen.size(), 180u);
}

INSTANTIATE_TEST_SUITE_P(Targets, DecoderText, ::testing::Values("gfx908", "gfx90a", "gfx942", "gfx950"));

}  // namespace
}  // namespace wavecast::isa
