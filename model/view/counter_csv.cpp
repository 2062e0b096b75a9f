// rocprofv3's counter_collection.csv (ROCm rocprofiler-sdk, "Using rocprofv3", kernel counter collection
// output): 19 columns, a row per counter and dispatch, names quoted, grid and work-group sizes in work-items.
// Register columns follow its rule: arch VGPRs up to the accumulation offset, the rest of the allocation as
// AccVGPRs.
#include <fmt/format.h>

#include <cmath>

#include "model/view/prediction_view.h"

namespace wavecast::model {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace

DispatchFacts dispatch_facts(const isa::LoadedKernel& kernel) {
  const isa::KernelDescriptor& descriptor = kernel.kernel->descriptor;
  DispatchFacts facts;
  facts.grid = kernel.launch.grid;
  facts.block = kernel.launch.block;
  facts.lds_bytes = kernel.lds_bytes;
  facts.scratch_bytes = descriptor.private_segment_fixed_size;
  // Granules of the descriptor's fields: AMDGPUUsage, compute_pgm_rsrc1 and rsrc3.
  const uint32_t granules = descriptor.granulated_vgpr_count() + 1;
  if (isa::generation_of(kernel.code_object->target.processor) == isa::Generation::gfx908) {
    facts.arch_vgprs = granules * 4;
    facts.accum_vgprs = kernel.kernel->accum_vgpr_count ? granules * 4 : 0;
  } else {
    facts.arch_vgprs = std::min(descriptor.accum_offset(), granules * 8);
    facts.accum_vgprs = granules * 8 - facts.arch_vgprs;
  }
  facts.sgprs = (descriptor.granulated_sgpr_count() / 2 + 1) * 16;
  return facts;
}

std::string counter_csv(const Prediction& prediction, const DispatchFacts& d) {
  std::string out =
      R"("Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Id","Kernel_Name","Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp")"
      "\n";
  const uint64_t grid = prediction.work_groups * d.block.count();
  const uint32_t lds =
      prediction.occupancy.allocated_lds_bytes ? prediction.occupancy.allocated_lds_bytes : d.lds_bytes;
  for (const Counter& counter : prediction.counters)
    out += fmt::format("1,1,\"Agent 1\",1,1,1,{},1,{},{},{},{},{},{},{},{},{:.6f},0,{:.0f}\n", grid,
                       quoted(prediction.kernel), d.block.count(), lds, d.scratch_bytes, d.arch_vgprs,
                       d.accum_vgprs, d.sgprs, quoted(counter.name), counter.value,
                       std::ceil(prediction.time.value()));
  return out;
}

}  // namespace wavecast::model
