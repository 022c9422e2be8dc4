// Says of an object what the API server says of it with strict field validation, before any
// webhook is asked: unknown and duplicate fields, the structural schema, its CEL rules, metadata.
#pragma once

#include <cstdint>

#include "api/error_list.hpp"
#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::schema {

enum class UnknownFields : unsigned char {
  kDeny,
  kWarn,   // the API server drops them
  kNewer,  // warn: the API of a later operator may have them
};

// What becomes of what the API server notices while it reads an object. The default is its strict
// field validation, which kubectl asks for.
struct FieldValidation {
  UnknownFields unknown = UnknownFields::kDeny;
  bool duplicates_deny = true;
};

// Adds a finding for everything that keeps `object` from being stored; the ids are those of
// catalog.hpp. `old` is the object as it is stored, or absent when it is created: what an update
// leaves as it was brings no finding of the schema (unknown and duplicate fields still do), and
// rules about a change are asked only then. All findings are errors, but for what
// `field_validation` only warns of, in the order of the walk; the caller sorts. `status` of a
// resource that has it as a subresource is only looked through for unknown and duplicate fields:
// the API server takes it from the stored object.
//
// The object is read as the user wrote it: fields that have a default count as given, null where
// null is not allowed counts as absent, of duplicate fields the last counts. Pure and thread-safe.
// Time is linear in the object, but for sorting long keyed lists and maps. Memory is allocated for
// findings, for such sorting, and once for the patterns of the tables.
void validate(const Resource& resource, json::Value object, json::Value old,
              api::ErrorList& findings, FieldValidation field_validation = {});

// The same for a value of any schema, without what is special about whole objects: apiVersion,
// kind, metadata's content, status. Paths begin with the names of the root's members.
void validate_value(const Schema& root, json::Value value, json::Value old,
                    api::ErrorList& findings);

}  // namespace dynamo::schema
