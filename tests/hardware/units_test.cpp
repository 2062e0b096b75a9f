// Units: text to numbers by the SI and IEC prefixes, and back without loss.
#include "hardware/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

namespace wavecast::hardware {
namespace {

const std::string_view kBaseUnits[] = {"",        "ratio", "B",         "cycles", "ns",
                                       "B/cycle", "B/s",   "per_cycle", "Hz",     "W"};

TEST(ParseQuantity, ReadsEachPrefix) {
  // Expected values are the definitions of the prefixes.
  EXPECT_EQ(parse_quantity("4 MiB", "B").value(), 4 * 1024.0 * 1024);
  EXPECT_EQ(parse_quantity("64KiB", "B").value(), 65536);
  EXPECT_EQ(parse_quantity("192 GiB", "B").value(), 192 * std::pow(2.0, 30));
  EXPECT_EQ(parse_quantity("1 MB", "B").value(), 1e6);
  EXPECT_EQ(parse_quantity("1280 B", "B").value(), 1280);
  EXPECT_EQ(parse_quantity("5.3248 TB/s", "B/s").value(), 5.3248e12);
  EXPECT_EQ(parse_quantity("1 GiB/s", "B/s").value(), std::pow(2.0, 30));
  EXPECT_EQ(parse_quantity("2100 MHz", "Hz").value(), 2.1e9);
  EXPECT_EQ(parse_quantity("2.1 us", "ns").value(), 2100);
  EXPECT_EQ(parse_quantity("500 ps", "ns").value(), 0.5);
  EXPECT_EQ(parse_quantity("116 cycles", "cycles").value(), 116);
  EXPECT_EQ(parse_quantity("0.915 per_cycle", "per_cycle").value(), 0.915);
  EXPECT_EQ(parse_quantity("79 %", "ratio").value(), 0.79);
  EXPECT_EQ(parse_quantity("0.79", "ratio").value(), 0.79);
  EXPECT_EQ(parse_quantity(" 8 ", "").value(), 8);
}

TEST(ParseQuantity, RefusesOtherDimensionsAndNamesTheUnitsThatFit) {
  for (const auto& [text, unit] : {std::pair("4 MiB", "cycles"),
                                   {"4", "B"},
                                   {"4 cycles", ""},
                                   {"4 GHz", "B/s"},
                                   {"4 mib", "B"},
                                   {"1 MB/s", "B"}}) {
    const Expected<double> value = parse_quantity(text, unit);
    ASSERT_FALSE(value) << text;
    EXPECT_NE(value.error().remedy.find(std::string_view(unit).empty() ? "no unit" : unit), std::string::npos)
        << value.error().remedy;
  }
}

TEST(ParseQuantity, RefusesWhatIsNoFiniteNumber) {
  for (const char* text :
       {"", " ", "B", "nan B", "inf B", "-inf B", "1e999 B", "1e308 TiB", "0x10 B", "1,5 B", "--1 B"})
    EXPECT_FALSE(parse_quantity(text, "B")) << text;
  EXPECT_FALSE(parse_quantity("1 B", "no such dimension"));
  EXPECT_FALSE(parse_quantity(std::string("1\0B", 3), "B"));
}

TEST(FormatQuantity, ChoosesAReadableUnit) {
  EXPECT_EQ(format_quantity(4194304, "B"), "4 MiB");
  EXPECT_EQ(format_quantity(1280, "B"), "1280 B");
  EXPECT_EQ(format_quantity(2.1e9, "Hz"), "2.1 GHz");
  EXPECT_EQ(format_quantity(5.3248e12, "B/s"), "5.3248 TB/s");
  EXPECT_EQ(format_quantity(47.1, "ns"), "47.1 ns");
  EXPECT_EQ(format_quantity(304, ""), "304");
}

TEST(FormatQuantity, RoundTripsExactly) {
  std::mt19937_64 random(1);
  for (const std::string_view unit : kBaseUnits)
    for (int i = 0; i < 2000; ++i) {
      const double value = std::ldexp(1 + std::uniform_real_distribution<double>(0, 1)(random),
                                      static_cast<int>(random() % 80) - 30);
      const std::string text = format_quantity(value, unit);
      const Expected<double> back = parse_quantity(text, unit);
      ASSERT_TRUE(back) << text;
      ASSERT_EQ(*back, value) << text;
    }
}

TEST(Quantity, ConversionsNeedAClock) {
  const Hertz clock(2e9);
  EXPECT_EQ(to_cycles(Nanoseconds(100), clock).value(), 200);
  EXPECT_EQ(to_time(Cycles(200), clock).value(), 100);
  EXPECT_EQ(per_cycle(BytesPerSecond(4e12), clock).value(), 2000);
  EXPECT_EQ((Bytes(1e9) / BytesPerSecond(1e9)).value(), 1e9);
}

}  // namespace
}  // namespace wavecast::hardware
