// Code object parsing against LLVM's own readers: llvm-readelf (headers, symbols, relocations, metadata) and
// llvm-objdump (kernel descriptors), on sources assembled here.
#include "isa/code_object.h"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "support/code_object_inputs.h"

namespace wavecast::isa {
namespace {

using test::InputBuilder;
using test::KernelSpec;

Expected<CodeObject> parse(std::vector<std::byte> bytes, std::string origin = "test.co") {
  return parse_code_object(std::make_shared<const std::vector<std::byte>>(std::move(bytes)),
                           std::move(origin));
}

CodeObject parse_file(const std::string& path) {
  auto object = parse(test::read_bytes(path), path);
  if (!object) throw std::runtime_error(object.error().place + ": " + object.error().reason);
  return std::move(*object);
}

constexpr const char* kVectorAdd = R"(
      - { .name: a, .type_name: 'float*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global, .is_const: true }
      - { .name: n, .offset: 16, .size: 4, .value_kind: by_value }
      - { .offset: 24, .size: 4, .value_kind: hidden_block_count_x }
      - { .offset: 144, .size: 4, .value_kind: hidden_dynamic_lds_size }
)";

// Two kernels with everything the metadata can say here.
std::vector<KernelSpec> rich_kernels() {
  KernelSpec add;
  add.name = "_ZN4math10vector_addIfEEvPT_PKS1_i";
  add.directives =
      ".amdhsa_next_free_vgpr 136\n.amdhsa_accum_offset 8\n.amdhsa_next_free_sgpr 40\n"
      ".amdhsa_group_segment_fixed_size 1024\n.amdhsa_private_segment_fixed_size 48\n"
      ".amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_user_sgpr_dispatch_ptr "
      "1\n.amdhsa_system_sgpr_workgroup_id_y 1\n"
      ".amdhsa_system_vgpr_workitem_id 1\n.amdhsa_float_denorm_mode_16_64 3\n.amdhsa_ieee_mode 0\n"
      ".amdhsa_user_sgpr_kernarg_preload_length 2\n.amdhsa_user_sgpr_kernarg_preload_offset 1\n";
  add.body = "v_add_f32 v0, v1, v2\ns_endpgm\n";
  add.kernarg_size = 280;
  add.arguments = std::string(kVectorAdd).substr(1);
  add.metadata_lines =
      "    .vgpr_count: 136\n    .agpr_count: 128\n    .sgpr_count: 44\n    .sgpr_spill_count: 3\n    "
      ".vgpr_spill_count: 5\n"
      "    .reqd_workgroup_size: [64, 2, 1]\n    .uses_dynamic_stack: true\n    .language: HIP\n    "
      ".language_version: [2, 0]\n";
  KernelSpec plain;
  plain.name = "plain";
  return {add, plain};
}

TEST(CodeObjects, MetadataIsWhatReadelfPrints) {
  const InputBuilder build;
  const std::string path =
      build.code_object("k.co", test::code_object_source(rich_kernels(), "gfx942", 5), "gfx942");
  const CodeObject object = parse_file(path);
  // readelf prints the note's map as YAML between "---" and "...".
  const std::string text = build.run_for_text("llvm-readelf-22 --notes " + path);
  const size_t begin = text.find("---"), end = text.find("\n...", begin);
  ASSERT_NE(end, std::string::npos) << text;
  const YAML::Node kernels = YAML::Load(text.substr(begin, end - begin))["amdhsa.kernels"];
  ASSERT_EQ(kernels.size(), 2u);
  ASSERT_EQ(object.kernels.size(), 2u);
  for (const YAML::Node& expected : kernels) {
    const Kernel* kernel = object.find(expected[".name"].as<std::string>());
    ASSERT_NE(kernel, nullptr);
    EXPECT_TRUE(kernel->has_argument_metadata);
    EXPECT_EQ(kernel->kernarg_segment_size, expected[".kernarg_segment_size"].as<uint32_t>());
    EXPECT_EQ(kernel->kernarg_segment_align, expected[".kernarg_segment_align"].as<uint32_t>());
    EXPECT_EQ(kernel->sgpr_count, expected[".sgpr_count"].as<uint32_t>());
    EXPECT_EQ(kernel->arch_vgpr_count + kernel->accum_vgpr_count, expected[".vgpr_count"].as<uint32_t>());
    EXPECT_EQ(kernel->accum_vgpr_count, expected[".agpr_count"].as<uint32_t>(0));
    EXPECT_EQ(kernel->sgpr_spill_count, expected[".sgpr_spill_count"].as<uint32_t>(0));
    EXPECT_EQ(kernel->vgpr_spill_count, expected[".vgpr_spill_count"].as<uint32_t>(0));
    EXPECT_EQ(kernel->max_flat_work_group_size, expected[".max_flat_workgroup_size"].as<uint32_t>());
    EXPECT_EQ(kernel->uses_dynamic_stack, expected[".uses_dynamic_stack"].as<bool>(false));
    ASSERT_EQ(kernel->required_work_group_size.has_value(), expected[".reqd_workgroup_size"].IsDefined());
    if (kernel->required_work_group_size)
      for (size_t i = 0; i < 3; ++i)
        EXPECT_EQ((*kernel->required_work_group_size)[i], expected[".reqd_workgroup_size"][i].as<uint32_t>());
    const YAML::Node arguments = expected[".args"];
    ASSERT_EQ(kernel->arguments.size(), arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      EXPECT_EQ(kernel->arguments[i].name, arguments[i][".name"].as<std::string>(""));
      EXPECT_EQ(kernel->arguments[i].type_name, arguments[i][".type_name"].as<std::string>(""));
      EXPECT_EQ(kernel->arguments[i].value_kind, arguments[i][".value_kind"].as<std::string>());
      EXPECT_EQ(kernel->arguments[i].offset, arguments[i][".offset"].as<uint32_t>());
      EXPECT_EQ(kernel->arguments[i].size, arguments[i][".size"].as<uint32_t>());
      EXPECT_EQ(kernel->arguments[i].hidden(), i >= 3 && arguments.size() > 3);
    }
  }
  EXPECT_EQ(object.kernels[0].demangled, "void math::vector_add<float>(float*, float const*, int)");
  EXPECT_EQ(object.find("plain")->demangled, "plain");
  EXPECT_EQ(object.find("missing"), nullptr);
}

TEST(CodeObjects, DescriptorIsWhatObjdumpDisassembles) {
  const InputBuilder build;
  const std::string path =
      build.code_object("k.co", test::code_object_source(rich_kernels(), "gfx942", 5), "gfx942");
  const CodeObject object = parse_file(path);
  const Kernel& kernel = object.kernels[0];
  const KernelDescriptor& d = kernel.descriptor;
  std::istringstream text(
      build.run_for_text("llvm-objdump-22 -D --disassemble-symbols=" + kernel.name + ".kd " + path));
  std::map<std::string, int64_t> directives;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string name;
    int64_t value = 0;
    if (words >> name >> value) directives[name] = value;
  }
  const auto expect = [&](const char* name, int64_t value) {
    ASSERT_TRUE(directives.contains(name)) << name;
    EXPECT_EQ(value, directives[name]) << name;
  };
  expect(".amdhsa_group_segment_fixed_size", d.group_segment_fixed_size);
  expect(".amdhsa_private_segment_fixed_size", d.private_segment_fixed_size);
  expect(".amdhsa_kernarg_size", d.kernarg_size);
  expect(".amdhsa_accum_offset", d.accum_offset());
  expect(".amdhsa_next_free_vgpr", (d.granulated_vgpr_count() + 1) * 8);  // objdump knows the granule only
  expect(".amdhsa_ieee_mode", d.ieee_mode());
  expect(".amdhsa_dx10_clamp", d.dx10_clamp());
  expect(".amdhsa_fp16_overflow", d.fp16_overflow());
  expect(".amdhsa_float_round_mode_32", d.float_mode() & 3);
  expect(".amdhsa_float_round_mode_16_64", d.float_mode() >> 2 & 3);
  expect(".amdhsa_float_denorm_mode_32", d.float_mode() >> 4 & 3);
  expect(".amdhsa_float_denorm_mode_16_64", d.float_mode() >> 6 & 3);
  expect(".amdhsa_enable_private_segment", d.enable_private_segment());
  expect(".amdhsa_system_sgpr_workgroup_id_x", d.enable_work_group_id(0));
  expect(".amdhsa_system_sgpr_workgroup_id_y", d.enable_work_group_id(1));
  expect(".amdhsa_system_sgpr_workgroup_id_z", d.enable_work_group_id(2));
  expect(".amdhsa_system_sgpr_workgroup_info", d.enable_work_group_info());
  expect(".amdhsa_system_vgpr_workitem_id", d.work_item_id_dimensions());
  expect(".amdhsa_user_sgpr_dispatch_ptr", d.enable_dispatch_ptr());
  expect(".amdhsa_user_sgpr_queue_ptr", d.enable_queue_ptr());
  expect(".amdhsa_user_sgpr_kernarg_segment_ptr", d.enable_kernarg_segment_ptr());
  expect(".amdhsa_user_sgpr_dispatch_id", d.enable_dispatch_id());
  expect(".amdhsa_user_sgpr_private_segment_size", d.enable_private_segment_size());
  expect(".amdhsa_user_sgpr_kernarg_preload_length", d.kernarg_preload_length());
  expect(".amdhsa_user_sgpr_kernarg_preload_offset", d.kernarg_preload_offset());
  EXPECT_EQ(d.user_sgpr_count(), 2u + 2u + 2u);  // dispatch pointer, kernarg pointer, two preloaded dwords
}

nlohmann::json readelf(const InputBuilder& build, const std::string& path) {
  return nlohmann::json::parse(
      build.run_for_text("llvm-readelf-22 --elf-output-style=JSON -hlr --dyn-syms " + path))[0];
}

TEST(CodeObjects, AddressesSegmentsAndRelocationsAreWhatReadelfPrints) {
  const InputBuilder build;
  const std::string data =
      ".data\n.globl table\n.p2align 3\n.type table,@object\ntable: .quad table+16\n.quad plain.kd\n.quad "
      "elsewhere+4\n"
      ".size table, 24\n.protected hidden_one\nhidden_one: .quad hidden_one\n.bss\n.globl zeros\nzeros: "
      ".zero 4096\n";
  const std::string path =
      build.code_object("k.co", test::code_object_source(rich_kernels(), "gfx90a", 4, data), "gfx90a");
  const CodeObject object = parse_file(path);
  const auto expected = readelf(build, path);

  std::map<std::string, std::pair<uint64_t, uint64_t>> symbols;  // value, size
  for (const auto& entry : expected["DynamicSymbols"])
    symbols[entry["Symbol"]["Name"]["Name"]] = {entry["Symbol"]["Value"], entry["Symbol"]["Size"]};
  for (const Kernel& kernel : object.kernels) {
    EXPECT_EQ(kernel.descriptor_address, symbols.at(kernel.name + ".kd").first);
    EXPECT_EQ(kernel.entry_address, symbols.at(kernel.name).first);
    EXPECT_EQ(kernel.code_size, symbols.at(kernel.name).second);
    EXPECT_GT(kernel.code_size, 0u);
  }

  size_t next = 0;
  for (const auto& header : expected["ProgramHeaders"]) {
    const auto& h = header["ProgramHeader"];
    if (h["Type"]["Name"] != "PT_LOAD") continue;
    ASSERT_LT(next, object.segments.size());
    const Segment& segment = object.segments[next++];
    EXPECT_EQ(segment.address, h["VirtualAddress"].get<uint64_t>());
    EXPECT_EQ(segment.memory_size, h["MemSize"].get<uint64_t>());
    EXPECT_EQ(segment.bytes.size(), h["FileSize"].get<uint64_t>());
    EXPECT_EQ(segment.bytes.data(), object.storage->data() + h["Offset"].get<uint64_t>());
    EXPECT_EQ(segment.executable, (h["Flags"]["Value"].get<int>() & 1) != 0);
    EXPECT_EQ(segment.writable, (h["Flags"]["Value"].get<int>() & 2) != 0);
  }
  EXPECT_EQ(next, object.segments.size());
  EXPECT_TRUE(std::any_of(object.segments.begin(), object.segments.end(),
                          [](const Segment& s) { return s.memory_size >= s.bytes.size() + 4096; }));

  std::vector<nlohmann::json> relocations;
  for (const auto& section : expected["Relocations"])
    for (const auto& entry : section["Relocs"]) relocations.push_back(entry["Relocation"]);
  ASSERT_EQ(object.relocations.size(), relocations.size());
  ASSERT_GE(relocations.size(), 4u);
  for (size_t i = 0; i < relocations.size(); ++i) {
    const Relocation& r = object.relocations[i];
    EXPECT_EQ(r.address, relocations[i]["Offset"].get<uint64_t>());
    EXPECT_EQ(r.type, relocations[i]["Type"]["Value"].get<uint32_t>());
    EXPECT_EQ(r.addend, static_cast<int64_t>(relocations[i]["Addend"].get<uint64_t>()));
    const std::string name = relocations[i]["Symbol"]["Name"];
    EXPECT_EQ(r.symbol, name == "-" ? "" : name);
    EXPECT_EQ(r.symbol_defined, r.symbol != "elsewhere");
    if (!r.symbol.empty()) EXPECT_EQ(r.symbol_value, symbols.at(std::string(r.symbol)).first);
  }
}

TEST(CodeObjects, EveryVersionIsReadAndVersion2IsRefused) {
  const InputBuilder build;
  for (const char* target : {"gfx908", "gfx90a", "gfx942", "gfx950"})
    for (int version : {4, 5, 6}) {
      const CodeObject object = parse_file(build.plain_code_object("k.co", {"a", "b"}, target, version));
      EXPECT_EQ(object.version, version);
      EXPECT_EQ(to_string(object.target), target);
      EXPECT_FALSE(object.relocatable);
      ASSERT_EQ(object.kernels.size(), 2u);
    }
  // v3 and v2 differ from v4 in the header only, as far as this file goes; LLVM 22 writes neither.
  constexpr size_t kAbiAt = 8, kFlagsAt = 48;
  auto bytes = test::read_bytes(build.plain_code_object("k.co", {"a"}, "gfx90a", 4));
  bytes[kAbiAt] = std::byte{1};
  const uint32_t flags = 0x3f | 0x200;
  std::memcpy(bytes.data() + kFlagsAt, &flags, sizeof(flags));
  const auto third = parse(bytes);
  ASSERT_TRUE(third) << third.error().reason;
  EXPECT_EQ(third->version, 3);
  EXPECT_EQ(to_string(third->target), "gfx90a:sramecc+:xnack-");
  bytes[kAbiAt] = std::byte{0};
  const auto second = parse(bytes);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().reason.find("v2"), std::string::npos);
  EXPECT_FALSE(second.error().remedy.empty());
}

