// Files as those name them who read reports: from the root of the repository, wherever the program
// was run.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace dynamo::cli {

// Not thread-safe.
class SourcePaths {
 public:
  // `workspace` is the directory from which the reader counts (GITHUB_WORKSPACE); empty: not known.
  explicit SourcePaths(std::string_view workspace);

  // The name of a file that is in the workspace from there; else from the root of the git
  // repository around it; else as it is given, without a leading "./". Of standard input "-".
  std::string of(std::string_view file);

 private:
  const std::filesystem::path& repository_around(const std::filesystem::path& directory);

  std::filesystem::path here_;  // empty: not known
  std::filesystem::path workspace_;
  std::map<std::filesystem::path, std::filesystem::path> repositories_;  // by directory
};

}  // namespace dynamo::cli
