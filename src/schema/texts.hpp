// Descriptions of the custom resources' fields, from their CRDs. The tables are shaped like those
// of table.hpp and are traversed in parallel. They are separate, so that programs that never print
// them do not link them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "schema/table.hpp"

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

// Named by kind, in the order of all_resources().
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
inline const Texts* texts_of(const Resource& resource) {
  const std::span<const Resource> resources = all_resources();
  for (std::size_t at = 0; at < resources.size(); ++at) {
    if (&resources[at] == &resource) return resource_texts()[at].texts;
  }
  return nullptr;
}

}  // namespace dynamo::schema
