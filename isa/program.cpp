// Decodes executable segments into instructions, resolves branch targets and looks instructions up by
// address. Blocks and loops are in control_flow.cpp.
#include "isa/program.h"

#include <fmt/core.h>

#include <algorithm>

#include "isa/control_flow.h"
#include "isa/decoder.h"

namespace wavecast::isa {

namespace {

constexpr uint64_t kDword = 4;

struct AddressRange {
  uint64_t begin = 0, end = 0;
};

// Code of the kernels other than `only`, sorted; empty if all code is wanted.
std::vector<AddressRange> ranges_to_skip(const CodeObject& code_object, const Kernel* only) {
  std::vector<AddressRange> ranges;
  if (only == nullptr) return ranges;
  for (const Kernel& kernel : code_object.kernels)
    if (kernel.entry_address != only->entry_address && kernel.code_size > 0)
      ranges.push_back({kernel.entry_address, kernel.entry_address + kernel.code_size});
  std::sort(ranges.begin(), ranges.end(),
            [](const AddressRange& a, const AddressRange& b) { return a.begin < b.begin; });
  return ranges;
}

class SkippedCode {
 public:
  explicit SkippedCode(std::vector<AddressRange> ranges) : ranges_(std::move(ranges)) {}
  // The address behind the range that contains `address`, or `address`. Addresses must be asked for in rising
  // order.
  uint64_t skip(uint64_t address) {
    while (next_ < ranges_.size() && ranges_[next_].end <= address) ++next_;
    return next_ < ranges_.size() && ranges_[next_].begin <= address ? ranges_[next_].end : address;
  }

 private:
  std::vector<AddressRange> ranges_;
  size_t next_ = 0;
};

void decode_segment(const Segment& segment, Decoder& decoder, SkippedCode& skipped, Program& program) {
  const uint64_t end = segment.address + segment.bytes.size();
  for (uint64_t address = segment.address; address + kDword <= end;) {
    if (const uint64_t next = skipped.skip(address); next != address) {
      address = next;
      continue;
    }
    Instruction instruction;
    if (!decoder.decode(segment.bytes.subspan(address - segment.address), address, instruction)) {
      address += kDword;
      continue;
    }
    program.index_by_dword[(address - program.text_begin) / kDword] =
        static_cast<int32_t>(program.instructions.size());
    program.instructions.push_back(instruction);
    address += instruction.size;
  }
}

bool has_relative_target(const Instruction& instruction) {
  if (instruction.encoding == Encoding::sopp)
    return instruction.instruction_class == InstructionClass::branch;
  return instruction.encoding == Encoding::sopk && instruction.mnemonic == "s_call_b64";
}

void link_instructions(Program& program) {
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    Instruction& instruction = program.instructions[i];
    const uint64_t next = instruction.address + instruction.size;
    instruction.next_is_code =
        i + 1 < program.instructions.size() && program.instructions[i + 1].address == next;
    if (has_relative_target(instruction))
      instruction.branch_target = static_cast<int32_t>(
          program.index_of(next + static_cast<uint64_t>(int64_t{instruction.immediate} * int64_t{kDword})));
  }
}

}  // namespace

int64_t Program::index_of(uint64_t address) const {
  if (address < text_begin || address % kDword != 0) return -1;
  const uint64_t dword = (address - text_begin) / kDword;
  return dword < index_by_dword.size() ? index_by_dword[dword] : -1;
}

Expected<std::shared_ptr<const Program>> decode_program(const CodeObject& code_object, const Kernel* only) {
  auto decoder = Decoder::create(code_object.target);
  if (!decoder) {
    Error error = decoder.error();
    error.place = fmt::format("{} ({})", code_object.origin, error.place);
    return tl::unexpected(std::move(error));
  }
  std::vector<const Segment*> executable;
  for (const Segment& segment : code_object.segments)
    if (segment.executable && !segment.bytes.empty()) executable.push_back(&segment);
  if (executable.empty()) return fail(code_object.origin, "the code object has no executable code");
  std::sort(executable.begin(), executable.end(),
            [](const Segment* a, const Segment* b) { return a->address < b->address; });

  auto program = std::make_shared<Program>();
  program->origin = code_object.origin;
  program->generation = generation_of(code_object.target.processor);
  program->text_begin = executable.front()->address / kDword * kDword;
  const uint64_t text_end = executable.back()->address + executable.back()->bytes.size();
  // Linkers lay executable segments side by side; a file that claims otherwise must not exhaust the host.
  constexpr uint64_t kLargestText = uint64_t{4} << 30;
  if (text_end - program->text_begin > kLargestText || text_end < program->text_begin)
    return fail(code_object.origin,
                fmt::format("executable segments span 0x{:x} to 0x{:x}", program->text_begin, text_end));
  program->index_by_dword.assign((text_end - program->text_begin) / kDword, -1);
  SkippedCode skipped(ranges_to_skip(code_object, only));
  for (const Segment* segment : executable) {
    if (segment->address % kDword != 0)
      return fail(code_object.origin,
                  fmt::format("executable segment at 0x{:x} is not aligned to 4 bytes", segment->address));
    decode_segment(*segment, *decoder, skipped, *program);
  }
  link_instructions(*program);
  std::vector<uint32_t> entries;
  for (const Kernel& kernel : code_object.kernels)
    if (const int64_t index = program->index_of(kernel.entry_address); index >= 0)
      entries.push_back(static_cast<uint32_t>(index));
  find_control_flow(*program, entries);
  return program;
}

std::string disassemble(const Program& program, const CodeObject& code_object, uint32_t instruction) {
  if (instruction >= program.instructions.size()) return {};
  const Instruction& wanted = program.instructions[instruction];
  thread_local std::string processor;
  thread_local std::unique_ptr<Decoder> decoder;  // creating one is slow, listings ask once per line
  if (!decoder || processor != code_object.target.processor) {
    auto created = Decoder::create(code_object.target);
    if (!created) return std::string(wanted.mnemonic);
    decoder = std::make_unique<Decoder>(std::move(*created));
    processor = code_object.target.processor;
  }
  for (const Segment& segment : code_object.segments) {
    if (!segment.executable || wanted.address < segment.address) continue;
    const uint64_t offset = wanted.address - segment.address;
    if (offset < segment.bytes.size())
      return decoder->disassemble(segment.bytes.subspan(offset), wanted.address);
  }
  return std::string(wanted.mnemonic);
}

}  // namespace wavecast::isa
