// Which element of a list a finding is about, before and after an update: an element that has a
// name is known by it, any other by its place.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "json/document.hpp"

namespace dynamo::validators {

// Whether two rendered paths differ in nothing but the places in lists.
bool same_but_for_places(std::string_view one, std::string_view other);

// Equal for paths that differ in nothing but the places in lists.
std::size_t hash_but_for_places(std::string_view field);

// Looks along many paths of one object. It remembers where it was in the lists that it looked into
// last, so that paths in the order of the object cost one walk over it, and not one each. Not
// thread-safe; the object must outlive it.
class PathWalk {
 public:
  explicit PathWalk(json::Value object) : object_(object) {}

  json::Value object() const { return object_; }
  // The element at `place` (a number, as text) of a list that is reached over `depth` others;
  // absent when there is none.
  json::Value at(json::Value list, std::string_view place, std::size_t depth);
  // Whether an element of that list has that name.
  bool has_name(json::Value list, std::string_view name, std::size_t depth);

 private:
  // The list that was looked into last.
  struct Place {
    const json::Node* list = nullptr;
    std::size_t index = 0;
    const json::Node* element = nullptr;
    bool names_known = false;
    std::vector<std::string_view> names = {};  // sorted
  };
  Place& place_of(json::Value list, std::size_t depth);

  json::Value object_;
  std::vector<Place> places_;  // one for each depth
};

// For every place in the path (`[3]`) what stands there in the object is called: the element's
// `name`, or "" where it has none or is not there. Views into object and path.
std::vector<std::string_view> names_on_the_way(std::string_view field, PathWalk& walk);

// Whether each element on the way that is called otherwise before and now is the same one with
// another name: the old name is no longer in its list, and the new one was not.
bool only_renamed(std::string_view field, PathWalk& now, PathWalk& before);

}  // namespace dynamo::validators
