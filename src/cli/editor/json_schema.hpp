// The resources' schema as JSON Schema 2020-12, for editors: names, types, bounds, enumerations,
// defaults and descriptions, but no rules.
#pragma once

#include <string>

#include "schema/table.hpp"

namespace dynamo::cli {

// For one resource: accepts what the API server's schema accepts, and null where it counts as
// absent. Omits the status, which users do not write.
std::string json_schema_of(const schema::Resource& resource);

// For any manifest: constrains objects of our kinds; others may have any content.
std::string json_schema_of_all();

// "dynamographdeployment_v1alpha1.json".
std::string json_schema_file(const schema::Resource& resource);

}  // namespace dynamo::cli
