// The cluster of a case: objects by kind, namespace and name, and what was made of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/action.hpp"
#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

struct Passed;

// The process ends here, as far as the cluster can tell.
struct Crash {};

// Does to objects what an API server would do: server-side apply, patches, preconditions. Uids and
// versions are its own; generations are not counted, as in what was measured.
class Store {
 public:
  // "Kind/namespace/name".
  static std::string key(std::string_view kind, std::string_view space, std::string_view name);
  static std::string key_of(const Value& object);

  Store copy() const;

  // An owner that is named without a uid is the one that is there.
  void put(Object object);
  void erase(const std::string& key);
  // Somebody's delete: finalizers keep it until their owners have let it go.
  void remove(const std::string& key);
  // Somebody else's merge patch. False: there is none of that key.
  bool patch(const std::string& key, const Value& with);
  // Null when there is none.
  const Object* find(const std::string& key) const;
  const std::map<std::string, Object>& objects() const { return objects_; }

  // Does the action, and notes events and calls. Throws std::runtime_error for what a server would
  // refuse: a plan asks for nothing of that kind.
  void act(const reconciler::Action& action, Passed& passed);
  // Writes so far that were done by act().
  std::size_t writes() const { return writes_; }
  // act() throws Crash instead of the write after so many more; nothing: never.
  void crash_after(std::optional<std::size_t> writes) { writes_left_ = writes; }
  // What was last applied to it, beside its status; null: nothing.
  const Value& intent(const std::string& key) const;

  // From here on changed() tells.
  void mark();
  // Keys of what differs from the mark, in order; those that are gone too.
  std::vector<std::string> changed() const;
  // As it was then; null: it was not there.
  Object marked(const std::string& key) const;

 private:
  void apply(const std::string& key, const Object& body);
  void apply_status(const std::string& key, const Object& body);
  void merge(const std::string& key, const Object& body, bool status);
  void change_finalizers(const std::string& key, const Value& operations);
  Object& existing(const std::string& key, std::string_view uid, std::string_view version);
  void touch(Object& object);
  void complete(Object& object);

  std::map<std::string, Object> objects_;
  std::map<std::string, Object> intents_;
  std::map<std::string, Object> told_;  // what was last applied to the status
  std::map<std::string, std::string> marked_;
  std::uint64_t version_ = 0;
  std::uint64_t uids_ = 0;
  std::size_t writes_ = 0;
  std::optional<std::size_t> writes_left_;
};

}  // namespace dynamo::cases
