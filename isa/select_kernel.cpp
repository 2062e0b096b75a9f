// Finds the kernel a user means: the right code object per bundle for a processor, then the name in its
// forms. Source: the HIP runtime's rule that one code object per fat binary is taken, an exact processor
// before a generic one; xnack off and sramecc on are what MI100 to MI355X devices run with by default.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "isa/code_object_file.h"

namespace wavecast::isa {
namespace {

constexpr size_t kListed = 10;  // names in a message

std::string list_of(std::vector<std::string> items) {
  const size_t total = items.size();
  items.resize(std::min(total, kListed));
  std::string text = fmt::format("{}", fmt::join(items, ", "));
  if (total > items.size()) text += fmt::format(", and {} more", total - items.size());
  return text;
}

bool compatible(FeatureSetting code, FeatureSetting device) {
  return code == FeatureSetting::unspecified || device == FeatureSetting::unspecified || code == device;
}

// How well a code object fits a device; nothing if it does not run there. `usual` is the devices' default
// setting.
std::optional<int> fitness(const TargetId& code, const TargetId& device) {
  if (!runs_on(code, device.processor)) return std::nullopt;
  if (!compatible(code.xnack, device.xnack) || !compatible(code.sramecc, device.sramecc)) return std::nullopt;
  const auto preference = [](FeatureSetting setting, FeatureSetting usual) {
    return setting == usual ? 2 : setting == FeatureSetting::unspecified ? 1 : 0;
  };
  constexpr int kExactProcessor = 8;  // outweighs both features
  return (code.processor == device.processor ? kExactProcessor : 0) +
         preference(code.xnack, FeatureSetting::off) + preference(code.sramecc, FeatureSetting::on);
}

std::vector<std::string> targets_of(const CodeObjectFile& file) {
  std::set<std::string> targets;
  for (const CodeObjectEntry& entry : file.entries()) targets.insert(to_string(entry.target));
  return {targets.begin(), targets.end()};
}

Expected<TargetId> wanted_target(const CodeObjectFile& file, std::string_view processor) {
  if (!processor.empty()) return parse_target_id(processor);
  std::set<std::string> processors;
  for (const CodeObjectEntry& entry : file.entries()) processors.insert(entry.target.processor);
  if (processors.size() == 1) return TargetId{.processor = *processors.begin()};
  return fail(file.origin(), "holds code for several targets: " + list_of(targets_of(file)),
              "choose a device or one of these targets");
}

// The best entry of every bundle.
Expected<std::vector<size_t>> chosen_entries(const CodeObjectFile& file, const TargetId& device) {
  std::map<uint64_t, std::pair<int, size_t>> best;  // bundle -> fitness, entry
  for (size_t i = 0; i < file.entries().size(); ++i) {
    const CodeObjectEntry& entry = file.entries()[i];
    const auto fit = fitness(entry.target, device);
    if (!fit) continue;
    const auto [place, added] = best.try_emplace(entry.bundle, *fit, i);
    if (!added && *fit > place->second.first) place->second = {*fit, i};
  }
  if (best.empty())
    return fail(
        file.origin(),
        fmt::format("holds no code for {}, only for {}", to_string(device), list_of(targets_of(file))),
        fmt::format("choose a device of one of these targets, or compile with --offload-arch={}",
                    to_string(device)));
  std::vector<size_t> entries;
  for (const auto& [bundle, choice] : best) entries.push_back(choice.second);
  return entries;
}

std::string without_spaces(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](char c) { return c != ' '; });
  return out;
}

// The names people use for a demangled kernel, without spaces. For "void a::k<float>(int*)": with its
// parameters a::k<float>(int*), then the short forms a::k<float>, a::k, k<float>, k.
struct NameForms {
  std::string with_parameters;
  std::vector<std::string> brief;
  std::string shown;  // a::k<float>, as c++filt spaces it

  explicit NameForms(std::string_view demangled) {
    int depth = 0;
    size_t begin = 0, scope = 0, end = demangled.size(), arguments = std::string_view::npos;
    constexpr std::string_view kAnonymous = "(anonymous namespace)";
    for (size_t i = 0; i < demangled.size(); ++i) {
      if (demangled.substr(i).starts_with(kAnonymous)) {
        i += kAnonymous.size() - 1;
        continue;
      }
      const char c = demangled[i];
      if (c == '(' && depth == 0) {
        end = i;
        break;
      }
      if (c == '<' && depth == 0) arguments = i;
      if (c == '<' || c == '(' || c == '[') ++depth;
      if (c == '>' || c == ')' || c == ']') depth = std::max(0, depth - 1);
      if (depth == 0 && c == ' ')
        begin = scope = i + 1, arguments = std::string_view::npos;  // behind the return type
      if (depth == 0 && c == ':') scope = i + 1, arguments = std::string_view::npos;
    }
    shown = demangled.substr(begin, end - begin);
    with_parameters = without_spaces(demangled.substr(begin));
    const size_t plain_end = std::min(arguments, end);
    for (const auto& [from, to] :
         {std::pair{begin, end}, {begin, plain_end}, {scope, end}, {scope, plain_end}})
      brief.push_back(without_spaces(demangled.substr(from, to - from)));
  }
};

