// FLAT, GLOBAL and SCRATCH instructions against byte-array models: widths, address forms, apertures, swizzled
// scratch, faults and recorded addresses.
#include <gtest/gtest.h>

#include "support/memory_models.h"

namespace wavecast::isa {
namespace {

using test::AtomicRun;
using test::LoadModel;
using test::Machine;
using test::StoreModel;
using test::VectorAtomic;

// Checks the loaded registers v10.. against bytes at `source(lane)`; inactive lanes keep `old`.
void expect_loaded(Machine& machine, const LoadModel& model, const std::vector<VectorRegister>& old,
                   const std::function<const std::byte*(size_t)>& source) {
  ASSERT_FALSE(machine.context.faulted) << model.suffix << ": " << machine.context.fault_reason;
  for (uint32_t k = 0; k < model.dwords(); ++k)
    for (size_t lane = 0; lane < 64; ++lane) {
      const uint32_t before = old[k].lane[lane];
      const uint32_t expected =
          machine.active(static_cast<int>(lane)) ? model.result(source(lane), before, k) : before;
      ASSERT_EQ(machine.v(10 + static_cast<int>(k)).lane[lane], expected)
          << model.suffix << " lane " << lane << " dword " << k;
    }
}

std::vector<VectorRegister> destination(Machine& machine, const LoadModel& model) {
  std::vector<VectorRegister> registers;
  for (uint32_t k = 0; k < model.dwords(); ++k) registers.push_back(machine.v(10 + static_cast<int>(k)));
  return registers;
}

TEST(Global, LoadsEveryWidthUnaligned) {
  Machine machine;
  const MemoryRegion region = machine.allocate("buffer", 8192);
  for (const LoadModel& model : test::vector_loads()) {
    const auto code =
        machine.assemble("global_load_" + std::string(model.suffix) + " " + model.registers(10) +
                         ", v[2:3], off offset:-100\n" + "global_load_" + model.suffix + " " +
                         model.registers(10) + ", v4, s[8:9] offset:40\n" + "flat_load_" + model.suffix +
                         " " + model.registers(10) + ", v[2:3] offset:7");
    for (uint64_t exec : {~uint64_t{0}, machine.random_mask(), uint64_t{1} << 40}) {
      machine.wave.set_exec(exec);
      std::array<uint32_t, 64> at{};
      for (size_t lane = 0; lane < 64; ++lane) {
        at[lane] = 100 + machine.random(7900);
        // Inactive lanes hold addresses that would fault.
        machine.set_address(2, static_cast<int>(lane),
                            machine.active(static_cast<int>(lane)) ? region.address + at[lane] : 16);
        machine.v(4).lane[lane] = machine.active(static_cast<int>(lane)) ? at[lane] : 0xfffffff0;
      }
      auto old = destination(machine, model);
      machine.execute(code[0]);
      expect_loaded(machine, model, old, [&](size_t lane) { return region.host + at[lane] - 100; });
      machine.wave.set_scalar64(8, region.address - 64);
      old = destination(machine, model);
      machine.execute(code[1]);
      expect_loaded(machine, model, old, [&](size_t lane) { return region.host + at[lane] - 24; });
      old = destination(machine, model);
      machine.execute(code[2]);
      expect_loaded(machine, model, old, [&](size_t lane) { return region.host + at[lane] + 7; });
    }
  }
}

TEST(Global, StoresEveryWidth) {
  Machine machine;
  const MemoryRegion region = machine.allocate("buffer", 8192);
  for (const StoreModel& model : test::vector_stores()) {
    const auto code =
        machine.assemble("global_store_" + std::string(model.suffix) + " v[2:3], " +
                         LoadModel{"", model.bytes}.registers(20) + ", off offset:5\nglobal_store_" +
                         model.suffix + " v4, " + LoadModel{"", model.bytes}.registers(20) + ", s[8:9]");
    machine.wave.set_scalar64(8, region.address);
    for (bool saddr : {false, true})
      for (bool contiguous : {false, true}) {
        machine.wave.set_exec(contiguous ? ~uint64_t{0} : machine.random_mask());
        std::vector<std::byte> expected(region.host, region.host + region.size);
        for (size_t lane = 0; lane < 64; ++lane) {
          const uint32_t at = contiguous ? static_cast<uint32_t>(lane) * model.bytes : machine.random(8000);
          machine.v(4).lane[lane] = at;
          machine.set_address(2, static_cast<int>(lane), region.address + at);
          if (!machine.active(static_cast<int>(lane))) continue;
          for (uint32_t i = 0; i < model.bytes; ++i)
            expected[at + (saddr ? 0 : 5) + i] = static_cast<std::byte>(
                machine.v(20 + static_cast<int>(i / 4)).lane[lane] >> (8 * (i % 4) + model.shift));
        }
        machine.execute(code[saddr ? 1 : 0]);
        ASSERT_FALSE(machine.context.faulted) << machine.context.fault_reason;
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), region.host)) << model.suffix;
      }
  }
}

