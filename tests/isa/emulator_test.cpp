// The emulator on small kernels: start state per target, hidden arguments, barriers, partial waves, faults,
// limits. Register positions are those that llc-22 prints for equal kernels (see launch state tests).
#include "isa/emulator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "support/assembler.h"

namespace wavecast::isa {
namespace {

struct TestRun {
  std::unique_ptr<Memory> memory = std::make_unique<Memory>();
  std::shared_ptr<const CodeObject> code_object;
  LoadedKernel kernel;
};

TestRun load(const std::string& source, const std::string& processor, Launch launch) {
  TestRun run;
  run.code_object = std::make_shared<const CodeObject>(test::assemble(source, processor));
  auto loaded = load_kernel(run.code_object, run.code_object->kernels.at(0), std::move(launch), *run.memory);
  if (!loaded) throw std::runtime_error(loaded.error().place + ": " + loaded.error().reason);
  run.kernel = std::move(*loaded);
  return run;
}

// Runs one work-group to its end and returns it.
WorkGroup finish(TestRun& run, Dim3 id = {0, 0, 0}) {
  WorkGroup work_group(run.kernel, *run.memory, id);
  auto ended = work_group.advance(UINT64_MAX, {});
  if (!ended) throw std::runtime_error(ended.error().place + ": " + ended.error().reason);
  EXPECT_TRUE(*ended);
  return work_group;
}

std::vector<std::byte> bytes_of(std::initializer_list<uint64_t> values) {
  std::vector<std::byte> bytes(values.size() * sizeof(uint64_t));
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

uint32_t read32(const Memory& memory, uint64_t address) {
  uint32_t value = 0, hint = 0;
  const std::byte* host = memory.find(address, sizeof value, hint);
  if (host == nullptr) throw std::runtime_error("test reads unmapped memory");
  std::memcpy(&value, host, sizeof value);
  return value;
}
uint64_t read64(const Memory& memory, uint64_t address) {
  return read32(memory, address) | uint64_t{read32(memory, address + 4)} << 32;
}

TEST(Emulator, StartsWithKernargAndWorkGroupIds) {
  for (const char* processor : {"gfx908", "gfx90a", "gfx942", "gfx950"}) {
    TestRun run =
        load(test::kernel_source("s_endpgm", processor), processor, {.grid = {8, 8, 8}, .block = {64, 1, 1}});
    const WorkGroup work_group = finish(run, {5, 6, 7});
    const Wavefront& wave = work_group.waves()[0];
    EXPECT_EQ(wave.scalar64(0), run.kernel.kernarg_address) << processor;
    EXPECT_EQ(wave.scalar[2], 5u) << processor;
    EXPECT_EQ(wave.scalar[3], 6u);
    EXPECT_EQ(wave.scalar[4], 7u);
    EXPECT_EQ(wave.exec(), ~uint64_t{0});
    EXPECT_EQ(wave.mode & 0xff, 0xc0u) << processor;  // assembler's default: f16/f64 denormals
    EXPECT_EQ(wave.mode >> 8 & 3, 3u);                // DX10_CLAMP, IEEE
    EXPECT_EQ(work_group.instructions_executed(), 1u);
    EXPECT_EQ(work_group.counts()[static_cast<size_t>(InstructionClass::end_program)], 1u);
  }
}

// As llc-22 prints for a kernel that uses dispatch_ptr, queue_ptr, kernarg and dispatch_id: s[0:1], s[2:3],
// s[4:5], s[6:7], then the work-group ids from s8.
TEST(Emulator, UserSgprsFollowTheOrderOfTheAbi) {
  const std::string directives =
      ".amdhsa_user_sgpr_dispatch_ptr 1\n.amdhsa_user_sgpr_queue_ptr 1\n.amdhsa_user_sgpr_dispatch_id 1\n";
  TestRun run = load(test::kernel_source("s_endpgm", "gfx942", {}, directives), "gfx942",
                     {.grid = {4, 4, 1}, .block = {32, 2, 1}});
  const WorkGroup work_group = finish(run, {3, 2, 0});
  const Wavefront& wave = work_group.waves()[0];
  EXPECT_EQ(wave.scalar64(0), run.kernel.dispatch_packet_address);
  EXPECT_EQ(wave.scalar64(2), run.kernel.queue_address);
  EXPECT_EQ(wave.scalar64(4), run.kernel.kernarg_address);
  EXPECT_EQ(wave.scalar[8], 3u);
  EXPECT_EQ(wave.scalar[9], 2u);
  // hsa_kernel_dispatch_packet_t: setup, work-group size (u16), grid size in work-items (u32).
  EXPECT_EQ(read32(*run.memory, run.kernel.dispatch_packet_address) >> 16, 2u);
  EXPECT_EQ(read32(*run.memory, run.kernel.dispatch_packet_address + 4), 32u | 2u << 16);
  EXPECT_EQ(read32(*run.memory, run.kernel.dispatch_packet_address + 12), 128u);
  EXPECT_EQ(read32(*run.memory, run.kernel.dispatch_packet_address + 16), 8u);
  EXPECT_EQ(read64(*run.memory, run.kernel.dispatch_packet_address + 32),
            run.kernel.load_base + run.kernel.kernel->descriptor_address);
  EXPECT_EQ(read64(*run.memory, run.kernel.dispatch_packet_address + 40), run.kernel.kernarg_address);
}

// As llc-22 prints for gfx90a with scratch: private buffer s[0:3], kernarg at s[8:9] behind dispatch and
// queue pointers, flat scratch init, 14 user SGPRs, work-group ids s14 to s16, scratch wave offset s17.
TEST(Emulator, AbsoluteScratchPassesBufferAndWaveOffset) {
  const std::string directives =
      ".amdhsa_user_sgpr_private_segment_buffer 1\n.amdhsa_user_sgpr_dispatch_ptr "
      "1\n.amdhsa_user_sgpr_queue_ptr 1\n"
      ".amdhsa_user_sgpr_dispatch_id 1\n.amdhsa_user_sgpr_flat_scratch_init 1\n"
      ".amdhsa_system_sgpr_private_segment_wavefront_offset 1\n.amdhsa_private_segment_fixed_size 20\n";
  TestRun run = load(test::kernel_source("s_endpgm", "gfx90a", {}, directives), "gfx90a",
                     {.grid = {4, 4, 4}, .block = {128, 1, 1}});
  const WorkGroup work_group = finish(run, {1, 2, 3});
  ASSERT_EQ(work_group.waves().size(), 2u);
  const Wavefront& wave = work_group.waves()[1];
  EXPECT_EQ((wave.scalar64(0) & 0xffffffffffff), run.kernel.scratch_address);
  EXPECT_EQ(wave.scalar[1] >> 31, 1u);          // swizzled
  EXPECT_EQ(wave.scalar[3] >> 21 & 7, 0b111u);  // index stride 64, thread id added
  EXPECT_EQ(wave.scalar64(8), run.kernel.kernarg_address);
  EXPECT_EQ(wave.scalar64(12), run.kernel.scratch_address);
  EXPECT_EQ(wave.scalar[14], 1u);
  EXPECT_EQ(wave.scalar[15], 2u);
  EXPECT_EQ(wave.scalar[16], 3u);
  EXPECT_GE(wave.scalar[17], 20u * 64);
  EXPECT_EQ(wave.scratch_base, run.kernel.scratch_address + wave.scalar[17]);
  EXPECT_EQ(work_group.waves()[0].scalar[17], 0u);
  uint32_t hint = 0;
  EXPECT_NE(run.memory->find(wave.scratch_base, 20 * 64, hint), nullptr);
  EXPECT_EQ(run.memory->find(wave.scratch_base, 20 * 64 + 1, hint), nullptr);
}

TEST(Emulator, ArchitectedScratchSetsFlatScratch) {
  const std::string directives = ".amdhsa_enable_private_segment 1\n.amdhsa_private_segment_fixed_size 32\n";
  TestRun run = load(test::kernel_source("s_endpgm", "gfx942", {}, directives), "gfx942",
                     {.grid = {1, 1, 1}, .block = {192, 1, 1}});
  const WorkGroup work_group = finish(run);
  for (uint32_t i = 0; i < 3; ++i)
    EXPECT_EQ(work_group.waves()[i].scalar64(operand_code::kFlatScratchLo),
              run.kernel.scratch_address + i * run.kernel.scratch_wave_stride);
}

TEST(Emulator, WorkItemIdsArePackedFromGfx90aOn) {
  for (const char* processor : {"gfx908", "gfx942"}) {
    TestRun run =
        load(test::kernel_source("s_endpgm", processor), processor, {.grid = {1, 1, 1}, .block = {5, 7, 3}});
    const WorkGroup work_group = finish(run);
    ASSERT_EQ(work_group.waves().size(), 2u);
    uint32_t flat = 0;
    for (uint32_t z = 0; z < 3; ++z)
      for (uint32_t y = 0; y < 7; ++y)
        for (uint32_t x = 0; x < 5; ++x, ++flat) {
          const Wavefront& wave = work_group.waves()[flat / 64];
          const uint32_t lane = flat % 64;
          if (std::string(processor) == "gfx908") {
            ASSERT_EQ(wave.vgpr[0].lane[lane], x);
            ASSERT_EQ(wave.vgpr[1].lane[lane], y);
            ASSERT_EQ(wave.vgpr[2].lane[lane], z);
          } else {
            ASSERT_EQ(wave.vgpr[0].lane[lane], x | y << 10 | z << 20);
          }
        }
    EXPECT_EQ(work_group.waves()[0].exec(), ~uint64_t{0});
    EXPECT_EQ(work_group.waves()[1].exec(), (uint64_t{1} << (105 - 64)) - 1);
  }
}

TEST(Emulator, PreloadsKernelArguments) {
  std::string body;  // compatibility prologue of 256 bytes that must be skipped
  for (int i = 0; i < 64; ++i) body += "s_trap 1\n";
  body += "s_endpgm";
  const std::string directives =
      ".amdhsa_user_sgpr_kernarg_preload_length 3\n.amdhsa_user_sgpr_kernarg_preload_offset 1\n";
  Launch launch{.grid = {1, 1, 1}, .block = {64, 1, 1}};
  launch.kernarg = bytes_of({0x1111111100000000, 0x3333333322222222});
  TestRun run = load(test::kernel_source(body, "gfx942", {{8, "by_value"}, {8, "by_value"}}, directives),
                     "gfx942", launch);
  const WorkGroup work_group = finish(run);
  const Wavefront& wave = work_group.waves()[0];
  EXPECT_EQ(wave.scalar[2], 0x11111111u);
  EXPECT_EQ(wave.scalar[3], 0x22222222u);
  EXPECT_EQ(wave.scalar[4], 0x33333333u);
  EXPECT_EQ(wave.scalar[5], 0u);  // work-group id x follows
}

TEST(Emulator, FillsHiddenArguments) {
  const std::vector<test::TestArgument> arguments = {
      {8, "global_buffer"},          {4, "hidden_block_count_x"},    {4, "hidden_block_count_y"},
      {4, "hidden_block_count_z"},   {2, "hidden_group_size_x"},     {2, "hidden_group_size_y"},
      {2, "hidden_group_size_z"},    {2, "hidden_remainder_x"},      {2, "hidden_grid_dims"},
      {8, "hidden_global_offset_x"}, {4, "hidden_dynamic_lds_size"}, {8, "hidden_hostcall_buffer"},
      {8, "hidden_queue_ptr"},       {4, "hidden_shared_base"}};
  Launch launch{.grid = {11, 3, 1}, .block = {16, 4, 2}, .dynamic_lds = 512};
  launch.kernarg = bytes_of({0xabcdef});
  TestRun run = load(test::kernel_source("s_endpgm", "gfx942", arguments), "gfx942", launch);
  const uint64_t base = run.kernel.kernarg_address;
  const auto at = [&](const std::string& kind) -> uint64_t {
    for (const KernelArgument& argument : run.kernel.kernel->arguments)
      if (argument.value_kind == kind) {
        const uint64_t value = read64(*run.memory, base + argument.offset / 4 * 4);
        const uint64_t shifted = value >> (argument.offset % 4 * 8);
        return argument.size == 8 ? shifted : shifted & ((uint64_t{1} << (argument.size * 8)) - 1);
      }
    throw std::runtime_error("no argument " + kind);
  };
  EXPECT_EQ(read64(*run.memory, base), 0xabcdefu);
  EXPECT_EQ(at("hidden_block_count_x"), 11u);
  EXPECT_EQ(at("hidden_block_count_y"), 3u);
  EXPECT_EQ(at("hidden_block_count_z"), 1u);
  EXPECT_EQ(at("hidden_group_size_x"), 16u);
  EXPECT_EQ(at("hidden_group_size_y"), 4u);
  EXPECT_EQ(at("hidden_group_size_z"), 2u);
  EXPECT_EQ(at("hidden_remainder_x"), 0u);
  EXPECT_EQ(at("hidden_grid_dims"), 3u);
  EXPECT_EQ(at("hidden_global_offset_x"), 0u);
  EXPECT_EQ(at("hidden_dynamic_lds_size"), 512u);
  EXPECT_EQ(at("hidden_queue_ptr"), run.kernel.queue_address);
  EXPECT_NE(at("hidden_hostcall_buffer"), 0u);
  EXPECT_EQ(read32(*run.memory, at("hidden_hostcall_buffer")), 0u);
  // The aperture in the argument, in the queue and in src_shared_base is one and the same.
  EXPECT_EQ(at("hidden_shared_base"), read32(*run.memory, run.kernel.queue_address + 0x40));
}

TEST(Emulator, ProgramCounterIsAGuestAddress) {
  const std::string body = R"(
    s_getpc_b64 s[10:11]
    s_call_b64 s[12:13], function
    s_mov_b32 s20, 1
    s_getpc_b64 s[14:15]
    s_add_u32 s14, s14, 20
    s_addc_u32 s15, s15, 0
    s_swappc_b64 s[16:17], s[14:15]
    s_endpgm
    s_trap 1
  function:
    s_mov_b32 s21, 2
    s_setpc_b64 s[12:13])";
  TestRun run = load(test::kernel_source(body, "gfx942"), "gfx942", {});
  // The computed jump lands on `function`, whose return goes to the first call's return address: a loop. Cut
  // it off after whole rounds.
  WorkGroup work_group(run.kernel, *run.memory, {0, 0, 0}, {.max_instructions_per_wave = 4 + 142 * 7});
  const auto ended = work_group.advance(UINT64_MAX, {});
  ASSERT_FALSE(ended);
  EXPECT_NE(ended.error().reason.find("998 instructions, the limit"), std::string::npos)
      << ended.error().reason;
  const Wavefront& wave = work_group.waves()[0];
  const uint64_t entry = run.kernel.load_base + run.kernel.kernel->entry_address;
  EXPECT_EQ(wave.scalar64(10), entry + 4);
  EXPECT_EQ(wave.scalar64(12), entry + 8);
  EXPECT_EQ(wave.scalar64(14), entry + 36);
  EXPECT_EQ(wave.scalar64(16), entry + 28);
  EXPECT_EQ(wave.scalar[20], 1u);
  EXPECT_EQ(wave.scalar[21], 2u);
}

TEST(Emulator, ScalarMemoryLoadsStoresAndRespectsBufferBounds) {
  const std::string body = R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_waitcnt lgkmcnt(0)
    s_load_dwordx4 s[8:11], s[4:5], 0x4
    s_mov_b32 s20, 8
    s_load_dword s12, s[4:5], s20
    s_mov_b32 s6, 8
    s_mov_b32 s7, 0
    s_buffer_load_dwordx4 s[16:19], s[4:7], 0x0
    s_waitcnt lgkmcnt(0)
    s_store_dwordx2 s[8:9], s[4:5], 0x40
    s_atomic_add s12, s[4:5], 0x48 glc
    s_endpgm)";
  TestRun run;
  auto buffer = run.memory->allocate("buffer", 4096);
  for (uint32_t i = 0; i < 64; ++i) std::memcpy(buffer->host + 4 * i, &i, sizeof i);
  Launch launch{.grid = {1, 1, 1}, .block = {64, 1, 1}};
  launch.kernarg = bytes_of({buffer->address});
  run.code_object = std::make_shared<const CodeObject>(
      test::assemble(test::kernel_source(body, "gfx90a", {{8, "global_buffer"}}), "gfx90a"));
  auto loaded = load_kernel(run.code_object, run.code_object->kernels.at(0), launch, *run.memory);
  ASSERT_TRUE(loaded);
  run.kernel = std::move(*loaded);
  WorkGroup work_group(run.kernel, *run.memory, {0, 0, 0});
  std::vector<WaveTrace> traces(1);
  const auto ended = work_group.advance(UINT64_MAX, traces);
  ASSERT_TRUE(ended) << ended.error().place << ": " << ended.error().reason;
  const Wavefront& wave = work_group.waves()[0];
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(wave.scalar[8 + i], i + 1);
  EXPECT_EQ(wave.scalar[16], 0u);
  EXPECT_EQ(wave.scalar[17], 1u);
  EXPECT_EQ(wave.scalar[18], 0u);  // beyond 8 bytes of records
  EXPECT_EQ(wave.scalar[19], 0u);
  EXPECT_EQ(read64(*run.memory, buffer->address + 0x40), 1u | uint64_t{2} << 32);
  EXPECT_EQ(wave.scalar[12], 18u);  // the old value
  EXPECT_EQ(read32(*run.memory, buffer->address + 0x48), 18u + 2u);
  // The trace names every instruction once and links accesses to it.
  ASSERT_EQ(traces[0].records.size(), work_group.instructions_executed());
  EXPECT_TRUE(traces[0].complete);
  ASSERT_EQ(traces[0].accesses.size(), 6u);
  EXPECT_EQ(traces[0].records[2].access, 1u);
  EXPECT_EQ(traces[0].accesses[1].base, buffer->address + 4);
  EXPECT_EQ(traces[0].accesses[1].bytes, 16);
  EXPECT_EQ(traces[0].accesses[3].bytes, 8);  // only what is inside the buffer
  EXPECT_EQ(traces[0].records[3].access, TraceRecord::kNoAccess);
}

// Wave 0 waits at the barrier, wave 1 ends early; barriers count live waves only.
TEST(Emulator, BarriersWaitForLiveWavesOnly) {
  const std::string body = R"(
    s_mov_b64 s[10:11], exec
    s_cmp_eq_u64 s[10:11], 1
    s_cbranch_scc1 last
    s_barrier
    s_mov_b32 s12, 1
    s_barrier
    s_mov_b32 s12, 2
  last:
    s_endpgm)";
  TestRun run =
      load(test::kernel_source(body, "gfx942"), "gfx942", {.grid = {1, 1, 1}, .block = {193, 1, 1}});
  const WorkGroup work_group = finish(run);
  ASSERT_EQ(work_group.waves().size(), 4u);
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(work_group.waves()[i].scalar[12], 2u);
  EXPECT_EQ(work_group.waves()[3].scalar[12], 0u);
  EXPECT_EQ(work_group.counts()[static_cast<size_t>(InstructionClass::barrier)], 6u);
}

