// Builds objects for every schema position, for invariants that hold for any field.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "schema/table.hpp"

namespace dynamo::test {

// Calls `visit(schema, wrap)` for the spec of the resource and each schema within it, once per use.
// `wrap(json)` returns the text of an object of the resource with this value at that position, with
// one entry per list and map on the path, and little else.
using WrapValue = std::function<std::string(std::string_view json)>;
using VisitSchema = std::function<void(const schema::Schema& schema, const WrapValue& wrap)>;
void for_each_schema(const schema::Resource& resource, const VisitSchema& visit);

}  // namespace dynamo::test
