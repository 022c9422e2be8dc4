// The objects before a change, to validate the change as an update.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cli/check/old_objects_present.hpp"
#include "cli/report/report.hpp"

namespace dynamo::cli {

// The location of an old object.
struct OldFile {
  std::string shown;  // as shown to users: "main:deploy/a.yaml"
  // Identifies the corresponding input: absolute, or relative to what --old names. Empty: unknown.
  std::string path;
};

// The old version of an object.
struct OldObject {
  const std::string* json_text = nullptr;  // compact JSON; null: the object counts as new
  std::string uncertainty;                 // why that may be wrong, one line; empty: certain
};

// An old object that matches no current one.
struct DeletedObject {
  std::string kind;
  std::string namespace_name;
  std::string name;
  std::string file;
};

// Callable by several threads once it is filled.
class OldObjects {
 public:
  // Copies the text. The last of several objects with one key in one file counts, as the last apply
  // would. Objects without a name cannot be found and are not stored.
  void put(const ManifestKey& key, std::string json_text, OldFile file = {});

  // Records old content that could not be read. With `excuses`, the input at this path is assumed
  // to be its repaired version: objects of that input then count as new, without uncertainty.
  void put_unreadable(const InputFault& fault, OldFile file, bool excuses);

  // Sets the names of the inputs. They identify which old file became which input, and which files
  // are still in place, so that a copy is not mistaken for its original. Without them any old
  // object may count as moved.
  void set_inputs(std::vector<std::string> names, std::string default_namespace);

  // Folders with unknown old content, as full_path() of each.
  void set_unknown_folders(std::vector<std::string> folders) { unseen_ = std::move(folders); }

  // Sets where to search for moved objects: `load` is called once, when an object is not found, on
  // the calling thread. Its objects never count as deleted, and its faults cause no uncertainty.
  void set_moved_search(std::function<void(OldObjects& elsewhere)> load);

  // Replaces all of the above: a source that finds objects by key alone, such as a cluster. It is
  // called on the threads that call find(); its texts must live as long as the old objects.
  void set_source(std::function<OldObject(const ManifestKey& key)> ask) { ask_ = std::move(ask); }

  // The path of an input by its name, for find().
  FilePath path_of(std::string_view file) const { return cli::path_of(file, input_names_); }

  // The old version of an input's object: the one in the same file, else the only one with that key
  // that is no longer in its place, else the only such one elsewhere.
  OldObject find(const ManifestKey& key, const FilePath& input) const;

  std::size_t size() const;
  // Old inputs that should be read, whether or not that was possible.
  const std::vector<InputFault>& unreadable() const { return faults_; }
  // Faults of the search for moved objects; empty until it runs. Not concurrently with find().
  const std::vector<InputFault>& unreadable_elsewhere() const;
  // Old objects that find() has not returned so far, by kind, namespace and name.
  std::vector<DeletedObject> gone() const;

 private:
  struct StoredObject {
    explicit StoredObject(std::string text, OldFile where)
        : json_text(std::move(text)), file(std::move(where)) {}
    std::string json_text;
    OldFile file;
    mutable std::atomic<bool> found{false};
  };
  struct Less {
    using is_transparent = void;
    template <typename Left, typename Right>
    bool operator()(const Left& left, const Right& right) const {
      return view(left) < view(right);
    }
    using View = std::tuple<std::string_view, std::string_view, std::string_view>;
    static View view(const ManifestKey& key) { return {key.kind, key.namespace_name, key.name}; }
    static View view(const std::tuple<std::string, std::string, std::string>& key) { return key; }
  };
  struct RestOfCommit;

  std::vector<const StoredObject*> candidates(const ManifestKey& key, const FilePath& input) const;
  std::string unreadable_reason(const FilePath& input) const;

  std::map<std::tuple<std::string, std::string, std::string>, std::deque<StoredObject>, Less>
      objects_;
  std::vector<InputFault> faults_;
  std::vector<std::string> excusing_paths_;
  std::vector<std::string> unseen_;
  std::vector<std::string> input_names_;
  std::shared_ptr<PresentObjects> present_;
  std::shared_ptr<RestOfCommit> rest_of_commit_;
  std::function<OldObject(const ManifestKey& key)> ask_;
};

}  // namespace dynamo::cli
