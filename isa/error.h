// What went wrong while reading a code object, a launch or a kernel: errors are values, never exceptions.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace wavecast::isa {

// `place` is a file, section, kernel or instruction address, `reason` what is wrong, `remedy` what the user can do.
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

}  // namespace wavecast::isa
