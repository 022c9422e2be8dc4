// The objects as they were before a change, to judge the change as an update.
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

#include "cli/formats/report.hpp"
#include "cli/history/old_objects_present.hpp"

namespace dynamo::cli {

// Where an old object stands.
struct OldFile {
  std::string shown;  // as it is named to people: "main:deploy/a.yaml"
  // To find the input that was this file: absolute, or below what --old names. Empty: not known.
  std::string path;
};

// What there is to compare an object with.
struct OldObject {
  const std::string* json_text = nullptr;  // compact JSON; null: the object counts as new
  std::string doubt;                       // why that may be wrong, one line; empty: it is right
};

// An old object that nobody has found.
struct GoneObject {
  std::string kind;
  std::string namespace_name;
  std::string name;
  std::string file;
};

// Safe to be asked by several threads once it is filled.
class OldObjects {
 public:
  // Keeps the text; of objects with one key in one file the last counts, as the last apply would.
  // An object without a name cannot be found and is not kept.
  void put(const ObjectKey& key, std::string json_text, OldFile file = {});

  // Something on the old side that holds nobody knows what. `excuses`: the input that was this file
  // mends it, so its objects are new without a doubt.
  void put_unreadable(const InputFault& fault, OldFile file, bool excuses);

  // The names of the inputs. They tell which file was which, and what still is where it was, so
  // that a copy is not taken for what it was copied from. Without them every old object may be the
  // one that was moved.
  void set_inputs(std::vector<std::string> names, std::string default_namespace);

  // Folders of which nobody knows what was in them, as full_path() of each.
  void set_unseen(std::vector<std::string> folders) { unseen_ = std::move(folders); }

  // Where to look for what has been moved: called once, when an object is not found, from the
  // thread that asks. What it fills is never counted as gone, and faults of it raise no doubts.
  void set_elsewhere(std::function<void(OldObjects& elsewhere)> load);

  // Instead of all that: who knows each object by its key alone, as a cluster does. Called by the
  // threads that ask; the text must live as long as the old objects.
  void set_source(std::function<OldObject(const ObjectKey& key)> ask) { ask_ = std::move(ask); }

  // Of an input by its name, for find().
  FilePath path_of(std::string_view file) const { return cli::path_of(file, input_names_); }

  // The old object of the input's object: the one in the same file, else the only one of that key
  // which is no longer where it was, else the only such one elsewhere.
  OldObject find(const ObjectKey& key, const FilePath& input) const;

  std::size_t size() const;
  // Inputs to read on the old side, broken or not.
  const std::vector<InputFault>& unreadable() const { return faults_; }
  // What could not be read elsewhere; empty as long as nobody looked there. Not while find() runs.
  const std::vector<InputFault>& unreadable_elsewhere() const;
  // Objects that nobody has found so far, by kind, namespace and name.
  std::vector<GoneObject> gone() const;

 private:
  struct Kept {
    explicit Kept(std::string text, OldFile where)
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
    static View view(const ObjectKey& key) { return {key.kind, key.namespace_name, key.name}; }
    static View view(const std::tuple<std::string, std::string, std::string>& key) { return key; }
  };
  struct Elsewhere;

  std::vector<const Kept*> candidates(const ObjectKey& key, const FilePath& input) const;
  std::string doubt_of_unreadable(const FilePath& input) const;

  std::map<std::tuple<std::string, std::string, std::string>, std::deque<Kept>, Less> objects_;
  std::vector<InputFault> faults_;
  std::vector<std::string> excusing_paths_;
  std::vector<std::string> unseen_;
  std::vector<std::string> input_names_;
  std::shared_ptr<PresentObjects> present_;
  std::shared_ptr<Elsewhere> elsewhere_;
  std::function<OldObject(const ObjectKey& key)> ask_;
};

}  // namespace dynamo::cli
