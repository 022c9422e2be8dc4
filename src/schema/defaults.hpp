// Default values of the schema tables.
#pragma once

#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::schema {

// The default of a schema as written in the table, or an absent value. Parsed once per thread,
// which owns it.
json::Value default_value(const Schema& schema);

// A member as the API server would read it: its default if it is absent or a null that the schema
// does not allow; absent if there is no default.
inline json::Value effective(const Schema& schema, json::Value member) {
  if (!member.is_nothing() || (schema.nullable && member.exists())) return member;
  return default_value(schema);
}

}  // namespace dynamo::schema
