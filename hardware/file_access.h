// Where description text comes from: the files compiled into the library, or the user's disk.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hardware/error.h"

namespace wavecast::hardware {

// Text of an embedded file ("devices/mi300x.yaml"), or nullptr.
const std::string_view* find_embedded(std::string_view name);

// Stems of the embedded files in a folder ("devices/"), sorted.
std::vector<std::string> embedded_names(std::string_view folder);

// Text of a regular file. Errors: missing, no regular file, unreadable, larger than any description.
Expected<std::string> read_file(const std::string& path);

// True for what load_* functions take as a path rather than a name: with '/' or ending in .yaml or .yml.
bool is_path(std::string_view name_or_path);

}  // namespace wavecast::hardware
