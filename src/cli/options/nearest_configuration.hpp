// Which configuration file is nearest to an input.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace dynamo::cli {

inline constexpr std::string_view kConfigurationName = ".dynamo-admission.yaml";

// The folder of an input, or the input that is a folder: where the search begins. Absolute.
std::filesystem::path folder_of(const std::string& input);

// Finds the file that is nearest to a folder, looking into each folder once: up to the root of the
// git repository. Not thread-safe.
class NearestFiles {
 public:
  // Empty: there is none.
  const std::string& of(const std::filesystem::path& folder, std::size_t level = 0);

 private:
  std::string find(const std::filesystem::path& folder, std::size_t level);

  std::map<std::string, std::string> files_;
};

}  // namespace dynamo::cli
