// How code objects and kernels are shown: a file's listing, and one kernel with arguments, resources, mix and
// loops.
#include "model/view/inspect_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/launch_description.h"
#include "model/occupancy.h"
#include "model/text_parsing.h"
#include "model/view/json.h"
#include "model/view/text.h"

namespace wavecast::model {
namespace {

constexpr size_t kScreenful = 60;  // rows that a person scrolls through

const std::string& shown_name(const isa::Kernel& kernel) {
  return kernel.demangled.empty() ? kernel.name : kernel.demangled;
}

std::string counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(double(count)), noun, count == 1 ? "" : "s");
}

std::string spills(const isa::Kernel& kernel) {
  return fmt::format("{}/{}", kernel.sgpr_spill_count, kernel.vgpr_spill_count);
}

// Entries of one target, for files with too many to list.
struct TargetSummary {
  size_t code_objects = 0, kernels = 0, unread = 0, with_scratch = 0, with_spills = 0;
  uint64_t bytes = 0;
  uint32_t most_vgprs = 0;
};

std::map<std::string, TargetSummary> summarize(const FileListing& listing) {
  std::map<std::string, TargetSummary> targets;
  for (size_t i = 0; i < listing.entries.size(); ++i) {
    TargetSummary& summary = targets[to_string(listing.entries[i].target)];
    ++summary.code_objects;
    summary.bytes += listing.entries[i].size;
    if (!listing.code_objects[i]) {
      ++summary.unread;
      continue;
    }
    for (const isa::Kernel& kernel : listing.code_objects[i]->kernels) {
      ++summary.kernels;
      summary.with_scratch += kernel.descriptor.private_segment_fixed_size != 0;
      summary.with_spills += kernel.sgpr_spill_count || kernel.vgpr_spill_count;
      summary.most_vgprs = std::max(summary.most_vgprs, kernel.arch_vgpr_count + kernel.accum_vgpr_count);
    }
  }
  return targets;
}

std::string target_table(const std::map<std::string, TargetSummary>& targets) {
  TextTable table("lrrrrrr");
  table.add({"target", "code objects", "bytes", "kernels", "with scratch", "with spills", "most VGPRs"});
  for (const auto& [name, s] : targets) {
    const bool read = s.unread == 0;
    const auto cell = [&](uint64_t value) {
      return read ? format_count(double(value)) : std::string("not read");
    };
    table.add({name, format_count(double(s.code_objects)), format_bytes(double(s.bytes)), cell(s.kernels),
               read ? cell(s.with_scratch) : "", read ? cell(s.with_spills) : "",
               read ? cell(s.most_vgprs) : ""});
  }
  return table.render();
}

std::string kernel_table(const isa::CodeObject& object) {
  TextTable table("lrrrrrrrrl");
  table.add(
      {"VGPRs", "AGPRs", "SGPRs", "LDS", "scratch", "spills s/v", "kernarg", "block <=", "code", "kernel"});
  for (const isa::Kernel& kernel : object.kernels)
    table.add({std::to_string(kernel.arch_vgpr_count), std::to_string(kernel.accum_vgpr_count),
               std::to_string(kernel.sgpr_count), std::to_string(kernel.descriptor.group_segment_fixed_size),
               std::to_string(kernel.descriptor.private_segment_fixed_size), spills(kernel),
               std::to_string(kernel.kernarg_segment_size), std::to_string(kernel.max_flat_work_group_size),
               kernel.code_size ? std::to_string(kernel.code_size) : "-", shown_name(kernel)});
  return table.render("    ");
}

Json argument_json(const isa::KernelArgument& argument, const std::string& type) {
  return {{"name", argument.name},       {"type", type},
          {"kind", argument.value_kind}, {"offset_bytes", argument.offset},
          {"size_bytes", argument.size}, {"hidden", argument.hidden()}};
}

Json kernel_fields(const isa::Kernel& kernel) {
  Json json = {{"name", kernel.name},
               {"demangled", kernel.demangled},
               {"vgprs", kernel.arch_vgpr_count},
               {"agprs", kernel.accum_vgpr_count},
               {"sgprs", kernel.sgpr_count},
               {"lds_bytes", kernel.descriptor.group_segment_fixed_size},
               {"scratch_bytes_per_work_item", kernel.descriptor.private_segment_fixed_size},
               {"sgpr_spills", kernel.sgpr_spill_count},
               {"vgpr_spills", kernel.vgpr_spill_count},
               {"kernarg_bytes", kernel.kernarg_segment_size},
               {"max_work_group_size", kernel.max_flat_work_group_size},
               {"code_bytes", kernel.code_size}};
  if (kernel.required_work_group_size) json["required_work_group_size"] = *kernel.required_work_group_size;
  return json;
}

