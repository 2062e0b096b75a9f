// LLVM MC calls, per-opcode facts (cached), dependencies and counters. Bit fields are in encoding_fields.cpp.
#include "isa/decoder.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "isa/class_from_mnemonic.h"
#include "isa/encoding_fields.h"
#include "isa/llvm_workarounds.h"
#include "isa/registers.h"
#include "isa/semantics/semantics.h"

namespace wavecast::isa {

namespace {

using Class = InstructionClass;

constexpr const char* kTriple = "amdgcn-amd-amdhsa";
constexpr size_t kLongestInstruction = 16;  // bytes, gfx950's scaled MFMA

// Everything about an opcode that does not depend on the operands of one instruction.
struct OpcodeFacts {
  OpcodeShape shape;
  Encoding encoding = Encoding::sopp;
  Semantics execute = nullptr;
  InstructionClass instruction_class = Class::internal;
  MemoryShape memory;
  std::vector<RegisterRange> implicit_reads, implicit_writes;
};

std::string_view without_suffix(std::string_view mnemonic) {
  mnemonic = mnemonic.substr(0, mnemonic.find(' '));  // LLVM's string goes on ("scratch_store_dword off, ")
  for (std::string_view suffix : {"_e32", "_e64", "_sdwa", "_dpp"})
    if (mnemonic.ends_with(suffix)) mnemonic.remove_suffix(suffix.size());
  return mnemonic;
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

template <size_t N>
void append_range(std::array<RegisterRange, N>& ranges, uint8_t& count, const RegisterRange& range) {
  if (range.count == 0 || count == N) return;
  if (std::find(ranges.begin(), ranges.begin() + count, range) != ranges.begin() + count) return;
  ranges[count++] = range;
}

// LLVM lists M0 for every DS instruction because earlier generations bounded LDS by it; GFX9 does not.
bool uses_m0(Encoding encoding, std::string_view mnemonic) {
  if (encoding != Encoding::ds) return true;
  return starts_with_any(
      mnemonic, {"ds_append", "ds_consume", "ds_gws", "ds_ordered", "ds_read_addtid", "ds_write_addtid"});
}

// s_waitcnt of GFX9: vmcnt in bits 3:0 and 15:14, expcnt in 6:4, lgkmcnt in 11:8. An all-ones field waits for
// nothing.
WaitCounts read_wait_counts(uint32_t simm16) {
  constexpr uint32_t kVmcntAny = 63, kLgkmcntAny = 15, kExpcntAny = 7;
  const uint32_t vmcnt = (simm16 & 0xf) | (simm16 >> 14 & 3) << 4;
  const uint32_t expcnt = simm16 >> 4 & 7, lgkmcnt = simm16 >> 8 & 0xf;
  WaitCounts wait;
  if (vmcnt != kVmcntAny) wait.vmcnt = static_cast<uint8_t>(vmcnt);
  if (lgkmcnt != kLgkmcntAny) wait.lgkmcnt = static_cast<uint8_t>(lgkmcnt);
  if (expcnt != kExpcntAny) wait.expcnt = static_cast<uint8_t>(expcnt);
  return wait;
}

// From the operands, not from reads and writes, which are bounded.
void set_register_ends(Instruction& out, const llvm::MCInst& inst, const std::vector<RegisterRange>& ranges) {
  for (const llvm::MCOperand& operand : inst) {
    if (!operand.isReg()) continue;
    const RegisterRange& range = ranges[operand.getReg().id()];
    const auto end = static_cast<uint16_t>(range.first + range.count);
    if (range.file == RegisterFile::vgpr) out.vgpr_end = std::max(out.vgpr_end, end);
    if (range.file == RegisterFile::agpr) out.agpr_end = std::max(out.agpr_end, end);
  }
}

// What issuing increments. Invalidations complete in order without being counted; write-backs are counted.
void set_counters(Instruction& out) {
  const Class c = out.instruction_class;
  if (is_flat(c)) {
    out.vmcnt = out.lgkmcnt = 1;
  } else if (c == Class::vector_cache) {
    out.vmcnt = out.mnemonic == "buffer_wbl2" ? 1 : 0;
  } else if (is_vector_memory(c)) {
    out.vmcnt = 1;
  } else if (c == Class::scalar_cache) {
    out.lgkmcnt = out.encoding == Encoding::smem ? 1 : 0;
  } else if (is_lds(c) || is_scalar_memory(c) || c == Class::message) {
    out.lgkmcnt = 1;
  }
  if (c == Class::gds) out.expcnt = 1;
}

}  // namespace

struct Decoder::Impl {
  Generation generation = Generation::other;
  llvm::Triple triple{kTriple};
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> register_info;
  std::unique_ptr<llvm::MCAsmInfo> asm_info;
  std::unique_ptr<llvm::MCInstrInfo> instruction_info;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
  std::vector<RegisterRange> ranges;
  std::vector<std::unique_ptr<OpcodeFacts>> facts;  // by opcode, filled on first use

