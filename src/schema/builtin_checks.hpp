// Checks that the schema's tables cannot express: the x-kubernetes-validations rules as functions,
// and the API server's validation of metadata.
#pragma once

#include <string_view>

#include "api/error_list.hpp"
#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::schema {

// The input of an x-kubernetes-validations rule: `self` and, on an update that kept the value,
// `oldSelf`.
struct CelSubject {
  const Schema& schema;
  json::Value self;
  json::Value old_self;
};

// Whether the rule reads `oldSelf`.
bool needs_old_value(CelRule rule);

// Whether the rule holds. A transition rule holds without an old value. A rule that cannot be
// evaluated because of a wrong type holds: another finding reports the type. Pure.
bool holds(CelRule rule, const CelSubject& subject);

// The id of the rule's finding.
std::string_view id_of(CelRule rule);

// Adds a finding for each name, label, annotation, finalizer and owner reference that the API
// server refuses. Skips values with wrong types; null is the empty value, as for the API server. On
// an update name and namespace are those of the stored object, and finalizers are not checked.
// Pure; allocates only for findings and for keys with upper case domains.
void validate_metadata(json::Value metadata, bool is_update, api::ErrorList& findings);

}  // namespace dynamo::schema