std::string arguments_text(const isa::Kernel& kernel) {
  if (!kernel.has_argument_metadata && kernel.arguments.empty())
    return fmt::format(
        "\nArguments\n  not described by the code object; kernarg segment of {} bytes (launch it with a "
        "launch file and offsets)\n",
        kernel.kernarg_segment_size);
  const auto types = argument_types(kernel);
  TextTable table("rrlll");
  table.add({"offset", "bytes", "kind", "type", "name"});
  size_t index = 0;
  std::vector<std::string> hidden;
  for (const isa::KernelArgument& argument : kernel.arguments) {
    if (argument.hidden()) {
      hidden.push_back(argument.value_kind.substr(7));
      continue;
    }
    table.add({std::to_string(argument.offset), std::to_string(argument.size), argument.value_kind,
               types[index], argument.name});
    ++index;
  }
  std::string out = fmt::format("\nArguments ({} bytes)\n", kernel.kernarg_segment_size) +
                    (index ? table.render() : "  none\n");
  if (!hidden.empty()) out += fmt::format("  and {} hidden ones, filled by the launch\n", hidden.size());
  return out;
}

std::string resources_text(const KernelReport& report) {
  const isa::Kernel& k = *report.kernel;
  const isa::KernelDescriptor& d = k.descriptor;
  std::string out = "\nResources\n";
  TextTable table("lrl");
  table.add({"VGPRs", std::to_string(k.arch_vgpr_count), "per wave"});
  table.add({"AGPRs", std::to_string(k.accum_vgpr_count), "per wave"});
  table.add({"SGPRs", std::to_string(k.sgpr_count), "per wave"});
  table.add({"LDS", std::to_string(d.group_segment_fixed_size), "bytes per work-group, static"});
  table.add({"scratch", std::to_string(d.private_segment_fixed_size),
             k.uses_dynamic_stack ? "bytes per work-item, and a dynamic stack" : "bytes per work-item"});
  table.add({"SGPR spills", std::to_string(k.sgpr_spill_count), ""});
  table.add({"VGPR spills", std::to_string(k.vgpr_spill_count), ""});
  table.add({"work-group", std::to_string(k.max_flat_work_group_size), "work-items at most"});
  out += table.render();
  if (k.required_work_group_size)
    out += fmt::format("  must be launched with --block {},{},{}\n", (*k.required_work_group_size)[0],
                       (*k.required_work_group_size)[1], (*k.required_work_group_size)[2]);
  // 1024 is the compiler's assumption without launch bounds; it caps the registers, hence the spills.
  if (k.vgpr_spill_count && k.max_flat_work_group_size == 1024)
    out +=
        "  the kernel spills under the bound for 1024 work-items; __launch_bounds__ with the real block size "
        "gives it more registers\n";
  return out;
}

std::string occupancy_text_for(const KernelReport& report) {
  if (!report.device) return "";
  std::string out = fmt::format("\nWaves per SIMD on {} without dynamic LDS\n", report.device->name);
  TextTable table("rrl");
  table.add({"work-items", "waves", "limited by"});
  for (uint32_t size : {64u, 128u, 256u, 512u, 1024u}) {
    if (size > report.kernel->max_flat_work_group_size) break;
    const auto result = occupancy(resources_of(*report.kernel, size, 0), *report.device);
    table.add({std::to_string(size), result ? std::to_string(result->waves_per_simd) : "-",
               result ? std::string(to_string(result->limiter)) : result.error().reason});
  }
  return out + table.render();
}

std::string descriptor_text(const isa::Kernel& kernel) {
  const isa::KernelDescriptor& d = kernel.descriptor;
  std::string inputs;
  const auto add = [&](bool enabled, std::string_view name) {
    if (enabled) inputs += (inputs.empty() ? "" : ", ") + std::string(name);
  };
  add(d.enable_private_segment_buffer(), "private segment buffer");
  add(d.enable_dispatch_ptr(), "dispatch ptr");
  add(d.enable_queue_ptr(), "queue ptr");
  add(d.enable_kernarg_segment_ptr(), "kernarg ptr");
  add(d.enable_dispatch_id(), "dispatch id");
  add(d.enable_flat_scratch_init(), "flat scratch init");
  add(d.enable_private_segment_size(), "private segment size");
  add(d.kernarg_preload_length() > 0, fmt::format("{} preloaded kernarg dwords", d.kernarg_preload_length()));
  std::string out = fmt::format("\nDescriptor\n  entry 0x{:x}, {} user SGPRs: {}\n", kernel.entry_address,
                                d.user_sgpr_count(), inputs.empty() ? "none" : inputs);
  out += fmt::format("  work-group ids {}{}{}, work-item ids {}\n", d.enable_work_group_id(0) ? "x" : "",
                     d.enable_work_group_id(1) ? "y" : "", d.enable_work_group_id(2) ? "z" : "",
                     std::string_view("xyz").substr(0, std::min(d.work_item_id_dimensions(), 2u) + 1));
  out += fmt::format("  float mode 0x{:02x}, IEEE {}, DX10 clamp {}, FP16 overflow {}\n", d.float_mode(),
                     int(d.ieee_mode()), int(d.dx10_clamp()), int(d.fp16_overflow()));
  return out;
}