// Kernels for a message: without parameters unless these tell two apart, and cut to what people read.
std::string list_of_kernels(const std::vector<std::string>& demangled) {
  constexpr size_t kLongest = 160;
  std::map<std::string, int> uses;
  for (const std::string& name : demangled) ++uses[NameForms(name).shown];
  std::vector<std::string> list;
  for (const std::string& name : demangled) {
    std::string text = NameForms(name).shown;
    if (uses[text] > 1) text = name;
    if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
    list.push_back(std::move(text));
  }
  return list_of(std::move(list));
}

enum Level { kMangled, kDemangled, kBrief, kSubstring, kLevels };

std::optional<Level> match(const Kernel& kernel, std::string_view name, const std::string& spaceless) {
  if (kernel.name == name) return kMangled;
  const NameForms forms(kernel.demangled);
  if (without_spaces(kernel.demangled) == spaceless || forms.with_parameters == spaceless) return kDemangled;
  if (std::find(forms.brief.begin(), forms.brief.end(), spaceless) != forms.brief.end()) return kBrief;
  const bool inside = kernel.name.find(name) != std::string::npos ||
                      without_spaces(kernel.demangled).find(spaceless) != std::string::npos;
  return inside ? std::optional(kSubstring) : std::nullopt;
}

class Search {
 public:
  Search(const CodeObjectFile& file, std::string_view name)
      : file_(file), name_(name), spaceless_(without_spaces(name)) {}

  Expected<KernelSelection> run(const std::vector<size_t>& entries) {
    for (size_t entry : entries) {
      auto object = file_.load(entry);
      if (!object) {
        if (!load_error_) load_error_ = object.error();
        continue;
      }
      for (size_t i = 0; i < object->kernels.size(); ++i) {
        const Kernel& kernel = object->kernels[i];
        all_.try_emplace(kernel.name, kernel.demangled);
        const auto level = name_.empty() ? std::optional(kSubstring) : match(kernel, name_, spaceless_);
        if (level == kMangled) return KernelSelection{std::move(*object), i};
        if (level) found_[*level].try_emplace(kernel.name, Found{kernel.demangled, entry});
      }
    }
    for (const auto& names : found_) {
      if (names.size() > 1) return ambiguous(names);
      if (names.size() == 1) return load(names.begin()->first, names.begin()->second.entry);
    }
    if (load_error_) return tl::unexpected(*load_error_);
    return not_found();
  }

 private:
  struct Found {
    std::string demangled;
    size_t entry;
  };

  Expected<KernelSelection> load(const std::string& kernel, size_t entry) const {
    auto object = file_.load(entry);
    if (!object) return tl::unexpected(object.error());
    const auto index = static_cast<size_t>(object->find(kernel) - object->kernels.data());
    return KernelSelection{std::move(*object), index};
  }

  tl::unexpected<Error> ambiguous(const std::map<std::string, Found>& names) const {
    std::vector<std::string> list;
    for (const auto& [name, found] : names) list.push_back(found.demangled);
    const std::string what = name_.empty()
                                 ? fmt::format("holds {} kernels", names.size())
                                 : fmt::format("holds {} kernels that match '{}'", names.size(), name_);
    return fail(file_.origin(), fmt::format("{}: {}", what, list_of_kernels(list)),
                "name one of them with -k");
  }

  tl::unexpected<Error> not_found() const {
    if (all_.empty())
      return fail(file_.origin(), "holds no kernel for this target",
                  "compile a file with __global__ functions");
    // Distance to the mangled name or any form of the demangled one.
    std::vector<std::pair<unsigned, std::string>> near;
    const unsigned limit = std::max<unsigned>(2, static_cast<unsigned>(spaceless_.size() / 3));
    for (const auto& [name, demangled] : all_) {
      const NameForms forms(demangled);
      unsigned distance = llvm::StringRef(name).edit_distance_insensitive(spaceless_, true, limit);
      for (const std::string& form : forms.brief)
        distance =
            std::min(distance, llvm::StringRef(form).edit_distance_insensitive(spaceless_, true, limit));
      if (distance <= limit) near.emplace_back(distance, demangled);
    }
    std::sort(near.begin(), near.end());
    std::vector<std::string> list;
    for (const auto& [distance, demangled] : near) list.push_back(demangled);
    if (!list.empty())
      return fail(file_.origin(), fmt::format("holds no kernel '{}'", name_),
                  "did you mean " + list_of_kernels(list) + "?");
    for (const auto& [name, demangled] : all_) list.push_back(demangled);
    return fail(file_.origin(), fmt::format("holds no kernel '{}'", name_),
                "its kernels are " + list_of_kernels(list));
  }

  const CodeObjectFile& file_;
  std::string name_, spaceless_;
  std::map<std::string, Found> found_[kLevels];  // by mangled name; the first entry that has it wins
  std::map<std::string, std::string> all_;       // mangled -> demangled
  std::optional<Error> load_error_;
};

}  // namespace

Expected<KernelSelection> select_kernel(const CodeObjectFile& file, std::string_view name,
                                        std::string_view processor) {
  const auto device = wanted_target(file, processor);
  if (!device) return tl::unexpected(device.error());
  const auto entries = chosen_entries(file, *device);
  if (!entries) return tl::unexpected(entries.error());
  if (name.size() > 3 && name.ends_with(".kd")) name.remove_suffix(3);
  return Search(file, name).run(*entries);
}

}  // namespace wavecast::isa
