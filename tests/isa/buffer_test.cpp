// Buffer instructions against models of the resource descriptor: address forms, bounds, swizzle, LDS, typed
// formats.
#include <gtest/gtest.h>

#include <cmath>

#include "support/memory_models.h"

namespace wavecast::isa {
namespace {

using test::LoadModel;
using test::Machine;
using test::StoreModel;

// Fields of a resource; defaults give a raw buffer.
struct ResourceFields {
  uint64_t base = 0;
  uint32_t stride = 0, num_records = 0, index_stride_code = 0, data_format = 4, number_format = 4;
  bool swizzle = false, add_lane = false;
  uint32_t select[4] = {4, 5, 6, 7};
};

// Writes s[8:11].
void set_resource(Machine& machine, const ResourceFields& fields) {
  uint32_t* s = machine.wave.scalar.data() + 8;
  s[0] = static_cast<uint32_t>(fields.base);
  s[1] = static_cast<uint32_t>(fields.base >> 32 & 0xffff) | (fields.stride & 0x3fff) << 16 |
         static_cast<uint32_t>(fields.swizzle) << 31;
  s[2] = fields.num_records;
  s[3] = fields.number_format << 12 | fields.data_format << 15 | fields.index_stride_code << 21 |
         static_cast<uint32_t>(fields.add_lane) << 23;
  for (int i = 0; i < 4; ++i) s[3] |= fields.select[i] << 3 * i;
}

TEST(Buffer, RawLoadsReadZeroBeyondTheirBytes) {
  Machine machine;
  const MemoryRegion region = machine.allocate("buffer", 8192);
  ResourceFields fields{.base = region.address + 16, .num_records = 1001};
  set_resource(machine, fields);
  machine.wave.scalar[20] = 64;
  std::string text;
  for (const LoadModel& model : test::vector_loads())
    text += "buffer_load_" + std::string(model.suffix) + " " + model.registers(10) +
            ", v2, s[8:11], s20 offen offset:12\n";
  const auto code = machine.assemble(text);
  size_t next = 0;
  const std::vector<std::byte> zeros(16);
  for (const LoadModel& model : test::vector_loads()) {
    machine.wave.set_exec(machine.random_mask());
    for (uint32_t& v : machine.v(2).lane) v = machine.random(1100);
    std::vector<VectorRegister> old;
    for (uint32_t k = 0; k < model.dwords(); ++k) old.push_back(machine.v(10 + static_cast<int>(k)));
    machine.execute(code[next++]);
    ASSERT_FALSE(machine.context.faulted) << machine.context.fault_reason;
    for (size_t lane = 0; lane < 64; ++lane)
      for (uint32_t k = 0; k < model.dwords(); ++k) {
        // Bounds are those of each dword; the scalar offset does not count.
        const uint32_t offset = machine.v(2).lane[lane] + 12,
                       end = offset + (model.bytes < 4 ? model.bytes : 4 * k + 4);
        const std::byte* from = end <= 1001 ? region.host + 16 + 64 + offset : zeros.data();
        const uint32_t before = old[k].lane[lane];
        const uint32_t expected = !machine.active(static_cast<int>(lane)) ? before
                                  : end <= 1001                           ? model.result(from, before, k)
                                                                          : model.result(from, before, 0);
        ASSERT_EQ(machine.v(10 + static_cast<int>(k)).lane[lane], expected)
            << model.suffix << " lane " << lane << " dword " << k;
      }
  }
}

TEST(Buffer, RawStoresDropWhatIsOutOfBounds) {
  Machine machine;
  const MemoryRegion region = machine.allocate("buffer", 8192);
  set_resource(machine, {.base = region.address, .num_records = 640});
  std::string text;
  for (const StoreModel& model : test::vector_stores())
    text += "buffer_store_" + std::string(model.suffix) + " " + LoadModel{"", model.bytes}.registers(20) +
            ", v2, s[8:11], 0 offen\n";
  const auto code = machine.assemble(text);
  size_t next = 0;
  for (const StoreModel& model : test::vector_stores()) {
    machine.wave.set_exec(machine.random_mask() | 1);
    for (size_t lane = 0; lane < 64; ++lane)
      machine.v(2).lane[lane] = static_cast<uint32_t>(lane) * model.bytes + (model.bytes > 4 ? 40 : 600);
    machine.v(2).lane[0] = 0x80000000;  // the usual way to switch a lane off
    std::vector<std::byte> expected(region.host, region.host + region.size);
    for (size_t lane = 0; lane < 64; ++lane)
      for (uint32_t i = 0; i < model.bytes && machine.active(static_cast<int>(lane)); ++i) {
        const uint64_t offset = machine.v(2).lane[lane],
                       end = offset + (model.bytes < 4 ? model.bytes : i / 4 * 4 + 4);
        if (end <= 640)
          expected[offset + i] = static_cast<std::byte>(machine.v(20 + static_cast<int>(i / 4)).lane[lane] >>
                                                        (8 * (i % 4) + model.shift));
      }
    machine.execute(code[next++]);
    ASSERT_FALSE(machine.context.faulted) << machine.context.fault_reason;
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), region.host)) << model.suffix;
  }
}

