// What to tell somebody who wrote a field that the API does not know.
#pragma once

#include <string>
#include <string_view>

#include "schema/table.hpp"

namespace dynamo::schema {

// Where a field stands: the schema of its object, and of the objects around that one.
struct Scope {
  const Schema* schema;
  const Scope* around = nullptr;
};

// Where else a field of that very name is known.
struct Elsewhere {
  const Scope* around = nullptr;  // an object around the one where it was written
  std::string below;              // a path below it: "extraPodSpec.mainContainer.image"
};

// Looks in the objects around, nearest first, then one and two objects below, where only a single
// place counts, or that in the main container. Neither is set when there is none.
Elsewhere find_elsewhere(const Scope& scope, std::string_view name);

}  // namespace dynamo::schema
