// What the fields of the custom resources are for, in the words of their definitions. The tables
// have the shape of those of table.hpp and are walked beside them; they are apart, so that a
// program that never shows them does not carry them.
#pragma once

#include <span>
#include <string_view>

namespace dynamo::schema {

struct NamedTexts;

struct Texts {
  std::string_view description;            // sentences; may be empty
  std::span<const NamedTexts> properties;  // sorted by name; only those of which something is said
  const Texts* each;                       // of elements and values of a map; may be null
};

struct NamedTexts {
  std::string_view name;
  const Texts* texts;
};

// By kind.
std::span<const NamedTexts> resource_texts();

// One step, from null too; null where nothing is said.
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