TEST(CodeObjects, RelocatableObjectsAreListed) {
  const InputBuilder build;
  const CodeObject object =
      parse_file(build.object("k.o", test::code_object_source(rich_kernels(), "gfx942", 5), "gfx942"));
  EXPECT_TRUE(object.relocatable);
  ASSERT_EQ(object.kernels.size(), 2u);
  EXPECT_EQ(object.kernels[0].accum_vgpr_count, 128u);
  EXPECT_EQ(object.kernels[0].arguments.size(), 5u);
  EXPECT_EQ(object.kernels[0].code_size, 8u);  // v_add_f32_e32 and s_endpgm
  EXPECT_EQ(object.kernels[0].descriptor.group_segment_fixed_size, 1024u);
  EXPECT_TRUE(object.segments.empty());
}

TEST(CodeObjects, SectionHeadersAreNotNeeded) {
  const InputBuilder build;
  const std::string source = test::code_object_source(rich_kernels(), "gfx942", 5);
  for (const char* hash : {"sysv", "gnu", "both"}) {
    const std::string path = build.code_object("k.co", source, "gfx942", std::string("--hash-style=") + hash);
    const CodeObject whole = parse_file(path);
    build.run("llvm-strip-22 --strip-sections " + path + " -o " + build.path("stripped.co"));
    const CodeObject stripped = parse_file(build.path("stripped.co"));
    ASSERT_EQ(stripped.kernels.size(), whole.kernels.size()) << hash;
    for (size_t i = 0; i < whole.kernels.size(); ++i) {
      EXPECT_EQ(stripped.kernels[i].name, whole.kernels[i].name);
      EXPECT_EQ(stripped.kernels[i].entry_address, whole.kernels[i].entry_address);
      EXPECT_EQ(stripped.kernels[i].code_size, whole.kernels[i].code_size);
    }
  }
}

