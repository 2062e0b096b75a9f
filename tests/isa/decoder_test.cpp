// Decoder against LLVM's assembler and printer: fields written as assembly come back as the fields of
// Instruction.
#include "isa/decoder.h"

#include <gtest/gtest.h>

#include <random>

#include "support/assembler.h"

namespace wavecast::isa {
namespace {

using namespace operand_code;
using Class = InstructionClass;

Decoder make_decoder(const std::string& processor) {
  auto decoder = Decoder::create(TargetId{processor});
  if (!decoder) throw std::runtime_error(decoder.error().reason);
  return std::move(*decoder);
}

// Decodes a one-line source.
Instruction decode_one(const std::string& text, const std::string& processor = "gfx942") {
  const std::vector<std::byte> bytes = test::assemble_bytes(text + "\n", processor);
  Decoder decoder = make_decoder(processor);
  Instruction instruction;
  EXPECT_TRUE(decoder.decode(bytes, 0, instruction)) << text;
  EXPECT_EQ(instruction.size, bytes.size()) << text;
  return instruction;
}

uint16_t v(int number) { return static_cast<uint16_t>(kFirstVgpr + number); }
uint16_t a(int number) { return static_cast<uint16_t>(kFirstAgpr + number); }

TEST(Decoder, Vop3HasSourcesAndModifiers) {
  const Instruction i = decode_one("v_fma_f32 v1, -v2, |s3|, -|v4| clamp mul:2");
  EXPECT_EQ(i.mnemonic, "v_fma_f32");
  EXPECT_EQ(i.encoding, Encoding::vop3);
  EXPECT_EQ(i.vdst, v(1));
  EXPECT_EQ(i.src, (std::array<uint16_t, 4>{v(2), 3, v(4), kNone}));
  EXPECT_EQ(i.neg, 0b101);
  EXPECT_EQ(i.abs, 0b110);
  EXPECT_TRUE(i.clamp);
  EXPECT_EQ(i.omod, 1);
}

TEST(Decoder, CarriesAreSourcesAndResultsInEveryForm) {
  const Instruction add = decode_one("v_add_co_u32_e32 v1, vcc, v2, v3");
  EXPECT_EQ(add.mnemonic, "v_add_co_u32");
  EXPECT_EQ(add.sdst, kVccLo);
  EXPECT_EQ(add.src[2], kNone);
  const Instruction addc = decode_one("v_addc_co_u32_e32 v1, vcc, v2, v3, vcc");
  EXPECT_EQ(addc.sdst, kVccLo);
  EXPECT_EQ(addc.src[2], kVccLo);
  const Instruction long_form = decode_one("v_addc_co_u32_e64 v1, s[4:5], v2, v3, s[6:7]");
  EXPECT_EQ(long_form.sdst, 4);
  EXPECT_EQ(long_form.src[2], 6);
  const Instruction select = decode_one("v_cndmask_b32_e32 v1, 1.0, v3, vcc");
  EXPECT_EQ(select.src, (std::array<uint16_t, 4>{242, v(3), kVccLo, kNone}));
  EXPECT_EQ(select.sdst, kNone);
}

TEST(Decoder, ComparesWriteScalarMasks) {
  EXPECT_EQ(decode_one("v_cmp_lt_f32_e32 vcc, v1, v2").sdst, kVccLo);
  const Instruction i = decode_one("v_cmp_lt_f32_e64 s[10:11], v1, v2");
  EXPECT_EQ(i.sdst, 10);
  EXPECT_EQ(i.vdst, kNone);
  EXPECT_EQ(decode_one("v_cmp_eq_u32_sdwa s[6:7], v1, v2 src0_sel:BYTE_0 src1_sel:DWORD").sdst, 6);
}

TEST(Decoder, LiteralsTakeTheirPlaceAmongTheSources) {
  EXPECT_EQ(decode_one("s_add_u32 s1, s2, 0x12345678").literal, 0x12345678u);
  const Instruction added = decode_one("v_fmaak_f32 v1, v2, v3, 0x11223344");
  EXPECT_EQ(added.src, (std::array<uint16_t, 4>{v(2), v(3), kLiteral, kNone}));
  const Instruction multiplied = decode_one("v_madmk_f32 v1, v2, 0x11223344, v3", "gfx908");
  EXPECT_EQ(multiplied.src, (std::array<uint16_t, 4>{v(2), kLiteral, v(3), kNone}));
  EXPECT_EQ(multiplied.literal, 0x11223344u);
  const Instruction mode = decode_one("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3");
  EXPECT_EQ(mode.src[0], kLiteral);
  EXPECT_EQ(mode.literal, 3u);
  EXPECT_EQ(static_cast<uint16_t>(mode.immediate), 1u | 4u << 6 | 1u << 11);
}

TEST(Decoder, SubDwordAndDataParallelForms) {
  const Instruction sdwa = decode_one(
      "v_add_u32_sdwa v1, v2, sext(v3) dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 "
      "src1_sel:BYTE_3");
  EXPECT_TRUE(sdwa.has_sdwa);
  EXPECT_EQ(sdwa.sdwa.dst_sel, 1);
  EXPECT_EQ(sdwa.sdwa.dst_unused, 2);
  EXPECT_EQ(sdwa.sdwa.src0_sel, 5);
  EXPECT_EQ(sdwa.sdwa.src1_sel, 3);
  EXPECT_FALSE(sdwa.sdwa.src0_sext);
  EXPECT_TRUE(sdwa.sdwa.src1_sext);
  const Instruction scalar =
      decode_one("v_mul_f32_sdwa v1, -v2, |s3| dst_sel:DWORD src0_sel:DWORD src1_sel:DWORD");
  EXPECT_EQ(scalar.src[1], 3);
  EXPECT_EQ(scalar.neg, 1);
  EXPECT_EQ(scalar.abs, 2);
  const Instruction dpp =
      decode_one("v_add_f32_dpp v1, -v2, |v3| row_shr:3 row_mask:0xa bank_mask:0x5 bound_ctrl:0");
  EXPECT_TRUE(dpp.has_dpp);
  EXPECT_EQ(dpp.dpp.control, 0x113);
  EXPECT_EQ(dpp.dpp.row_mask, 0xa);
  EXPECT_EQ(dpp.dpp.bank_mask, 0x5);
  EXPECT_TRUE(dpp.dpp.bound_control);
  EXPECT_EQ(dpp.src[0], v(2));
  EXPECT_EQ(dpp.neg, 1);
  EXPECT_EQ(dpp.abs, 2);
  EXPECT_EQ(dpp.instruction_class, Class::valu_cross_lane);
}

TEST(Decoder, PackedOperandSelectors) {
  const Instruction i = decode_one(
      "v_pk_fma_f16 v1, v2, v3, s4 op_sel:[1,0,1] op_sel_hi:[0,1,1] neg_lo:[1,0,0] neg_hi:[0,1,0]");
  EXPECT_EQ(i.op_sel, 0b101);
  EXPECT_EQ(i.op_sel_hi, 0b110);
  EXPECT_EQ(i.neg, 0b001);
  EXPECT_EQ(i.neg_hi, 0b010);
  EXPECT_EQ(i.src[2], 4);
}

TEST(Decoder, MatrixAccumulatorsMayBeEitherFile) {
  const Instruction agprs =
      decode_one("v_mfma_f32_32x32x8_f16 a[16:31], v[2:3], a[4:5], a[32:47] cbsz:1 abid:2 blgp:3");
  EXPECT_EQ(agprs.encoding, Encoding::mai);
  EXPECT_EQ(agprs.vdst, a(16));
  EXPECT_EQ(agprs.src, (std::array<uint16_t, 4>{v(2), a(4), a(32), kNone}));
  EXPECT_EQ(agprs.cbsz, 1);
  EXPECT_EQ(agprs.abid, 2);
  EXPECT_EQ(agprs.blgp, 3);
  const Instruction vgprs = decode_one("v_mfma_f32_32x32x8_f16 v[16:31], v[2:3], v[4:5], 0");
  EXPECT_EQ(vgprs.vdst, v(16));
  EXPECT_EQ(vgprs.src[2], 128);
  const Instruction old = decode_one("v_mfma_f32_4x4x1f32 a[0:3], v1, v2, a[4:7]", "gfx908");
  EXPECT_EQ(old.vdst, a(0));
  EXPECT_EQ(old.src, (std::array<uint16_t, 4>{v(1), v(2), a(4), kNone}));
  const Instruction sparse = decode_one("v_smfmac_f32_16x16x32_f16 a[0:3], v[4:5], v[6:9], v10 cbsz:1");
  EXPECT_EQ(sparse.vdst, a(0));
  EXPECT_EQ(sparse.src[2], v(10));
  EXPECT_EQ(decode_one("v_accvgpr_read_b32 v1, a2", "gfx908").src[0], a(2));
  EXPECT_EQ(decode_one("v_accvgpr_write_b32 a1, 1.0").vdst, a(1));
  EXPECT_EQ(decode_one("v_accvgpr_mov_b32 a1, a2").src[0], a(2));
}

TEST(Decoder, ScaledMatrixFormHasScales) {
  const Instruction i = decode_one(
      "v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[4:11], v[12:19], a[20:23], v24, v25 op_sel:[1,0,0] "
      "op_sel_hi:[0,1,0] cbsz:1 blgp:1",
      "gfx950");
  EXPECT_EQ(i.size, 16);
  EXPECT_EQ(i.encoding, Encoding::mai);
  EXPECT_EQ(i.vdst, a(0));
  EXPECT_EQ(i.src, (std::array<uint16_t, 4>{v(4), v(12), a(20), kNone}));
  EXPECT_EQ(i.scale, (std::array<uint16_t, 2>{v(24), v(25)}));
  EXPECT_EQ(i.op_sel, 1);
  EXPECT_EQ(i.op_sel_hi, 2);
  EXPECT_EQ(i.cbsz, 1);
  EXPECT_EQ(i.blgp, 1);
}

TEST(Decoder, DataShareForms) {
  const Instruction write = decode_one("ds_write2_b64 v1, v[2:3], v[4:5] offset0:1 offset1:4");
  EXPECT_EQ(write.src, (std::array<uint16_t, 4>{v(1), v(2), v(4), kNone}));
  EXPECT_EQ(write.immediate, 1 | 4 << 8);
  EXPECT_EQ(write.vdst, kNone);
  EXPECT_EQ(write.lgkmcnt, 1);
  const Instruction read = decode_one("ds_read_b128 a[4:7], v1 offset:65520");
  EXPECT_EQ(read.vdst, a(4));
  EXPECT_EQ(read.immediate, 65520);
  EXPECT_EQ(read.memory_bytes, 16);
  EXPECT_EQ(read.read_count, 2);  // address and EXEC, not M0
  EXPECT_EQ(decode_one("ds_write_addtid_b32 v3").src, (std::array<uint16_t, 4>{kNone, v(3), kNone, kNone}));
  EXPECT_EQ(decode_one("ds_add_rtn_u32 v1, v2, v3 gds", "gfx908").instruction_class, Class::gds);
}

TEST(Decoder, FlatFamilyAddressing) {
  const Instruction global = decode_one("global_load_dwordx4 v[4:7], v1, s[2:3] offset:-16 sc0 nt sc1");
  EXPECT_EQ(global.segment, 2);
  EXPECT_FALSE(global.saddr_off);
  EXPECT_EQ(global.src, (std::array<uint16_t, 4>{v(1), kNone, 2, kNone}));
  EXPECT_EQ(global.offset, -16);
  EXPECT_TRUE(global.glc && global.slc && global.dlc);
  EXPECT_EQ(global.memory_bytes, 16);
  EXPECT_EQ(global.vmcnt, 1);
  EXPECT_EQ(global.lgkmcnt, 0);
  const Instruction flat = decode_one("flat_store_dword v[2:3], a4 offset:4095");
  EXPECT_EQ(flat.segment, 0);
  EXPECT_EQ(flat.src, (std::array<uint16_t, 4>{v(2), a(4), kNone, kNone}));
  EXPECT_EQ(flat.offset, 4095);
  EXPECT_EQ(flat.vmcnt, 1);
  EXPECT_EQ(flat.lgkmcnt, 1);
  const Instruction both = decode_one("scratch_load_dword v1, v2, s3 offset:4");
  EXPECT_FALSE(both.saddr_off || both.vaddr_off);
  EXPECT_EQ(both.segment, 1);
  const Instruction scalar = decode_one("scratch_store_dword off, v1, s3");
  EXPECT_TRUE(scalar.vaddr_off);
  EXPECT_EQ(scalar.mnemonic, "scratch_store_dword");
  EXPECT_EQ(scalar.src, (std::array<uint16_t, 4>{kNone, v(1), 3, kNone}));
  const Instruction old = decode_one("scratch_load_dword v1, off, s3", "gfx90a");
  EXPECT_TRUE(old.vaddr_off);
  EXPECT_FALSE(old.saddr_off);
  const Instruction to_lds = decode_one("global_load_lds_dword v[2:3], off");
  EXPECT_EQ(to_lds.instruction_class, Class::vmem_load_to_lds);
  EXPECT_EQ(to_lds.vdst, kNone);
}

TEST(Decoder, BufferAddressing) {
  const Instruction load =
      decode_one("buffer_load_dwordx2 v[6:7], v[2:3], s[8:11], s12 idxen offen offset:4095 sc0");
  EXPECT_EQ(load.vdst, v(6));
  EXPECT_EQ(load.src, (std::array<uint16_t, 4>{v(2), kNone, 8, 12}));
  EXPECT_TRUE(load.idxen && load.offen && load.glc);
  EXPECT_EQ(load.offset, 4095);
  const Instruction store = decode_one("buffer_store_dword a1, off, s[8:11], 0");
  EXPECT_EQ(store.src, (std::array<uint16_t, 4>{kNone, a(1), 8, 128}));
  EXPECT_EQ(store.vdst, kNone);
  const Instruction atomic = decode_one("buffer_atomic_add v1, v2, s[8:11], 0 offen sc0");
  EXPECT_EQ(atomic.vdst, v(1));
  EXPECT_EQ(atomic.src[1], v(1));
  EXPECT_TRUE(atomic.returns_value && atomic.is_atomic);
  EXPECT_EQ(decode_one("buffer_load_dword v2, s[8:11], 0 offen lds").instruction_class,
            Class::vmem_load_to_lds);
  EXPECT_EQ(decode_one("buffer_inv sc1").vmcnt, 0);
  EXPECT_EQ(decode_one("buffer_wbl2 sc1").vmcnt, 1);
  EXPECT_EQ(
      decode_one(
          "tbuffer_load_format_x v1, v2, s[4:7], 0 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offen")
          .format,
      4 | 7 << 4);
}

TEST(Decoder, ScalarMemoryOffsets) {
  const Instruction immediate = decode_one("s_load_dwordx4 s[8:11], s[2:3], -0x10");
  EXPECT_EQ(immediate.offset, -16);
  EXPECT_EQ(immediate.src, (std::array<uint16_t, 4>{kNone, kNone, 2, kNone}));
  EXPECT_EQ(immediate.vdst, 8);
  EXPECT_EQ(immediate.memory_bytes, 16);
  EXPECT_EQ(decode_one("s_load_dword s0, s[2:3], s5").src[3], 5);
  const Instruction sum = decode_one("s_load_dword s0, s[2:3], s5 offset:0x20");
  EXPECT_EQ(sum.src[3], 5);
  EXPECT_EQ(sum.offset, 0x20);
  const Instruction store = decode_one("s_store_dword s7, s[2:3], 0x8", "gfx90a");
  EXPECT_EQ(store.src[1], 7);
  EXPECT_EQ(store.vdst, kNone);
}

TEST(Decoder, WaitCounts) {
  const Instruction i = decode_one("s_waitcnt vmcnt(35) lgkmcnt(2)");
  EXPECT_EQ(i.wait.vmcnt, 35);
  EXPECT_EQ(i.wait.lgkmcnt, 2);
  EXPECT_EQ(i.wait.expcnt, WaitCounts::kNoWait);
  EXPECT_EQ(decode_one("s_waitcnt expcnt(1)").wait.expcnt, 1);
  EXPECT_EQ(decode_one("s_waitcnt expcnt(1)").wait.vmcnt, WaitCounts::kNoWait);
}

bool has(std::span<const RegisterRange> ranges, RegisterRange wanted) {
  return std::find(ranges.begin(), ranges.end(), wanted) != ranges.end();
}

TEST(Decoder, DependenciesIncludeImplicitRegisters) {
  const Instruction i = decode_one("v_addc_co_u32_e32 v1, vcc, v2, v3, vcc");
  const std::span reads(i.reads.data(), i.read_count), writes(i.writes.data(), i.write_count);
  EXPECT_TRUE(has(reads, {RegisterFile::scalar, 2, kVccLo}));
  EXPECT_TRUE(has(reads, {RegisterFile::scalar, 2, kExecLo}));
  EXPECT_TRUE(has(writes, {RegisterFile::scalar, 2, kVccLo}));
  EXPECT_TRUE(has(writes, {RegisterFile::vgpr, 1, 1}));
  const Instruction matrix = decode_one("v_mfma_f32_32x32x8_f16 a[16:31], v[2:3], v[4:5], a[16:31]");
  EXPECT_TRUE(has(std::span(matrix.writes.data(), matrix.write_count), {RegisterFile::agpr, 16, 16}));
  const Instruction save = decode_one("s_and_saveexec_b64 s[2:3], vcc");
  EXPECT_TRUE(has(std::span(save.writes.data(), save.write_count), {RegisterFile::scc, 1, 0}));
  EXPECT_TRUE(has(std::span(save.writes.data(), save.write_count), {RegisterFile::scalar, 2, kExecLo}));
}

TEST(Decoder, RefusesUnknownProcessors) {
  EXPECT_FALSE(Decoder::create(TargetId{"gfx1100"}));
  EXPECT_FALSE(Decoder::create(TargetId{"nonsense"}));
}

// Whatever the bytes, decoding answers yes or no and a decoded instruction has a sane size and text.
TEST(Decoder, RandomBytesNeverCrash) {
  std::mt19937 random(1);
  for (const char* processor : {"gfx908", "gfx90a", "gfx942", "gfx950"}) {
    Decoder decoder = make_decoder(processor);
    for (int round = 0; round < 20000; ++round) {
      std::array<uint32_t, 4> words{};
      for (uint32_t& word : words) word = random();
      const size_t length = round % 16 + 1;
      Instruction instruction;
      const std::span bytes = std::as_bytes(std::span(words)).first(length);
      if (!decoder.decode(bytes, 0x1000, instruction)) continue;
      ASSERT_LE(instruction.size, length);
      ASSERT_FALSE(instruction.mnemonic.empty());
      ASSERT_TRUE(decoder.disassemble(bytes, 0x1000).starts_with(instruction.mnemonic))
          << decoder.disassemble(bytes, 0x1000) << " vs " << instruction.mnemonic;
    }
  }
}

}  // namespace
}  // namespace wavecast::isa
