// Whether two values are the same to the API server.
#pragma once

#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::schema {

// Compares values as they would be stored: defaults count as written, null against the schema and
// fields that are pruned do not count, the order of fields and of keyed lists does not matter. Two
// absent values are the same. Allocates; for the rare moments when an answer is needed.
bool same_value(const Schema& schema, json::Value left, json::Value right);

// Whether an update left a value as it was, in the eyes of the API server: it does not look at
// fields that are kept although no schema describes them, so an object with such a field is never
// the same, unless it is in a list without keys.
bool is_unchanged(const Schema& schema, json::Value now, json::Value before);

}  // namespace dynamo::schema
