// The observed objects of a namespace at the start of a reconcile.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "kube/object/object.hpp"

namespace dynamo::reconciler {

// A value: observers fill it, plans read it. Objects are indexed by kind and name; ClusterRoles are
// included.
class ObservedObjects {
 public:
  using ByName = std::map<std::string, kube::Object, std::less<>>;

  // Replaces an object of the same kind and name.
  void add(const kube::Object& object);
  // The cluster does not serve this kind: its definition is not installed.
  void mark_not_served(std::string_view kind) { not_served_.emplace(kind); }

  // Null if absent.
  const kube::Object* find(std::string_view kind, std::string_view name) const;
  // By name; valid until the next add().
  const ByName& all(std::string_view kind) const;
  bool serves(std::string_view kind) const { return !not_served_.contains(kind); }

 private:
  std::map<std::string, ByName, std::less<>> by_kind_;
  std::set<std::string, std::less<>> not_served_;
};

}  // namespace dynamo::reconciler
