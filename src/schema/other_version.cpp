#include "schema/other_version.hpp"

#include "schema/properties.hpp"

namespace dynamo::schema {
namespace {

constexpr std::string_view kServices = "services";
constexpr std::string_view kComponents = "components";
constexpr std::string_view kExperimental = "experimental";

// The list of components in v1beta1 is the map of services in v1alpha1.
std::string_view in_other_version(std::string_view name) {
  if (name == kServices) return kComponents;
  return name == kComponents ? kServices : name;
}

// The schema of the member that corresponds to `name`, or null.
const Schema* find_member(const Schema& around, std::string_view name) {
  const Property* same = find_property(around, name);
  if (same == nullptr) same = find_property(around, in_other_version(name));
  if (same != nullptr) return same->schema;
  // v1beta1 has some blocks of a v1alpha1 service in `experimental`.
  const Property* const experimental = find_property(around, kExperimental);
  if (experimental == nullptr) return name == kExperimental ? &around : nullptr;
  const Property* const moved = find_property(*experimental->schema, name);
  return moved == nullptr ? nullptr : moved->schema;
}

// The schema of the corresponding place in another schema of the kind, or null. Recurses as deep as
// the tables.
const Schema* find_place(const Schema& root, const ValuePlace& place) {
  if (place.parent == nullptr) return &root;
  const Schema* const around = find_place(root, *place.parent);
  if (around == nullptr) return nullptr;
  const bool is_property = find_property(place.parent->schema, place.name) != nullptr;
  return is_property ? find_member(*around, place.name) : around->each;
}

bool has_field(const Resource& resource, const ValuePlace& place, std::string_view name) {
  const Schema* const there = find_place(*resource.schema, place);
  return there != nullptr && find_property(*there, name) != nullptr;
}

}  // namespace

std::string advise_other_schema(const Resource& resource, const ValuePlace& place,
                                std::string_view name) {
  std::string text;
  for (const Resource& other : later_resources()) {
    if (&other == &resource || other.kind != resource.kind || !has_field(other, place, name)) {
      continue;
    }
    if (other.api_version == resource.api_version) {
      return "later operators know it: set --operator-generation later if yours is one";
    }
    text.append(version_of(other)).append(" has this field: for an object of that version set ");
    text.append("apiVersion to ").append(other.api_version);
    text.append(", and `kubectl dynamo convert --to ").append(version_of(resource));
    text.append("` converts it");
  }
  return text;
}

}  // namespace dynamo::schema