TEST(Buffer, StructuredBuffersAreBoundedByRecord) {
  Machine machine;
  const MemoryRegion region = machine.allocate("buffer", 1 << 16);
  set_resource(machine, {.base = region.address, .stride = 24, .num_records = 50});
  for (uint32_t lane = 0; lane < 64; ++lane) {
    machine.v(2).lane[lane] = lane;          // index
    machine.v(3).lane[lane] = lane % 5 * 4;  // offset
  }
  machine.run(
      "buffer_load_dword v10, v[2:3], s[8:11], 0 idxen offen offset:4\nbuffer_load_dword v11, v2, s[8:11], 0 "
      "idxen");
  for (uint32_t lane = 0; lane < 64; ++lane) {
    const uint32_t at = lane * 24 + lane % 5 * 4 + 4;
    ASSERT_EQ(machine.v(10).lane[lane], lane < 50 ? test::value_of(region.host + at, 4, false) : 0) << lane;
    ASSERT_EQ(machine.v(11).lane[lane], lane < 50 ? test::value_of(region.host + lane * 24, 4, false) : 0);
  }
  // Lanes that the bounds drop are not recorded.
  EXPECT_EQ(machine.trace.accesses[1].lanes, (uint64_t{1} << 50) - 1);
  EXPECT_EQ(machine.trace.accesses[1].stride, 24);
}

// gfx908 and gfx90a reach scratch through a swizzled buffer with lane addressing: dword d of lane l at 256 d
// + 4 l.
TEST(Buffer, PrivateSegmentIsSwizzledByLane) {
  for (const char* processor : {"gfx908", "gfx90a"}) {
    Machine machine(processor);
    const MemoryRegion region = machine.allocate("scratch", 1 << 16);
    set_resource(machine, {.base = region.address,
                           .num_records = 1 << 16,
                           .index_stride_code = 3,
                           .data_format = 0,
                           .number_format = 0,
                           .swizzle = true,
                           .add_lane = true});
    machine.wave.scalar[33] = 4096;  // stack pointer
    for (uint32_t& v : machine.v(2).lane) v = machine.random(16) * 4;
    machine.run(
        "buffer_store_dword v20, off, s[8:11], s33 offset:8\nbuffer_store_byte v21, v2, s[8:11], s33 offen "
        "offset:130\n"
        "buffer_load_dwordx2 v[10:11], v2, s[8:11], s33 offen\nbuffer_load_ushort v12, off, s[8:11], 0 "
        "offset:6");
    ASSERT_FALSE(machine.context.faulted) << machine.context.fault_reason;
    const auto byte = [&](uint32_t base, uint32_t offset, uint32_t lane) {
      return region.host + base + offset / 4 * 256 + lane * 4 + offset % 4;
    };
    for (uint32_t lane = 0; lane < 64; ++lane) {
      ASSERT_EQ(test::value_of(byte(4096, 8, lane), 4, false), machine.v(20).lane[lane]);
      ASSERT_EQ(test::value_of(byte(4096, machine.v(2).lane[lane] + 130, lane), 1, false),
                machine.v(21).lane[lane] & 0xff);
      ASSERT_EQ(machine.v(10).lane[lane],
                test::value_of(byte(4096, machine.v(2).lane[lane], lane), 4, false));
      ASSERT_EQ(machine.v(11).lane[lane],
                test::value_of(byte(4096, machine.v(2).lane[lane] + 4, lane), 4, false));
      ASSERT_EQ(machine.v(12).lane[lane], test::value_of(byte(0, 6, lane), 2, false));
    }
    EXPECT_EQ(machine.trace.accesses[0].base, region.address + 4096 + 512);
    EXPECT_EQ(machine.trace.accesses[0].stride, 4);
    EXPECT_EQ(machine.trace.accesses[2].more, 1);  // two dwords, 256 bytes apart
  }
}

