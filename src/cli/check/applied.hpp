// Computes the object that an apply asks the API server to store, from the manifest and the
// existing object.
#pragma once

#include <string>

#include "json/document.hpp"

namespace dynamo::cli {

// True for an object that an API server has stored; false for one from a file.
bool is_stored_object(json::Value object);

// `live` with the fields of `manifest`, as JSON; defaults and pruning come later. A field that the
// manifest no longer has is removed if an earlier apply set it. That is decided by kubectl's
// last-applied annotation, else by metadata.managedFields: fields of applying managers (server-side
// apply, Helm) that no other manager owns. All other fields stay, such as those that a webhook
// added. Lists are replaced as a whole. Omits status, and metadata that only the API server writes,
// except the uid.
std::string applied_to(json::Value manifest, json::Value live);

// The operations that give `manifest` the workload provider that the operator recorded on `live`,
// as a JSON Patch: an apply keeps that annotation unless an earlier apply set it. "" for none.
std::string provider_kept_by_apply(json::Value manifest, json::Value live);

}  // namespace dynamo::cli
