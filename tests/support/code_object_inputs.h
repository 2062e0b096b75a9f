// Code objects, fat binaries and host files for loader tests, built at run time with LLVM's assembler,
// linker, bundler and archiver, and damaged copies of them. Independent of the loader under test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "support/assembler.h"

namespace wavecast::test {

// One kernel of a test source. Counts go to the directives; metadata says what it is given.
struct KernelSpec {
  std::string name = "k";
  std::string directives = ".amdhsa_next_free_vgpr 8\n.amdhsa_next_free_sgpr 16\n";
  std::string body = "s_endpgm\n";
  bool metadata = true;
  std::string metadata_lines = "    .vgpr_count: 8\n    .sgpr_count: 16\n";  // YAML lines of the kernel's map
  std::string arguments = "";                                                // YAML list items of .args
  int kernarg_size = 0;
};

inline bool has_unified_registers(const std::string& target) {
  return target.starts_with("gfx90a") || target.starts_with("gfx94") || target.starts_with("gfx95") ||
         target.starts_with("gfx9-4");
}

inline std::string kernel_text(const KernelSpec& kernel, const std::string& target) {
  std::ostringstream out;
  out << ".text\n.globl " << kernel.name << "\n.p2align 8\n.type " << kernel.name << ",@function\n"
      << kernel.name << ":\n"
      << kernel.body << ".L" << kernel.name << "_end:\n.size " << kernel.name << ", .L" << kernel.name
      << "_end-" << kernel.name << "\n.rodata\n.p2align 6\n.amdhsa_kernel " << kernel.name << "\n"
      << kernel.directives << ".amdhsa_kernarg_size " << kernel.kernarg_size << "\n";
  if (has_unified_registers(target) && kernel.directives.find("accum_offset") == std::string::npos)
    out << ".amdhsa_accum_offset 8\n";
  out << ".end_amdhsa_kernel\n";
  return out.str();
}

// The whole source. `target` is a target ID; `version` a code object version.
inline std::string code_object_source(const std::vector<KernelSpec>& kernels, const std::string& target,
                                      int version, const std::string& more = "") {
  std::ostringstream out, list;
  out << ".amdgcn_target \"amdgcn-amd-amdhsa--" << target << "\"\n.amdhsa_code_object_version " << version
      << "\n";
  for (const KernelSpec& kernel : kernels) {
    out << kernel_text(kernel, target);
    if (!kernel.metadata) continue;
    list << "  - .name: " << kernel.name << "\n    .symbol: " << kernel.name
         << ".kd\n    .kernarg_segment_size: " << kernel.kernarg_size
         << "\n    .kernarg_segment_align: 8\n    .group_segment_fixed_size: 0\n"
         << "    .private_segment_fixed_size: 0\n    .wavefront_size: 64\n    .max_flat_workgroup_size: 256\n"
         << kernel.metadata_lines
         << "    .args:" << (kernel.arguments.empty() ? " []\n" : "\n" + kernel.arguments);
  }
  out << more;
  const std::string minor = version <= 3 ? "0" : version == 4 ? "1" : "2";
  if (!list.str().empty())
    out << ".amdgpu_metadata\n---\namdhsa.version: [1, " << minor << "]\namdhsa.target: amdgcn-amd-amdhsa--"
        << target << "\namdhsa.kernels:\n"
        << list.str() << "...\n.end_amdgpu_metadata\n";
  return out.str();
}

// Files in one scratch directory.
class InputBuilder {
 public:
  std::string path(const std::string& name) const { return directory_.file(name); }

  void run(const std::string& command) const { run_tool(directory_, command); }

  std::string run_for_text(const std::string& command) const {
    run_tool(directory_, command + " > " + path("stdout.txt"));
    return read_text(path("stdout.txt"));
  }

  std::string write(const std::string& name, const std::vector<std::byte>& bytes) const {
    std::ofstream(path(name), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  // An object file, not linked. The target ID's features become assembler options.
  std::string object(const std::string& name, const std::string& source, const std::string& target) const {
    std::string features;
    std::istringstream parts(target);
    std::string processor, feature;
    std::getline(parts, processor, ':');
    while (std::getline(parts, feature, ':'))
      features += (features.empty() ? " -mattr=" : ",") + feature.substr(feature.size() - 1) +
                  feature.substr(0, feature.size() - 1);
    write(name + ".s", source);
    run("llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=" + processor + features + " -filetype=obj " +
        path(name + ".s") + " -o " + path(name));
    return path(name);
  }

  std::string code_object(const std::string& name, const std::string& source, const std::string& target,
                          const std::string& linker_options = "") const {
    object(name + ".o", source, target);
    run("ld.lld-22 -shared " + linker_options + " " + path(name + ".o") + " -o " + path(name));
    return path(name);
  }

  // A code object of kernels `kernels` with defaults.
  std::string plain_code_object(const std::string& name, const std::vector<std::string>& kernels,
                                const std::string& target, int version = 5) const {
    std::vector<KernelSpec> specs;
    for (const std::string& kernel : kernels) specs.push_back(KernelSpec{.name = kernel});
    return code_object(name, code_object_source(specs, target, version), target);
  }

  struct Image {
    std::string id, path;
  };

  // A fat binary as clang makes it: an empty host entry first.
  std::string bundle(const std::string& name, const std::vector<Image>& images,
                     const std::string& options = "", const std::string& environment = "") const {
    std::string targets = "host-x86_64-unknown-linux--", inputs = " -input=/dev/null";
    for (const Image& image : images) {
      targets += "," + image.id;
      inputs += " -input=" + image.path;
    }
    run(environment + " clang-offload-bundler-22 -type=o -bundle-align=4096 " + options +
        " -targets=" + targets + inputs + " -output=" + path(name));
    return path(name);
  }

  // An x86-64 object whose section `section` holds the file, as clang embeds a fat binary.
  std::string host_object(const std::string& name, const std::string& file,
                          const std::string& section = ".hip_fatbin", const std::string& more = "") const {
    write(name + ".s", ".text\n.weak host_function\nhost_function: ret\n.section " + section +
                           ",\"a\",@progbits\n.p2align 12\nfat_binary:\n.incbin \"" + file + "\"\n" + more);
    run("llvm-mc-22 -triple=x86_64-unknown-linux-gnu -filetype=obj " + path(name + ".s") + " -o " +
        path(name));
    return path(name);
  }

 private:
  ScratchDirectory directory_;
};

// Calls `test` with copies of `bytes` cut after 0, step, 2*step, ... bytes. The copies have no spare
// capacity, so that AddressSanitizer sees any access behind them.
template <class Test>
void for_each_cut(const std::vector<std::byte>& bytes, size_t step, Test test) {
  for (size_t size = 0; size < bytes.size(); size += step)
    test(std::vector<std::byte>(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size)));
}

// Calls `test` with `count` copies in which one to eight bytes are overwritten, half of them with boundary
// values.
template <class Test>
void for_each_damage(const std::vector<std::byte>& bytes, int count, Test test) {
  std::mt19937 random(12345);
  constexpr uint8_t kBoundary[] = {0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff};
  for (int i = 0; i < count; ++i) {
    std::vector<std::byte> damaged(bytes);
    for (uint32_t n = 1 + random() % 8; n > 0; --n) {
      const auto value = static_cast<uint8_t>(random() & 1 ? kBoundary[random() % 6] : random());
      damaged[random() % damaged.size()] = std::byte{value};
    }
    test(std::move(damaged));
  }
}

}  // namespace wavecast::test