std::string mix_text(const KernelInspection& facts) {
  std::vector<std::pair<uint64_t, std::string_view>> rows;
  for (int i = 0; i < isa::kInstructionClassCount; ++i)
    if (facts.mix[i]) rows.emplace_back(facts.mix[i], isa::to_string(static_cast<isa::InstructionClass>(i)));
  std::sort(rows.rbegin(), rows.rend());
  TextTable table("lrr");
  for (const auto& [count, name] : rows)
    table.add(
        {std::string(name), format_count(double(count)), format_percent(double(count) / facts.instructions)});
  std::string out = fmt::format("\nInstruction mix (static): {} instructions, {} bytes, {} basic blocks\n",
                                facts.instructions, facts.code_bytes, facts.blocks) +
                    table.render();
  if (!facts.not_executable.empty()) {
    out += "  not executable by the emulator:";
    for (const std::string& mnemonic : facts.not_executable) out += " " + mnemonic;
    out += "\n";
  }
  return out;
}

std::string loops_text(const KernelReport& report) {
  const double cache = report.device ? report.device->instruction_l1.capacity->value() : 0;
  std::string out = "\nLoops\n";
  if (report.facts.loops.empty()) out += "  none\n";
  TextTable table("lrrrrl");
  if (!report.facts.loops.empty()) table.add({"header", "depth", "blocks", "instructions", "bytes", ""});
  for (const LoopFacts& loop : report.facts.loops) {
    std::string hint;
    if (cache > 0 && loop.code_bytes > cache) hint = "larger than the instruction cache: expect fetch stalls";
    table.add({fmt::format("0x{:x}", loop.address), std::to_string(loop.depth), std::to_string(loop.blocks),
               std::to_string(loop.instructions), std::to_string(loop.code_bytes), hint});
  }
  out += table.render();
  if (cache > 0)
    out +=
        fmt::format("  instruction cache of {}: {}, shared by {:.0f} CUs; the kernel's code takes {} of it\n",
                    report.device->name, format_byte_size(static_cast<uint64_t>(cache)),
                    report.device->instruction_l1.cus_sharing->value(),
                    format_percent(double(report.facts.code_bytes) / cache));
  return out;
}

std::string disassembly_text(const KernelReport& report) {
  std::string out = "\nDisassembly\n";
  std::vector<bool> starts_block(report.program->instructions.size() + 1);
  for (const isa::BasicBlock& block : report.program->blocks)
    if (block.first < starts_block.size()) starts_block[block.first] = true;
  for (uint32_t i = report.facts.first_instruction; i < report.facts.last_instruction; ++i) {
    if (starts_block[i]) out += "\n";
    out += fmt::format("  {:08x}  {}\n", report.program->instructions[i].address,
                       isa::disassemble(*report.program, *report.code_object, i));
  }
  return out;
}

}  // namespace

std::string listing_text(const FileListing& listing, bool list_all) {
  const auto targets = summarize(listing);
  size_t kernels = 0, unread = 0;
  for (const auto& [name, summary] : targets) {
    kernels += summary.kernels;
    unread += summary.unread;
  }
  std::string out = fmt::format("{}: {} for {}", listing.file, counted(listing.entries.size(), "code object"),
                                counted(targets.size(), "target"));
  out += unread ? "\n" : fmt::format(", {}\n", counted(kernels, "kernel"));
  const bool full = list_all || kernels <= kScreenful;
  if (!full || targets.size() > 1) out += "\n" + target_table(targets);
  for (const std::string& problem : listing.problems) out += fmt::format("  not readable: {}\n", problem);
  if (!full) {
    out += "\n  pick one with --kernel, or list them with --all\n";
    return out;
  }
  for (size_t i = 0; i < listing.entries.size(); ++i) {
    const isa::CodeObjectEntry& entry = listing.entries[i];
    if (!listing.code_objects[i]) continue;
    const isa::CodeObject& object = *listing.code_objects[i];
    out += fmt::format("\n  {} (code object v{}, {} bytes{}{}{})\n", to_string(entry.target), object.version,
                       entry.size, entry.member.empty() ? "" : ", in ", entry.member,
                       object.relocatable ? ", relocatable: cannot be launched" : "");
    out += object.kernels.empty() ? "    no kernels\n" : kernel_table(object);
  }
  return out;
}

