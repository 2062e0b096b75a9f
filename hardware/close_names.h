// "Did you mean": the valid names nearest to a misspelt one, by edit distance (Levenshtein).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wavecast::hardware {

// The names that are at most a third of their length away from `name`, nearest first, three at most.
std::vector<std::string> close_names(std::string_view name, const std::vector<std::string>& valid);

// A remedy for an unknown name: "did you mean 'a' or 'b'?", and the whole list if it is short or nothing is
// close.
std::string name_remedy(std::string_view name, const std::vector<std::string>& valid);

}  // namespace wavecast::hardware