TEST(CodeObjects, KernelsWithoutMetadataComeFromDescriptors) {
  const InputBuilder build;
  KernelSpec bare{.name = "hand_written", .metadata = false, .kernarg_size = 40};
  bare.directives = ".amdhsa_next_free_vgpr 24\n.amdhsa_accum_offset 24\n.amdhsa_next_free_sgpr 30\n";
  for (bool other_has_metadata : {false, true}) {
    std::vector<KernelSpec> kernels = {bare};
    if (other_has_metadata) kernels.push_back(KernelSpec{.name = "listed"});
    const CodeObject object =
        parse_file(build.code_object("k.co", test::code_object_source(kernels, "gfx942", 5), "gfx942"));
    ASSERT_EQ(object.kernels.size(), kernels.size());
    const Kernel& kernel = object.kernels[0];
    EXPECT_EQ(kernel.name, "hand_written");
    EXPECT_FALSE(kernel.has_argument_metadata);
    EXPECT_EQ(kernel.kernarg_segment_size, 40u);
    EXPECT_EQ(kernel.arch_vgpr_count, 24u);
    // 30 + VCC, flat scratch and xnack mask (6) are 36, allocated in granules of 16.
    EXPECT_EQ(kernel.sgpr_count, 48u);
    EXPECT_EQ(kernel.max_flat_work_group_size, 1024u);
  }
}