std::string listing_json(const FileListing& listing, std::string_view tool_version) {
  Json json;
  json["tool_version"] = tool_version;
  json["file"] = listing.file;
  json["code_objects"] = Json::array();
  for (size_t i = 0; i < listing.entries.size(); ++i) {
    const isa::CodeObjectEntry& entry = listing.entries[i];
    Json object = {{"target", to_string(entry.target)},
                   {"member", entry.member},
                   {"offset", entry.offset},
                   {"size_bytes", entry.size},
                   {"bundle", entry.bundle}};
    if (listing.code_objects[i]) {
      object["version"] = listing.code_objects[i]->version;
      object["relocatable"] = listing.code_objects[i]->relocatable;
      object["kernels"] = Json::array();
      for (const isa::Kernel& kernel : listing.code_objects[i]->kernels)
        object["kernels"].push_back(kernel_fields(kernel));
    }
    json["code_objects"].push_back(std::move(object));
  }
  json["problems"] = listing.problems;
  return to_text(json);
}

std::string kernel_text(const KernelReport& report) {
  const isa::Kernel& kernel = *report.kernel;
  std::string out =
      fmt::format("{}\n  {} for {}, code object v{}\n", shown_name(kernel), report.code_object->origin,
                  to_string(report.code_object->target), report.code_object->version);
  if (kernel.name != shown_name(kernel)) out += fmt::format("  symbol {}\n", kernel.name);
  out += resources_text(report) + occupancy_text_for(report) + arguments_text(kernel) +
         descriptor_text(kernel) + mix_text(report.facts) + loops_text(report);
  if (report.disassemble) out += disassembly_text(report);
  return out;
}

std::string kernel_json(const KernelReport& report, std::string_view tool_version) {
  const isa::Kernel& kernel = *report.kernel;
  Json json;
  json["tool_version"] = tool_version;
  json["file"] = report.file;
  json["target"] = to_string(report.code_object->target);
  json["code_object_version"] = report.code_object->version;
  json["kernel"] = kernel_fields(kernel);
  json["arguments"] = Json::array();
  const auto types = argument_types(kernel);
  size_t index = 0;
  for (const isa::KernelArgument& argument : kernel.arguments)
    json["arguments"].push_back(argument_json(argument, argument.hidden() ? "" : types[index++]));
  json["descriptor"] = {{"entry_address", kernel.entry_address},
                        {"compute_pgm_rsrc1", kernel.descriptor.compute_pgm_rsrc1},
                        {"compute_pgm_rsrc2", kernel.descriptor.compute_pgm_rsrc2},
                        {"compute_pgm_rsrc3", kernel.descriptor.compute_pgm_rsrc3},
                        {"kernel_code_properties", kernel.descriptor.kernel_code_properties},
                        {"kernarg_preload_dwords", kernel.descriptor.kernarg_preload_length()}};
  json["instructions"] = report.facts.instructions;
  json["code_bytes"] = report.facts.code_bytes;
  json["basic_blocks"] = report.facts.blocks;
  json["instruction_mix"] = Json::object();
  for (int i = 0; i < isa::kInstructionClassCount; ++i)
    if (report.facts.mix[i])
      json["instruction_mix"][std::string(isa::to_string(static_cast<isa::InstructionClass>(i)))] =
          report.facts.mix[i];
  json["loops"] = Json::array();
  for (const LoopFacts& loop : report.facts.loops)
    json["loops"].push_back({{"address", loop.address},
                             {"depth", loop.depth},
                             {"blocks", loop.blocks},
                             {"instructions", loop.instructions},
                             {"code_bytes", loop.code_bytes}});
  if (report.device) json["instruction_cache_bytes"] = report.device->instruction_l1.capacity->value();
  json["not_executable"] = report.facts.not_executable;
  if (report.disassemble) {
    json["disassembly"] = Json::array();
    for (uint32_t i = report.facts.first_instruction; i < report.facts.last_instruction; ++i)
      json["disassembly"].push_back({{"address", report.program->instructions[i].address},
                                     {"text", isa::disassemble(*report.program, *report.code_object, i)}});
  }
  return to_text(json);
}

}  // namespace wavecast::model
