// What the operator's own rules say of an object: controllers ask them again, since webhooks may
// have been off when it was written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/kind.hpp"
#include "json/document.hpp"

namespace dynamo::reconciler {

// The errors, each as one line with its path; none for an object that may be acted on. Those of our
// own rules beyond the operator's belong to the webhook: an object that it let through, or that was
// there before it, runs. Thread-safe.
std::vector<std::string> errors_of(api::Kind kind, json::Value object,
                                   std::string_view namespace_name, std::string_view name);

}  // namespace dynamo::reconciler