// Register counts that the hardware allocates: AMDGPUUsage, GRANULATED_WORKITEM_VGPR_COUNT and ACCUM_OFFSET.
TEST(CodeObjects, RegisterCountsFollowTheDescriptor) {
  struct Case {
    const char* what;
    const char* target;
    int next_free, accum_offset;  // directives
    const char* metadata;
    uint32_t arch, accum;
  };
  const Case cases[] = {
      {"5 + 128 of openxla/xla 47468: arch rounded to 4", "gfx90a", 136, 8,
       ".vgpr_count: 136\n    .agpr_count: 128", 8, 128},
      {"no AGPR, count below the granule", "gfx942", 42, 44, ".vgpr_count: 42\n    .agpr_count: 0", 42, 0},
      {"no AGPR, no agpr_count", "gfx942", 42, 44, ".vgpr_count: 42", 42, 0},
      {"no metadata, no AGPR: granule of 8", "gfx942", 42, 44, "", 48, 0},
      {"no metadata, AGPRs", "gfx950", 96, 64, "", 64, 32},
      {"hand-written: metadata counts arch registers only", "gfx942", 512, 256,
       ".vgpr_count: 256\n    .agpr_count: 256", 256, 256},
      {"metadata claims more than the descriptor allocates", "gfx942", 64, 64, ".vgpr_count: 500", 64, 0},
      {"metadata claims fewer", "gfx942", 128, 128, ".vgpr_count: 3", 128, 0},
      {"few AGPRs", "gfx942", 66, 64, ".vgpr_count: 66\n    .agpr_count: 2", 64, 2},
      {"whole file", "gfx942", 512, 256, ".vgpr_count: 512\n    .agpr_count: 256", 256, 256},
      {"gfx908: two files, the larger count", "gfx908", 64, 0, ".vgpr_count: 64\n    .agpr_count: 64", 64,
       64},
      {"gfx908 without metadata: granule of 4", "gfx908", 42, 0, "", 44, 0},
      {"gfx908 exact", "gfx908", 42, 0, ".vgpr_count: 42\n    .agpr_count: 8", 42, 8},
  };
  const InputBuilder build;
  for (const Case& c : cases) {
    KernelSpec kernel;
    kernel.directives =
        ".amdhsa_next_free_vgpr " + std::to_string(c.next_free) + "\n.amdhsa_next_free_sgpr 16\n";
    if (c.accum_offset) kernel.directives += ".amdhsa_accum_offset " + std::to_string(c.accum_offset) + "\n";
    kernel.metadata = *c.metadata != 0;
    kernel.metadata_lines = std::string("    .sgpr_count: 16\n    ") + c.metadata + "\n";
    const CodeObject object =
        parse_file(build.code_object("k.co", test::code_object_source({kernel}, c.target, 5), c.target));
    EXPECT_EQ(object.kernels.at(0).arch_vgpr_count, c.arch) << c.what;
    EXPECT_EQ(object.kernels.at(0).accum_vgpr_count, c.accum) << c.what;
  }
}

