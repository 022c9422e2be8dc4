// What the API server is asked to store when a manifest is applied to an object that exists.
#pragma once

#include <string>

#include "json/document.hpp"

namespace dynamo::cli {

// True for an object that an API server has stored, and not one of a file.
bool is_stored_object(json::Value object);

// `live` with the fields of `manifest`, as JSON; defaults and pruning come later. A field that the
// manifest no longer has is removed if an earlier apply set it: by kubectl's annotation of what was
// applied last, else by the fields in metadata.managedFields of whoever applied (server-side apply,
// Helm) that nobody else owns. All other fields stay, such as what a webhook has added. Lists are
// replaced whole. Without status, and without the metadata that the API server alone writes, except
// the uid.
std::string applied_to(json::Value manifest, json::Value live);

}  // namespace dynamo::cli
