// Which file an old file has become, and what that one holds now.
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

// What makes two objects the same one. Views are copied when they are kept.
struct ObjectKey {
  std::string_view kind;
  std::string_view namespace_name;
  std::string_view name;
};

// Where an input lies.
struct FilePath {
  std::string full;            // absolute, with the links of its folders resolved
  std::size_t below_root = 0;  // its last bytes: the path below what the user named
  std::string target = {};     // the same of what it is a link to; empty: it is none
};

// `file` as list_inputs() names it for these names. Asks the file system.
FilePath path_of(std::string_view file, std::span<const std::string> names);

// Absolute, with the links of its folders resolved; the file need not be there.
std::string full_path(std::string_view file);

// True when the old file at `old_path` (absolute, or below what --old names) is the one that the
// input is now. A path below a root may say more than the input's own root tells: "dev/a.yaml" has
// become the "a.yaml" of the folder new/dev.
bool was_file(const FilePath& input, std::string_view old_path);

// What the files hold that old files have become. Thread-safe; reads each file once at most.
class PresentObjects {
 public:
  // `names` are those of the inputs.
  PresentObjects(std::vector<std::string> names, std::string default_namespace);

  // True when the old file still is there, or in one of the named directories, and holds the
  // object. What cannot be read holds none.
  bool holds(const std::string& old_path, const ObjectKey& key);

 private:
  using Keys = std::set<std::tuple<std::string, std::string, std::string>>;
  const Keys& keys_of(const std::string& file);

  std::vector<std::string> directories_;
  std::string default_namespace_;
  std::mutex mutex_;  // guards what follows
  std::map<std::string, Keys> files_;
};

}  // namespace dynamo::cli