TEST(Global, DestinationMayOverlapTheAddress) {
  Machine machine;
  const MemoryRegion region = machine.allocate("buffer", 4096);
  for (int lane = 0; lane < 64; ++lane)
    machine.set_address(10, lane, region.address + static_cast<uint64_t>(lane) * 8);
  machine.run("global_load_dwordx2 v[10:11], v[10:11], off");
  for (size_t lane = 0; lane < 64; ++lane) {
    ASSERT_EQ(machine.v(10).lane[lane], test::value_of(region.host + lane * 8, 4, false));
    ASSERT_EQ(machine.v(11).lane[lane], test::value_of(region.host + lane * 8 + 4, 4, false));
  }
}

TEST(Global, LanesMayTouchSeveralBuffers) {
  Machine machine;
  const MemoryRegion first = machine.allocate("first", 4096), second = machine.allocate("second", 1 << 20);
  for (int lane = 0; lane < 64; ++lane)
    machine.set_address(2, lane, (lane % 2 ? second : first).address + static_cast<uint64_t>(lane) * 64);
  machine.run("global_load_dword v10, v[2:3], off");
  for (size_t lane = 0; lane < 64; ++lane)
    ASSERT_EQ(machine.v(10).lane[lane],
              test::value_of((lane % 2 ? second : first).host + lane * 64, 4, false));
  ASSERT_EQ(machine.trace.accesses.size(), 1u);
  EXPECT_FALSE(machine.trace.accesses[0].affine);
  EXPECT_EQ(machine.trace.addresses[machine.trace.accesses[0].first + 3], second.address + 192);
}

TEST(Global, AccumulationRegistersAreData) {
  Machine machine;
  const MemoryRegion region = machine.allocate("buffer", 4096);
  for (int lane = 0; lane < 64; ++lane)
    machine.set_address(2, lane, region.address + static_cast<uint64_t>(lane) * 16);
  machine.run("global_load_dwordx4 a[4:7], v[2:3], off\nglobal_store_dword v[2:3], a6, off");
  for (size_t lane = 0; lane < 64; ++lane)
    EXPECT_EQ(machine.a(6).lane[lane], test::value_of(region.host + lane * 16, 4, false));
}