TEST(Buffer, SwizzleRegroupsRecords) {
  Machine machine;
  const MemoryRegion region = machine.allocate("buffer", 1 << 16);
  // 16 records per row, 12 bytes per record: offset o of record r at (r / 16 * 12 + o / 4 * 4) * 16 + r % 16
  // * 4 + o % 4.
  set_resource(
      machine,
      {.base = region.address, .stride = 12, .num_records = 200, .index_stride_code = 1, .swizzle = true});
  for (uint32_t& v : machine.v(2).lane) v = machine.random(200);
  machine.run(
      "buffer_load_dwordx3 v[10:12], v2, s[8:11], 0 idxen\nbuffer_load_dword v13, v2, s[8:11], 0 idxen "
      "offset:12");
  for (size_t lane = 0; lane < 64; ++lane) {
    const uint32_t record = machine.v(2).lane[lane];
    for (uint32_t k = 0; k < 3; ++k) {
      const uint32_t at = (record / 16 * 12 + k * 4) * 16 + record % 16 * 4;
      ASSERT_EQ(machine.v(10 + static_cast<int>(k)).lane[lane], test::value_of(region.host + at, 4, false));
    }
    ASSERT_EQ(machine.v(13).lane[lane], 0u);  // beyond the record
  }
}

TEST(Buffer, Atomics) {
  Machine machine;
  const MemoryRegion region = machine.allocate("buffer", 4096);
  const auto models = test::vector_atomics();
  std::string text;
  for (const auto& model : models) {
    const std::string registers = test::atomic_data(model);
    text +=
        "buffer_atomic_" + std::string(model.name) + " " + registers + ", v2, s[8:11], 0 offen offset:32\n";
    text += "buffer_atomic_" + std::string(model.name) + " " + registers +
            ", v2, s[8:11], 0 offen offset:32 sc0\n";
  }
  const auto code = machine.assemble(text);
  for (size_t i = 0; i < code.size(); ++i) {
    const auto& model = models[i / 2];
    // Two slots more than the buffer covers: those lanes do nothing and return 0.
    constexpr uint32_t kSlots = 18;
    set_resource(machine, {.base = region.address, .num_records = 32 + kSlots * model.bytes});
    machine.wave.set_exec(machine.random_mask());
    std::vector<uint64_t> initial;
    const test::AtomicRun run = prepare_atomic(machine, model, kSlots + 2, initial);
    for (size_t slot = 0; slot < initial.size(); ++slot)
      std::memcpy(region.host + 32 + slot * model.bytes, &initial[slot], model.bytes);
    for (size_t lane = 0; lane < 64; ++lane) machine.v(2).lane[lane] = run.slot[lane] * model.bytes;
    const VectorRegister before = machine.v(20);
    machine.execute(code[i]);
    ASSERT_FALSE(machine.context.faulted) << machine.context.fault_reason;
    for (size_t slot = 0; slot < initial.size(); ++slot) {
      uint64_t found = 0;
      std::memcpy(&found, region.host + 32 + slot * model.bytes, model.bytes);
      ASSERT_EQ(found, slot < kSlots ? run.memory[slot] : initial[slot]) << model.name << " slot " << slot;
    }
    for (size_t lane = 0; lane < 64; ++lane) {
      uint32_t expected = before.lane[lane];
      if (i % 2 && machine.active(static_cast<int>(lane)))
        expected = run.slot[lane] < kSlots ? static_cast<uint32_t>(run.old[lane]) : 0;
      ASSERT_EQ(machine.v(20).lane[lane], expected) << model.name;
    }
  }
}

