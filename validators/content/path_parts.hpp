// The parts of a file path, as a kernel resolves it.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

namespace dynamo::validators {

// Yields the parts between slashes without empty ones and "."; ".." is a part. A view into the
// path.
class PathParts {
 public:
  explicit PathParts(std::string_view path) : rest_(path) {}

  // The next part; nullopt at the end.
  std::optional<std::string_view> next() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('/'), rest_.size());
      const std::string_view part = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      if (!part.empty() && part != ".") return part;
    }
    return std::nullopt;
  }

 private:
  std::string_view rest_;
};

}  // namespace dynamo::validators
