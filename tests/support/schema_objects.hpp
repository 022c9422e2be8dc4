// Objects for every place of the schema, for promises that hold wherever something is written.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "schema/table.hpp"

namespace dynamo::test {

// Calls `visit(schema, wrap)` for each schema within the spec of the resource (and for the spec
// itself), however often one of them is used. `wrap(json)` is the text of an object of the resource
// that has this value there, with lists and maps of one entry on the way, and little else.
using WrapValue = std::function<std::string(std::string_view json)>;
using VisitSchema = std::function<void(const schema::Schema& schema, const WrapValue& wrap)>;
void for_each_schema(const schema::Resource& resource, const VisitSchema& visit);

}  // namespace dynamo::test
