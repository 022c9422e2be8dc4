// Converts an object as written by a user to the object that the API server would store.
#pragma once

#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::schema {

// Fills `out` with the object: unknown fields pruned, null dropped where null is not allowed,
// defaults set (in defaults too). The last one of duplicate fields is kept. Where the schema
// preserves unknown fields they are kept unchanged, while the listed fields are completed. `status`
// of a resource with a status subresource is copied from `old`, or dropped if there is none (`old`
// is absent when the object is created). Values that only the API server knows (uid,
// creationTimestamp, generation …) are not added, and are dropped from an object that is created.
//
// Members keep their order; defaults follow. Texts are referred to, not copied: `object` and `old`
// must outlive `out`, and must not be part of it. If `object` is not an object, `out` stays empty.
// A value with a wrong type is kept, without fields below it. Idempotent. Pure; thread-safe.
void complete(const Resource& resource, json::Value object, json::Value old, json::Document& out);

// Like complete() for a value of any schema, without the treatment of status.
void complete_value(const Schema& root, json::Value value, json::Document& out);

}  // namespace dynamo::schema
