// The device and timing files that are compiled into the library (see embed_files.cmake).
#pragma once

#include <string_view>
#include <vector>

namespace wavecast::hardware {

struct EmbeddedFile {
  std::string_view name;  // path below hardware/, for example "devices/mi300x.yaml"
  std::string_view text;
};

const std::vector<EmbeddedFile>& embedded_files();

}  // namespace wavecast::hardware