TEST(Emulator, AdvancesInStepsAndRestarts) {
  TestRun run =
      load(test::kernel_source(
               "loop: s_add_u32 s20, s20, 1\ns_cmp_lt_u32 s20, 100\ns_cbranch_scc1 loop\ns_endpgm", "gfx942"),
           "gfx942", {.grid = {2, 1, 1}, .block = {128, 1, 1}});
  WorkGroup work_group(run.kernel, *run.memory, {0, 0, 0});
  std::vector<WaveTrace> traces(2);
  for (uint64_t step = 1; step <= 30; ++step) {
    const auto ended = work_group.advance(10, traces);
    ASSERT_TRUE(ended);
    EXPECT_FALSE(*ended);
    EXPECT_EQ(work_group.instructions_executed(), step * 20);
    EXPECT_EQ(traces[1].records.size(), step * 10);
    EXPECT_FALSE(traces[1].complete);
  }
  EXPECT_TRUE(*work_group.advance(10, traces));
  EXPECT_EQ(work_group.instructions_executed(), 2u * 301);
  EXPECT_TRUE(traces[0].complete && traces[1].complete);
  work_group.restart({1, 0, 0});
  EXPECT_EQ(work_group.waves()[1].scalar[2], 1u);
  EXPECT_EQ(work_group.waves()[1].scalar[20], 0u);
  EXPECT_TRUE(*work_group.advance(UINT64_MAX, {}));
  EXPECT_EQ(work_group.instructions_executed(), 2u * 301);
}

