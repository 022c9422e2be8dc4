// The cluster of a case: objects by kind, namespace and name, and the record of their changes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "desired/action.hpp"
#include "desired/plan.hpp"
#include "kube/object/object.hpp"
#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

struct ReconcileOutput;

// Throws std::runtime_error if the value is no object.
kube::Object object_of(const Value& value);

// Simulates a crash of the process at a write.
struct Crash {};

// Applies writes as an API server does: server-side apply, patches, preconditions. It assigns uids
// and versions itself; it does not maintain generations, like the recording.
class Store {
 public:
  // "Kind/namespace/name".
  static std::string key(std::string_view kind, std::string_view space, std::string_view name);
  static std::string key_of(const Value& object);

  Store copy() const;

  // An ownerReference without a uid gets the uid of the existing object.
  void put(Object object);
  // A scale subresource: `resource`, `name` and `replicas`.
  void put_scale(const Value& scale);
  // "podcliques/g-0-a": replicas.
  const std::map<std::string, std::int64_t>& scales() const { return scales_; }
  void erase(const std::string& key);
  // A delete by another client: finalizers keep the object until they are removed.
  void remove(const std::string& key);
  // A merge patch by another client. Returns false if the key does not exist.
  bool patch(const std::string& key, const Value& with);
  // Null if it does not exist.
  const Object* find(const std::string& key) const;
  const std::map<std::string, Object>& objects() const { return objects_; }

  // Executes the action and records events and calls. Throws std::runtime_error for an action that
  // a server would reject: plans never contain one.
  void act(const reconciler::Action& action, ReconcileOutput& output);
  // Executes the plan in order. A write is based on the version of the plan's previous write to the
  // same object, as in a reconcile.
  void execute(const reconciler::Plan& plan, ReconcileOutput& output);
  // Number of writes by act() so far.
  std::size_t writes() const { return writes_; }
  // After `writes` more writes, act() throws Crash instead of writing; nullopt: never.
  void crash_after(std::optional<std::size_t> writes) { writes_left_ = writes; }
  // The last applied object except its status; null if there was none.
  const Value& intent(const std::string& key) const;

  // changed() reports changes from here on.
  void mark();
  // Keys that differ from the mark, in order, including deleted objects.
  std::vector<std::string> changed() const;
  // The object at the mark; null if it did not exist.
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
  std::map<std::string, std::int64_t> scales_;
  std::map<std::string, Object> intents_;
  std::map<std::string, Object> reported_;  // last applied status
  std::map<std::string, std::string> marked_;
  std::uint64_t version_ = 0;
  std::uint64_t uids_ = 0;
  std::size_t writes_ = 0;
  std::optional<std::size_t> writes_left_;
};

}  // namespace dynamo::cases
