// Physical quantities as types, so that bytes never meet cycles by accident.
// A quantity holds a double in its base unit; YAML text carries the unit ("4 MiB", "116 cycles", "5.3 TB/s").
// Cycles without another name are cycles of the shader clock (AMD: sclk).
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "hardware/error.h"

namespace wavecast::hardware {

// A number with a dimension. Only same-dimension arithmetic and scaling compile; the few products and
// quotients that make physical sense are defined below.
template <class Dimension>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}
  constexpr double value() const { return value_; }

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator*(Quantity a, double f) { return Quantity(a.value_ * f); }
  friend constexpr Quantity operator*(double f, Quantity a) { return Quantity(a.value_ * f); }
  friend constexpr Quantity operator/(Quantity a, double f) { return Quantity(a.value_ / f); }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }
  constexpr Quantity& operator+=(Quantity b) { value_ += b.value_; return *this; }

 private:
  double value_ = 0;
};

// Dimensions. `kUnit` is the base unit that value() is in.
struct CountDimension { static constexpr std::string_view kUnit = ""; };
struct RatioDimension { static constexpr std::string_view kUnit = "ratio"; };
struct BytesDimension { static constexpr std::string_view kUnit = "B"; };
struct CyclesDimension { static constexpr std::string_view kUnit = "cycles"; };
struct NanosecondsDimension { static constexpr std::string_view kUnit = "ns"; };
struct BytesPerCycleDimension { static constexpr std::string_view kUnit = "B/cycle"; };
struct BytesPerSecondDimension { static constexpr std::string_view kUnit = "B/s"; };
struct PerCycleDimension { static constexpr std::string_view kUnit = "per_cycle"; };
struct HertzDimension { static constexpr std::string_view kUnit = "Hz"; };
struct WattsDimension { static constexpr std::string_view kUnit = "W"; };

using Count = Quantity<CountDimension>;
using Ratio = Quantity<RatioDimension>;
using Bytes = Quantity<BytesDimension>;
using Cycles = Quantity<CyclesDimension>;
using Nanoseconds = Quantity<NanosecondsDimension>;
using BytesPerCycle = Quantity<BytesPerCycleDimension>;
using BytesPerSecond = Quantity<BytesPerSecondDimension>;
using PerCycle = Quantity<PerCycleDimension>;
using Hertz = Quantity<HertzDimension>;
using Watts = Quantity<WattsDimension>;

// The conversions that need a clock or a rate; 1e9 because a second has 1e9 nanoseconds.
constexpr Cycles to_cycles(Nanoseconds time, Hertz clock) { return Cycles(time.value() * clock.value() / 1e9); }
constexpr Nanoseconds to_time(Cycles cycles, Hertz clock) { return Nanoseconds(cycles.value() / clock.value() * 1e9); }
constexpr BytesPerCycle per_cycle(BytesPerSecond rate, Hertz clock) { return BytesPerCycle(rate.value() / clock.value()); }
constexpr BytesPerSecond per_second(BytesPerCycle rate, Hertz clock) { return BytesPerSecond(rate.value() * clock.value()); }
constexpr Nanoseconds operator/(Bytes bytes, BytesPerSecond rate) { return Nanoseconds(bytes.value() / rate.value() * 1e9); }
constexpr Cycles operator/(Bytes bytes, BytesPerCycle rate) { return Cycles(bytes.value() / rate.value()); }

// Reads "<number> <unit>" into the base unit of the dimension called `base_unit`, e.g. ("4 MiB", "B") = 4194304.
// Sizes take B, KiB, MiB, GiB (and kB, MB, GB for powers of ten); rates B/s to TB/s; clocks Hz to GHz; times ns, us, ms.
// Errors: no number, a missing unit or one of another dimension; the message lists the units that fit.
Expected<double> parse_quantity(std::string_view text, std::string_view base_unit);

// Shortest text that parse_quantity reads back to the same value, in a readable unit ("4 MiB", "2.1 GHz").
std::string format_quantity(double value, std::string_view base_unit);

// The base unit that a quantity's value() is in.
template <class Dimension>
constexpr std::string_view base_unit_of(Quantity<Dimension>) { return Dimension::kUnit; }

template <class Dimension>
std::string to_string(Quantity<Dimension> quantity) { return format_quantity(quantity.value(), Dimension::kUnit); }

}  // namespace wavecast::hardware