TEST(Emulator, RunGridCoversEveryWorkGroupOnce) {
  // Each work-group counts itself at its linear id.
  const std::string body = R"(
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    s_mul_i32 s8, s4, 3
    s_add_u32 s8, s8, s3
    s_mul_i32 s8, s8, 5
    s_add_u32 s8, s8, s2
    s_lshl_b32 s8, s8, 2
    s_mov_b32 s9, 1
    s_atomic_add s9, s[6:7], s8
    s_endpgm)";
  TestRun run;
  auto buffer = run.memory->allocate("counters", 5 * 3 * 2 * 4);
  Launch launch{.grid = {5, 3, 2}, .block = {64, 1, 1}};
  launch.kernarg = bytes_of({buffer->address});
  run.code_object = std::make_shared<const CodeObject>(
      test::assemble(test::kernel_source(body, "gfx90a", {{8, "global_buffer"}}), "gfx90a"));
  auto loaded = load_kernel(run.code_object, run.code_object->kernels.at(0), launch, *run.memory);
  ASSERT_TRUE(loaded);
  uint64_t calls = 0, last = 0;
  const auto summary = run_grid(*loaded, *run.memory, {}, [&](uint64_t done, uint64_t total) {
    ++calls, last = done;
    EXPECT_EQ(total, 30u);
  });
  ASSERT_TRUE(summary) << summary.error().place << summary.error().reason;
  EXPECT_EQ(summary->work_groups, 30u);
  EXPECT_EQ(summary->wave_instructions, 30u * 9);
  EXPECT_EQ(summary->counts[static_cast<size_t>(InstructionClass::smem_store)], 30u);
  EXPECT_EQ(calls, 30u);
  EXPECT_EQ(last, 30u);
  for (uint64_t i = 0; i < 30; ++i) EXPECT_EQ(read32(*run.memory, buffer->address + 4 * i), 1u);
}

