// A position in an object during a traversal, with its value before an update.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "api/field_path.hpp"
#include "json/document.hpp"
#include "schema/list_keys.hpp"
#include "schema/table.hpp"
#include "schema/unknown_field.hpp"

namespace dynamo::schema {

// Lives on the stack, refers to the enclosing place, and looks up the old value lazily: objects
// without findings never need it. Not thread-safe.
struct ValuePlace : FieldScope {
  // The root: the whole object.
  ValuePlace(const Schema& root, json::Value now, json::Value old)
      : FieldScope{&root, nullptr}, schema(root), value(now), path(""), correlated_(old) {}

  // A member of the enclosing place, or an element if that is a list; `step` is the member's name.
  ValuePlace(const ValuePlace& around_it, const Schema& its_schema, json::Value now,
             const api::FieldPath& its_path, std::string_view step)
      : FieldScope{&its_schema, &around_it},
        parent(&around_it),
        schema(its_schema),
        value(now),
        path(its_path),
        name(step) {}

  // The path to a property of this object.
  api::FieldPath child_path(std::string_view property) const {
    return parent == nullptr ? api::FieldPath(property) : path.child(property);
  }

  // Like child_path() for a name that the API does not define, which may contain a dot.
  api::FieldPath unknown_path(std::string_view written) const {
    if (parent == nullptr || written.find_first_of(".[]") == std::string_view::npos) {
      return child_path(written);
    }
    return path.key(written);
  }

  // The old value that the API server correlates with this one: the member with the same name, or
  // the item with the same keys in a keyed list; absent if there is none. Elements of other lists
  // have none.
  json::Value correlated() const;

  // Whether this place, or an enclosing one other than the whole object, is unchanged by the
  // update.
  bool is_unchanged() const;

  const ValuePlace* parent = nullptr;
  const Schema& schema;
  const json::Value value;
  const api::FieldPath path;
  const std::string_view name;

 private:
  bool is_same() const;
  // The member or item with this name or these keys in the old value of this place.
  json::Value old_member(std::string_view wanted) const;
  json::Value old_item(json::Value wanted) const;

  // Index for old values with many members or items; a place uses at most one of the two.
  struct Index {
    std::optional<KeyedItems> items;
    std::vector<json::Member> members;
  };

  mutable std::optional<json::Value> correlated_;
  mutable std::optional<bool> same_;
  mutable std::unique_ptr<Index> index_;
};

}  // namespace dynamo::schema
