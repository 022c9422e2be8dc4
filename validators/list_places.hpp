// Which element of a list a finding is about, before and after an update: an element that has a
// name is known by it, any other by its place.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/document.hpp"

namespace dynamo::validators {

// Appends a rendered path without its numbers in brackets, which are places in lists (or keys that
// are numbers): paths that differ in nothing else become the same.
void append_without_places(std::string& out, std::string_view field);

// One object that paths are followed in, again and again: lists of more than a few entries are
// indexed when a path first leads through them, so following costs the logarithm of their size and
// not their size, as it does in objects. The index holds views into the object. Not thread-safe.
class ListPlaces {
 public:
  explicit ListPlaces(json::Value object) : object_(object) {}

  // For every place in the path (`[3]`) what stands there is called: the element's `name`, or ""
  // where it has none or is not there. Views into object and path.
  std::vector<std::string_view> names_on_the_way(std::string_view field);

  json::Value object() const { return object_; }
  // What stands at a path; absent where nothing does, or where the path shows a name cut or
  // blanked.
  json::Value value_at(std::string_view field);
  // The element at that place of a list, or the member of that name; absent where there is none.
  json::Value follow(json::Value value, std::string_view step);
  // What an element is called, or "".
  static std::string_view name_of(json::Value element);
  // Whether an element of the list is called so.
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

// Whether each element on the way that is called otherwise before and now is the same one with
// another name: the old name is no longer in its list, and the new one was not.
bool only_renamed(std::string_view field, ListPlaces& now, ListPlaces& before);

}  // namespace dynamo::validators
