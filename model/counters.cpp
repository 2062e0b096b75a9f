// Maps instruction classes and cache statistics to counter names; sources: rocprofiler-sdk counter definitions.
#include "model/counters.h"

#include <algorithm>
#include <initializer_list>

namespace wavecast::model {
namespace {

using isa::InstructionClass;

double sum(const std::array<double, isa::kInstructionClassCount>& counts, std::initializer_list<InstructionClass> classes) {
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

void instruction_counters(const std::array<double, isa::kInstructionClassCount>& per_group, double groups, std::vector<Counter>& out) {
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
  add("SQ_INSTS_VMEM", sum(per_group, {C::vmem_load, C::flat_load, C::vmem_load_to_lds, C::vmem_store, C::flat_store, C::vmem_atomic, C::flat_atomic}));
}

void cache_counters(const CounterInput& input, std::vector<Counter>& out) {
  const XcdResult& r = *input.result;
  const MemoryStatistics& m = r.memory;
  auto add = [&](const char* name, double value) { out.push_back({name, value * input.memory_scale}); };
  auto n = [](uint64_t value) { return static_cast<double>(value); };
  constexpr double kL2RequestBytes = 128;  // structural: L2 takes a line's two 64-byte halves as one request
  const double requests_per_read = std::min(1.0, static_cast<double>(input.spec->l1.line) / kL2RequestBytes);
  const double scalar_reads = n(r.scalar_l1.misses + r.instruction_l1.misses);
  add("TCP_TOTAL_CACHE_ACCESSES_sum", n(r.vector_l1.quad_accesses));
  add("TCP_TCC_READ_REQ_sum", n(r.vector_l1.read_requests));
  add("TCP_TCC_WRITE_REQ_sum", n(r.vector_l1.write_requests));
  add("TCP_TCC_ATOMIC_REQ_sum", n(r.vector_l1.atomic_requests));
  const double vector_reads = n(r.vector_l1.read_requests) * requests_per_read;
  add("TCC_READ_sum", vector_reads + scalar_reads);
  add("TCC_WRITE_sum", n(m.l2_write_requests));
  add("TCC_ATOMIC_sum", n(m.l2_atomic_requests));
  const double requests = vector_reads + scalar_reads + n(m.l2_write_requests + m.l2_atomic_requests);
  const double misses = n(m.l2_misses);
  add("TCC_REQ_sum", requests);
  add("TCC_MISS_sum", misses);
  add("TCC_HIT_sum", std::max(0.0, requests - misses));
  add("TCC_WRITEBACK_sum", n(m.l2_writebacks));
  const double line = static_cast<double>(input.spec->l2.line);
  const bool wide = input.spec->l2.fabric_read_request >= input.spec->l2.line;  // gfx942 and later: one request per line
  const std::string fabric = wide ? "TCC_EA0_" : "TCC_EA_";                     // the counters' names changed with it
  add((fabric + "RDREQ_sum").c_str(), n(m.fabric_read_requests) * (wide ? 1.0 : line / static_cast<double>(kWriteSegmentBytes)));
  if (wide) add("TCC_BUBBLE_sum", n(m.fabric_read_requests));
  add((fabric + "WRREQ_sum").c_str(), n(m.fabric_write_requests));
  add((fabric + "WRREQ_64B_sum").c_str(), n(m.fabric_write_requests));
  add("SQC_DCACHE_REQ", n(r.scalar_l1.requests));
  add("SQC_DCACHE_HITS", n(r.scalar_l1.hits));
  add("SQC_DCACHE_MISSES", n(r.scalar_l1.misses));
  add("SQC_DCACHE_MISSES_DUPLICATE", n(r.scalar_l1.duplicate_misses));
  add("SQ_LDS_BANK_CONFLICT", n(r.lds_conflicts));
}

}  // namespace

std::vector<Counter> predict_counters(const CounterInput& input) {
  std::vector<Counter> counters;
  const auto groups = static_cast<double>(input.kernel->launch.grid.count());
  counters.push_back({"SQ_WAVES", groups * input.kernel->waves_per_work_group});
  instruction_counters(*input.counts_per_work_group, groups, counters);
  cache_counters(input, counters);
  return counters;
}

}  // namespace wavecast::model