  const OpcodeFacts& facts_of(const llvm::MCInst& inst, Encoding encoding);
  std::unique_ptr<OpcodeFacts> make_facts(const llvm::MCInst& inst, Encoding encoding);
  void read_dependencies(Instruction& out, const llvm::MCInst& inst, const OpcodeFacts& opcode);
  bool disassemble(std::span<const std::byte> code, uint64_t address, llvm::MCInst& inst, uint64_t& size);
};

const OpcodeFacts& Decoder::Impl::facts_of(const llvm::MCInst& inst, Encoding encoding) {
  std::unique_ptr<OpcodeFacts>& slot = facts[inst.getOpcode()];
  if (!slot) slot = make_facts(inst, encoding);
  return *slot;
}

std::unique_ptr<OpcodeFacts> Decoder::Impl::make_facts(const llvm::MCInst& inst, Encoding encoding) {
  const llvm::MCInstrDesc& description = instruction_info->get(inst.getOpcode());
  auto result = std::make_unique<OpcodeFacts>();
  OpcodeShape& shape = result->shape;
  const char* mnemonic = printer->getMnemonic(inst).first;
  shape.mnemonic = without_suffix(mnemonic == nullptr ? "" : mnemonic);
  const bool matrix = starts_with_any(shape.mnemonic, {"v_mfma", "v_smfmac", "v_accvgpr"});
  if (encoding == Encoding::vop3p && matrix &&
      shape.mnemonic != "v_mfma_ld_scale_b32")  // a prefix on its own
    encoding = Encoding::mai;
  result->encoding = encoding;
  shape.definitions = static_cast<uint8_t>(description.getNumDefs());
  for (unsigned i = description.getNumDefs(); i < description.getNumOperands(); ++i) {
    if (description.operands()[i].RegClass < 0) continue;
    if (description.getOperandConstraint(i, llvm::MCOI::TIED_TO) >= 0)
      shape.destination_is_source = true;
    else
      ++shape.sources;
  }
  const RegisterRange vcc{RegisterFile::scalar, 2, operand_code::kVccLo},
      m0{RegisterFile::scalar, 1, operand_code::kM0};
  for (llvm::MCPhysReg reg : description.implicit_uses()) {
    const RegisterRange& range = ranges[reg];
    if (range.count > 0 && (range != m0 || uses_m0(encoding, shape.mnemonic)))
      result->implicit_reads.push_back(range);
    shape.reads_vcc |= range == vcc;
  }
  for (llvm::MCPhysReg reg : description.implicit_defs()) {
    const RegisterRange& range = ranges[reg];
    if (range.count > 0) result->implicit_writes.push_back(range);
    shape.writes_vcc |= range == vcc;
  }
  if (const SemanticsRow* row = find_semantics(shape.mnemonic)) {
    result->execute = row->execute;
    result->instruction_class = row->instruction_class;
    result->memory = row->memory;
  } else {
    const DerivedClass derived = class_from_mnemonic(encoding, shape.mnemonic);
    result->instruction_class = derived.instruction_class;
    result->memory = derived.memory;
  }
  return result;
}

void Decoder::Impl::read_dependencies(Instruction& out, const llvm::MCInst& inst, const OpcodeFacts& opcode) {
  for (unsigned i = 0; i < inst.getNumOperands(); ++i) {
    const llvm::MCOperand& operand = inst.getOperand(i);
    if (!operand.isReg() || operand.getReg() == 0) continue;
    const RegisterRange& range = ranges[operand.getReg().id()];
    if (i < opcode.shape.definitions)
      append_range(out.writes, out.write_count, range);
    else
      append_range(out.reads, out.read_count, range);
  }
  for (const RegisterRange& range : opcode.implicit_reads) append_range(out.reads, out.read_count, range);
  for (const RegisterRange& range : opcode.implicit_writes) append_range(out.writes, out.write_count, range);
}

bool Decoder::Impl::disassemble(std::span<const std::byte> code, uint64_t address, llvm::MCInst& inst,
                                uint64_t& size) {
  EncodedWords words;
  std::memcpy(words.word.data(), code.data(), std::min<size_t>(code.size(), kLongestInstruction));
  if (!make_safe_for_llvm(words)) return false;
  std::array<uint8_t, kLongestInstruction + sizeof(uint32_t)>
      bytes{};  // never cut off; the size check sees the end
  std::memcpy(bytes.data(), words.word.data(), kLongestInstruction);
  size = 0;
  return disassembler->getInstruction(inst, size, bytes, address, llvm::nulls()) ==
             llvm::MCDisassembler::Success &&
         size >= 4 && size <= code.size();
}

Expected<Decoder> Decoder::create(const TargetId& target) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
  auto impl = std::make_unique<Impl>();
  impl->generation = generation_of(target.processor);
  if (impl->generation == Generation::other)
    return fail(target.processor, "no decoder for this processor",
                "wavecast executes gfx908, gfx90a, gfx942, gfx950 and gfx9-4-generic code");
  std::string message;
  const llvm::Target* llvm_target = llvm::TargetRegistry::lookupTarget("", impl->triple, message);
  if (llvm_target == nullptr) return fail(target.processor, "LLVM has no AMDGPU target: " + message);
  impl->register_info.reset(llvm_target->createMCRegInfo(impl->triple));
  impl->asm_info.reset(llvm_target->createMCAsmInfo(*impl->register_info, impl->triple, impl->options));
  impl->instruction_info.reset(llvm_target->createMCInstrInfo());
  impl->subtarget.reset(llvm_target->createMCSubtargetInfo(impl->triple, target.processor, ""));
  if (!impl->subtarget || !impl->subtarget->isCPUStringValid(target.processor))
    return fail(target.processor, "LLVM does not know this processor");
  impl->context = std::make_unique<llvm::MCContext>(impl->triple, impl->asm_info.get(),
                                                    impl->register_info.get(), impl->subtarget.get());
  impl->disassembler.reset(llvm_target->createMCDisassembler(*impl->subtarget, *impl->context));
  impl->printer.reset(llvm_target->createMCInstPrinter(impl->triple, impl->asm_info->getAssemblerDialect(),
                                                       *impl->asm_info, *impl->instruction_info,
                                                       *impl->register_info));
  if (!impl->disassembler || !impl->printer)
    return fail(target.processor, "LLVM was built without the AMDGPU disassembler");
  impl->ranges = register_ranges(*impl->register_info);
  impl->facts.resize(impl->instruction_info->getNumOpcodes());
  return Decoder(std::move(impl));
}

Decoder::Decoder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;
Decoder::~Decoder() = default;

bool Decoder::decode(std::span<const std::byte> code, uint64_t address, Instruction& out) {
  llvm::MCInst inst;
  uint64_t size = 0;
  if (!impl_->disassemble(code, address, inst, size)) return false;
  EncodedWords words;
  std::memcpy(words.word.data(), code.data(), std::min<size_t>(size, sizeof words.word));
  const std::optional<Encoding> encoding = encoding_of(words.word[0]);
  if (!encoding) return false;
  const OpcodeFacts& opcode = impl_->facts_of(inst, *encoding);
  out = Instruction{};
  out.address = address;
  out.opcode = inst.getOpcode();
  out.mnemonic = opcode.shape.mnemonic;
  out.size = static_cast<uint8_t>(size);
  out.encoding = opcode.encoding;
  out.execute = opcode.execute;
  out.instruction_class = opcode.instruction_class;
  read_fields(out, words, opcode.shape, impl_->generation);

  out.memory_bytes = opcode.memory.bytes;
  out.is_load = opcode.memory.load;
  out.is_store = opcode.memory.store;
  out.is_atomic = opcode.memory.atomic;
  out.returns_value = (out.is_load || out.is_atomic) && opcode.shape.definitions > 0;
  if (out.lds) out.instruction_class = Class::vmem_load_to_lds;
  if (out.gds) out.instruction_class = Class::gds;
  if (out.has_dpp) out.instruction_class = Class::valu_cross_lane;
  if (out.instruction_class == Class::waitcnt)
    out.wait = read_wait_counts(static_cast<uint16_t>(out.immediate));
  impl_->read_dependencies(out, inst, opcode);
  set_register_ends(out, inst, impl_->ranges);
  set_counters(out);
  return true;
}

std::string Decoder::disassemble(std::span<const std::byte> code, uint64_t address) {
  llvm::MCInst inst;
  uint64_t size = 0;
  if (!impl_->disassemble(code, address, inst, size)) return {};
  std::string text;
  llvm::raw_string_ostream stream(text);
  impl_->printer->printInst(&inst, address, "", *impl_->subtarget, stream);
  stream.flush();
  std::replace(text.begin(), text.end(), '\t', ' ');
  const size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? std::string{} : text.substr(first);
}

std::string Decoder::opcode_name(uint32_t opcode) const {
  return impl_->instruction_info->getName(opcode).str();
}

}  // namespace wavecast::isa