TEST(Buffer, LoadsToLdsWriteZeroForDroppedLanes) {
  struct Form {
    const char* processor;
    const char* name;
    uint32_t bytes;
  };
  for (const Form& form : {Form{"gfx90a", "dword", 4}, {"gfx942", "ubyte", 1}, {"gfx950", "dwordx4", 16}}) {
    Machine machine(form.processor);
    machine.randomize_lds();
    const MemoryRegion region = machine.allocate("buffer", 4096);
    set_resource(machine, {.base = region.address, .num_records = 50 * form.bytes});
    machine.wave.scalar[operand_code::kM0] = 512;
    machine.wave.set_exec(~uint64_t{0} << 2);
    for (uint32_t lane = 0; lane < 64; ++lane) machine.v(2).lane[lane] = lane * form.bytes;
    std::vector<std::byte> expected = machine.lds;
    machine.run("buffer_load_" + std::string(form.name) + " v2, s[8:11], 0 offen lds");
    ASSERT_FALSE(machine.context.faulted) << machine.context.fault_reason;
    const uint32_t step = std::max(form.bytes, 4u);
    for (uint32_t lane = 2; lane < 64; ++lane) {
      std::memset(&expected[512 + lane * step], 0, step);
      if (lane < 50) std::memcpy(&expected[512 + lane * step], region.host + lane * form.bytes, form.bytes);
    }
    EXPECT_EQ(machine.lds, expected) << form.name;
  }
}

TEST(Buffer, FaultsWhereTheResourceLies) {
  Machine machine;
  const MemoryRegion region = machine.allocate("buffer", 4096);
  set_resource(machine, {.base = region.address, .num_records = 1 << 20});
  for (uint32_t lane = 0; lane < 64; ++lane) machine.v(2).lane[lane] = lane * 4;
  machine.v(2).lane[9] = 100000;
  machine.run("buffer_load_dword v10, v2, s[8:11], 0 offen");
  EXPECT_TRUE(machine.context.faulted);
  EXPECT_EQ(machine.context.fault_lane, 9);
}

TEST(Buffer, TypedLoadsConvert) {
  Machine machine;
  const MemoryRegion region = machine.allocate("buffer", 4096);
  set_resource(machine, {.base = region.address, .num_records = 4096});
  machine.wave.set_exec(1);
  machine.v(2).lane[0] = 0;
  const auto as_float = [&](int reg) { return std::bit_cast<float>(machine.v(reg).lane[0]); };
  const auto memory = [&](uint64_t value) { std::memcpy(region.host, &value, 8); };

  memory(0xff008040);  // 8_8_8_8, x in the low byte
  machine.run(
      "tbuffer_load_format_xyzw v[10:13], v2, s[8:11], 0 "
      "format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UNORM] offen\n"
      "tbuffer_load_format_xyzw v[14:17], v2, s[8:11], 0 "
      "format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_SNORM] offen\n"
      "tbuffer_load_format_xyzw v[18:21], v2, s[8:11], 0 "
      "format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_SINT] offen");
  EXPECT_EQ(as_float(10), 64 / 255.0f);
  EXPECT_EQ(as_float(11), 128 / 255.0f);
  EXPECT_EQ(as_float(12), 0.0f);
  EXPECT_EQ(as_float(13), 1.0f);
  EXPECT_EQ(as_float(14), 64 / 127.0f);
  EXPECT_EQ(as_float(15), -1.0f);  // -128 is clamped
  EXPECT_EQ(as_float(17), -1 / 127.0f);
  EXPECT_EQ(machine.v(19).lane[0], static_cast<uint32_t>(-128));
  EXPECT_EQ(machine.v(21).lane[0], static_cast<uint32_t>(-1));

  memory(0xc00ffc01);  // 2_10_10_10: x = 1, y = 1023, z = 0, w = 3
  machine.run(
      "tbuffer_load_format_xyzw v[10:13], v2, s[8:11], 0 "
      "format:[BUF_DATA_FORMAT_2_10_10_10,BUF_NUM_FORMAT_UINT] offen");
  EXPECT_EQ(machine.v(10).lane[0], 1u);
  EXPECT_EQ(machine.v(11).lane[0], 1023u);
  EXPECT_EQ(machine.v(12).lane[0], 0u);
  EXPECT_EQ(machine.v(13).lane[0], 3u);

  memory(0x0000c0003c00);  // f16 1, -2
  machine.run(
      "tbuffer_load_format_xyzw v[10:13], v2, s[8:11], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_FLOAT] "
      "offen\n"
      "tbuffer_load_format_d16_xy v14, v2, s[8:11], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_FLOAT] "
      "offen");
  EXPECT_EQ(as_float(10), 1.0f);
  EXPECT_EQ(as_float(11), -2.0f);
  EXPECT_EQ(as_float(12), 0.0f);  // absent components
  EXPECT_EQ(as_float(13), 1.0f);
  EXPECT_EQ(machine.v(14).lane[0], 0xc0003c00u);

  // 10_11_11 float: x = 1.0 (11 bits), y = 0.5, z = 2.0 (10 bits, at the top).
  memory(uint64_t{15} << 6 | uint64_t{14} << 6 << 11 | uint64_t{16} << 5 << 22);
  machine.run(
      "tbuffer_load_format_xyz v[10:12], v2, s[8:11], 0 "
      "format:[BUF_DATA_FORMAT_10_11_11,BUF_NUM_FORMAT_FLOAT] offen");
  EXPECT_EQ(as_float(10), 1.0f);
  EXPECT_EQ(as_float(11), 0.5f);
  EXPECT_EQ(as_float(12), 2.0f);
}

