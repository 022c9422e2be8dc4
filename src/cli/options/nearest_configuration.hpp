// Finds the configuration file nearest to an input.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace dynamo::cli {

inline constexpr std::string_view kConfigurationName = ".dynamo-admission.yaml";
inline constexpr std::size_t kLongestConfiguration = std::size_t{256} << 10U;  // bytes

// The input's folder, or the input itself if it is a folder: the search begins there. Absolute.
std::filesystem::path folder_of(const std::string& input);

// Finds the file nearest to a folder, up to the root of the git repository; reads each folder once.
// Not thread-safe.
class NearestFiles {
 public:
  // Searches the commit `revision` of the repository; empty: the file system.
  explicit NearestFiles(std::string revision = {}) : revision_(std::move(revision)) {}

  // Empty: none. The path is in the working tree, also with a revision.
  const std::string& of(const std::filesystem::path& folder, std::size_t level = 0);

 private:
  std::string find(const std::filesystem::path& folder, std::size_t level);
  bool exists(const std::filesystem::path& folder) const;

  const std::string revision_;

  std::map<std::string, std::string> files_;
};

// Why a found configuration must not be read, or nullopt. Reasons are a link out of the repository,
// or an owner other than this user, root and the owner of the folder `checked`.
std::optional<std::string> why_untrusted(const std::string& file,
                                         const std::filesystem::path& checked);

}  // namespace dynamo::cli
