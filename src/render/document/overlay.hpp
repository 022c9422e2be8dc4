// A merged view of the user's value over the controllers' default. It follows the operator's merge
// of extraPodSpec without building the merged object.
#pragma once

#include <string_view>

#include "json/document.hpp"

namespace dynamo::render {

// Whether the value is a zero value in Go: absent, null, false, 0, "", [] and {}. It never
// overrides.
bool is_empty(json::Value value);

// Two values, copied freely; valid as long as both documents are. The user's value wins unless it
// is empty: scalars and lists replace, objects are merged member by member. A number does not
// override a default text, because the operator's merge does not change the type of an
// int-or-string field.
class Overlay {
 public:
  Overlay() = default;
  explicit Overlay(json::Value user) : user_(user) {}
  // Chooses between the two values.
  Overlay(json::Value user, json::Value base);

  bool exists() const { return user_.exists() || base_.exists(); }
  bool is_nothing() const { return user_.is_nothing() && base_.is_nothing(); }
  // Whether the user wrote any part of it.
  bool is_from_user() const { return user_.exists(); }
  // Whether both sides are objects, whose members are merged.
  bool is_merged() const { return user_.exists() && base_.exists(); }

  // The winner. For a merged object it is the user's side; read members through operator[].
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