void check_atomics(const std::string& prefix, const std::string& processor,
                   const std::vector<VectorAtomic>& models) {
  Machine machine(processor);
  const MemoryRegion region = machine.allocate("buffer", 4096);
  std::string text;
  const bool new_names = processor != "gfx90a";
  const std::string off = prefix == "global" ? ", off" : "", returning = new_names ? " sc0" : " glc";
  for (const VectorAtomic& model : models) {
    const std::string name = prefix + "_atomic_" + model.name;
    text += name + " v[2:3], " + test::atomic_data(model) + off + " offset:16\n";
    text += name + " " + LoadModel{"", model.bytes}.registers(10) + ", v[2:3], " + test::atomic_data(model) +
            off + " offset:16" + returning + "\n";
  }
  const auto code = machine.assemble(text);
  for (size_t i = 0; i < code.size(); ++i) {
    const VectorAtomic& model = models[i / 2];
    machine.wave.set_exec(machine.random_mask());
    std::vector<uint64_t> initial;
    const AtomicRun run = prepare_atomic(machine, model, 20, initial);
    for (size_t slot = 0; slot < initial.size(); ++slot)
      std::memcpy(region.host + 16 + slot * model.bytes, &initial[slot], model.bytes);
    for (int lane = 0; lane < 64; ++lane)
      machine.set_address(2, lane,
                          region.address + uint64_t{run.slot[static_cast<size_t>(lane)]} * model.bytes);
    machine.execute(code[i]);
    ASSERT_FALSE(machine.context.faulted) << machine.context.fault_reason;
    for (size_t slot = 0; slot < initial.size(); ++slot) {
      uint64_t found = 0;
      std::memcpy(&found, region.host + 16 + slot * model.bytes, model.bytes);
      ASSERT_EQ(found, run.memory[slot]) << prefix << " " << model.name << " slot " << slot;
    }
    if (i % 2 == 0) continue;
    for (size_t lane = 0; lane < 64; ++lane) {
      if (!machine.active(static_cast<int>(lane))) continue;
      ASSERT_EQ(machine.v(10).lane[lane], static_cast<uint32_t>(run.old[lane])) << model.name;
      if (model.bytes == 8) {
        ASSERT_EQ(machine.v(11).lane[lane], static_cast<uint32_t>(run.old[lane] >> 32)) << model.name;
      }
    }
  }
}

TEST(Global, Atomics) { check_atomics("global", "gfx942", test::vector_atomics()); }
TEST(Flat, Atomics) { check_atomics("flat", "gfx942", test::vector_atomics()); }
TEST(Global, AtomicsOfGfx90a) { check_atomics("global", "gfx90a", test::vector_atomics()); }

TEST(Global, PackedAtomics) {
  Machine machine;
  const MemoryRegion region = machine.allocate("buffer", 64);
  machine.wave.set_exec(2);
  machine.set_address(2, 1, region.address + 4);
  machine.v(5).lane[1] = 0x40003c00;   // f16 2, 1
  const uint32_t memory = 0x44004200;  // f16 4, 3
  std::memcpy(region.host + 4, &memory, 4);
  machine.run("global_atomic_pk_add_f16 v6, v[2:3], v5, off sc0");
  EXPECT_EQ(test::value_of(region.host + 4, 4, false), 0x46004400u);  // 6, 4
  EXPECT_EQ(machine.v(6).lane[1], memory);
}

TEST(Global, FaultsNameLaneAndNearestBuffer) {
  Machine machine;
  const MemoryRegion region = machine.allocate("argument 2", 4096);
  for (int lane = 0; lane < 64; ++lane)
    machine.set_address(2, lane, region.address + static_cast<uint64_t>(lane) * 64);
  machine.set_address(2, 42, region.address + 4093);
  machine.run("global_load_dword v10, v[2:3], off");
  EXPECT_TRUE(machine.context.faulted);
  EXPECT_EQ(machine.context.fault_lane, 42);
  EXPECT_NE(machine.context.fault_reason.find("argument 2"), std::string::npos)
      << machine.context.fault_reason;
}

TEST(Global, ReadOnlyMemoryTakesNoStores) {
  Machine machine;
  const MemoryRegion region = machine.allocate(".rodata", 4096, false);
  for (int lane = 0; lane < 64; ++lane)
    machine.set_address(2, lane, region.address + static_cast<uint64_t>(lane) * 4);
  const std::vector<std::byte> before(region.host, region.host + 4096);
  machine.run("global_load_dword v10, v[2:3], off");
  EXPECT_FALSE(machine.context.faulted);
  machine.run("global_store_dword v[2:3], v11, off");
  EXPECT_TRUE(machine.context.faulted);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), region.host));
}

