// Turns what an owner wants of children into actions, one child after the other.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reconciler/children/child_step.hpp"
#include "reconciler/children/kinds.hpp"
#include "reconciler/children/plan.hpp"

namespace dynamo::reconciler {

// One pass over one owner. A child that is in somebody's way, or in whose way somebody is, keeps no
// other from being made. Everything given outlives it.
class ChildrenPlan {
 public:
  ChildrenPlan(const Parent& parent, const Seen& seen, std::vector<Action>& actions)
      : parent_(parent), seen_(seen), actions_(actions) {}

  // What keeps it from being as wanted, which is one of `problems` as well.
  std::optional<Problem::Kind> add(const render::Child& child);
  // Deletes what the owner has made and did not add, and leaves to others what they own, too. Only
  // after all children were added.
  void clean_up(CleanUp ChildKind::*of_owner);

  // Neither made nor cleaned up.
  void keep(std::string_view kind, std::string_view name) {
    added_.emplace(std::string(kind), std::string(name));
  }
  // It was added, as wanted or not, or is kept.
  bool handled(std::string_view kind, std::string_view name) const {
    return added_.contains({std::string(kind), std::string(name)});
  }

  // In the order in which they were met.
  const std::vector<Problem>& problems() const { return problems_; }
  void note(Problem problem) { problems_.push_back(std::move(problem)); }
  // The pass writes a child of that kind and name, so its status speaks of what was before.
  bool writes(std::string_view kind, std::string_view name) const;

 private:
  using Key = std::pair<std::string, std::string>;

  void tell(const Target& target, std::string_view what, std::string_view kind, std::string note);
  void make(const render::Child& child, const Target& target, const ChildStep& step);
  void let_go(const ChildKind& kind, const kube::Object& live, bool told);
  Problem::Kind obstacle(const render::Child& child, Problem::Kind kind, const std::string& why);

  const Parent& parent_;
  const Seen& seen_;
  std::vector<Action>& actions_;
  std::vector<Problem> problems_;
  std::set<Key> added_;
  std::set<Key> written_;
};

// An object as actions name it: without its version, which its own controllers move on all the
// time.
Target target_of(const kube::Resource& resource, std::string_view namespace_name,
                 std::string_view name, const kube::Object* live);

}  // namespace dynamo::reconciler
