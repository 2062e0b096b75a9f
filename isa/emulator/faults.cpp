// Text of emulation errors.
#include "isa/emulator/faults.h"

#include <fmt/core.h>

namespace wavecast::isa {

Error make_error(const LoadedKernel& loaded, Dim3 work_group, uint32_t wave, uint32_t instruction,
                 const Fault& fault) {
  std::string where = fmt::format("kernel '{}'", loaded.kernel->demangled);
  if (instruction < loaded.program->instructions.size()) {
    const uint64_t address = loaded.program->instructions[instruction].address;
    where += fmt::format(", '{}' at 0x{:x}", disassemble(*loaded.program, *loaded.code_object, instruction),
                         address);
    if (address >= loaded.kernel->entry_address)
      where += fmt::format(" (entry + 0x{:x})", address - loaded.kernel->entry_address);
  }
  where += fmt::format(", work-group ({}, {}, {}), wave {}", work_group.x, work_group.y, work_group.z, wave);
  if (fault.lane >= 0) where += fmt::format(", lane {}", fault.lane);
  return Error{std::move(where), fault.reason, fault.remedy};
}

}  // namespace wavecast::isa
