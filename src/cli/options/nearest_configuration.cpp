#include "cli/options/nearest_configuration.hpp"

#include <system_error>

#include "cli/input/inputs.hpp"

namespace dynamo::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFolders = 64;  // upwards

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
  if (fs::is_regular_file(file, error)) return file.string();
  const bool is_last = level + 1 == kMostFolders || !folder.has_relative_path();
  if (is_last || fs::exists(folder / ".git", error)) return {};
  return of(folder.parent_path(), level + 1);
}

}  // namespace dynamo::cli
