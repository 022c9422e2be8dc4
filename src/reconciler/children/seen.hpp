// What stood in a namespace when a pass began.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "kube/object.hpp"

namespace dynamo::reconciler {

// A value: filled by who observes, read by plans. Objects by kind and name; ClusterRoles stand
// among those of the namespace.
class Seen {
 public:
  using Objects = std::map<std::string, kube::Object, std::less<>>;

  // In the place of one of that kind and name.
  void add(const kube::Object& object);
  // The cluster serves no resource of that kind: its definition is not installed.
  void not_served(std::string_view kind) { not_served_.emplace(kind); }

  // Null when there is none.
  const kube::Object* find(std::string_view kind, std::string_view name) const;
  // By name; valid as long as nothing is added.
  const Objects& all(std::string_view kind) const;
  bool serves(std::string_view kind) const { return !not_served_.contains(kind); }

 private:
  std::map<std::string, Objects, std::less<>> by_kind_;
  std::set<std::string, std::less<>> not_served_;
};

}  // namespace dynamo::reconciler
