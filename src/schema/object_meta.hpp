// The API server's validation of metadata.
#pragma once

#include "api/error_list.hpp"
#include "json/document.hpp"

namespace dynamo::schema {

// Adds a finding for each name, label, annotation, finalizer and owner reference that the API
// server refuses. Skips values with wrong types; null is the empty value, as for the API server. On
// an update name and namespace are those of the stored object, and finalizers are not checked.
// Pure; allocates only for findings and for keys with upper case domains.
void validate_metadata(json::Value metadata, bool is_update, api::ErrorList& findings);

}  // namespace dynamo::schema