TEST(Global, RecordsOneAffineAccess) {
  Machine machine;
  const MemoryRegion region = machine.allocate("buffer", 1 << 16);
  machine.wave.set_exec(0xff00ff00ff00ff00);
  for (int lane = 0; lane < 64; ++lane)
    machine.set_address(2, lane, region.address + 128 + static_cast<uint64_t>(lane) * 256);
  machine.run("global_load_dwordx2 v[10:11], v[2:3], off");
  ASSERT_EQ(machine.trace.accesses.size(), 1u);
  const MemoryAccess& access = machine.trace.accesses[0];
  EXPECT_TRUE(access.affine);
  EXPECT_EQ(access.lanes, 0xff00ff00ff00ff00);
  EXPECT_EQ(access.base, region.address + 128);
  EXPECT_EQ(access.stride, 256);
  EXPECT_EQ(access.bytes, 8);
  EXPECT_EQ(access.space, AddressSpace::global);
  EXPECT_EQ(access.more, 0);
}

// Byte `at` of lane's private memory, by the layout of swizzled scratch.
std::byte& private_byte(const MemoryRegion& scratch, uint32_t wave_offset, size_t lane, uint32_t at) {
  return scratch.host[wave_offset + at / 4 * 256 + lane * 4 + at % 4];
}

struct ScratchBench : Machine {
  explicit ScratchBench(const std::string& name)
      : Machine(name), scratch(allocate("scratch", 64 * 512 + 4096)) {
    wave.scratch_base = scratch.address + 4096;
  }
  std::vector<std::byte> private_bytes(size_t lane, uint32_t at) const {
    std::vector<std::byte> bytes;
    for (uint32_t i = 0; i < 16; ++i)
      bytes.push_back(at + i < 512 ? private_byte(scratch, 4096, lane, at + i) : std::byte{});
    return bytes;
  }
  MemoryRegion scratch;
};

TEST(Scratch, LoadsAndStoresAreSwizzled) {
  // Every address form, aligned or not: SGPR, VGPR, neither, and on gfx942 both.
  struct Form {
    const char* processor;
    const char* operands;
    bool vgpr, sgpr;
  };
  for (const Form& form : {Form{"gfx90a", "v4, off", true, false},
                           {"gfx90a", "off, s6", false, true},
                           {"gfx942", "off, off", false, false},
                           {"gfx942", "v4, s6", true, true}}) {
    ScratchBench machine(form.processor);
    machine.wave.scalar[6] = 21;
    std::string text;
    for (const LoadModel& model : test::vector_loads())
      text += "scratch_load_" + std::string(model.suffix) + " " + model.registers(10) + ", " + form.operands +
              " offset:3\n";
    for (const StoreModel& model : test::vector_stores()) {
      std::string operands = form.operands;
      operands.insert(operands.find(','), ", " + LoadModel{"", model.bytes}.registers(20));
      text += "scratch_store_" + std::string(model.suffix) + " " + operands + " offset:3\n";
    }
    const auto code = machine.assemble(text);
    for (bool aligned : {false, true}) {
      size_t next = 0;
      const auto addresses = [&] {
        machine.wave.set_exec(machine.random(2) ? ~uint64_t{0} : machine.random_mask());
        machine.wave.scalar[6] = aligned ? 21 : 22;
        for (uint32_t& v : machine.v(4).lane)
          v = aligned ? 4 * machine.random(110) + (form.sgpr ? 0 : 1) : machine.random(440);
      };
      const auto at = [&](size_t lane) {
        return 3 + (form.vgpr ? machine.v(4).lane[lane] : 0) + (form.sgpr ? machine.wave.scalar[6] : 0);
      };
      for (const LoadModel& model : test::vector_loads()) {
        addresses();
        const auto old = destination(machine, model);
        machine.execute(code[next++]);
        std::vector<std::vector<std::byte>> bytes;
        for (size_t lane = 0; lane < 64; ++lane) bytes.push_back(machine.private_bytes(lane, at(lane)));
        expect_loaded(machine, model, old, [&](size_t lane) { return bytes[lane].data(); });
      }
      for (const StoreModel& model : test::vector_stores()) {
        addresses();
        std::vector<std::byte> before(machine.scratch.host, machine.scratch.host + machine.scratch.size);
        machine.execute(code[next++]);
        ASSERT_FALSE(machine.context.faulted) << machine.context.fault_reason;
        for (size_t lane = 0; lane < 64; ++lane) {
          if (!machine.active(static_cast<int>(lane))) continue;
          for (uint32_t i = 0; i < model.bytes; ++i) {
            const uint32_t byte = at(lane) + i;
            before[4096 + byte / 4 * 256 + lane * 4 + byte % 4] = static_cast<std::byte>(
                machine.v(20 + static_cast<int>(i / 4)).lane[lane] >> (8 * (i % 4) + model.shift));
          }
        }
        ASSERT_TRUE(std::equal(before.begin(), before.end(), machine.scratch.host))
            << form.processor << " " << model.suffix;
      }
    }
  }
}

