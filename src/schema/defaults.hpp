// The defaults of the tables as values.
#pragma once

#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::schema {

// The default of a schema as it is written there, or an absent value. Parsed once per thread, which
// owns it.
json::Value default_value(const Schema& schema);

// A member as the API server would see it: its default where it is absent, or null against the
// schema; absent when it has none.
inline json::Value effective(const Schema& schema, json::Value member) {
  if (!member.is_nothing() || (schema.nullable && member.exists())) return member;
  return default_value(schema);
}

}  // namespace dynamo::schema
