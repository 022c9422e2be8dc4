// Globs that exclude names.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace dynamo::cli {

// The name as an absolute path in its lexically normal form, without a trailing slash. Only reads
// the working directory.
std::filesystem::path whole_path(const std::filesystem::path& name);

// Globs (text/glob.hpp). Refers to its sources.
struct Exclusion {
  std::span<const std::string> globs;
  // The folder that names are relative to, absolute and lexically normal; empty: names are matched
  // as given.
  std::string_view from;

  // True if a glob matches the name, with or without a leading "./"; with `from` also if it matches
  // a parent folder of the file, up to that folder.
  bool matches(std::string_view name) const;
};

// True if a directory search would skip the named file: it or a parent folder, up to the working
// directory or the root of its git repository, is hidden or excluded. Reads the file system.
bool is_skipped_input(const Exclusion& exclusion, const std::string& name);

}  // namespace dynamo::cli