// What an error has to name: kernel, instruction, address, work-group, wave; and the region nearby.
TEST(Emulator, FaultsSayWhereAndWhat) {
  const std::string body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_load_dword s6, s[4:5], 0x1004\ns_endpgm";
  TestRun run;
  auto buffer = run.memory->allocate("argument 0", 4096);
  Launch launch{.grid = {1, 2, 1}, .block = {128, 1, 1}};
  launch.kernarg = bytes_of({buffer->address});
  run.code_object = std::make_shared<const CodeObject>(
      test::assemble(test::kernel_source(body, "gfx942", {{8, "global_buffer"}}), "gfx942"));
  auto loaded = load_kernel(run.code_object, run.code_object->kernels.at(0), launch, *run.memory);
  ASSERT_TRUE(loaded);
  WorkGroup work_group(*loaded, *run.memory, {0, 1, 0});
  const auto ended = work_group.advance(UINT64_MAX, {});
  ASSERT_FALSE(ended);
  const Error& error = ended.error();
  for (const char* part :
       {"test_kernel", "s_load_dword s6, s[4:5], 0x1004", "entry + 0x8", "work-group (0, 1, 0)", "wave 0"})
    EXPECT_NE(error.place.find(part), std::string::npos) << error.place;
  EXPECT_NE(error.reason.find("4 bytes past the end of 'argument 0'"), std::string::npos) << error.reason;
}

