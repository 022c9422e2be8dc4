// Identifies the list element that a finding is about, before and after an update: by its name if
// it has one, otherwise by its index.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/document.hpp"

namespace dynamo::validators {

// Appends a rendered path without its bracketed numbers, which are list indexes (or numeric keys).
// Paths that differ only in these numbers become equal.
void append_without_indexes(std::string& out, std::string_view field);

// Follows paths in one object, many times. A list of more than a few entries is indexed when a path
// first passes through it, so each step costs the logarithm of the list's size, as in objects. The
// index holds views into the object. Not thread-safe.
class ListIndex {
 public:
  explicit ListIndex(json::Value object) : object_(object) {}

  // Returns one entry per index in the path (`[3]`): the `name` of that element, or "" if the
  // element has no name or does not exist. The views point into object and path.
  std::vector<std::string_view> names_on_path(std::string_view field);

  json::Value object() const { return object_; }
  // The value at a path. Absent if the path does not exist or if it contains a cut or blanked name.
  json::Value value_at(std::string_view field);
  // The list element at that index, or the member with that name; absent if there is none.
  json::Value follow(json::Value value, std::string_view step);
  static std::string_view name_of(json::Value element);
  bool has_name(json::Value list, std::string_view name);

 private:
  struct Entries {
    std::vector<json::Value> elements;    // in their order
    std::vector<std::string_view> names;  // sorted
  };
  // Valid until the next call.
  const Entries& entries_of(json::Value list);

  json::Value object_;
  std::vector<std::pair<const json::Node*, Entries>> entries_;  // sorted by node
};

// Whether each element on the path whose name differs before and after is the same element renamed:
// the old name is no longer in its list, and the new name was not in it before.
bool is_only_renamed(std::string_view field, ListIndex& now, ListIndex& before);

}  // namespace dynamo::validators
