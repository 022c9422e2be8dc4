// Validates an object like the API server does with strict field validation, before it calls
// webhooks: unknown and duplicate fields, the structural schema, its CEL rules, metadata.
#pragma once

#include <cstdint>

#include "api/error_list.hpp"
#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::schema {

enum class UnknownFields : unsigned char {
  kDeny,
  kWarn,   // the API server drops them
  kNewer,  // warn: a later operator's API may have them
};

// How decode errors are treated. The default is strict field validation, which kubectl requests.
struct FieldValidation {
  UnknownFields unknown = UnknownFields::kDeny;
  bool duplicates_deny = true;
};

// Adds a finding for everything that keeps `object` from being stored; ids are listed in
// catalog.hpp. `old` is the stored object, or absent on create. Values that an update leaves
// unchanged cause no schema finding (unknown and duplicate fields still do), and transition rules
// run only on updates. All findings are errors, except those that `field_validation` turns into
// warnings. They are added in traversal order; the caller sorts. `status` of a resource with a
// status subresource is only checked for unknown and duplicate fields: the API server takes it from
// the stored object.
//
// The object is read as the user wrote it: fields with a default count as given, null counts as
// absent where it is not allowed, and the last one of duplicate fields counts. Pure and
// thread-safe. Time is linear in the object, except for sorting long keyed lists and maps.
// Allocates for findings, for such sorting, and once for the patterns of the tables.
void validate(const Resource& resource, json::Value object, json::Value old,
              api::ErrorList& findings, FieldValidation field_validation = {});

// Like validate() for a value of any schema, without the checks of whole objects: apiVersion, kind,
// metadata's content, status. Paths begin with the names of the root's members.
void validate_value(const Schema& root, json::Value value, json::Value old,
                    api::ErrorList& findings);

}  // namespace dynamo::schema
