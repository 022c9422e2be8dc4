// Which findings report one mistake twice, so that a user without a cluster reads it once. An API
// server stops at the schema; the webhook's own answer keeps all findings of rules.
#pragma once

#include "api/error_list.hpp"

namespace dynamo::admission {

// Whether an error of the schema explains the error of a rule.
bool is_explained(const api::Error& error, const api::Error& of_schema);

// Whether an error, of the schema or of a rule, explains the warning of a rule.
bool is_explained(const api::Warning& warning, const api::Error& known);

// Removes errors of the schema's CEL rules that others explain.
void drop_explained_cel_errors(api::ErrorList& findings);

}  // namespace dynamo::admission
