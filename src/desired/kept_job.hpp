// The Job of a request or checkpoint that its controller leaves unchanged.
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

}  // namespace dynamo::reconciler
