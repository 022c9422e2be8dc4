// Maps an old file to its current one, and reads what that contains.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace dynamo::cli {

// The identity of an object. Views; stored keys are copies.
struct ManifestKey {
  std::string_view kind;
  std::string_view namespace_name;
  std::string_view name;
};

// The location of an input.
struct FilePath {
  std::string full;            // absolute, with folder links resolved
  std::size_t below_root = 0;  // length of its suffix that is relative to what the user named
  std::string target = {};     // likewise for the target, if it is a link; else empty
};

// `file` as list_inputs() returns it for these names. Reads the file system.
FilePath path_of(std::string_view file, std::span<const std::string> names);

// Absolute, with folder links resolved; the file need not exist.
std::string full_path(std::string_view file);

// True if the old file at `old_path` (absolute, or relative to what --old names) corresponds to the
// input. An old path may be longer than the input's path below its root: "dev/a.yaml" corresponds
// to "a.yaml" in the folder new/dev.
bool is_former_path(const FilePath& input, std::string_view old_path);

// The objects in the current versions of old files. Thread-safe; reads each file at most once.
class PresentObjects {
 public:
  // `names` are the names of the inputs.
  PresentObjects(std::vector<std::string> names, std::string default_namespace);

  // True if the old file still exists, in place or in one of the named directories, and contains
  // the object. An unreadable file contains none.
  bool holds(const std::string& old_path, const ManifestKey& key);

 private:
  using Keys = std::set<std::tuple<std::string, std::string, std::string>>;
  const Keys& keys_of(const std::string& file);

  std::vector<std::string> directories_;
  std::string default_namespace_;
  std::mutex mutex_;  // guards the members below
  std::map<std::string, Keys> files_;
};

}  // namespace dynamo::cli
