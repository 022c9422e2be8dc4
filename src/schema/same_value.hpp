// The API server's equality of values.
#pragma once

#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::schema {

// Compares values as they would be stored: defaults count as written, nulls that the schema does
// not allow and pruned fields are ignored, and so is the order of fields and keyed lists. Two
// absent values are equal. Allocates; intended for rare use.
bool are_same_value(const Schema& schema, json::Value left, json::Value right);

// Whether an update left a value unchanged, as the API server decides it. It does not compare
// preserved fields without a schema, so an object with such a field never counts as unchanged,
// unless it is in a list without keys.
bool is_unchanged(const Schema& schema, json::Value now, json::Value before);

}  // namespace dynamo::schema
