// Which configuration file is nearest to an input.
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

// The folder of an input, or the input that is a folder: where the search begins. Absolute.
std::filesystem::path folder_of(const std::string& input);

// Finds the file that is nearest to a folder, looking into each folder once: up to the root of the
// git repository. Not thread-safe.
class NearestFiles {
 public:
  // Looks into the commit `revision` of the repository; empty: into the file system.
  explicit NearestFiles(std::string revision = {}) : revision_(std::move(revision)) {}

  // Empty: there is none. Its path is that of the working tree, also with a revision.
  const std::string& of(const std::filesystem::path& folder, std::size_t level = 0);

 private:
  std::string find(const std::filesystem::path& folder, std::size_t level);
  bool exists(const std::filesystem::path& folder) const;

  const std::string revision_;

  std::map<std::string, std::string> files_;
};

// Why a configuration that was found must not be read, or nullopt: a link out of the repository, or
// a file of another owner than this user, root and the folder `checked`.
std::optional<std::string> why_untrusted(const std::string& file,
                                         const std::filesystem::path& checked);

}  // namespace dynamo::cli
