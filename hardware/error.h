// What went wrong while reading a hardware description: errors are values, never exceptions.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace wavecast::hardware {

// `place` is file:line:column or the parameter's name, `reason` what is wrong, `remedy` what the user can do.
struct Error {
  std::string place;
  std::string reason;
  std::string remedy;
};

template <class T>
using Expected = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string place, std::string reason, std::string remedy = {}) {
  return tl::unexpected<Error>(Error{std::move(place), std::move(reason), std::move(remedy)});
}

}  // namespace wavecast::hardware
