// File names in reports, relative to the root of the repository, independent of the working
// directory.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace dynamo::cli {

// Not thread-safe.
class SourcePaths {
 public:
  // `workspace` is the directory that reports are relative to (GITHUB_WORKSPACE); empty: unknown.
  explicit SourcePaths(std::string_view workspace);

  // The file's name relative to the workspace that contains it; else to the root of its git
  // repository; else as given, without a leading "./". "-" for standard input.
  std::string of(std::string_view file);

 private:
  const std::filesystem::path& repository_around(const std::filesystem::path& directory);

  std::filesystem::path here_;  // empty: unknown
  std::filesystem::path workspace_;
  std::map<std::filesystem::path, std::filesystem::path> repositories_;  // by directory
};

}  // namespace dynamo::cli
