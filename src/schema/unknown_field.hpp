// Finds the intended place of an unknown field.
#pragma once

#include <string>
#include <string_view>

#include "schema/table.hpp"

namespace dynamo::schema {

// Where a field is: the schema of its object, and of the enclosing objects.
struct FieldScope {
  const Schema* schema;
  const FieldScope* around = nullptr;
};

// Another place where a field with that exact name is known.
struct KnownPlace {
  const FieldScope* around = nullptr;  // an object that encloses the one with the field
  std::string below;                   // a path below it: "extraPodSpec.mainContainer.image"
};

// Searches the enclosing objects, nearest first, then one and two levels below; there the place
// must be unique, or in the main container. Neither result is set if there is no such place.
KnownPlace find_elsewhere(const FieldScope& scope, std::string_view name);

}  // namespace dynamo::schema