TEST(Scratch, EachDwordIsRecordedWhereItLies) {
  ScratchBench machine("gfx942");
  machine.run("scratch_load_dwordx3 v[10:12], off, off offset:8");
  ASSERT_EQ(machine.trace.accesses.size(), 3u);
  EXPECT_EQ(machine.trace.accesses[0].more, 2);
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(machine.trace.accesses[k].base, machine.wave.scratch_base + (2 + k) * 256);
    EXPECT_EQ(machine.trace.accesses[k].stride, 4);
    EXPECT_EQ(machine.trace.accesses[k].bytes, 4);
  }
}

TEST(Flat, LanesGoToGlobalLdsAndScratchByAperture) {
  ScratchBench machine("gfx942");
  machine.randomize_lds();
  const MemoryRegion region = machine.allocate("buffer", 4096);
  for (int lane = 0; lane < 64; ++lane) {
    const uint64_t at = static_cast<uint64_t>(lane) * 8;
    const uint64_t base[] = {region.address, Machine::kSharedAperture, Machine::kPrivateAperture};
    machine.set_address(2, lane, base[lane % 3] + at - 4);
  }
  machine.wave.set_exec(~uint64_t{0} << 3);
  const LoadModel model{"dwordx2", 8};
  const auto old = destination(machine, model);
  machine.run("flat_load_dwordx2 v[10:11], v[2:3] offset:4");
  std::vector<std::vector<std::byte>> scratch;
  for (size_t lane = 0; lane < 64; ++lane)
    scratch.push_back(machine.private_bytes(lane, static_cast<uint32_t>(lane * 8)));
  expect_loaded(machine, model, old, [&](size_t lane) -> const std::byte* {
    if (lane % 3 == 0) return region.host + lane * 8;
    return lane % 3 == 1 ? machine.lds.data() + lane * 8 : scratch[lane].data();
  });
  // Global, then LDS, then two dwords of scratch.
  ASSERT_EQ(machine.trace.accesses.size(), 4u);
  EXPECT_EQ(machine.trace.accesses[0].more, 3);
  EXPECT_EQ(machine.trace.accesses[1].space, AddressSpace::lds);
  EXPECT_EQ(machine.trace.accesses[1].base + 4u * 8, 32u);  // lane 4 reads offset 32
  machine.run("flat_store_dwordx2 v[2:3], v[20:21] offset:4");
  EXPECT_EQ(test::value_of(machine.lds.data() + 32, 4, false), machine.v(20).lane[4]);
  EXPECT_EQ(test::value_of(machine.private_bytes(5, 44).data(), 4, false), machine.v(21).lane[5]);
}

TEST(Flat, AtomicsReachLds) {
  Machine machine;
  machine.randomize_lds();
  const uint32_t before = test::value_of(machine.lds.data() + 256, 4, false);
  for (int lane = 0; lane < 64; ++lane) machine.set_address(2, lane, Machine::kSharedAperture + 256);
  machine.v(5).lane.fill(3);
  machine.run("flat_atomic_add v6, v[2:3], v5 sc0");
  EXPECT_EQ(test::value_of(machine.lds.data() + 256, 4, false), before + 192);
  EXPECT_EQ(machine.v(6).lane[63], before + 189);
}

