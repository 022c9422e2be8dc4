#include "cli/input/exclusion.hpp"

#include <algorithm>
#include <filesystem>

#include "text/glob.hpp"

namespace dynamo::cli {
namespace {

namespace fs = std::filesystem;

bool is_below(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

// The folder where a search that finds the file begins.
fs::path search_root(const fs::path& file) {
  constexpr std::size_t kMaxFolders = 64;
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (is_below(file, here)) return here;
  fs::path at = file.parent_path();
  for (std::size_t level = 0; level < kMaxFolders && at.has_relative_path(); ++level) {
    if (fs::exists(at / ".git", error)) return at;
    at = at.parent_path();
  }
  return file.parent_path();
}

bool matches_one(std::span<const std::string> globs, std::string_view name) {
  constexpr std::string_view kHere = "./";
  const std::string_view bare = name.substr(name.starts_with(kHere) ? kHere.size() : 0);
  return std::ranges::any_of(globs, [&](std::string_view glob) {
    return text::matches_glob(glob, name) || text::matches_glob(glob, bare);
  });
}

// With a leading "./", as in a search of the working directory.
std::string as_searched(const fs::path& name) {
  return name.is_relative() ? "./" + name.string() : name.string();
}

}  // namespace

fs::path whole_path(const fs::path& name) {
  std::error_code error;
  return (fs::absolute(name, error) / ".").lexically_normal().parent_path();
}

bool Exclusion::matches(std::string_view name) const {
  if (globs.empty()) return false;
  if (from.empty()) return matches_one(globs, name);
  fs::path at = whole_path(fs::path(name)).lexically_relative(fs::path(from));
  for (; at.has_filename() && at != "."; at = at.parent_path()) {
    if (matches_one(globs, as_searched(at))) return true;
  }
  return false;
}

bool is_skipped_input(const Exclusion& exclusion, const std::string& name) {
  fs::path whole = whole_path(fs::path(name));
  const fs::path root = search_root(whole);
  for (fs::path at = fs::path(name).lexically_normal(); at.has_filename() && whole != root;
       at = at.parent_path(), whole = whole.parent_path()) {
    if (at.filename() == "..") break;
    if (at.filename().string().starts_with('.')) return true;
    if (exclusion.matches(as_searched(at))) return true;
  }
  return false;
}

}  // namespace dynamo::cli