TEST(CodeObjects, ErrorsNameTheKernelAndTheRemedy) {
  const InputBuilder build;
  const auto error_of = [&](const std::string& source, const std::string& linker = "") {
    const auto object =
        parse(test::read_bytes(build.code_object("k.co", source, "gfx942", linker)), "dir/k.co");
    if (object) ADD_FAILURE() << "parsed: " << source;
    return object ? Error{} : object.error();
  };
  KernelSpec kernel{.name = "gemm",
                    .arguments = "      - { .offset: 8, .size: 16, .value_kind: by_value }\n",
                    .kernarg_size = 16};
  Error error = error_of(test::code_object_source({kernel}, "gfx942", 5));
  EXPECT_EQ(error.place, "dir/k.co, kernel gemm");
  EXPECT_NE(error.reason.find("argument 0 ends at byte 24"), std::string::npos) << error.reason;
  EXPECT_FALSE(error.remedy.empty());

  // The entry label lies 4 bytes behind an aligned one.
  std::string source = test::code_object_source({KernelSpec{.name = "crooked"}}, "gfx942", 5);
  source.replace(source.find("crooked:"), 8, "s_nop 0\ncrooked:");
  error = error_of(source);
  EXPECT_EQ(error.place, "dir/k.co, kernel crooked");
  EXPECT_NE(error.reason.find("256-byte aligned"), std::string::npos);
  EXPECT_NE(error.remedy.find(".p2align 8"), std::string::npos);

  // Metadata without a descriptor.
  const std::string metadata = R"(.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - { .name: ghost, .symbol: ghost.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 0,
      .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 0, .vgpr_count: 0, .max_flat_workgroup_size: 64 }
