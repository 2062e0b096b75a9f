// What one AMD Instinct device is: counts, capacities, rates and latencies, each a Parameter with provenance.
// A device is the unit that one HIP device exposes (MI300X in SPX mode, one GCD of an MI250X). Knows no kernels.
// Leaves out: display and media blocks, RAS, virtualisation; power is a cap and a few coefficients.
// Sources stand beside every value in hardware/devices/*.yaml.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hardware/parameter.h"

namespace wavecast::hardware {

// Each struct lists its parameters once in visit(name, parameter); loading, printing, diffing, overriding and
// sensitivity all go through it, so a new parameter is one member and one line.
#define WAVECAST_PARAMETER(name) visitor(#name, name)

// One compute unit (CU): wave slots and register files of its SIMDs.
struct ComputeUnit {
  Parameter<Count> simds_per_cu;
  Parameter<Count> wave_slots_per_simd;
  Parameter<Count> issue_ports_per_cu;          // instructions of different categories in one cycle
  Parameter<Count> lanes_per_simd;              // physical width; a wave64 VALU operation takes 64/lanes cycles
  Parameter<Count> vgprs_per_simd;              // registers of 64 lanes x 4 B; arch + acc together when unified
  Parameter<Count> vgpr_granule;                // allocation unit per wave
  Parameter<Count> accum_offset_granule;        // arch VGPRs are rounded to it before AGPRs follow
  Parameter<Count> vgprs_unified;               // 1: AGPRs come from the same file; 0: a second file of equal size
  Parameter<Count> sgprs_per_simd;
  Parameter<Count> sgpr_granule;
  Parameter<Count> max_sgprs_per_wave;
  Parameter<Count> max_work_group_size;         // work-items
  Parameter<Count> max_multiwave_work_groups_per_cu;  // barrier resources
  template <class V> void visit(V&& visitor) {
    WAVECAST_PARAMETER(simds_per_cu); WAVECAST_PARAMETER(wave_slots_per_simd); WAVECAST_PARAMETER(issue_ports_per_cu);
    WAVECAST_PARAMETER(lanes_per_simd); WAVECAST_PARAMETER(vgprs_per_simd); WAVECAST_PARAMETER(vgpr_granule);
    WAVECAST_PARAMETER(accum_offset_granule); WAVECAST_PARAMETER(vgprs_unified); WAVECAST_PARAMETER(sgprs_per_simd);
    WAVECAST_PARAMETER(sgpr_granule); WAVECAST_PARAMETER(max_sgprs_per_wave); WAVECAST_PARAMETER(max_work_group_size);
    WAVECAST_PARAMETER(max_multiwave_work_groups_per_cu);
  }
};

// Local data share of a CU. Bank phases and per-width costs depend on the ISA: see InstructionTiming.
struct Lds {
  Parameter<Bytes> capacity_per_cu;
  Parameter<Bytes> allocation_granule;
  Parameter<Count> request_ports_per_cu;        // each serves a pair of SIMDs
  Parameter<BytesPerCycle> bandwidth_per_port;
  template <class V> void visit(V&& visitor) {
    WAVECAST_PARAMETER(capacity_per_cu); WAVECAST_PARAMETER(allocation_granule);
    WAVECAST_PARAMETER(request_ports_per_cu); WAVECAST_PARAMETER(bandwidth_per_port);
  }
};

// Vector L1 data cache (vL1D, AMD: TCP) with its address unit (TA) and data return (TD).
struct VectorL1 {
  Parameter<Bytes> capacity_per_cu;
  Parameter<Bytes> line;
  Parameter<Count> ways;
  Parameter<Cycles> hit_latency;                // dependent load to use, includes address path and data return
  Parameter<BytesPerCycle> bandwidth_per_cu;    // data return
  Parameter<PerCycle> addresses_per_cycle;      // lanes the address unit coalesces in a cycle
  Parameter<PerCycle> tag_lookups_per_cycle;    // lines
  Parameter<Count> outstanding_misses_per_cu;   // lines in flight to L2
  template <class V> void visit(V&& visitor) {
    WAVECAST_PARAMETER(capacity_per_cu); WAVECAST_PARAMETER(line); WAVECAST_PARAMETER(ways);
    WAVECAST_PARAMETER(hit_latency); WAVECAST_PARAMETER(bandwidth_per_cu); WAVECAST_PARAMETER(addresses_per_cycle);
    WAVECAST_PARAMETER(tag_lookups_per_cycle); WAVECAST_PARAMETER(outstanding_misses_per_cu);
  }
};

// A scalar data cache (sL1D) or instruction cache (L1I), shared by neighbouring CUs.
struct SharedL1 {
  Parameter<Bytes> capacity;
  Parameter<Bytes> line;
  Parameter<Count> ways;
  Parameter<Count> cus_sharing;
  Parameter<Cycles> hit_latency;
  Parameter<BytesPerCycle> bandwidth;
  template <class V> void visit(V&& visitor) {
    WAVECAST_PARAMETER(capacity); WAVECAST_PARAMETER(line); WAVECAST_PARAMETER(ways); WAVECAST_PARAMETER(cus_sharing);
    WAVECAST_PARAMETER(hit_latency); WAVECAST_PARAMETER(bandwidth);
  }
};

// The L2 of one XCD (AMD: TCC), cut in channels. CDNA and CDNA2 devices count as one XCD.
struct L2 {
  Parameter<Bytes> capacity_per_xcd;
  Parameter<Count> channels_per_xcd;
  Parameter<Bytes> channel_interleave;
  Parameter<Bytes> line;
  Parameter<Count> ways;
  Parameter<Cycles> hit_latency;                // dependent load to use, includes the vL1D miss
  Parameter<BytesPerCycle> bandwidth_per_channel;
  Parameter<BytesPerCycle> bandwidth_per_cu;    // what one CU can draw from L2
  Parameter<Count> outstanding_misses_per_channel;
  Parameter<PerCycle> atomic_lanes_per_cycle_per_channel;
  Parameter<Bytes> fabric_read_request;         // largest read request to the fabric
  Parameter<Bytes> fabric_write_request;
  Parameter<Count> write_insertion_way;         // place of a written line in the order of use; 0: most recent, as for reads
  Parameter<Ratio> split_read_pairs;            // two vL1D lines in one L2 line: share that arrives as two requests
  Parameter<Count> written_back_at_kernel_end;  // 1: dirty lines leave before the kernel counts as ended
  template <class V> void visit(V&& visitor) {
    WAVECAST_PARAMETER(capacity_per_xcd); WAVECAST_PARAMETER(channels_per_xcd); WAVECAST_PARAMETER(channel_interleave);
    WAVECAST_PARAMETER(line); WAVECAST_PARAMETER(ways); WAVECAST_PARAMETER(hit_latency);
    WAVECAST_PARAMETER(bandwidth_per_channel); WAVECAST_PARAMETER(bandwidth_per_cu);
    WAVECAST_PARAMETER(outstanding_misses_per_channel);
    WAVECAST_PARAMETER(atomic_lanes_per_cycle_per_channel);
    WAVECAST_PARAMETER(fabric_read_request); WAVECAST_PARAMETER(fabric_write_request);
    WAVECAST_PARAMETER(write_insertion_way); WAVECAST_PARAMETER(split_read_pairs);
    WAVECAST_PARAMETER(written_back_at_kernel_end);
  }
};

// Memory-side Infinity Cache (AMD: MALL) shared by all XCDs. capacity 0 = the device has none.
struct InfinityCache {
  Parameter<Bytes> capacity_per_device;
  Parameter<Bytes> line;
  Parameter<Count> ways;
  Parameter<Nanoseconds> hit_latency;           // dependent load to use, includes vL1D and L2 miss
  Parameter<BytesPerSecond> read_bandwidth_per_device;
  Parameter<BytesPerSecond> write_bandwidth_per_device;
  template <class V> void visit(V&& visitor) {
    WAVECAST_PARAMETER(capacity_per_device); WAVECAST_PARAMETER(line); WAVECAST_PARAMETER(ways);
    WAVECAST_PARAMETER(hit_latency); WAVECAST_PARAMETER(read_bandwidth_per_device);
    WAVECAST_PARAMETER(write_bandwidth_per_device);
  }
};

struct Hbm {
  Parameter<Bytes> capacity_per_device;
  Parameter<BytesPerSecond> peak_bandwidth_per_device;
  Parameter<Ratio> read_efficiency;             // sustained over peak, pure read stream
  Parameter<Ratio> write_efficiency;            // pure write stream
  Parameter<Ratio> mixed_efficiency;            // equal reads and writes
  Parameter<Nanoseconds> latency;               // dependent load to use, idle, no TLB miss
  template <class V> void visit(V&& visitor) {
    WAVECAST_PARAMETER(capacity_per_device); WAVECAST_PARAMETER(peak_bandwidth_per_device);
    WAVECAST_PARAMETER(read_efficiency); WAVECAST_PARAMETER(write_efficiency); WAVECAST_PARAMETER(mixed_efficiency);
    WAVECAST_PARAMETER(latency);
  }
};

// Address translation: beyond `reach` of touched memory an access pays `miss_latency` in proportion to the misses.
struct Tlb {
  Parameter<Bytes> reach_per_xcd;
  Parameter<Nanoseconds> miss_latency;
  template <class V> void visit(V&& visitor) { WAVECAST_PARAMETER(reach_per_xcd); WAVECAST_PARAMETER(miss_latency); }
};

// From the AQL packet to the first instruction of a wave and back.
struct Dispatch {
  Parameter<Nanoseconds> kernel_launch;         // packet processing until the first wave starts
  Parameter<Nanoseconds> kernel_end;            // last wave ended until the completion signal, caches clean
  Parameter<PerCycle> waves_per_cycle_per_xcd;  // sustained launch rate of waves
  Parameter<PerCycle> work_groups_per_cycle_per_xcd;  // of work-groups: small ones are bound by this rate, not by waves
  Parameter<Cycles> wave_launch;                // a wave's slot taken until its first instruction can issue
  Parameter<Cycles> wave_retire;                // s_endpgm until the slot can be given away
  template <class V> void visit(V&& visitor) {
    WAVECAST_PARAMETER(kernel_launch); WAVECAST_PARAMETER(kernel_end); WAVECAST_PARAMETER(waves_per_cycle_per_xcd);
    WAVECAST_PARAMETER(work_groups_per_cycle_per_xcd); WAVECAST_PARAMETER(wave_launch); WAVECAST_PARAMETER(wave_retire);
  }
};

struct Clock {
  Parameter<Hertz> peak;                        // boost shader clock
  Parameter<Watts> board_power;
  template <class V> void visit(V&& visitor) { WAVECAST_PARAMETER(peak); WAVECAST_PARAMETER(board_power); }
};

struct Topology {
  Parameter<Count> xcds;                        // 1 where the device has a single compute die
  Parameter<Count> cus_per_xcd;                 // active
  Parameter<Count> shader_engines_per_xcd;
  Parameter<Count> io_dies;
  template <class V> void visit(V&& visitor) {
    WAVECAST_PARAMETER(xcds); WAVECAST_PARAMETER(cus_per_xcd); WAVECAST_PARAMETER(shader_engines_per_xcd);
    WAVECAST_PARAMETER(io_dies);
  }
};

struct Device {
  std::string name;         // product key, "mi300x"
  std::string description;  // one line for people
  std::string target;       // ISA key, "gfx942"

