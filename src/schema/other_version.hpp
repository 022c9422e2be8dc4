// Finds unknown fields in other schemas of a kind.
#pragma once

#include <string>
#include <string_view>

#include "schema/correlation.hpp"
#include "schema/table.hpp"

namespace dynamo::schema {

// What to do about an unknown field that another schema of the kind has at the same place of an
// object: its version of later operators, or the other version. Without the separator before it;
// "" if none has the field. `place` is within an object of `resource`.
std::string advise_other_schema(const Resource& resource, const ValuePlace& place,
                                std::string_view name);

}  // namespace dynamo::schema
