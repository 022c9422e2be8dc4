// Finds the schema properties for the members of an object, in sequence.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "schema/table.hpp"

namespace dynamo::schema {

// Like std::string_view::compare; most names differ in their first letter, which saves the call.
inline int compare_names(std::string_view left, std::string_view right) {
  if (!left.empty() && !right.empty() && left.front() != right.front()) {
    return static_cast<unsigned char>(left.front()) - static_cast<unsigned char>(right.front());
  }
  const int order = std::char_traits<char>::compare(left.data(), right.data(),
                                                    std::min(left.size(), right.size()));
  if (order != 0) return order;
  return static_cast<int>(left.size() > right.size()) -
         static_cast<int>(left.size() < right.size());
}

// Both sides are nearly always sorted by name, so the search continues at the last position. If the
// next property does not match, it uses binary search on the rest.
class PropertyCursor {
 public:
  explicit PropertyCursor(const Schema& schema)
      : first_(schema.properties.data()), size_(schema.properties.size()) {}

  // The property with that name, or null.
  const Property* find(std::string_view name) {
    if (next_ < size_) {
      const int order = compare_names(first_[next_].name, name);
      if (order == 0) return &first_[next_++];
      if (order < 0) return search(next_ + 1, size_, name);
    }
    return search(0, next_, name);
  }

  // The index in the schema of a property that find() returned.
  std::size_t index_of(const Property* property) const {
    return static_cast<std::size_t>(property - first_);
  }

 private:
  const Property* search(std::size_t from, std::size_t to, std::string_view name) {
    while (from < to) {
      const std::size_t middle = from + (to - from) / 2;
      const int order = compare_names(first_[middle].name, name);
      if (order == 0) {
        next_ = middle + 1;
        return &first_[middle];
      }
      if (order < 0) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return nullptr;
  }

  const Property* first_;
  std::size_t size_;
  std::size_t next_ = 0;
};

// The property with that name, or null.
inline const Property* find_property(const Schema& schema, std::string_view name) {
  return PropertyCursor(schema).find(name);
}

}  // namespace dynamo::schema
