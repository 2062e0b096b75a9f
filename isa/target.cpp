// Target IDs ("gfx942:sramecc+:xnack-"): reading, printing, ELF flags, and which device runs which code
// object. Source: LLVM 22 AMDGPUUsage, "Processors", "Target ID", "Generic Processors" and "ELF Code Object"
// (e_flags); feature support per processor comes from LLVM's own target parser. Leaves out: R600 and the
// version number of generic targets (both sides of a pair are LLVM 22's).
#include "isa/target.h"

#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/TargetParser/TargetParser.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

namespace wavecast::isa {
namespace {

struct Machine {
  uint32_t flag;  // EF_AMDGPU_MACH_*
  std::string_view processor;
};

// Every AMDGCN machine of LLVM 22, as e_flags names it.
constexpr Machine kMachines[] = {
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX600, "gfx600"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX601, "gfx601"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX602, "gfx602"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX700, "gfx700"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX701, "gfx701"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX702, "gfx702"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX703, "gfx703"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX704, "gfx704"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX705, "gfx705"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX801, "gfx801"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX802, "gfx802"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX803, "gfx803"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX805, "gfx805"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX810, "gfx810"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX900, "gfx900"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX902, "gfx902"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX904, "gfx904"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX906, "gfx906"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX908, "gfx908"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX909, "gfx909"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX90A, "gfx90a"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX90C, "gfx90c"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX942, "gfx942"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX950, "gfx950"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1010, "gfx1010"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1011, "gfx1011"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1012, "gfx1012"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1013, "gfx1013"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1030, "gfx1030"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1031, "gfx1031"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1032, "gfx1032"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1033, "gfx1033"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1034, "gfx1034"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1035, "gfx1035"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1036, "gfx1036"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1100, "gfx1100"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1101, "gfx1101"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1102, "gfx1102"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1103, "gfx1103"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1150, "gfx1150"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1151, "gfx1151"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1152, "gfx1152"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1153, "gfx1153"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1200, "gfx1200"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1201, "gfx1201"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1250, "gfx1250"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1251, "gfx1251"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX9_GENERIC, "gfx9-generic"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX9_4_GENERIC, "gfx9-4-generic"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX10_1_GENERIC, "gfx10-1-generic"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX10_3_GENERIC, "gfx10-3-generic"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX11_GENERIC, "gfx11-generic"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX12_GENERIC, "gfx12-generic"},
};

struct GenericTarget {
  std::string_view name;
  std::array<std::string_view, 8> covers;  // unused places stay empty
};

constexpr GenericTarget kGenericTargets[] = {
    {"gfx9-generic", {"gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"}},
    {"gfx9-4-generic", {"gfx942", "gfx950"}},
    {"gfx10-1-generic", {"gfx1010", "gfx1011", "gfx1012", "gfx1013"}},
    {"gfx10-3-generic", {"gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"}},
    {"gfx11-generic",
     {"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"}},
    {"gfx12-generic", {"gfx1200", "gfx1201"}},
};

// A name by shape, so that processors newer than LLVM 22 can still be listed: gfx + hex digits, or a generic
// name.
bool is_processor_name(std::string_view text) {
  if (!text.starts_with("gfx")) return false;
  text.remove_prefix(3);
  constexpr std::string_view kGeneric = "-generic";
  const bool generic = text.ends_with(kGeneric);
  if (generic) text.remove_suffix(kGeneric.size());
  if (text.empty()) return false;
  return std::all_of(text.begin(), text.end(), [&](unsigned char c) {
    return generic ? std::isdigit(c) || c == '-' : std::isdigit(c) || (c >= 'a' && c <= 'f');
  });
}

// The processor is the tail of a target triple: "hipv4-amdgcn-amd-amdhsa--gfx9-4-generic" ->
// "gfx9-4-generic".
std::string_view processor_part(std::string_view text) {
  if (text.starts_with("gfx")) return text;
  const size_t dash = text.rfind("-gfx");
  return dash == std::string_view::npos ? std::string_view{} : text.substr(dash + 1);
}

Expected<TargetId> malformed(std::string_view text, std::string reason) {
  constexpr size_t kShown = 120;  // enough for any real target ID; files may hold garbage here
  return fail(fmt::format("target ID '{}'", text.substr(0, kShown)), std::move(reason),
              "write it as gfx942 or gfx90a:sramecc+:xnack-");
}

void append_feature(std::string& out, std::string_view name, FeatureSetting setting) {
  if (setting == FeatureSetting::unspecified) return;
  out += fmt::format(":{}{}", name, setting == FeatureSetting::on ? '+' : '-');
}

// The 2-bit fields of v4 and later: 0 not supported, 1 any, 2 off, 3 on.
FeatureSetting four_state(uint32_t flags, uint32_t off, uint32_t on) {
  if ((flags & on) == on) return FeatureSetting::on;
  return (flags & on) == off ? FeatureSetting::off : FeatureSetting::unspecified;
}

}  // namespace