TEST(Buffer, FormatComesFromTheResourceWithItsSelection) {
  Machine machine;
  const MemoryRegion region = machine.allocate("buffer", 4096);
  // 16_16 sint; destination x = second component, y = 1, z = first component, w = 0.
  set_resource(machine, {.base = region.address,
                         .stride = 4,
                         .num_records = 10,
                         .data_format = 5,
                         .number_format = 5,
                         .select = {5, 1, 4, 0}});
  for (uint32_t lane = 0; lane < 64; ++lane) machine.v(2).lane[lane] = lane;
  machine.run("buffer_load_format_xyzw v[10:13], v2, s[8:11], 0 idxen");
  for (size_t lane = 0; lane < 64; ++lane) {
    ASSERT_EQ(machine.v(10).lane[lane], lane < 10 ? test::value_of(region.host + lane * 4 + 2, 2, true) : 0);
    ASSERT_EQ(machine.v(11).lane[lane], 1u);
    ASSERT_EQ(machine.v(12).lane[lane], lane < 10 ? test::value_of(region.host + lane * 4, 2, true) : 0);
    ASSERT_EQ(machine.v(13).lane[lane], 0u);
  }
}

TEST(Buffer, TypedStoresRoundAndClamp) {
  Machine machine;
  const MemoryRegion region = machine.allocate("buffer", 4096);
  set_resource(machine, {.base = region.address, .num_records = 4096});
  machine.wave.set_exec(1);
  machine.v(2).lane[0] = 0;
  const float values[] = {0.5f, 2.0f, -1.0f, 1.0f};
  for (int i = 0; i < 4; ++i) machine.v(20 + i).lane[0] = std::bit_cast<uint32_t>(values[i]);
  machine.run(
      "tbuffer_store_format_xyzw v[20:23], v2, s[8:11], 0 "
      "format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UNORM] offen\n"
      "tbuffer_store_format_xyzw v[20:23], v2, s[8:11], 0 "
      "format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_SNORM] offen offset:4\n"
      "tbuffer_store_format_xyzw v[20:23], v2, s[8:11], 0 "
      "format:[BUF_DATA_FORMAT_16_16_16_16,BUF_NUM_FORMAT_FLOAT] offen offset:8\n"
      "tbuffer_store_format_d16_x v24, v2, s[8:11], 0 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offen "
      "offset:16");
  EXPECT_EQ(test::value_of(region.host, 4, false), 0xff00ff80u);      // 127.5 rounds to even 128
  EXPECT_EQ(test::value_of(region.host + 4, 4, false), 0x7f817f40u);  // 63.5 rounds to even 64
  EXPECT_EQ(test::value_of(region.host + 8, 4, false), 0x40003800u);
  EXPECT_EQ(test::value_of(region.host + 12, 4, false), 0x3c00bc00u);
  machine.v(24).lane[0] = 0xffff4200;  // f16 3 in the low half
  machine.run(
      "tbuffer_store_format_d16_x v24, v2, s[8:11], 0 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offen "
      "offset:16");
  EXPECT_EQ(test::value_of(region.host + 16, 4, false), 0x40400000u);
}

TEST(Buffer, CacheMaintenanceChangesNothing) {
  Machine old_machine("gfx908"), gfx90a("gfx90a"), gfx942("gfx942");
  old_machine.run("buffer_wbinvl1\nbuffer_wbinvl1_vol");
  gfx90a.run("buffer_wbl2\nbuffer_invl2\nbuffer_wbinvl1_vol");
  gfx942.run("buffer_wbl2 sc0 sc1\nbuffer_inv sc1");
  EXPECT_TRUE(gfx942.trace.accesses.empty());
}

}  // namespace
}  // namespace wavecast::isa