std::string fault_of(const std::string& body, const std::string& processor = "gfx942",
                     EmulationLimits limits = {}) {
  TestRun run = load(test::kernel_source(body, processor), processor, {});
  WorkGroup work_group(run.kernel, *run.memory, {0, 0, 0}, limits);
  const auto ended = work_group.advance(UINT64_MAX, {});
  return ended ? "no fault" : ended.error().reason;
}

TEST(Emulator, RefusesWhatItCannotRun) {
  EXPECT_NE(fault_of("s_nop 0\n.long 0xffffffff").find("no instruction"), std::string::npos);
  EXPECT_NE(fault_of("s_trap 2").find("aborts"), std::string::npos);
  EXPECT_EQ(fault_of("s_trap 3\ns_endpgm"), "no fault");
  EXPECT_NE(fault_of("s_rfe_b64 s[4:5]").find("has no emulation"), std::string::npos);
  EXPECT_NE(fault_of("s_mov_b64 s[4:5], 0\ns_setpc_b64 s[4:5]").find("no instruction of the code object"),
            std::string::npos);
  EXPECT_NE(fault_of("self: s_branch self", "gfx942", {.max_instructions_per_wave = 5000}).find("limit"),
            std::string::npos);
  EXPECT_NE(fault_of("s_branch 0x7000").find("branch target"), std::string::npos);
  EXPECT_NE(fault_of("s_sethalt 1").find("halts"), std::string::npos);
}

