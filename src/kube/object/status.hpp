// An API server's refusal (metav1.Status) as an Error.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "json/document.hpp"
#include "kube/object/error.hpp"

namespace dynamo::kube {

// The error of an unsuccessful answer. `what` is the request ("get secrets dynamo/webhook-cert").
// `body` is a Status, or anything else (a proxy's page), whose first line is quoted.
Error error_of_answer(std::string_view what, int http_status, std::string_view body,
                      std::optional<std::chrono::seconds> retry_after);

// The error of a Status object, such as in a watch's ERROR event. Retry-After is limited to one
// day.
Error error_of_status(std::string_view what, json::Value status);

// Prepends the request to the text of an error below HTTP.
Error with_subject(Error error, std::string_view what);

}  // namespace dynamo::kube
