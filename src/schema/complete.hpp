// Makes of an object as a user wrote it the object as the API server would store it.
#pragma once

#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::schema {

// Fills `out` with the object: unknown fields pruned, null dropped where null is not allowed,
// defaults set (inside of defaults too). Of duplicate fields the last one stays. Where the schema
// keeps unknown fields they are kept as they are, while the fields that it lists are completed.
// `status` of a resource that has it as a subresource is that of `old`, or dropped when there is
// none (`old` is absent when the object is created). What the API server alone can know (uid,
// creationTimestamp, generation …) is not added, and dropped from an object that is created.
//
// Members keep their order; defaults follow. Texts are referred to, not copied: `object` and `old`
// must outlive `out`, and must not be in it. An object that is none, leaves `out` empty. A value of
// a wrong type is kept, without the fields that it may hold. Idempotent: to complete again changes
// nothing. Pure; thread-safe.
void complete(const Resource& resource, json::Value object, json::Value old, json::Document& out);

// The same for a value of any schema, without what is special about status.
void complete_value(const Schema& root, json::Value value, json::Document& out);

}  // namespace dynamo::schema
