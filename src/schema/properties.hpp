// Finds the schema properties for the members of an object, in sequence.
#pragma once

#include <cstddef>
#include <string_view>

#include "schema/table.hpp"

namespace dynamo::schema {

// Both sides are nearly always sorted by name, so the search tries the next property first, and
// then those with the same first letter: few in most schemas.
class PropertyCursor {
 public:
  explicit PropertyCursor(const Schema& schema)
      : first_(schema.properties.data()),
        size_(schema.properties.size()),
        letters_(schema.first_letters) {}

  // The property with that name, or null.
  const Property* find(std::string_view name) {
    if (next_ < size_ && first_[next_].name == name) return &first_[next_++];
    if (letters_ == nullptr) return search(0, size_, name);
    const std::size_t letter =
        name.empty() ? kLetters : static_cast<unsigned char>(name.front()) - 'a';
    if (letter >= kLetters) return nullptr;
    return search(letters_[letter], letters_[letter + 1], name);
  }

  // The index in the schema of a property that find() returned.
  std::size_t index_of(const Property* property) const {
    return static_cast<std::size_t>(property - first_);
  }

 private:
  static constexpr std::size_t kLetters = 26;

  const Property* search(std::size_t from, std::size_t to, std::string_view name) {
    for (std::size_t index = from; index < to; ++index) {
      if (first_[index].name != name) continue;
      next_ = index + 1;
      return &first_[index];
    }
    return nullptr;
  }

  const Property* first_;
  std::size_t size_;
  const std::uint8_t* letters_;
  std::size_t next_ = 0;
};

// The property with that name, or null.
inline const Property* find_property(const Schema& schema, std::string_view name) {
  return PropertyCursor(schema).find(name);
}

}  // namespace dynamo::schema