...
.end_amdgpu_metadata
)";
  KernelSpec silent{.name = "silent", .metadata = false};
  error = error_of(test::code_object_source({silent}, "gfx942", 5, metadata));
  EXPECT_EQ(error.place, "dir/k.co, kernel ghost");
  EXPECT_NE(error.reason.find("no symbol ghost.kd"), std::string::npos);
}

TEST(CodeObjects, OtherFilesAreNamed) {
  const InputBuilder build;
  const auto reason_of = [](std::vector<std::byte> bytes) {
    const auto object = parse(std::move(bytes));
    return object ? std::string("parsed") : object.error().reason;
  };
  auto bytes = test::read_bytes(build.plain_code_object("k.co", {"k"}, "gfx942"));
  EXPECT_EQ(reason_of({}), "is empty");
  EXPECT_NE(reason_of(std::vector<std::byte>(100)).find("no ELF file"), std::string::npos);
  EXPECT_NE(reason_of(test::read_bytes(build.host_object("h.o", build.path("k.co")))).find("machine 62"),
            std::string::npos);
  constexpr size_t kClassAt = 4, kOsAbiAt = 7, kAbiAt = 8, kTypeAt = 16, kFlagsAt = 48;
  const auto with = [&](size_t at, uint8_t value) {
    auto changed = bytes;
    changed[at] = std::byte{value};
    return changed;
  };
  EXPECT_NE(reason_of(with(kClassAt, 1)).find("not a 64-bit"), std::string::npos);
  EXPECT_NE(reason_of(with(kOsAbiAt, 65)).find("OS ABI 65"), std::string::npos);
  EXPECT_NE(reason_of(with(kAbiAt, 9)).find("ABI version 9"), std::string::npos);
  EXPECT_NE(reason_of(with(kTypeAt, 2)).find("ELF type 2"), std::string::npos);
  EXPECT_NE(reason_of(with(kFlagsAt, 0xee)).find("unknown processor"), std::string::npos);
}