  Topology topology;
  Clock clock;
  Dispatch dispatch;
  ComputeUnit compute_unit;
  Lds lds;
  VectorL1 vector_l1;
  SharedL1 scalar_l1;
  SharedL1 instruction_l1;
  L2 l2;
  InfinityCache infinity_cache;
  Hbm hbm;
  Tlb tlb;

  // Calls visitor(section, parameter_name, Parameter<Q>&) for every parameter, in file order.
  template <class V> void visit(V&& visitor) {
    auto section = [&](const char* section_name, auto& part) {
      part.visit([&](const char* name_, auto& parameter) { visitor(section_name, name_, parameter); });
    };
    section("topology", topology); section("clock", clock); section("dispatch", dispatch);
    section("compute_unit", compute_unit); section("lds", lds); section("vector_l1", vector_l1);
    section("scalar_l1", scalar_l1); section("instruction_l1", instruction_l1); section("l2", l2);
    section("infinity_cache", infinity_cache); section("hbm", hbm); section("tlb", tlb);
  }
};
#undef WAVECAST_PARAMETER

// Names of the devices that ship with wavecast, sorted.
std::vector<std::string> device_names();

// A device by product name ("mi300x") or from a YAML file (path with '/' or ending in .yaml/.yml).
// A file may say `based_on: NAME` and list only what differs; with `inherited: assumed` the other product's
// measurements count as assumptions here.
// Errors: unknown name (lists the close ones), unreadable file, unknown, missing or ill-typed parameter with file:line:column.
Expected<Device> load_device(std::string_view name_or_path);

// The same from text; `origin` is what error messages call it. Used by load_device, tests and fuzzers.
Expected<Device> parse_device(std::string_view yaml_text, std::string_view origin);

// Overrides one parameter: "l2.capacity_per_xcd=8MiB". Errors list the parameters with close names.
Expected<Device> with_override(Device device, std::string_view assignment);

// One parameter as text, for `device show`, `device diff` and reports.
struct ParameterRow {
  std::string path;   // "l2.hit_latency"
  std::string value;  // "213 cycles"
  double number = 0;  // in the base unit
  std::string unit;   // base unit
  Provenance provenance;
};
std::vector<ParameterRow> parameter_rows(const Device& device);

}  // namespace wavecast::hardware
