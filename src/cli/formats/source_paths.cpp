#include "cli/formats/source_paths.hpp"

#include <system_error>

#include "cli/formats/uri.hpp"
#include "cli/input/inputs.hpp"

namespace dynamo::cli {
namespace {

namespace fs = std::filesystem;

// Empty if `file` is not below `root`. Both are absolute and normal.
std::string below(const fs::path& root, const fs::path& file) {
  if (root.empty()) return {};
  const fs::path rest = file.lexically_relative(root);
  if (rest.empty() || *rest.begin() == ".." || *rest.begin() == ".") return {};
  return rest.string();
}

}  // namespace

SourcePaths::SourcePaths(std::string_view workspace) {
  std::error_code ignored;
  here_ = fs::current_path(ignored);
  // The working directory has its links resolved, so the workspace must, too.
  if (!workspace.empty()) workspace_ = fs::canonical(workspace, ignored);
}

std::string SourcePaths::of(std::string_view file) {
  if (file == kStandardInput || here_.empty()) return std::string(without_dot(file));
  std::error_code ignored;
  // The directory, not the file: the repository has a link under its own name.
  const fs::path named = (here_ / file).lexically_normal();
  const fs::path directory = fs::canonical(named.parent_path(), ignored);
  const fs::path whole = directory.empty() ? named : directory / named.filename();
  if (std::string path = below(workspace_, whole); !path.empty()) return path;
  if (std::string path = below(repository_around(whole.parent_path()), whole); !path.empty()) {
    return path;
  }
  return std::string(without_dot(file));
}

const fs::path& SourcePaths::repository_around(const fs::path& directory) {
  const auto [at, is_new] = repositories_.try_emplace(directory);
  if (!is_new) return at->second;
  for (fs::path root = directory; !root.empty(); root = root.parent_path()) {
    std::error_code ignored;
    if (fs::exists(root / ".git", ignored)) {
      at->second = root;
      break;
    }
    if (root == root.root_path()) break;
  }
  return at->second;
}

}  // namespace dynamo::cli