TEST(Global, LoadsToLdsPlaceLanesOneAfterAnother) {
  struct Form {
    const char* processor;
    const char* suffix;
    uint32_t bytes;
    bool is_signed;
  };
  for (const Form& form : {Form{"gfx942", "dword", 4, false},
                           {"gfx942", "ubyte", 1, false},
                           {"gfx942", "sbyte", 1, true},
                           {"gfx942", "ushort", 2, false},
                           {"gfx942", "sshort", 2, true},
                           {"gfx950", "dwordx3", 12, false},
                           {"gfx950", "dwordx4", 16, false}}) {
    Machine machine(form.processor);
    machine.randomize_lds();
    const MemoryRegion region = machine.allocate("buffer", 8192);
    machine.wave.scalar[operand_code::kM0] = 0x1000;
    machine.wave.set_exec(machine.random_mask());
    const std::vector<std::byte> before = machine.lds;
    std::array<uint32_t, 64> at{};
    for (size_t lane = 0; lane < 64; ++lane) {
      at[lane] = machine.random(8000);
      machine.set_address(2, static_cast<int>(lane), region.address + at[lane]);
    }
    machine.run("global_load_lds_" + std::string(form.suffix) + " v[2:3], off offset:64");
    ASSERT_FALSE(machine.context.faulted) << machine.context.fault_reason;
    std::vector<std::byte> expected = before;
    const uint32_t step = std::max(4u, form.bytes);
    for (size_t lane = 0; lane < 64; ++lane) {
      if (!machine.active(static_cast<int>(lane))) continue;
      for (uint32_t k = 0; k < step / 4; ++k) {
        const uint32_t value =
            test::value_of(region.host + at[lane] + 64 + 4 * k, std::min(4u, form.bytes), form.is_signed);
        std::memcpy(&expected[0x1040 + lane * step + 4 * k], &value, 4);
      }
    }
    EXPECT_EQ(machine.lds, expected) << form.suffix;
    ASSERT_EQ(machine.trace.accesses.size(), 2u);
    EXPECT_EQ(machine.trace.accesses[0].more, 1);
    EXPECT_EQ(machine.trace.accesses[1].space, AddressSpace::lds);
  }
}

TEST(Global, LdsIsABitOfTheLoadBeforeGfx942) {
  Machine machine("gfx90a");
  machine.randomize_lds();
  const MemoryRegion region = machine.allocate("buffer", 4096);
  machine.wave.scalar[operand_code::kM0] = 256;
  for (int lane = 0; lane < 64; ++lane)
    machine.set_address(2, lane, region.address + static_cast<uint64_t>(lane) * 12);
  machine.run("global_load_dword v[2:3], off lds\nglobal_load_sbyte v[2:3], off offset:1024 lds");
  ASSERT_FALSE(machine.context.faulted) << machine.context.fault_reason;
  for (size_t lane = 0; lane < 64; ++lane) {
    ASSERT_EQ(test::value_of(&machine.lds[256 + lane * 4], 4, false),
              test::value_of(region.host + lane * 12, 4, false));
    ASSERT_EQ(test::value_of(&machine.lds[1280 + lane * 4], 4, false),
              test::value_of(region.host + 1024 + lane * 12, 1, true));
  }
}

TEST(Global, NoLanesTouchNothing) {
  Machine machine;
  machine.wave.set_exec(0);
  machine.run(
      "global_load_dword v10, v[2:3], off\nglobal_store_dword v[2:3], v4, off\nflat_atomic_add v[2:3], v4");
  EXPECT_FALSE(machine.context.faulted);
  EXPECT_TRUE(machine.trace.accesses.empty());
}

}  // namespace
}  // namespace wavecast::isa
