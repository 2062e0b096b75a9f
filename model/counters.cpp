// Maps instruction classes and cache statistics to counter names; sources: rocprofiler-sdk counter
// definitions.
#include "model/counters.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "model/coalescer.h"

namespace wavecast::model {
namespace {

using isa::InstructionClass;

double sum(const std::array<double, isa::kInstructionClassCount>& counts,
           std::initializer_list<InstructionClass> classes) {
  double total = 0;
  for (InstructionClass c : classes) total += counts[static_cast<int>(c)];
  return total;
}

double sum_if(const std::array<double, isa::kInstructionClassCount>& counts, bool (*pick)(InstructionClass)) {
  double total = 0;
  for (int c = 0; c < isa::kInstructionClassCount; ++c)
    if (pick(static_cast<InstructionClass>(c))) total += counts[c];
  return total;
}

void instruction_counters(const std::array<double, isa::kInstructionClassCount>& per_group, double groups,
                          std::vector<Counter>& out) {
  using C = InstructionClass;
  auto add = [&](const char* name, double per_work_group) { out.push_back({name, per_work_group * groups}); };
  add("SQ_INSTS", sum_if(per_group, [](C) { return true; }));
  add("SQ_INSTS_VALU", sum_if(per_group, isa::is_valu));
  add("SQ_INSTS_MFMA", sum(per_group, {C::matrix}));
  add("SQ_INSTS_SALU", sum(per_group, {C::salu}));
  add("SQ_INSTS_SMEM", sum_if(per_group, isa::is_scalar_memory));
  add("SQ_INSTS_LDS", sum(per_group, {C::lds_read, C::lds_write, C::lds_atomic, C::lds_cross_lane}));
  add("SQ_INSTS_BRANCH", sum(per_group, {C::branch}));
  add("SQ_INSTS_VMEM_RD", sum(per_group, {C::vmem_load, C::flat_load, C::vmem_load_to_lds}));
  add("SQ_INSTS_VMEM_WR", sum(per_group, {C::vmem_store, C::flat_store, C::vmem_atomic, C::flat_atomic}));
  add("SQ_INSTS_VMEM", sum(per_group, {C::vmem_load, C::flat_load, C::vmem_load_to_lds, C::vmem_store,
                                       C::flat_store, C::vmem_atomic, C::flat_atomic}));
}

void cache_counters(const DeviceTraffic& t, const XcdSpec& spec, std::vector<Counter>& out) {
  auto add = [&](const std::string& name, double value) { out.push_back({name, value}); };
  // L2 takes the vL1D lines of one of its own lines as one request, unless the pair is split on the way.
  const double lines_per_request = static_cast<double>(spec.l2.line) / static_cast<double>(spec.l1.line);
  const double requests_per_read =
      lines_per_request > 1 ? (1 + spec.l2.split_read_pairs) / lines_per_request : 1;
  const double reads = t.read_requests * requests_per_read + t.scalar_misses + t.instruction_misses;
  const double requests = reads + t.write_requests + t.atomic_requests;
  add("TCP_TOTAL_CACHE_ACCESSES_sum", t.quad_accesses);
  add("TCP_TCC_READ_REQ_sum", t.read_requests);
  add("TCP_TCC_WRITE_REQ_sum", t.write_requests);
  add("TCP_TCC_ATOMIC_REQ_sum", t.atomic_requests);
  add("TCC_READ_sum", reads);
  add("TCC_WRITE_sum", t.write_requests);
  add("TCC_ATOMIC_sum", t.atomic_requests);
  add("TCC_REQ_sum", requests);
  add("TCC_MISS_sum", t.l2_misses);
  add("TCC_HIT_sum", std::max(0.0, requests - t.l2_misses));
  add("TCC_WRITEBACK_sum", t.l2_writebacks);
  const bool wide = spec.l2.fabric_read_request >= spec.l2.line;  // gfx942 and later: one request per line
  const std::string fabric = wide ? "TCC_EA0_" : "TCC_EA_";       // the counters' names changed with it
  const double requests_per_line =
      wide ? 1.0 : static_cast<double>(spec.l2.line) / static_cast<double>(kWriteSegmentBytes);
  add(fabric + "RDREQ_sum", t.fabric_reads * requests_per_line);
  if (wide) add("TCC_BUBBLE_sum", t.fabric_reads);
  add(fabric + "WRREQ_sum", t.fabric_writes);
  add(fabric + "WRREQ_64B_sum", t.fabric_writes);
  add("SQC_DCACHE_REQ", t.scalar_requests);
  add("SQC_DCACHE_HITS", t.scalar_hits);
  add("SQC_DCACHE_MISSES", t.scalar_misses);
  add("SQC_DCACHE_MISSES_DUPLICATE", t.scalar_duplicate_misses);
  add("SQ_LDS_BANK_CONFLICT", t.lds_conflicts);
}

}  // namespace

std::vector<Counter> predict_counters(const CounterInput& input) {
  std::vector<Counter> counters;
  const auto groups = static_cast<double>(input.kernel->launch.grid.count());
  counters.push_back({"SQ_WAVES", groups * input.kernel->waves_per_work_group});
  instruction_counters(*input.counts_per_work_group, groups, counters);
  cache_counters(*input.traffic, *input.spec, counters);
  return counters;
}

}  // namespace wavecast::model
