// Assembles small AMDGPU sources at run time with LLVM's llvm-mc and lld, for tests that need real machine
// code. Independent of the project's decoder: only external tools and parse_code_object are involved.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "isa/code_object.h"

namespace wavecast::test {

// A directory that is removed at the end of the test.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "wavecast-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed for " + pattern);
    path_ = pattern;
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::vector<std::byte> read_bytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::vector<char> text{std::istreambuf_iterator<char>(stream), {}};
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

inline std::string read_text(const std::string& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Runs a shell command; what it prints on stderr becomes the exception's text.
inline void run_tool(const ScratchDirectory& directory, const std::string& command) {
  const std::string log = directory.file("stderr.txt");
  if (std::system((command + " 2> " + log).c_str()) != 0)
    throw std::runtime_error(command + "\n" + read_text(log));
}

// Object file of an assembly source.
inline std::string assemble_object(const ScratchDirectory& directory, const std::string& text,
                                   const std::string& processor) {
  std::ofstream(directory.file("test.s")) << text;
  run_tool(directory, "llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=" + processor + " -filetype=obj " +
                          directory.file("test.s") + " -o " + directory.file("test.o"));
  return directory.file("test.o");
}

// The bytes of .text, without linking: enough for decoder tests.
inline std::vector<std::byte> assemble_bytes(const std::string& text, const std::string& processor) {
  ScratchDirectory directory;
  const std::string object = assemble_object(directory, text, processor);
  run_tool(directory,
           "llvm-objcopy-22 -O binary --only-section=.text " + object + " " + directory.file("test.bin"));
  return read_bytes(directory.file("test.bin"));
}

// A linked code object. Throws std::runtime_error with the tool's or the parser's message.
inline isa::CodeObject assemble(const std::string& text, const std::string& processor,
                                const std::string& linker_options = "") {
  ScratchDirectory directory;
  const std::string object = assemble_object(directory, text, processor);
  run_tool(directory,
           "ld.lld-22 -shared " + linker_options + " " + object + " -o " + directory.file("test.co"));
  auto image = std::make_shared<const std::vector<std::byte>>(read_bytes(directory.file("test.co")));
  auto code_object = isa::parse_code_object(std::move(image), "assembled test");
  if (!code_object) throw std::runtime_error(code_object.error().place + ": " + code_object.error().reason);
  return std::move(*code_object);
}

// One explicit argument of a test kernel for its metadata.
struct TestArgument {
  unsigned size = 8;
  std::string value_kind = "global_buffer";
};

// A complete kernel "test_kernel" around `body` (which ends with s_endpgm): descriptor with kernarg pointer
// in s[0:1] (gfx90a, gfx908: no scratch), work-group ids in s2, s3, s4, work-item ids as the target has them,
// and metadata. `directives` are added to .amdhsa_kernel; a later directive of the same name is an error of
// the assembler.
inline std::string kernel_source(const std::string& body, const std::string& processor,
                                 const std::vector<TestArgument>& arguments = {},
                                 const std::string& directives = "", unsigned lds_bytes = 0) {
  const bool unified = processor != "gfx908";
  std::string metadata;
  unsigned offset = 0;
  for (const TestArgument& argument : arguments) {
    offset = (offset + argument.size - 1) / argument.size * argument.size;
    metadata += "      - { .offset: " + std::to_string(offset) + ", .size: " + std::to_string(argument.size) +
                ", .value_kind: " + argument.value_kind +
                (argument.value_kind == "global_buffer" ? ", .address_space: global" : "") + " }\n";
    offset += argument.size;
  }
  const std::string kernarg_size = std::to_string(offset);
  std::string text =
      ".amdgcn_target \"amdgcn-amd-amdhsa--" + processor + "\"\n.amdhsa_code_object_version 5\n.text\n" +
      ".globl test_kernel\n.p2align 8\n.type test_kernel,@function\ntest_kernel:\n" + body +
      "\n.Lend:\n.size test_kernel, .Lend-test_kernel\n.rodata\n.p2align 6\n.amdhsa_kernel test_kernel\n";
  text += ".amdhsa_group_segment_fixed_size " + std::to_string(lds_bytes) + "\n.amdhsa_kernarg_size " +
          kernarg_size + "\n";
  text +=
      ".amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_system_sgpr_workgroup_id_y 1\n"
      ".amdhsa_system_sgpr_workgroup_id_z 1\n.amdhsa_system_vgpr_workitem_id 2\n"
      ".amdhsa_next_free_sgpr 96\n";
  text += unified ? ".amdhsa_next_free_vgpr 256\n.amdhsa_accum_offset 128\n" : ".amdhsa_next_free_vgpr 128\n";
  text +=
      directives +
      "\n.end_amdhsa_kernel\n.amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.target: "
      "amdgcn-amd-amdhsa--" +
      processor +
      "\namdhsa.kernels:\n  - .name: test_kernel\n    .symbol: test_kernel.kd\n    .kernarg_segment_size: " +
      kernarg_size +
      "\n    .kernarg_segment_align: 8\n    .group_segment_fixed_size: " + std::to_string(lds_bytes) +
      "\n    .private_segment_fixed_size: 0\n    .wavefront_size: 64\n    .sgpr_count: 96\n    "
      ".vgpr_count: " +
      (unified ? "256\n    .agpr_count: 128" : "128\n    .agpr_count: 128") +
      "\n    .max_flat_workgroup_size: 1024\n" + (metadata.empty() ? "" : "    .args:\n" + metadata) +
      "...\n.end_amdgpu_metadata\n";
  return text;
}

}  // namespace wavecast::test
