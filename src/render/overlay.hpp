// The user's value laid over the controllers' default, read as one: how the operator merges
// extraPodSpec, without building the merged object.
#pragma once

#include <string_view>

#include "json/document.hpp"

namespace dynamo::render {

// What Go calls the zero value: absent, null, false, 0, "", [] and {}. It never overrides.
bool is_empty(json::Value value);

// Two values, copied freely; valid as long as both documents are. What the user gives wins where it
// is not empty: scalars and lists replace, objects are merged member by member. A number over a
// default text loses (int-or-string fields remember which of the two they hold, and the merge does
// not change that).
class Overlay {
 public:
  Overlay() = default;
  explicit Overlay(json::Value user) : user_(user) {}
  // Decides between the two.
  Overlay(json::Value user, json::Value base);

  bool exists() const { return user_.exists() || base_.exists(); }
  bool is_nothing() const { return user_.is_nothing() && base_.is_nothing(); }
  // Something of it was written by the user.
  bool from_user() const { return user_.exists(); }
  // Both sides give an object, whose members are merged.
  bool merged() const { return user_.exists() && base_.exists(); }

  // The winner. For a merged object the user's side; read its members through operator[].
  json::Value value() const { return user_.exists() ? user_ : base_; }
  json::Value user() const { return user_; }
  json::Value base() const { return base_; }

  Overlay operator[](std::string_view name) const { return {user_[name], base_[name]}; }

  // Calls `visit(name, Overlay)` once per member: the user's in their order, then the defaults that
  // the user does not name.
  template <typename Visit>
  void for_each_member(Visit visit) const {
    for (const auto [name, value] : user_.members()) visit(name, Overlay(value, base_[name]));
    for (const auto [name, value] : base_.members()) {
      if (!user_[name].exists()) visit(name, Overlay({}, value));
    }
  }

 private:
  json::Value user_;
  json::Value base_;
};

}  // namespace dynamo::render
