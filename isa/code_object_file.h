// Files that carry AMDGPU code objects: raw ELF, HIP fat binaries (clang offload bundles, uncompressed or
// compressed CCOB v1-v3), and host executables, shared libraries, relocatable objects and archives that embed them.
// Only headers are read until a code object is asked for, so a 1.3 GB library lists in seconds.
// Source: LLVM 22 ClangOffloadBundler documentation and OffloadBundle format.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "isa/code_object.h"

namespace wavecast::isa {

// Where one code object lies in the file.
struct CodeObjectEntry {
  TargetId target;
  std::string member;       // archive member or section, empty for a raw ELF
  uint64_t offset = 0;      // bytes in the file, or in the decompressed bundle if `compressed`
  uint64_t size = 0;        // bytes
  uint64_t bundle = 0;      // index of the bundle in the file; a raw ELF counts as a bundle of one
  bool compressed = false;
};

class CodeObjectFile {
 public:
  // `path` may be "-" for standard input. Errors: unreadable, no code object inside (says what the file is instead).
  static Expected<CodeObjectFile> open(const std::string& path);
  // From memory, for tests, fuzzers and the HIP runtime.
  static Expected<CodeObjectFile> from_memory(std::vector<std::byte> bytes, std::string origin);

  CodeObjectFile(CodeObjectFile&&) noexcept;
  CodeObjectFile& operator=(CodeObjectFile&&) noexcept;
  ~CodeObjectFile();

  const std::string& origin() const;
  const std::vector<CodeObjectEntry>& entries() const;  // device entries in file order; host entries left out

  // Device code that is no entry, with the reason: "entry hip-spirv64-...: is no AMDGPU machine code".
  const std::vector<std::string>& skipped() const;

  // Reads and parses one code object. Errors as parse_code_object.
  Expected<CodeObject> load(size_t entry) const;

 private:
  struct Impl;
  class Builder;
  explicit CodeObjectFile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The kernel `name` (mangled, demangled, demangled without parameters, template arguments or scope, or a unique
// substring; the first form that matches anything decides) in a code object that runs on `processor`.
struct KernelSelection {
  CodeObject code_object;
  size_t kernel = 0;  // index into code_object.kernels
  const Kernel& get() const { return code_object.kernels[kernel]; }
};

// An empty `name` selects the only kernel there is. An empty `processor` accepts the file's only processor.
// `processor` may carry features ("gfx90a:xnack+"); else the devices' defaults, xnack off and sramecc on, are preferred.
// Errors: no code object for the processor (lists the targets), no such kernel (lists close names), ambiguous substring.
Expected<KernelSelection> select_kernel(const CodeObjectFile& file, std::string_view name, std::string_view processor);

}  // namespace wavecast::isa
