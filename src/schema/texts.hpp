// Descriptions of the custom resources' fields, from their CRDs. The tables are shaped like those
// of table.hpp and are traversed in parallel. They are separate, so that programs that never print
// them do not link them.
#pragma once

#include <span>
#include <string_view>

namespace dynamo::schema {

struct NamedTexts;

struct Texts {
  std::string_view description;            // sentences; may be empty
  std::span<const NamedTexts> properties;  // sorted by name; only properties with texts
  const Texts* each;                       // for elements and values of a map; may be null
};

struct NamedTexts {
  std::string_view name;
  const Texts* texts;
};

// Sorted by kind.
std::span<const NamedTexts> resource_texts();

// One step, also from null; null if there is no text.
inline const Texts* texts_of_property(const Texts* around, std::string_view name) {
  if (around == nullptr) return nullptr;
  for (const NamedTexts& row : around->properties) {
    if (row.name == name) return row.texts;
  }
  return nullptr;
}
inline const Texts* texts_of_each(const Texts* around) {
  return around == nullptr ? nullptr : around->each;
}
inline const Texts* texts_of_kind(std::string_view kind) {
  for (const NamedTexts& row : resource_texts()) {
    if (row.name == kind) return row.texts;
  }
  return nullptr;
}

}  // namespace dynamo::schema
