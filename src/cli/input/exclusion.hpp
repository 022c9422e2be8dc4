// Which names a glob leaves out.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace dynamo::cli {

// The name as an absolute path in its lexically normal form, without a slash behind it. Asks for
// the working folder alone.
std::filesystem::path whole_path(const std::filesystem::path& name);

// Globs (text/glob.hpp). Refers to what it was made from.
struct Exclusion {
  std::span<const std::string> globs;
  // The folder from which names are matched, absolute and lexically normal; empty: names are
  // matched as they are given.
  std::string_view from;

  // True when a glob matches the name, with or without a "./" in front; with `from` also when it
  // matches one of the folders in which the file is, up to that folder.
  bool matches(std::string_view name) const;
};

// True when a search that had come by would have passed the named file over: it or one of the
// folders in which it is, up to the working folder or the root of its git repository, is hidden or
// excluded. Asks the file system.
bool is_passed_over(const Exclusion& exclusion, const std::string& name);

}  // namespace dynamo::cli
