// The schema of the resources as JSON Schema 2020-12, for editors: names, types, bounds, closed
// lists of values, defaults and descriptions. Rules are not in it.
#pragma once

#include <string>

#include "schema/table.hpp"

namespace dynamo::cli {

// Of one resource: accepts what the API server's own schema would, and null where it counts as not
// given. The status is not described: nobody writes it.
std::string json_schema_of(const schema::Resource& resource);

// Of any manifest: objects of our kinds are as their resources say, others are as they like.
std::string json_schema_of_all();

// "dynamographdeployment_v1alpha1.json".
std::string json_schema_file(const schema::Resource& resource);

}  // namespace dynamo::cli
