#include "text/glob.hpp"

#include <cstddef>

namespace dynamo::text {

bool matches_glob(std::string_view pattern, std::string_view text) {
  std::size_t in_pattern = 0;
  std::size_t in_text = 0;
  std::size_t last_star = std::string_view::npos;
  std::size_t after_star = 0;  // where matching resumes after it
  while (in_text < text.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      last_star = in_pattern++;
      after_star = in_text;
    } else if (in_pattern < pattern.size() &&
               (pattern[in_pattern] == '?' || pattern[in_pattern] == text[in_text])) {
      ++in_pattern;
      ++in_text;
    } else if (last_star != std::string_view::npos) {
      in_pattern = last_star + 1;  // let the star match one more byte
      in_text = ++after_star;
    } else {
      return false;
    }
  }
  while (in_pattern < pattern.size() && pattern[in_pattern] == '*') ++in_pattern;
  return in_pattern == pattern.size();
}

}  // namespace dynamo::text
