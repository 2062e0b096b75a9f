// Instruction timing from YAML. A file lists classes, matrix instructions in groups of one provenance, LDS
// widths and a few single parameters; `based_on` lays it over another target's file.
#include "hardware/instruction_timing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bitset>
#include <charconv>
#include <cmath>

#include "hardware/close_names.h"
#include "hardware/file_access.h"
#include "hardware/yaml_reader.h"

namespace wavecast::hardware {
namespace {

using yaml::Entry;
using yaml::Sources;

constexpr std::string_view kFolder = "timing/";
constexpr int kWavefrontSize = 64;    // lanes of a wave on every CDNA target
constexpr double kMostCycles = 1e9;   // half a second: longer than any instruction
constexpr double kCyclesPerPass = 4;  // a pass is by definition one VALU issue slot
constexpr double kMostPasses = 1024, kMostBanks = 1024, kMostFlops = 1e9;

struct Draft {
  InstructionTiming timing;
  Sources sources;
  bool has_branch_taken = false, has_barrier = false, has_lds_issue_overhead = false;
};

Expected<void> check_range(const YAML::Node& node, std::string_view origin, std::string_view what,
                           double value, double least, double most) {
  if (value >= least && value <= most) return {};
  return fail(yaml::place(origin, node), fmt::format("{}: {} is out of range", what, value),
              fmt::format("give {} to {}", least, most));
}

// A parameter of its own mapping, or a bare value that takes `shared` as its provenance.
template <class Quantity>
Expected<Parameter<Quantity>> read_typed(const YAML::Node& node, std::string_view origin,
                                         const std::string& what, double most, const Sources& sources,
                                         const Provenance* shared) {
  Expected<yaml::QuantityText> read =
      yaml::read_parameter(node, origin, what, base_unit_of(Quantity{}), sources);
  if (!read) return tl::unexpected(read.error());
  if (Expected<void> checked = check_range(node, origin, what, read->value, 0, most); !checked)
    return tl::unexpected(checked.error());
  Parameter<Quantity> parameter;
  parameter.value = Quantity(read->value);
  parameter.provenance = node.IsScalar() && shared ? *shared : std::move(read->provenance);
  return parameter;
}

Expected<double> read_count(const YAML::Node& node, std::string_view origin, const std::string& what,
                            double most) {
  const Expected<std::string> text = yaml::text(node, origin, what);
  if (!text) return tl::unexpected(text.error());
  const Expected<double> number = parse_quantity(*text, CountDimension::kUnit);
  if (!number)
    return fail(yaml::place(origin, node), fmt::format("{}: {}", what, number.error().reason),
                number.error().remedy);
  if (Expected<void> checked = check_range(node, origin, what, *number, 1, most); !checked)
    return tl::unexpected(checked.error());
  if (*number != std::floor(*number))
    return fail(yaml::place(origin, node), fmt::format("{} is no whole number", what));
  return *number;
}

// Provenance shared by the values of one mapping; none if the mapping has no provenance keys.
Expected<std::optional<Provenance>> read_shared(const std::vector<Entry>& pairs, const YAML::Node& node,
                                                std::string_view origin, const std::string& what,
                                                std::string_view base_unit, const Sources& sources) {
  if (std::none_of(pairs.begin(), pairs.end(),
                   [](const Entry& entry) { return yaml::is_provenance_key(entry.key); }))
    return std::optional<Provenance>();
  Expected<Provenance> provenance = yaml::read_provenance(node, origin, what, base_unit, sources);
  if (!provenance) return tl::unexpected(provenance.error());
  return std::optional<Provenance>(*std::move(provenance));
}

Expected<ClassTiming> read_class(const Entry& entry, std::string_view origin, const Sources& sources) {
  const Expected<std::vector<Entry>> pairs = yaml::entries(entry.value, origin, entry.key);
  if (!pairs) return tl::unexpected(pairs.error());
  const auto shared = read_shared(*pairs, entry.value, origin, entry.key, CyclesDimension::kUnit, sources);
  if (!shared) return tl::unexpected(shared.error());
  ClassTiming timing;
  bool has_issue = false, has_latency = false;
  for (const Entry& pair : *pairs) {
    if (yaml::is_provenance_key(pair.key)) continue;
    const bool is_issue = pair.key == "issue";
    if (!is_issue && pair.key != "latency")
      return yaml::unknown_name(
          pair.key_node, origin, "key", pair.key,
          {"issue", "latency", "kind", "source", "conditions", "uncertainty", "conflicts"});
    auto read = read_typed<Cycles>(pair.value, origin, fmt::format("{}.{}", entry.key, pair.key), kMostCycles,
                                   sources, *shared ? &**shared : nullptr);
    if (!read) return tl::unexpected(read.error());
    (is_issue ? timing.issue : timing.latency) = *std::move(read);
    (is_issue ? has_issue : has_latency) = true;
  }
  if (!has_issue || !has_latency)
    return fail(yaml::place(origin, entry.key_node), fmt::format("{} lacks issue or latency", entry.key),
                "give both in cycles");
  return timing;
}

Expected<void> read_classes(Draft& draft, const Entry& section, std::string_view origin) {
  const Expected<std::vector<Entry>> pairs = yaml::entries(section.value, origin, "classes");
  if (!pairs) return tl::unexpected(pairs.error());
  for (const Entry& entry : *pairs) {
    Expected<ClassTiming> timing = read_class(entry, origin, draft.sources);
    if (!timing) return tl::unexpected(timing.error());
    draft.timing.classes[entry.key] = *std::move(timing);
  }
  return {};
}

Expected<MatrixTiming> read_matrix_instruction(const Entry& entry, std::string_view origin,
                                               const Provenance& shared, const Sources& sources) {
  const Expected<std::vector<Entry>> pairs = yaml::entries(entry.value, origin, entry.key);
  if (!pairs) return tl::unexpected(pairs.error());
  MatrixTiming timing;
  for (const Entry& pair : *pairs) {
    const std::string what = fmt::format("{}.{}", entry.key, pair.key);
    if (pair.key == "flops") {
      const Expected<double> flops = read_count(pair.value, origin, what, kMostFlops);
      if (!flops) return tl::unexpected(flops.error());
      timing.flops = Count(*flops);
      continue;
    }
    if (pair.key != "passes" && pair.key != "passes_below_8_bit")
      return yaml::unknown_name(pair.key_node, origin, "key", pair.key,
                                {"passes", "flops", "passes_below_8_bit"});
    auto passes = read_typed<Count>(pair.value, origin, what, kMostPasses, sources, &shared);
    if (!passes) return tl::unexpected(passes.error());
    if (passes->value.value() < 1 || passes->value.value() != std::floor(passes->value.value()))
      return fail(yaml::place(origin, pair.value), fmt::format("{} is no positive whole number", what));
    if (pair.key == "passes")
      timing.passes = *std::move(passes);
    else
      timing.passes_below_8_bit = *std::move(passes);
  }
  if (timing.passes->value() == 0 || timing.flops.value() == 0)
    return fail(yaml::place(origin, entry.key_node), fmt::format("{} lacks passes or flops", entry.key),
                "give both");
  return timing;
}

// `valu_blocked` of a group: a number of cycles, or the word "passes" for as long as the matrix unit is busy.
Expected<std::optional<Cycles>> read_valu_blocked(const YAML::Node& node, std::string_view origin) {
  const Expected<std::string> text = yaml::text(node, origin, "valu_blocked");
  if (!text) return tl::unexpected(text.error());
  if (*text == "passes") return std::optional<Cycles>();
  const Expected<double> cycles = parse_quantity(*text, CyclesDimension::kUnit);
  if (!cycles)
    return fail(yaml::place(origin, node), "valu_blocked: " + cycles.error().reason,
                "write cycles, or the word passes");
  if (Expected<void> checked = check_range(node, origin, "valu_blocked", *cycles, 0, kMostCycles); !checked)
    return tl::unexpected(checked.error());
  return std::optional<Cycles>(Cycles(*cycles));
}

Expected<void> read_matrix_group(Draft& draft, const YAML::Node& group, std::string_view origin) {
  const Expected<std::vector<Entry>> pairs = yaml::entries(group, origin, "a matrix group");
  if (!pairs) return tl::unexpected(pairs.error());
  const Expected<Provenance> shared =
      yaml::read_provenance(group, origin, "a matrix group", CountDimension::kUnit, draft.sources);
  if (!shared) return tl::unexpected(shared.error());
  const Entry* instructions = nullptr;
  const Entry* blocked = nullptr;
  for (const Entry& pair : *pairs) {
    if (pair.key == "instructions")
      instructions = &pair;
    else if (pair.key == "valu_blocked")
      blocked = &pair;
    else if (!yaml::is_provenance_key(pair.key))
      return yaml::unknown_name(
          pair.key_node, origin, "key", pair.key,
          {"instructions", "valu_blocked", "kind", "source", "conditions", "uncertainty"});
  }
  if (!instructions || !blocked)
    return fail(yaml::place(origin, group), "a matrix group lacks instructions or valu_blocked", "give both");
  const auto valu_blocked = read_valu_blocked(blocked->value, origin);
  if (!valu_blocked) return tl::unexpected(valu_blocked.error());
  const Expected<std::vector<Entry>> entries = yaml::entries(instructions->value, origin, "instructions");
  if (!entries) return tl::unexpected(entries.error());
  for (const Entry& entry : *entries) {
    Expected<MatrixTiming> timing = read_matrix_instruction(entry, origin, *shared, draft.sources);
    if (!timing) return tl::unexpected(timing.error());
    timing->valu_blocked.value = valu_blocked->value_or(Cycles(timing->passes->value() * kCyclesPerPass));
    timing->valu_blocked.provenance = *shared;
    if (!draft.timing.matrix.emplace(entry.key, *std::move(timing)).second)
      return fail(yaml::place(origin, entry.key_node), fmt::format("{} stands in two groups", entry.key),
                  "remove one of them");
  }
  return {};
}

Expected<void> read_matrix(Draft& draft, const Entry& section, std::string_view origin) {
  if (!section.value.IsSequence())
    return fail(yaml::place(origin, section.value), "matrix is no list of groups",
                "write - { kind, source, valu_blocked, instructions: {...} }");
  draft.timing.matrix
      .clear();  // a target lists all of its matrix instructions: inheriting one it lacks would be wrong
  for (const YAML::Node& group : section.value)
    if (Expected<void> read = read_matrix_group(draft, group, origin); !read) return read;
  return {};
}

// "0-3 20-23" to lane numbers.
Expected<std::vector<int>> read_phase(const YAML::Node& node, std::string_view origin) {
  const Expected<std::string> text = yaml::text(node, origin, "a phase");
  if (!text) return tl::unexpected(text.error());
  const auto malformed = [&] {
    return fail(yaml::place(origin, node), "a phase is no list of lanes",
                "write lane ranges like \"0-3 20-23\", each lane 0 to 63");
  };
  std::vector<int> lanes;
  const char* at = text->data();
  const char* const end = at + text->size();
  while (at != end) {
    if (*at == ' ') {
      ++at;
      continue;
    }
    int first = 0, last = 0;
    auto parsed = std::from_chars(at, end, first);
    if (parsed.ec != std::errc{}) return malformed();
    last = first;
    if (parsed.ptr != end && *parsed.ptr == '-') {
      parsed = std::from_chars(parsed.ptr + 1, end, last);
      if (parsed.ec != std::errc{}) return malformed();
    }
    if (first < 0 || last < first || last >= kWavefrontSize) return malformed();
    for (int lane = first; lane <= last; ++lane) lanes.push_back(lane);
    if (lanes.size() > kWavefrontSize) return malformed();
    at = parsed.ptr;
    if (at != end && *at != ' ') return malformed();
  }
  return lanes;
}

Expected<std::vector<std::vector<int>>> read_phases(const YAML::Node& node, std::string_view origin) {
  if (!node.IsSequence())
    return fail(yaml::place(origin, node), "phases is no list", "write [\"0-31\", \"32-63\"]");
  std::vector<std::vector<int>> phases;
  std::bitset<kWavefrontSize> seen;
  for (const YAML::Node& item : node) {
    Expected<std::vector<int>> lanes = read_phase(item, origin);
    if (!lanes) return tl::unexpected(lanes.error());
    for (const int lane : *lanes) {
      if (seen[lane])
        return fail(yaml::place(origin, item), fmt::format("lane {} stands in two phases", lane),
                    "put each lane in one phase");
      seen[lane] = true;
    }
    if (lanes->empty()) return fail(yaml::place(origin, item), "a phase has no lanes", "remove it");
    phases.push_back(*std::move(lanes));
  }
  if (!seen.all())
    return fail(yaml::place(origin, node), "the phases lack lanes", "put each lane 0 to 63 in one phase");
  return phases;
}

Expected<LdsWidthTiming> read_lds_width(const Entry& entry, std::string_view origin,
                                        const std::string& section, const Sources& sources) {
  const std::string what = fmt::format("{} of {} B", section, entry.key);
  const Expected<std::vector<Entry>> pairs = yaml::entries(entry.value, origin, what);
  if (!pairs) return tl::unexpected(pairs.error());
  const auto shared = read_shared(*pairs, entry.value, origin, what, CyclesDimension::kUnit, sources);
  if (!shared) return tl::unexpected(shared.error());
  const std::vector<std::string> needed = {"phases", "banks", "cycles_per_phase", "cycles_per_conflict",
                                           "latency"};
  std::vector<std::string> missing = needed;
  LdsWidthTiming timing;
  for (const Entry& pair : *pairs) {
    if (yaml::is_provenance_key(pair.key)) continue;
    std::erase(missing, pair.key);
    if (pair.key == "phases") {
      auto phases = read_phases(pair.value, origin);
      if (!phases) return tl::unexpected(phases.error());
      timing.phases = *std::move(phases);
    } else if (pair.key == "banks") {
      const Expected<double> banks = read_count(pair.value, origin, "banks", kMostBanks);
      if (!banks) return tl::unexpected(banks.error());
      timing.banks = Count(*banks);
    } else if (std::find(needed.begin(), needed.end(), pair.key) != needed.end()) {
      auto cycles = read_typed<Cycles>(pair.value, origin, fmt::format("{}.{}", what, pair.key), kMostCycles,
                                       sources, *shared ? &**shared : nullptr);
      if (!cycles) return tl::unexpected(cycles.error());
      (pair.key == "latency"            ? timing.latency
       : pair.key == "cycles_per_phase" ? timing.cycles_per_phase
                                        : timing.cycles_per_conflict) = *std::move(cycles);
    } else {
      return yaml::unknown_name(pair.key_node, origin, "key", pair.key, needed);
    }
  }
  if (!missing.empty())
    return fail(yaml::place(origin, entry.key_node),
                fmt::format("{} lacks {}", what, fmt::join(missing, ", ")), "give all of them");
  return timing;
}

Expected<void> read_lds(std::map<int, LdsWidthTiming>& widths, const Entry& section, std::string_view origin,
                        const Sources& sources) {
  const Expected<std::vector<Entry>> pairs = yaml::entries(section.value, origin, section.key);
  if (!pairs) return tl::unexpected(pairs.error());
  for (const Entry& entry : *pairs) {
    int bytes = 0;
    const auto parsed = std::from_chars(entry.key.data(), entry.key.data() + entry.key.size(), bytes);
    constexpr int kWidths[] = {1, 2, 4, 8, 12, 16};  // bytes per lane of ds_read/write_b8 ... b128
    if (parsed.ec != std::errc{} || parsed.ptr != entry.key.data() + entry.key.size() ||
        std::find(std::begin(kWidths), std::end(kWidths), bytes) == std::end(kWidths))
      return yaml::unknown_name(entry.key_node, origin, "width", entry.key, {"1", "2", "4", "8", "12", "16"});
    Expected<LdsWidthTiming> timing = read_lds_width(entry, origin, section.key, sources);
    if (!timing) return tl::unexpected(timing.error());
    widths[bytes] = *std::move(timing);
  }
  return {};
}

Expected<void> read_single(Parameter<Cycles>& parameter, bool& given, const Entry& entry,
                           std::string_view origin, const Sources& sources) {
  auto read = read_typed<Cycles>(entry.value, origin, entry.key, kMostCycles, sources, nullptr);
  if (!read) return tl::unexpected(read.error());
  parameter = *std::move(read);
  given = true;
  return {};
}

void demote_all(InstructionTiming& timing) {
  const auto demote = [&](auto& parameter) { yaml::demote_measurement(parameter.provenance, timing.target); };
  for (auto& [name, entry] : timing.classes) demote(entry.issue), demote(entry.latency);
  for (auto& [name, entry] : timing.matrix) demote(entry.passes);
  for (auto* widths : {&timing.lds_read, &timing.lds_write})
    for (auto& [bytes, entry] : *widths)
      demote(entry.cycles_per_phase), demote(entry.cycles_per_conflict), demote(entry.latency);
  demote(timing.branch_taken), demote(timing.barrier), demote(timing.lds_issue_overhead);
}

Expected<Draft> read_draft(std::string_view text, std::string_view origin, std::vector<std::string> chain);

Expected<Draft> read_base(const Entry& entry, std::string_view origin, std::vector<std::string> chain) {
  const Expected<std::string> name = yaml::text(entry.value, origin, "based_on");
  if (!name) return tl::unexpected(name.error());
  if (std::find(chain.begin(), chain.end(), *name) != chain.end())
    return fail(yaml::place(origin, entry.value),
                fmt::format("based_on goes in a circle: {} -> {}", fmt::join(chain, " -> "), *name));
  const std::string file = fmt::format("{}{}.yaml", kFolder, *name);
  const std::string_view* text = find_embedded(file);
  if (!text) return yaml::unknown_name(entry.value, origin, "target", *name, timing_targets());
  chain.push_back(*name);
  return read_draft(*text, file, std::move(chain));
}

Expected<void> read_section(Draft& draft, const Entry& entry, std::string_view origin) {
  InstructionTiming& timing = draft.timing;
  if (entry.key == "classes") return read_classes(draft, entry, origin);
  if (entry.key == "matrix") return read_matrix(draft, entry, origin);
  if (entry.key == "lds_read") return read_lds(timing.lds_read, entry, origin, draft.sources);
  if (entry.key == "lds_write") return read_lds(timing.lds_write, entry, origin, draft.sources);
  if (entry.key == "branch_taken")
    return read_single(timing.branch_taken, draft.has_branch_taken, entry, origin, draft.sources);
  if (entry.key == "barrier")
    return read_single(timing.barrier, draft.has_barrier, entry, origin, draft.sources);
  if (entry.key == "lds_issue_overhead")
    return read_single(timing.lds_issue_overhead, draft.has_lds_issue_overhead, entry, origin, draft.sources);
  return yaml::unknown_name(entry.key_node, origin, "section", entry.key,
                            {"target", "based_on", "inherited", "sources", "classes", "matrix", "lds_read",
                             "lds_write", "branch_taken", "barrier", "lds_issue_overhead"});
}

Expected<Draft> read_draft(std::string_view text, std::string_view origin, std::vector<std::string> chain) {
  const Expected<YAML::Node> root = yaml::parse_document(text, origin);
  if (!root) return tl::unexpected(root.error());
  const Expected<std::vector<Entry>> pairs = yaml::entries(*root, origin, "the file");
  if (!pairs) return tl::unexpected(pairs.error());
  const auto find = [&](std::string_view key) {
    return std::find_if(pairs->begin(), pairs->end(), [&](const Entry& entry) { return entry.key == key; });
  };
  Draft draft;
  if (const auto base_entry = find("based_on"); base_entry != pairs->end()) {
    Expected<Draft> base = read_base(*base_entry, origin, chain);
    if (!base) return base;
    draft = *std::move(base);
  }
  if (const auto entry = find("inherited"); entry != pairs->end()) {
    const Expected<yaml::Inherited> inherited = yaml::read_inherited(entry->value, origin);
    if (!inherited) return tl::unexpected(inherited.error());
    if (*inherited == yaml::Inherited::assumed) demote_all(draft.timing);
  }
  draft.timing.target.clear();
  if (const auto entry = find("sources"); entry != pairs->end()) {
    const Expected<Sources> sources = yaml::read_sources(entry->value, origin);
    if (!sources) return tl::unexpected(sources.error());
    for (const auto& [name, citation] : *sources) draft.sources[name] = citation;
  }
  for (const Entry& entry : *pairs) {
    if (entry.key == "based_on" || entry.key == "inherited" || entry.key == "sources") continue;
    if (entry.key == "target") {
      Expected<std::string> target = yaml::text(entry.value, origin, "target");
      if (!target) return tl::unexpected(target.error());
      draft.timing.target = *std::move(target);
    } else if (Expected<void> outcome = read_section(draft, entry, origin); !outcome) {
      return tl::unexpected(outcome.error());
    }
  }
  return draft;
}

Expected<InstructionTiming> finish(Draft draft, std::string_view origin) {
  std::vector<std::string> missing;
  const InstructionTiming& timing = draft.timing;
  if (timing.target.empty()) missing.emplace_back("target");
  if (timing.classes.empty()) missing.emplace_back("classes");
  if (timing.lds_read.empty()) missing.emplace_back("lds_read");
  if (timing.lds_write.empty()) missing.emplace_back("lds_write");
  if (!draft.has_branch_taken) missing.emplace_back("branch_taken");
  if (!draft.has_barrier) missing.emplace_back("barrier");
  if (!draft.has_lds_issue_overhead) missing.emplace_back("lds_issue_overhead");
  if (!missing.empty())
    return fail(std::string(origin), fmt::format("lacks {}", fmt::join(missing, ", ")),
                "add them, or use based_on: TARGET");
  return std::move(draft.timing);
}

Expected<InstructionTiming> parse(std::string_view text, std::string_view origin,
                                  std::vector<std::string> chain) {
  return yaml::guarded<InstructionTiming>(origin, [&]() -> Expected<InstructionTiming> {
    Expected<Draft> draft = read_draft(text, origin, std::move(chain));
    if (!draft) return tl::unexpected(draft.error());
    return finish(*std::move(draft), origin);
  });
}

}  // namespace

std::vector<std::string> timing_targets() { return embedded_names(kFolder); }

Expected<InstructionTiming> load_instruction_timing(std::string_view target) {
  const std::string file = fmt::format("{}{}.yaml", kFolder, target);
  if (const std::string_view* text = find_embedded(file)) return parse(*text, file, {std::string(target)});
  return fail(std::string(target), "has no instruction timing", name_remedy(target, timing_targets()));
}

Expected<InstructionTiming> parse_instruction_timing(std::string_view yaml_text, std::string_view origin) {
  return parse(yaml_text, origin, {});
}

}  // namespace wavecast::hardware