TEST(KernelDescriptors, NeedSixtyFourBytes) {
  std::vector<std::byte> bytes(64);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  const auto descriptor = parse_kernel_descriptor(bytes, "d");
  ASSERT_TRUE(descriptor);
  EXPECT_EQ(descriptor->group_segment_fixed_size, 0x03020100u);  // bits 31:0
  EXPECT_EQ(descriptor->kernel_code_entry_byte_offset, 0x1716151413121110);
  EXPECT_EQ(descriptor->compute_pgm_rsrc3, 0x2f2e2d2cu);
  EXPECT_EQ(descriptor->compute_pgm_rsrc1, 0x33323130u);
  EXPECT_EQ(descriptor->compute_pgm_rsrc2, 0x37363534u);
  EXPECT_EQ(descriptor->kernel_code_properties, 0x3938u);
  EXPECT_EQ(descriptor->kernarg_preload, 0x3b3au);
  for (size_t size = 0; size < 64; ++size)
    EXPECT_FALSE(parse_kernel_descriptor(std::span(bytes).first(size), "d")) << size;
}

TEST(DamagedCodeObjects, CutAnywhereAreRefused) {
  const InputBuilder build;
  const std::string source =
      test::code_object_source(rich_kernels(), "gfx942", 5, ".data\n.globl t\nt: .quad t\n");
  for (const std::string& path :
       {build.code_object("k.co", source, "gfx942", "-s"), build.object("k.o", source, "gfx942")}) {
    const auto bytes = test::read_bytes(path);
    ASSERT_TRUE(parse(bytes));
    test::for_each_cut(bytes, 1, [&](std::vector<std::byte> cut) {
      const size_t size = cut.size();
      const auto object = parse(std::move(cut));
      ASSERT_FALSE(object) << path << " cut at " << size;
      ASSERT_FALSE(object.error().reason.empty());
    });
  }
}

