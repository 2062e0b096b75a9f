// One error type for everything above isa and hardware, made from either of theirs.
#pragma once

#include <concepts>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace wavecast::model {

// isa and hardware do not know each other, so each names its own error; this one converts from both.
struct Error {
  std::string place;
  std::string reason;
  std::string remedy;

  Error() = default;
  Error(std::string place_, std::string reason_, std::string remedy_ = {})
      : place(std::move(place_)), reason(std::move(reason_)), remedy(std::move(remedy_)) {}

  template <class E>
  requires(!std::same_as<E, Error> &&
           requires(E e) {
             { e.place } -> std::convertible_to<std::string>;
             e.reason;
             e.remedy;
           }) Error(E e)
      : place(std::move(e.place)), reason(std::move(e.reason)), remedy(std::move(e.remedy)) {}  // NOLINT
};

template <class T>
using Expected = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string place, std::string reason, std::string remedy = {}) {
  return tl::unexpected<Error>(Error{std::move(place), std::move(reason), std::move(remedy)});
}

}  // namespace wavecast::model
