// Bank conflicts against the counters that were read on an MI300X, and against hand-counted cases.
#include "model/lds_banks.h"

#include <gtest/gtest.h>

#include "hardware/instruction_timing.h"
#include "tests/support/measurements.h"

namespace wavecast::model {
namespace {

hardware::InstructionTiming gfx942() {
  auto timing = hardware::load_instruction_timing("gfx942");
  EXPECT_TRUE(timing) << timing.error().reason;
  return *timing;
}

isa::MemoryAccess strided(int bytes, int stride) {
  isa::MemoryAccess access;
  access.lanes = ~uint64_t{0};
  access.bytes = static_cast<uint16_t>(bytes);
  access.stride = stride;
  access.space = isa::AddressSpace::lds;
  return access;
}

TEST(LdsBanks, ReproducesEveryPublishedConflictCounter) {
  const auto timing = gfx942();
  const test::Measurements table("mi300x_lds_bank_conflicts.csv");
  for (size_t i = 0; i < table.rows(); ++i) {
    const int bytes = static_cast<int>(table.number(i, "bytes_per_lane")),
              stride = static_cast<int>(table.number(i, "lane_stride_bytes"));
    const LdsCost cost = lds_cost({}, strided(bytes, stride), timing.lds_read.at(bytes));
    EXPECT_EQ(cost.conflicts * 64, table.number(i, "conflicts_per_64_reads"))
        << bytes << " bytes at stride " << stride;
  }
  EXPECT_EQ(table.rows(), 21u);
}

TEST(LdsBanks, EqualAddressesAreBroadcast) {
  const auto timing = gfx942();
  EXPECT_EQ(lds_cost({}, strided(4, 0), timing.lds_read.at(4)).conflicts, 0u);
}

TEST(LdsBanks, InactiveLanesNeitherConflictNorTakeAPhase) {
  const auto timing = gfx942();
  isa::MemoryAccess access = strided(4, 128);  // every lane on the same bank
  access.lanes = 0b11;
  const LdsCost cost = lds_cost({}, access, timing.lds_read.at(4));
  EXPECT_EQ(cost.phases, 1u);
  EXPECT_EQ(cost.conflicts, 1u);
}

TEST(LdsBanks, TwoAddressFormsCostTheirSum) {
  const auto timing = gfx942();
  isa::MemoryAccess access = strided(4, 4);
  access.second_offset_valid = 1;
  access.second_offset = 1024;
  const LdsCost cost = lds_cost({}, access, timing.lds_read.at(4));
  EXPECT_EQ(cost.phases, 4u);
  EXPECT_EQ(cost.conflicts, 0u);
}

}  // namespace
}  // namespace wavecast::model