TEST(Emulator, RefusesImpossibleLaunches) {
  const auto reason = [](const std::string& source, Launch launch) -> std::string {
    Memory memory;
    auto code_object = std::make_shared<const CodeObject>(test::assemble(source, "gfx942"));
    auto loaded = load_kernel(code_object, code_object->kernels.at(0), std::move(launch), memory);
    return loaded ? "loaded" : loaded.error().reason;
  };
  const std::string plain = test::kernel_source("s_endpgm", "gfx942");
  EXPECT_EQ(reason(plain, {.grid = {1, 1, 1}, .block = {1024, 1, 1}, .dynamic_lds = 65536}), "loaded");
  EXPECT_NE(reason(plain, {.grid = {1, 1, 1}, .block = {1025, 1, 1}}).find("limit of 1024"),
            std::string::npos);
  EXPECT_NE(reason(plain, {.grid = {1, 0, 1}, .block = {64, 1, 1}}).find("zero"), std::string::npos);
  EXPECT_NE(reason(plain, {.grid = {1, 1, 1}, .block = {64, 1, 1}, .dynamic_lds = 65537}).find("LDS"),
            std::string::npos);
  EXPECT_NE(reason(plain, {.grid = {1u << 31, 1, 1}, .block = {64, 1, 1}}).find("2^32"), std::string::npos);
  const std::string with_argument =
      test::kernel_source("s_endpgm", "gfx942", {{8, "global_buffer"}, {4, "by_value"}});
  EXPECT_NE(reason(with_argument, {}).find("0 bytes of kernel arguments given, the kernel reads 12"),
            std::string::npos);
}