TEST(DamagedCodeObjects, AreReadOrRefusedButNeverCrash) {
  const InputBuilder build;
  const std::string source =
      test::code_object_source(rich_kernels(), "gfx942", 5, ".data\n.globl t\nt: .quad t\n");
  const std::string linked = build.code_object("k.co", source, "gfx942", "-s --hash-style=gnu");
  build.run("llvm-strip-22 --strip-sections " + linked + " -o " + build.path("stripped.co"));
  int refused = 0, read = 0;
  for (const std::string& path : {linked, build.path("stripped.co"), build.object("k.o", source, "gfx942")}) {
    test::for_each_damage(test::read_bytes(path), 4000, [&](std::vector<std::byte> damaged) {
      const auto object = parse(std::move(damaged));
      ++(object ? read : refused);
      if (!object) return;
      for (const Kernel& kernel : object->kernels)
        for (const KernelArgument& argument : kernel.arguments)
          ASSERT_LE(uint64_t{argument.offset} + argument.size, kernel.kernarg_segment_size);
      for (const Segment& segment : object->segments) {
        ASSERT_LE(segment.bytes.size(), segment.memory_size);
        ASSERT_GE(segment.bytes.data(), object->storage->data());
        ASSERT_LE(segment.bytes.data() + segment.bytes.size(),
                  object->storage->data() + object->storage->size());
      }
    });
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(read, 100);
}

// A small file that names the same bytes tens of thousands of times must not cost as much time or memory.
TEST(DamagedCodeObjects, OverlappingTablesAreRefused) {
  const InputBuilder build;
  auto bytes = test::read_bytes(
      build.code_object("k.co", test::code_object_source(rich_kernels(), "gfx942", 5), "gfx942", "-s"));
  // Program headers move to the end, followed by 60000 note segments that cover the whole file.
  constexpr size_t kOffsetAt = 32, kCountAt = 56, kEntry = 56;
  uint64_t old_offset = 0;
  uint16_t count = 0;
  std::memcpy(&old_offset, bytes.data() + kOffsetAt, sizeof(old_offset));
  std::memcpy(&count, bytes.data() + kCountAt, sizeof(count));
  const std::vector<std::byte> old(bytes.begin() + static_cast<ptrdiff_t>(old_offset),
                                   bytes.begin() + static_cast<ptrdiff_t>(old_offset + count * kEntry));
  bytes.resize(size_t{1} << 20);
  const uint64_t new_offset = bytes.size();
  bytes.insert(bytes.end(), old.begin(), old.end());
  const uint64_t note[] = {4 /* PT_NOTE */, 0, 0, 0, new_offset, new_offset, 4};
  static_assert(sizeof(note) == kEntry);
  const auto* note_bytes = reinterpret_cast<const std::byte*>(note);
  for (int i = 0; i < 60000; ++i) bytes.insert(bytes.end(), note_bytes, note_bytes + kEntry);
  const auto new_count = static_cast<uint16_t>(count + 60000);
  std::memcpy(bytes.data() + kOffsetAt, &new_offset, sizeof(new_offset));
  std::memcpy(bytes.data() + kCountAt, &new_count, sizeof(new_count));
  const auto object = parse(std::move(bytes));
  ASSERT_FALSE(object);
}

TEST(DamagedCodeObjects, SharedNamesDoNotMultiply) {
  // 3000 descriptors whose names are ever shorter tails of one long name, which the string table stores once.
  const InputBuilder build;
  std::string source = test::code_object_source({KernelSpec{.name = "real"}}, "gfx942", 5);
  source += ".rodata\n";
  for (int length = 1; length <= 3000; ++length) {
    const std::string name = std::string(static_cast<size_t>(length), 'a') + ".kd";
    source += ".type " + name + ",@object\n.size " + name + ", 64\n" + name + " = real.kd\n";
  }
  const std::string path = build.object("k.o", source, "gfx942");
  ASSERT_LT(std::filesystem::file_size(path), 500000u);  // the names together have 4.5 MB
  const auto object = parse(test::read_bytes(path));
  ASSERT_FALSE(object);
  EXPECT_NE(object.error().reason.find("names longer than the file"), std::string::npos)
      << object.error().reason;
}

}  // namespace
}  // namespace wavecast::isa
