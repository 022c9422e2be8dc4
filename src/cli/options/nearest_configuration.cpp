#include "cli/options/nearest_configuration.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <system_error>
#include <variant>

#include "cli/git/git_program.hpp"
#include "cli/input/inputs.hpp"

namespace dynamo::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFolders = 64;  // upwards

}  // namespace

fs::path folder_of(const std::string& input) {
  std::error_code error;
  if (input == kStandardInput) return fs::current_path(error);
  fs::path path = fs::absolute(input, error).lexically_normal();
  if (!fs::is_directory(path, error)) path = path.parent_path();
  return path;
}

const std::string& NearestFiles::of(const fs::path& folder, std::size_t level) {
  const auto [at, is_new] = files_.try_emplace(folder.string());
  if (is_new) at->second = find(folder, level);
  return at->second;
}

std::string NearestFiles::find(const fs::path& folder, std::size_t level) {
  std::error_code error;
  const fs::path file = folder / kConfigurationName;
  // The commit is one of the outer repository, so the search goes on there.
  const bool is_foreign = !revision_.empty() && is_in_submodule(folder.string());
  if (!is_foreign && exists(folder)) return file.string();
  const bool is_last = level + 1 == kMaxFolders || !folder.has_relative_path();
  if (is_last || (!is_foreign && fs::exists(folder / ".git", error))) return {};
  return of(folder.parent_path(), level + 1);
}

bool NearestFiles::exists(const fs::path& folder) const {
  std::error_code error;
  if (revision_.empty()) return fs::is_regular_file(folder / kConfigurationName, error);
  const auto read = read_at_revision(folder.string(), std::string(kConfigurationName), revision_,
                                     kLongestConfiguration);
  // Reading the file reports the fault: it must not count as "no configuration".
  if (std::holds_alternative<GitFault>(read)) return true;
  return std::get<std::optional<std::string>>(read).has_value();
}

std::optional<std::string> why_untrusted(const std::string& file, const fs::path& checked) {
  const fs::path folder = fs::path(file).parent_path();
  if (!is_in_repository(file, folder.string())) {
    return "must not be a link out of its repository; replace it by a file, or use --config none";
  }
  struct stat of_file {};
  struct stat of_checked {};
  if (::stat(file.c_str(), &of_file) != 0 || ::stat(checked.c_str(), &of_checked) != 0) {
    return std::nullopt;  // reading it reports why
  }
  const uid_t owner = of_file.st_uid;
  if (owner == 0 || owner == ::geteuid() || owner == of_checked.st_uid) return std::nullopt;
  return "must belong to you, to root or to the owner of the checked folder; found the user " +
         std::to_string(owner) + "; use --config none, or --config FILE to trust it";
}

}  // namespace dynamo::cli
