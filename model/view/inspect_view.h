// How code objects and kernels are shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hardware/device.h"
#include "isa/code_object.h"
#include "isa/code_object_file.h"
#include "model/kernel_inspection.h"

namespace wavecast::model {

// A file's contents: its entries, and for those that were read, the code object.
struct FileListing {
  std::string file;
  std::vector<isa::CodeObjectEntry> entries;
  std::vector<std::optional<isa::CodeObject>> code_objects;  // as entries; empty: not read
  std::vector<std::string> problems;  // entries that could not be read: "PLACE: REASON"
};

// `list_all`: every kernel by name even if there are thousands; else a summary beyond a screenful.
std::string listing_text(const FileListing& listing, bool list_all);
std::string listing_json(const FileListing& listing, std::string_view tool_version);

// One kernel in full.
struct KernelReport {
  std::string file;
  const isa::CodeObject* code_object = nullptr;
  const isa::Kernel* kernel = nullptr;
  const isa::Program* program = nullptr;
  KernelInspection facts;
  std::optional<hardware::Device> device;  // one with this target, for cache sizes and occupancy
  bool disassemble = false;
};
std::string kernel_text(const KernelReport& report);
std::string kernel_json(const KernelReport& report, std::string_view tool_version);

}  // namespace wavecast::model
