// Turns an owner's desired objects into actions, one object at a time.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "desired/kinds.hpp"
#include "desired/object_diff.hpp"
#include "desired/plan.hpp"

namespace dynamo::reconciler {

// One reconcile of one owner. An object whose name is taken does not block the creation of the
// others. All arguments must outlive it.
class DesiredObjectsPlan {
 public:
  DesiredObjectsPlan(const Owner& owner, const ObservedObjects& objects,
                     std::vector<Action>& actions)
      : owner_(owner), objects_(objects), actions_(actions) {}

  // Returns why the object cannot become as desired, or nullopt. The problem is also added to
  // `problems`.
  std::optional<Problem::Kind> add(const render::DesiredObject& desired);
  // Deletes the owner's objects that were not added; from objects with several owners it only
  // removes the owner reference. Call it after all objects were added.
  void clean_up(CleanUp ManagedKind::*of_owner);

  // Neither creates nor deletes this object.
  void keep(std::string_view kind, std::string_view name) {
    added_.emplace(std::string(kind), std::string(name));
  }
  // The object was added, successfully or not, or is kept.
  bool is_added_or_kept(std::string_view kind, std::string_view name) const {
    return added_.contains({std::string(kind), std::string(name)});
  }

  // In the order in which they were found.
  const std::vector<Problem>& problems() const { return problems_; }
  void note(Problem problem) { problems_.push_back(std::move(problem)); }
  // This reconcile writes the object, so its live status describes the previous state.
  bool writes(std::string_view kind, std::string_view name) const;

 private:
  using Key = std::pair<std::string, std::string>;

  // Reports the preceding write.
  void add_event(const Target& target, std::string_view what, std::string_view kind,
                 std::string note);
  void make(const render::DesiredObject& desired, const Target& target, const ObjectDiff& step);
  void update(const Target& target, const ObjectDiff& step);
  void delete_or_disown(const ManagedKind& kind, const kube::Object& live, bool with_event);
  Problem::Kind obstacle(const render::DesiredObject& desired, Problem::Kind kind,
                         const std::string& why);

  const Owner& owner_;
  const ObservedObjects& objects_;
  std::vector<Action>& actions_;
  std::vector<Problem> problems_;
  std::set<Key> added_;
  std::set<Key> written_;
};

// The object as the target of an action: without its version, which its own controllers change all
// the time.
Target target_of(const kube::Resource& resource, std::string_view namespace_name,
                 std::string_view name, const kube::Object* live);

}  // namespace dynamo::reconciler