Expected<TargetId> parse_target_id(std::string_view text) {
  const std::string_view whole = text;
  const size_t colon = text.find(':');
  const std::string_view processor = processor_part(text.substr(0, colon));
  if (!is_processor_name(processor)) return malformed(whole, "names no AMDGPU processor");
  TargetId target{.processor = std::string(processor)};
  text = colon == std::string_view::npos ? std::string_view{} : text.substr(colon);
  while (!text.empty()) {
    text.remove_prefix(1);
    const std::string_view feature = text.substr(0, text.find(':'));
    text.remove_prefix(feature.size());
    if (feature.size() < 2 || (feature.back() != '+' && feature.back() != '-'))
      return malformed(whole, fmt::format("feature '{}' does not end in + or -", feature.substr(0, 40)));
    const std::string_view name = feature.substr(0, feature.size() - 1);
    FeatureSetting* setting = name == "sramecc" ? &target.sramecc : name == "xnack" ? &target.xnack : nullptr;
    if (!setting) return malformed(whole, fmt::format("unknown feature '{}'", name.substr(0, 40)));
    if (*setting != FeatureSetting::unspecified)
      return malformed(whole, fmt::format("feature '{}' twice", name));
    *setting = feature.back() == '+' ? FeatureSetting::on : FeatureSetting::off;
  }
  return target;
}

std::string to_string(const TargetId& target) {
  std::string out = target.processor;
  append_feature(out, "sramecc", target.sramecc);
  append_feature(out, "xnack", target.xnack);
  return out;
}

std::optional<TargetId> target_of_elf_flags(uint32_t flags, int code_object_version) {
  namespace elf = llvm::ELF;
  const uint32_t machine = flags & elf::EF_AMDGPU_MACH;
  const auto* row = std::find_if(std::begin(kMachines), std::end(kMachines),
                                 [&](const Machine& m) { return m.flag == machine; });
  if (row == std::end(kMachines)) return std::nullopt;
  TargetId target{.processor = std::string(row->processor)};
  if (code_object_version >= 4) {
    target.xnack = four_state(flags, elf::EF_AMDGPU_FEATURE_XNACK_OFF_V4, elf::EF_AMDGPU_FEATURE_XNACK_ON_V4);
    target.sramecc =
        four_state(flags, elf::EF_AMDGPU_FEATURE_SRAMECC_OFF_V4, elf::EF_AMDGPU_FEATURE_SRAMECC_ON_V4);
    return target;
  }
  // v3 has one bit per feature; a clear bit means off only where the processor has the feature at all.
  const auto attributes = llvm::AMDGPU::getArchAttrAMDGCN(llvm::AMDGPU::parseArchAMDGCN(target.processor));
  if (attributes & llvm::AMDGPU::FEATURE_XNACK)
    target.xnack = flags & elf::EF_AMDGPU_FEATURE_XNACK_V3 ? FeatureSetting::on : FeatureSetting::off;
  if (attributes & llvm::AMDGPU::FEATURE_SRAMECC)
    target.sramecc = flags & elf::EF_AMDGPU_FEATURE_SRAMECC_V3 ? FeatureSetting::on : FeatureSetting::off;
  return target;
}

Generation generation_of(std::string_view processor) {
  if (processor == "gfx908") return Generation::gfx908;
  if (processor == "gfx90a") return Generation::gfx90a;
  // Generic code uses only what gfx942 and gfx950 share, so it runs as gfx942 code.
  if (processor == "gfx942" || processor == "gfx9-4-generic") return Generation::gfx942;
  if (processor == "gfx950") return Generation::gfx950;
  return Generation::other;
}

bool runs_on(const TargetId& code, std::string_view device_processor) {
  if (device_processor.empty()) return false;
  if (code.processor == device_processor) return true;
  return std::any_of(
      std::begin(kGenericTargets), std::end(kGenericTargets), [&](const GenericTarget& generic) {
        return generic.name == code.processor && std::find(generic.covers.begin(), generic.covers.end(),
                                                           device_processor) != generic.covers.end();
      });
}

}  // namespace wavecast::isa
