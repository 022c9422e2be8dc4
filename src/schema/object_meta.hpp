// What the API server demands of the content of metadata.
#pragma once

#include "api/error_list.hpp"
#include "json/document.hpp"

namespace dynamo::schema {

// Adds a finding for each name, label, annotation, finalizer and owner reference that the API
// server refuses. Values of wrong types are passed over; null is the empty value, as it is to the
// API server. On an update name and namespace are those of the stored object, and finalizers are
// not looked at. Pure; allocates only for findings and for keys with upper case domains.
void validate_metadata(json::Value metadata, bool is_update, api::ErrorList& findings);

}  // namespace dynamo::schema
