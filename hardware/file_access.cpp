// Embedded and on-disk files.
#include "hardware/file_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "hardware/embedded_files.h"

namespace wavecast::hardware {

const std::string_view* find_embedded(std::string_view name) {
  for (const EmbeddedFile& file : embedded_files())
    if (file.name == name) return &file.text;
  return nullptr;
}

std::vector<std::string> embedded_names(std::string_view folder) {
  constexpr std::string_view kExtension = ".yaml";
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_files())
    if (file.name.starts_with(folder) && file.name.ends_with(kExtension))
      names.emplace_back(
          file.name.substr(folder.size(), file.name.size() - folder.size() - kExtension.size()));
  std::sort(names.begin(), names.end());
  return names;
}

Expected<std::string> read_file(const std::string& path) {
  constexpr uintmax_t kLargestFile = 1 << 20;  // as for text: no description is near that
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    return fail(path, "does not exist", "give a device name or the path of a YAML file");
  if (!std::filesystem::is_regular_file(path, error))
    return fail(path, "is no regular file", "give the path of a YAML file");
  if (std::filesystem::file_size(path, error) > kLargestFile)
    return fail(path, "is larger than 1 MiB, no description is");
  std::ifstream stream(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (!stream) return fail(path, "cannot be read", "check its permissions");
  return text;
}

bool is_path(std::string_view name_or_path) {
  return name_or_path.find('/') != std::string_view::npos || name_or_path.ends_with(".yaml") ||
         name_or_path.ends_with(".yml");
}

}  // namespace wavecast::hardware
