// Text of physical quantities: "4 MiB", "213 cycles", "5.3 TB/s" to a number in the base unit and back.
// Prefixes are those of the SI (k = 1000) and of IEC 80000-13 (Ki = 1024); there is no other table of units.
#include "hardware/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <span>

namespace wavecast::hardware {
namespace {

// value in the base unit = number * multiplier / divisor; a divisor keeps "47 %" exactly 0.47.
struct Unit {
  std::string_view name;
  double multiplier = 1;
  double divisor = 1;
  bool printed = true;  // format_quantity may choose it
};

constexpr double kKi = 1024, kMi = kKi * kKi, kGi = kMi * kKi, kTi = kGi * kKi;
constexpr bool kAlias = false;

// In each table units rise from the base unit, the order in which format_quantity goes backwards.
constexpr Unit kCountUnits[] = {{""}};
constexpr Unit kRatioUnits[] = {{""}, {"ratio", 1, 1, kAlias}, {"%", 1, 100, kAlias}};
constexpr Unit kBytesUnits[] = {{"B"},
                                {"kB", 1e3, 1, kAlias},
                                {"MB", 1e6, 1, kAlias},
                                {"GB", 1e9, 1, kAlias},
                                {"TB", 1e12, 1, kAlias},
                                {"KiB", kKi},
                                {"MiB", kMi},
                                {"GiB", kGi},
                                {"TiB", kTi}};
constexpr Unit kCyclesUnits[] = {{"cycles"}, {"cycle", 1, 1, kAlias}};
constexpr Unit kNanosecondsUnits[] = {{"ps", 1, 1e3, kAlias}, {"ns"},      {"us", 1e3},
                                      {"µs", 1e3, 1, kAlias}, {"ms", 1e6}, {"s", 1e9}};
constexpr Unit kBytesPerCycleUnits[] = {{"B/cycle"}, {"B/clk", 1, 1, kAlias}, {"KiB/cycle", kKi, 1, kAlias}};
constexpr Unit kBytesPerSecondUnits[] = {{"B/s"},
                                         {"kB/s", 1e3},
                                         {"MB/s", 1e6},
                                         {"GB/s", 1e9},
                                         {"TB/s", 1e12},
                                         {"KiB/s", kKi, 1, kAlias},
                                         {"MiB/s", kMi, 1, kAlias},
                                         {"GiB/s", kGi, 1, kAlias},
                                         {"TiB/s", kTi, 1, kAlias}};
constexpr Unit kPerCycleUnits[] = {{"per_cycle"}, {"per cycle", 1, 1, kAlias}, {"/cycle", 1, 1, kAlias}};
constexpr Unit kHertzUnits[] = {{"Hz"}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}};
constexpr Unit kWattsUnits[] = {{"W"}, {"kW", 1e3, 1, kAlias}};

struct UnitTable {
  std::string_view base_unit;
  std::span<const Unit> units;
};
constexpr UnitTable kTables[] = {
    {CountDimension::kUnit, kCountUnits},
    {RatioDimension::kUnit, kRatioUnits},
    {BytesDimension::kUnit, kBytesUnits},
    {CyclesDimension::kUnit, kCyclesUnits},
    {NanosecondsDimension::kUnit, kNanosecondsUnits},
    {BytesPerCycleDimension::kUnit, kBytesPerCycleUnits},
    {BytesPerSecondDimension::kUnit, kBytesPerSecondUnits},
    {PerCycleDimension::kUnit, kPerCycleUnits},
    {HertzDimension::kUnit, kHertzUnits},
    {WattsDimension::kUnit, kWattsUnits},
};

std::span<const Unit> units_of(std::string_view base_unit) {
  for (const UnitTable& table : kTables)
    if (table.base_unit == base_unit) return table.units;
  return {};
}

std::string list_units(std::span<const Unit> units) {
  std::string list;
  for (const Unit& unit : units) {
    if (!list.empty()) list += ", ";
    list += unit.name.empty() ? std::string("no unit") : std::string(unit.name);
  }
  return list;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string clipped(std::string_view text) {
  constexpr size_t kLongestQuoted = 60;  // keeps messages about garbage on one line
  return text.size() <= kLongestQuoted ? std::string(text)
                                       : std::string(text.substr(0, kLongestQuoted)) + "...";
}

}  // namespace

Expected<double> parse_quantity(std::string_view text, std::string_view base_unit) {
  const std::span<const Unit> units = units_of(base_unit);
  if (units.empty())
    return fail(clipped(text), fmt::format("'{}' is no dimension that has units", clipped(base_unit)));
  const std::string remedy = fmt::format("write a number and one of: {}", list_units(units));

  const std::string_view trimmed = trim(text);
  double number = 0;
  const auto [end, error] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), number);
  if (error == std::errc::result_out_of_range)
    return fail(clipped(text), "the number is out of range", remedy);
  if (error != std::errc{}) return fail(clipped(text), "does not start with a number", remedy);
  if (!std::isfinite(number)) return fail(clipped(text), "is not a finite number", remedy);

  const std::string_view unit_text = trim(trimmed.substr(static_cast<size_t>(end - trimmed.data())));
  for (const Unit& unit : units) {
    if (unit.name != unit_text) continue;
    const double value = number * unit.multiplier / unit.divisor;
    if (!std::isfinite(value)) return fail(clipped(text), "the number is out of range", remedy);
    return value;
  }
  if (unit_text.empty()) return fail(clipped(text), "has no unit", remedy);
  return fail(clipped(text), fmt::format("'{}' is no unit that fits here", clipped(unit_text)), remedy);
}

std::string format_quantity(double value, std::string_view base_unit) {
  const std::span<const Unit> units = units_of(base_unit);
  const bool whole_numbers_only =
      base_unit == BytesDimension::kUnit;  // "1280 B" reads better than "1.25 KiB"
  for (size_t i = units.size(); i-- > 0;) {
    const Unit& unit = units[i];
    if (!unit.printed || unit.multiplier == 1 || std::abs(value) < unit.multiplier) continue;
    const double number = value / unit.multiplier;
    if (whole_numbers_only && number != std::floor(number)) continue;
    std::string text = fmt::format("{} {}", number, unit.name);
    const Expected<double> back = parse_quantity(text, base_unit);
    if (back && *back == value) return text;
  }
  const bool unit_is_silent = base_unit == CountDimension::kUnit || base_unit == RatioDimension::kUnit;
  return unit_is_silent ? fmt::format("{}", value) : fmt::format("{} {}", value, base_unit);
}

}  // namespace wavecast::hardware
