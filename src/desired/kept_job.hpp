// The effect of an edited request or checkpoint on its Job, which cannot change.
#pragma once

#include <string>
#include <vector>

#include "api/kind.hpp"
#include "json/document.hpp"
#include "manifests/tree.hpp"

namespace dynamo::reconciler {

// Removes the changes of the Job if the stored request or checkpoint has gone so far that its
// controller neither changes nor replaces it. Returns a line for users if it removed one, otherwise
// "".
std::string remove_kept_job(api::Kind kind, json::Value stored,
                            std::vector<render::TreeChange>& changes);

// Shows the changed Job as created if the stored request or checkpoint is Pending or has failed:
// its controller creates the Job, after it has deleted that of a failed attempt.
void mark_created_job(api::Kind kind, json::Value stored, std::vector<render::TreeChange>& changes);

}  // namespace dynamo::reconciler
