// Measurement tables: what is read, what is refused and where, and that every shipped table is sound.
#include "calibrate/measurement_table.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

namespace wavecast::calibrate {
namespace {

constexpr const char* kTable = "# Source: somewhere\n# two lines\ngpu,ns\nmi300x,55.5\nmi210,x\n";

TEST(MeasurementTable, ReadsColumnsByName) {
  const auto table = MeasurementTable::parse(kTable, "t.csv");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->source(), "Source: somewhere two lines");
  EXPECT_EQ(table->rows(), 2u);
  EXPECT_EQ(*table->text(1, "gpu"), "mi210");
  EXPECT_DOUBLE_EQ(*table->number(0, "ns"), 55.5);
  EXPECT_NE(table->number(1, "ns").error().reason.find("'x'"), std::string::npos);
  EXPECT_NE(table->text(0, "cycles").error().remedy.find("gpu, ns"), std::string::npos);
  EXPECT_FALSE(table->text(2, "gpu"));
}

TEST(MeasurementTable, RefusesWithPlace) {
  EXPECT_EQ(MeasurementTable::parse("# Source: s\na,b\n1\n", "t.csv").error().place, "t.csv:3");
  EXPECT_FALSE(MeasurementTable::parse("a,b\n1,2\n", "t.csv"));     // no source
  EXPECT_FALSE(MeasurementTable::parse("# Source: s\n", "t.csv"));  // no header
  EXPECT_FALSE(MeasurementTable::parse("# Source: s\na\n\"1\"\n", "t.csv"));
  EXPECT_FALSE(MeasurementTable::load("no/such/file.csv"));
}

TEST(MeasurementTable, SurvivesDamage) {
  const std::string text = kTable;
  for (size_t cut = 0; cut <= text.size(); ++cut) (void)MeasurementTable::parse(text.substr(0, cut), "cut");
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = text;
    for (int flips = 0; flips < 4; ++flips) damaged[random() % damaged.size()] = static_cast<char>(random());
    if (const auto table = MeasurementTable::parse(damaged, "flipped"))
      for (size_t row = 0; row < table->rows(); ++row) (void)table->number(row, "ns");
  }
}

TEST(MeasurementTable, EveryShippedTableIsSound) {
  int tables = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(WAVECAST_SOURCE_DIR "/calibrate/measurements")) {
    const auto table = MeasurementTable::load(entry.path());
    ASSERT_TRUE(table) << table.error().place << ": " << table.error().reason;
    EXPECT_GT(table->rows(), 0u) << entry.path();
    ++tables;
  }
  EXPECT_GE(tables, 4);
}

}  // namespace
}  // namespace wavecast::calibrate
