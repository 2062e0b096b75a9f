// LDS instructions against byte-array models: all widths, offsets, EXEC masks, collisions of atomics, lane
// permutations.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>

#include "support/machine.h"

namespace wavecast::isa {
namespace {

using test::LoadModel;
using test::Machine;
using Fill = LoadModel::Fill;

void fill_addresses(Machine& machine, int reg, uint32_t limit) {
  for (uint32_t& address : machine.v(reg).lane) address = machine.random(limit);
}

TEST(Ds, ReadsEveryWidthAtAnyAddress) {
  const LoadModel models[] = {{"u8", 1},
                              {"i8", 1, true},
                              {"u16", 2},
                              {"i16", 2, true},
                              {"u8_d16", 1, false, Fill::low},
                              {"u8_d16_hi", 1, false, Fill::high},
                              {"i8_d16", 1, true, Fill::low},
                              {"i8_d16_hi", 1, true, Fill::high},
                              {"u16_d16", 2, false, Fill::low},
                              {"u16_d16_hi", 2, false, Fill::high},
                              {"b32", 4},
                              {"b64", 8},
                              {"b96", 12},
                              {"b128", 16}};
  for (const LoadModel& model : models) {
    Machine machine;
    machine.randomize_lds();
    const uint32_t offset = 1234;
    const auto code = machine.assemble("ds_read_" + std::string(model.suffix) + " " + model.registers(10) +
                                       ", v1 offset:1234");
    for (uint64_t exec : {~uint64_t{0}, machine.random_mask(), uint64_t{1} << 63, uint64_t{0}}) {
      machine.wave.set_exec(exec);
      fill_addresses(machine, 1, 65536 - 16 - offset);
      std::vector<VectorRegister> expected(model.dwords());
      for (uint32_t k = 0; k < model.dwords(); ++k)
        for (size_t lane = 0; lane < 64; ++lane) {
          const uint32_t old = machine.v(10 + static_cast<int>(k)).lane[lane];
          const std::byte* from = machine.lds.data() + machine.v(1).lane[lane] + offset;
          expected[k].lane[lane] = exec >> lane & 1 ? model.result(from, old, k) : old;
        }
      machine.execute(code[0]);
      ASSERT_FALSE(machine.context.faulted) << machine.context.fault_reason;
      for (uint32_t k = 0; k < model.dwords(); ++k)
        EXPECT_EQ(machine.v(10 + static_cast<int>(k)).lane, expected[k].lane)
            << model.suffix << " dword " << k;
    }
  }
}

TEST(Ds, ContiguousReadsEqualScatteredOnes) {
  for (const LoadModel& model :
       {LoadModel{"b32", 4}, LoadModel{"b64", 8}, LoadModel{"b96", 12}, LoadModel{"b128", 16}}) {
    Machine machine;
    machine.randomize_lds();
    for (uint32_t lane = 0; lane < 64; ++lane) machine.v(1).lane[lane] = 512 + lane * model.bytes;
    machine.run("ds_read_" + std::string(model.suffix) + " " + model.registers(10) + ", v1");
    for (uint32_t lane = 0; lane < 64; ++lane)
      for (uint32_t k = 0; k < model.dwords(); ++k)
        ASSERT_EQ(machine.v(10 + static_cast<int>(k)).lane[lane],
                  test::value_of(machine.lds.data() + 512 + lane * model.bytes + 4 * k, 4, false));
    ASSERT_EQ(machine.trace.accesses.size(), 1u);
    EXPECT_TRUE(machine.trace.accesses[0].affine);
    EXPECT_EQ(machine.trace.accesses[0].base, 512u);
    EXPECT_EQ(machine.trace.accesses[0].stride, static_cast<int32_t>(model.bytes));
    EXPECT_EQ(machine.trace.accesses[0].bytes, model.bytes);
    EXPECT_EQ(machine.trace.accesses[0].space, AddressSpace::lds);
  }
}

TEST(Ds, WritesEveryWidth) {
  struct Write {
    const char* suffix;
    uint32_t bytes, shift;
  };
  for (const Write& write : {Write{"b8", 1, 0},
                             {"b8_d16_hi", 1, 16},
                             {"b16", 2, 0},
                             {"b16_d16_hi", 2, 16},
                             {"b32", 4, 0},
                             {"b64", 8, 0},
                             {"b96", 12, 0},
                             {"b128", 16, 0}}) {
    Machine machine;
    const LoadModel registers{"", write.bytes};
    const auto code = machine.assemble("ds_write_" + std::string(write.suffix) + " v1, " +
                                       registers.registers(20) + " offset:77");
    for (uint64_t exec : {~uint64_t{0}, machine.random_mask()}) {
      machine.randomize_lds();
      machine.wave.set_exec(exec);
      fill_addresses(machine, 1, 60000);
      std::vector<std::byte> expected = machine.lds;
      for (size_t lane = 0; lane < 64; ++lane) {
        if (!(exec >> lane & 1)) continue;
        for (uint32_t i = 0; i < write.bytes; ++i)
          expected[machine.v(1).lane[lane] + 77 + i] = static_cast<std::byte>(
              machine.v(20 + static_cast<int>(i / 4)).lane[lane] >> (8 * (i % 4) + write.shift));
      }
      machine.execute(code[0]);
      EXPECT_EQ(machine.lds, expected) << write.suffix;
    }
  }
}

TEST(Ds, TwoAddressFormsScaleTheirOffsets) {
  struct Form {
    const char* suffix;
    uint32_t bytes, scale;
  };
  for (const Form& form :
       {Form{"2_b32", 4, 4}, {"2_b64", 8, 8}, {"2st64_b32", 4, 256}, {"2st64_b64", 8, 512}}) {
    Machine machine;
    machine.randomize_lds();
    const uint32_t first = 3 * form.scale, second = 41 * form.scale;
    fill_addresses(machine, 1, 20000);
    const int dwords = static_cast<int>(form.bytes / 4);
    const LoadModel one{"", form.bytes}, both{"", 2 * form.bytes};
    const std::string offsets = " offset0:3 offset1:41";
    machine.run("ds_read" + std::string(form.suffix) + " " + both.registers(10) + ", v1" + offsets);
    for (size_t lane = 0; lane < 64; ++lane)
      for (int k = 0; k < 2 * dwords; ++k) {
        const uint32_t at =
            machine.v(1).lane[lane] + (k < dwords ? first : second) + 4 * static_cast<uint32_t>(k % dwords);
        ASSERT_EQ(machine.v(10 + k).lane[lane], test::value_of(machine.lds.data() + at, 4, false))
            << form.suffix;
      }
    ASSERT_EQ(machine.trace.accesses.size(), 1u);
    EXPECT_TRUE(machine.trace.accesses[0].second_offset_valid);
    EXPECT_EQ(machine.trace.accesses[0].second_offset, static_cast<int32_t>(second - first));

    for (uint32_t lane = 0; lane < 64; ++lane) machine.v(1).lane[lane] = lane * form.bytes;
    std::vector<std::byte> expected = machine.lds;
    for (uint32_t lane = 0; lane < 64; ++lane)
      for (int k = 0; k < dwords; ++k) {
        std::memcpy(&expected[lane * form.bytes + first + 4 * static_cast<uint32_t>(k)],
                    &machine.v(20 + k).lane[lane], 4);
      }
    for (uint32_t lane = 0; lane < 64; ++lane)
      for (int k = 0; k < dwords; ++k)
        std::memcpy(&expected[lane * form.bytes + second + 4 * static_cast<uint32_t>(k)],
                    &machine.v(30 + k).lane[lane], 4);
    machine.run("ds_write" + std::string(form.suffix) + " v1, " + one.registers(20) + ", " +
                one.registers(30) + offsets);
    EXPECT_EQ(machine.lds, expected) << form.suffix;
  }
}

struct AtomicModel {
  const char* name;
  uint32_t bytes;
  std::function<uint64_t(uint64_t memory, uint64_t data0, uint64_t data1)> next;
  bool two_operands = false;
  bool floating = false;  // data are small numbers, so that comparisons and sums are interesting
};

double as_double(uint64_t bits, uint32_t bytes) {
  return bytes == 8 ? std::bit_cast<double>(bits) : std::bit_cast<float>(static_cast<uint32_t>(bits));
}
uint64_t from_double(double value, uint32_t bytes) {
  return bytes == 8 ? std::bit_cast<uint64_t>(value) : std::bit_cast<uint32_t>(static_cast<float>(value));
}

std::vector<AtomicModel> integer_models() {
  std::vector<AtomicModel> models;
  for (uint32_t bytes : {4u, 8u}) {
    const uint64_t mask = bytes == 8 ? ~uint64_t{0} : 0xffffffff;
    const auto s = [bytes](uint64_t x) {
      return bytes == 8 ? static_cast<int64_t>(x) : int64_t{static_cast<int32_t>(x)};
    };
    const bool wide = bytes == 8;
    models.push_back({wide ? "add#u64" : "add#u32", bytes,
                      [mask](uint64_t m, uint64_t d, uint64_t) { return (m + d) & mask; }});
    models.push_back({wide ? "sub#u64" : "sub#u32", bytes,
                      [mask](uint64_t m, uint64_t d, uint64_t) { return (m - d) & mask; }});
    models.push_back({wide ? "rsub#u64" : "rsub#u32", bytes,
                      [mask](uint64_t m, uint64_t d, uint64_t) { return (d - m) & mask; }});
    models.push_back({wide ? "inc#u64" : "inc#u32", bytes,
                      [](uint64_t m, uint64_t d, uint64_t) { return m >= d ? 0 : m + 1; }});
    models.push_back({wide ? "dec#u64" : "dec#u32", bytes,
                      [](uint64_t m, uint64_t d, uint64_t) { return m == 0 || m > d ? d : m - 1; }});
    models.push_back({wide ? "min#u64" : "min#u32", bytes,
                      [](uint64_t m, uint64_t d, uint64_t) { return std::min(m, d); }});
    models.push_back({wide ? "max#u64" : "max#u32", bytes,
                      [](uint64_t m, uint64_t d, uint64_t) { return std::max(m, d); }});
    models.push_back({wide ? "min#i64" : "min#i32", bytes,
                      [s](uint64_t m, uint64_t d, uint64_t) { return s(m) < s(d) ? m : d; }});
    models.push_back({wide ? "max#i64" : "max#i32", bytes,
                      [s](uint64_t m, uint64_t d, uint64_t) { return s(m) > s(d) ? m : d; }});
    models.push_back(
        {wide ? "and#b64" : "and#b32", bytes, [](uint64_t m, uint64_t d, uint64_t) { return m & d; }});
    models.push_back(
        {wide ? "or#b64" : "or#b32", bytes, [](uint64_t m, uint64_t d, uint64_t) { return m | d; }});
    models.push_back(
        {wide ? "xor#b64" : "xor#b32", bytes, [](uint64_t m, uint64_t d, uint64_t) { return m ^ d; }});
    models.push_back({wide ? "mskor#b64" : "mskor#b32", bytes,
                      [](uint64_t m, uint64_t d0, uint64_t d1) { return (m & ~d0) | d1; }, true});
    models.push_back({wide ? "cmpst#b64" : "cmpst#b32", bytes,
                      [](uint64_t m, uint64_t d0, uint64_t d1) { return m == d0 ? d1 : m; }, true});
    models.push_back({wide ? "add#f64" : "add#f32", bytes,
                      [bytes](uint64_t m, uint64_t d, uint64_t) {
                        return from_double(as_double(m, bytes) + as_double(d, bytes), bytes);
                      },
                      false, true});
    models.push_back({wide ? "min#f64" : "min#f32", bytes,
                      [bytes](uint64_t m, uint64_t d, uint64_t) {
                        return as_double(d, bytes) < as_double(m, bytes) ? d : m;
                      },
                      false, true});
    models.push_back({wide ? "max#f64" : "max#f32", bytes,
                      [bytes](uint64_t m, uint64_t d, uint64_t) {
                        return as_double(d, bytes) > as_double(m, bytes) ? d : m;
                      },
                      false, true});
    models.push_back({wide ? "cmpst#f64" : "cmpst#f32", bytes,
                      [bytes](uint64_t m, uint64_t d0, uint64_t d1) {
                        return as_double(m, bytes) == as_double(d0, bytes) ? d1 : m;
                      },
                      true, true});
  }
  return models;
}

TEST(Ds, AtomicsUpdateLaneByLaneAndReturnTheOldValue) {
  constexpr uint32_t kSlots = 24;  // fewer than lanes: they collide
  const auto text_of = [](const AtomicModel& model, bool returns) {
    std::string name = model.name;
    name.replace(name.find('#'), 1, returns ? "_rtn_" : "_");
    const LoadModel registers{"", model.bytes};
    std::string text = "ds_" + name + (returns ? " " + registers.registers(10) + "," : "") + " v1, " +
                       registers.registers(20);
    if (model.two_operands) text += ", " + registers.registers(30);
    return text + " offset:64\n";
  };
  const std::vector<AtomicModel> models = integer_models();
  Machine machine;
  std::string all;
  for (const AtomicModel& model : models) all += text_of(model, false) + text_of(model, true);
  const auto code = machine.assemble(all);
  size_t next = 0;
  for (const AtomicModel& model : models) {
    for (bool returns : {false, true}) {
      const std::string text = text_of(model, returns);
      machine.wave.set_exec(machine.random_mask());
      std::vector<uint64_t> memory(kSlots), data(64), extra(64), old(64);
      const auto number = [&] {
        if (model.floating) return from_double(static_cast<int>(machine.random(9)) - 4, model.bytes);
        // Small numbers now and then, so that inc, dec and cmpst take both ways.
        const uint64_t value = machine.random(2) ? machine.random(4) : machine.random_mask();
        return model.bytes == 8 ? value : value & 0xffffffff;
      };
      for (uint64_t& slot : memory) slot = number();
      for (uint32_t slot = 0; slot < kSlots; ++slot)
        std::memcpy(&machine.lds[64 + slot * model.bytes], &memory[slot], model.bytes);
      for (size_t lane = 0; lane < 64; ++lane) {
        const uint32_t slot = machine.random(kSlots);
        machine.v(1).lane[lane] = slot * model.bytes;
        data[lane] = number();
        extra[lane] = number();
        for (int k = 0; k < static_cast<int>(model.bytes / 4); ++k) {
          machine.v(20 + k).lane[lane] = static_cast<uint32_t>(data[lane] >> 32 * k);
          machine.v(30 + k).lane[lane] = static_cast<uint32_t>(extra[lane] >> 32 * k);
        }
        if (!machine.active(static_cast<int>(lane))) continue;
        old[lane] = memory[slot];
        memory[slot] = model.next(memory[slot], data[lane], extra[lane]);
      }
      const uint32_t untouched = machine.v(10).lane[0];
      machine.execute(code[next++]);
      ASSERT_FALSE(machine.context.faulted) << machine.context.fault_reason;
      for (uint32_t slot = 0; slot < kSlots; ++slot) {
        uint64_t found = 0;
        std::memcpy(&found, &machine.lds[64 + slot * model.bytes], model.bytes);
        EXPECT_EQ(found, memory[slot]) << text << " slot " << slot;
      }
      if (!returns) {
        EXPECT_EQ(machine.v(10).lane[0], untouched);
        continue;
      }
      for (size_t lane = 0; lane < 64; ++lane) {
        if (!machine.active(static_cast<int>(lane))) continue;
        EXPECT_EQ(machine.v(10).lane[lane], static_cast<uint32_t>(old[lane])) << text;
        if (model.bytes == 8) {
          EXPECT_EQ(machine.v(11).lane[lane], static_cast<uint32_t>(old[lane] >> 32)) << text;
        }
      }
    }
  }
}

TEST(Ds, FloatMinimumPrefersNumbersOverNan) {
  Machine machine;
  machine.wave.set_exec(3);
  const float nan = std::nanf(""), values[] = {nan, 2.0f};
  std::memcpy(machine.lds.data(), values, sizeof values);
  machine.v(1).lane[0] = 0;
  machine.v(1).lane[1] = 4;
  machine.v(2).lane[0] = std::bit_cast<uint32_t>(1.0f);
  machine.v(2).lane[1] = std::bit_cast<uint32_t>(nan);
  machine.run("ds_min_f32 v1, v2");
  EXPECT_EQ(test::value_of(&machine.lds[0], 4, false), std::bit_cast<uint32_t>(1.0f));
  EXPECT_EQ(test::value_of(&machine.lds[4], 4, false), std::bit_cast<uint32_t>(2.0f));
}

TEST(Ds, PackedAddsRoundEachHalf) {
  Machine machine;
  machine.wave.set_exec(1);
  machine.v(1).lane[0] = 8;
  // f16: 2048 + 1 rounds to even 2048, 1.5 + 2.25 = 3.75. Low half first.
  const uint32_t memory = 0x3e006800, data = 0x40803c00;
  std::memcpy(&machine.lds[8], &memory, 4);
  machine.v(2).lane[0] = data;
  machine.run("ds_pk_add_f16 v1, v2");
  EXPECT_EQ(test::value_of(&machine.lds[8], 4, false), 0x43806800u);
  // bf16: 256 + 1 rounds to even 256, -1 + 1 = 0.
  const uint32_t bf16 = 0xbf804380, added = 0x3f803f80;
  std::memcpy(&machine.lds[8], &bf16, 4);
  machine.v(2).lane[0] = added;
  machine.run("ds_pk_add_rtn_bf16 v3, v1, v2");
  EXPECT_EQ(test::value_of(&machine.lds[8], 4, false), 0x00004380u);
  EXPECT_EQ(machine.v(3).lane[0], bf16);
}

TEST(Ds, ExchangesOneOrTwoValues) {
  Machine machine;
  machine.randomize_lds();
  for (uint32_t lane = 0; lane < 64; ++lane) machine.v(1).lane[lane] = lane * 16;
  const std::vector<std::byte> before = machine.lds;
  // The result overlaps the second data register.
  const VectorRegister first = machine.v(20), second = machine.v(11);
  machine.run("ds_wrxchg2_rtn_b32 v[10:11], v1, v20, v11 offset0:1 offset1:3");
  for (uint32_t lane = 0; lane < 64; ++lane) {
    ASSERT_EQ(machine.v(10).lane[lane], test::value_of(&before[lane * 16 + 4], 4, false));
    ASSERT_EQ(machine.v(11).lane[lane], test::value_of(&before[lane * 16 + 12], 4, false));
    ASSERT_EQ(test::value_of(&machine.lds[lane * 16 + 4], 4, false), first.lane[lane]);
    ASSERT_EQ(test::value_of(&machine.lds[lane * 16 + 12], 4, false), second.lane[lane]);
  }
}

TEST(Ds, MisalignedAtomicIsAFault) {
  Machine machine;
  machine.v(1).lane.fill(0);
  machine.v(1).lane[5] = 2;
  machine.run("ds_add_u32 v1, v2");
  EXPECT_TRUE(machine.context.faulted);
  EXPECT_EQ(machine.context.fault_lane, 5);
}

TEST(Ds, PermutePushesAndBpermutePulls) {
  Machine machine;
  const auto code =
      machine.assemble("ds_permute_b32 v3, v1, v2 offset:8\nds_bpermute_b32 v4, v1, v2 offset:8");
  for (uint64_t exec : {~uint64_t{0}, machine.random_mask()}) {
    machine.wave.set_exec(exec);
    fill_addresses(machine, 1, 1000);
    std::array<uint32_t, 64> pushed{}, pulled{};
    for (uint32_t lane = 0; lane < 64; ++lane) {
      const uint32_t other = (machine.v(1).lane[lane] + 8) / 4 % 64;
      if (exec >> lane & 1) pushed[other] = machine.v(2).lane[lane];
      pulled[lane] = exec >> other & 1 ? machine.v(2).lane[other] : 0;
    }
    const VectorRegister old3 = machine.v(3), old4 = machine.v(4);
    machine.execute(code[0]);
    machine.execute(code[1]);
    for (size_t lane = 0; lane < 64; ++lane) {
      const bool active = exec >> lane & 1;
      EXPECT_EQ(machine.v(3).lane[lane], active ? pushed[lane] : old3.lane[lane]);
      EXPECT_EQ(machine.v(4).lane[lane], active ? pulled[lane] : old4.lane[lane]);
    }
  }
}

TEST(Ds, SwizzleModesOfTheAssembler) {
  struct Mode {
    const char* offset;
    std::function<uint32_t(uint32_t)> source;
  };
  const Mode modes[] = {
      {"swizzle(QUAD_PERM,3,0,2,1)",
       [](uint32_t l) {
         return l / 4 * 4 + std::array<uint32_t, 4>{3, 0, 2, 1}[l % 4];
       }},
      {"swizzle(BROADCAST,8,5)", [](uint32_t l) { return l / 8 * 8 + 5; }},
      {"swizzle(BROADCAST,32,17)", [](uint32_t l) { return l / 32 * 32 + 17; }},
      {"swizzle(SWAP,16)", [](uint32_t l) { return l ^ 16; }},
      {"swizzle(REVERSE,8)", [](uint32_t l) { return l / 8 * 8 + 7 - l % 8; }},
      {"swizzle(BITMASK_PERM,\"01pip\")", [](uint32_t l) { return (l & 32) | ((l & 7) ^ 2) | 8; }},
      // Rotation within 32 lanes by 3, both directions; groups of 8 lanes under mask 0x18 rotate inside.
      {"0xc060", [](uint32_t l) { return l / 32 * 32 + (l + 3) % 32; }},
      {"0xc460", [](uint32_t l) { return l / 32 * 32 + (l + 29) % 32; }},
      {"0xc078", [](uint32_t l) { return l / 8 * 8 + (l + 3) % 8; }},
      // FFT without kept bits: the 5-bit lane number reversed.
      {"0xe000",
       [](uint32_t l) {
         return l / 32 * 32 + ((l & 1) << 4 | (l & 2) << 2 | (l & 4) | (l & 8) >> 2 | (l & 16) >> 4);
       }},
      {"0xe01f", [](uint32_t l) { return l; }},
  };
  for (const Mode& mode : modes) {
    Machine machine;
    machine.run("ds_swizzle_b32 v2, v1 offset:" + std::string(mode.offset));
    for (uint32_t lane = 0; lane < 64; ++lane)
      ASSERT_EQ(machine.v(2).lane[lane], machine.v(1).lane[mode.source(lane)])
          << mode.offset << " lane " << lane;
  }
}

TEST(Ds, AppendAndConsumeMoveACounterByTheActiveLanes) {
  Machine machine;
  machine.wave.scalar[operand_code::kM0] = 16;
  machine.wave.set_exec(0xff0f);
  uint32_t counter = 100;
  std::memcpy(&machine.lds[20], &counter, 4);
  machine.run("ds_append v1 offset:4\nds_append v2 offset:4\nds_consume v3 offset:4");
  EXPECT_EQ(machine.v(1).lane[0], 100u);
  EXPECT_EQ(machine.v(2).lane[8], 112u);
  EXPECT_EQ(machine.v(3).lane[15], 124u);
  EXPECT_EQ(test::value_of(&machine.lds[20], 4, false), 112u);
}

TEST(Ds, LaneAddressedForms) {
  Machine machine;
  machine.randomize_lds();
  machine.wave.scalar[operand_code::kM0] = 1000;
  machine.run("ds_read_addtid_b32 v5 offset:24");
  for (uint32_t lane = 0; lane < 64; ++lane)
    ASSERT_EQ(machine.v(5).lane[lane], test::value_of(&machine.lds[1024 + 4 * lane], 4, false));
  machine.run("ds_write_addtid_b32 v6 offset:24");
  for (uint32_t lane = 0; lane < 64; ++lane)
    ASSERT_EQ(machine.v(6).lane[lane], test::value_of(&machine.lds[1024 + 4 * lane], 4, false));
}

// A tile of `rows` x 16 elements per 16 lanes lies row by row in LDS; lane c of the 16 must get column c.
TEST(Ds, TransposingReadsGiveEachLaneAColumn) {
  struct Form {
    const char* name;
    uint32_t bits, bytes;
  };
  for (const Form& form : {Form{"ds_read_b64_tr_b16", 16, 8},
                           {"ds_read_b64_tr_b8", 8, 8},
                           {"ds_read_b64_tr_b4", 4, 8},
                           {"ds_read_b96_tr_b6", 6, 12}}) {
    Machine machine("gfx950", 160 * 1024);
    machine.randomize_lds();
    const uint32_t rows = form.bytes * 8 / form.bits;
    for (uint32_t lane = 0; lane < 64; ++lane) machine.v(1).lane[lane] = 4096 + lane * form.bytes;
    const auto bit_at = [&](uint32_t group, uint32_t row, uint32_t column, uint32_t bit) {
      const uint32_t position = (row * 16 + column) * form.bits + bit;
      return std::to_integer<uint32_t>(machine.lds[4096 + group * 16 * form.bytes + position / 8]) >>
                 position % 8 &
             1;
    };
    machine.run(std::string(form.name) + " " + LoadModel{"", form.bytes}.registers(10) + ", v1");
    for (uint32_t lane = 0; lane < 64; ++lane)
      for (uint32_t row = 0; row < rows; ++row)
        for (uint32_t bit = 0; bit < form.bits; ++bit) {
          const uint32_t position = row * form.bits + bit;
          const uint32_t found =
              machine.v(10 + static_cast<int>(position / 32)).lane[lane] >> position % 32 & 1;
          ASSERT_EQ(found, bit_at(lane / 16, row, lane % 16, bit))
              << form.name << " lane " << lane << " row " << row;
        }
  }
}

TEST(Ds, OutOfRangeNamesLaneAndAddress) {
  Machine machine("gfx942", 1024);
  machine.v(1).lane.fill(0);
  machine.v(1).lane[17] = 1021;
  const VectorRegister before = machine.v(2);
  machine.run("ds_read_b32 v2, v1");
  EXPECT_TRUE(machine.context.faulted);
  EXPECT_EQ(machine.context.fault_lane, 17);
  EXPECT_NE(machine.context.fault_reason.find("0x3fd"), std::string::npos) << machine.context.fault_reason;
  EXPECT_EQ(machine.v(2).lane, before.lane);
  // Inactive lanes may hold anything.
  machine.context.faulted = false;
  machine.wave.set_exec(~(uint64_t{1} << 17));
  machine.run("ds_read_b32 v2, v1");
  EXPECT_FALSE(machine.context.faulted);
}

TEST(Ds, AddressesWrapAt32Bits) {
  Machine machine;
  machine.randomize_lds();
  machine.v(1).lane.fill(0xfffffff0);
  machine.run("ds_read_b32 v2, v1 offset:20");
  ASSERT_FALSE(machine.context.faulted);
  EXPECT_EQ(machine.v(2).lane[0], test::value_of(&machine.lds[4], 4, false));
}

}  // namespace
}  // namespace wavecast::isa