TEST(Emulator, AppliesRelocations) {
  const std::string source = test::kernel_source("s_endpgm", "gfx942") +
                             ".data\n.globl value\n.type value,@object\n.size value,4\nvalue: .long "
                             "0x5eed\n.p2align 3\npointer: .quad value\n";
  Memory memory;
  auto code_object = std::make_shared<const CodeObject>(test::assemble(source, "gfx942"));
  ASSERT_FALSE(code_object->relocations.empty());
  auto loaded = load_code_object(code_object, memory);
  ASSERT_TRUE(loaded) << loaded.error().reason;
  const uint64_t pointer = read64(memory, loaded->load_base + code_object->relocations[0].address);
  EXPECT_EQ(read32(memory, pointer), 0x5eedu);

  CodeObject undefined = *code_object;
  undefined.relocations[0].symbol_defined = false;
  undefined.relocations[0].symbol = "missing";
  const auto refused = load_code_object(std::make_shared<const CodeObject>(undefined), memory);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("missing"), std::string::npos);
}

// Random words as a kernel: whatever they do, the host survives and an answer comes back.
TEST(Emulator, RandomCodeNeverCrashesTheHost) {
  std::mt19937 random(11);
  for (const char* processor : {"gfx908", "gfx90a", "gfx942", "gfx950"}) {
    std::string body = "s_nop 0\n";
    for (int i = 0; i < 4000; ++i) {
      uint32_t word = random();
      if (i % 3 == 0) word = 0x7e000000 | (word & 0x01ffffff);  // VOP1: decodes often
      if (i % 5 == 0) word = 0xbf800000 | (word & 0x001f00ff);  // SOPP
      if (i % 7 == 0) word = 0xd8000000 | (word & 0x03ffffff);  // DS
      body += ".long " + std::to_string(word) + "\n";
    }
    body += "s_endpgm";
    TestRun run = load(test::kernel_source(body, processor, {}, "", 4096), processor,
                       {.grid = {1, 1, 1}, .block = {256, 1, 1}});
    LoadedKernel kernel = run.kernel;
    const auto count = static_cast<uint32_t>(kernel.program->instructions.size());
    uint64_t executed = 0;
    for (uint32_t start = 0; start < count; start += 3) {
      kernel.entry = start;
      WorkGroup work_group(kernel, *run.memory, {0, 0, 0}, {.max_instructions_per_wave = 200});
      std::vector<WaveTrace> traces(4);
      (void)work_group.advance(1000, traces);
      executed += work_group.instructions_executed();
    }
    EXPECT_GT(executed, 100u);
  }
}

}  // namespace
}  // namespace wavecast::isa
