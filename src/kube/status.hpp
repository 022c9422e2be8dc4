// What the API server says when it refuses: metav1.Status, as an Error.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "json/document.hpp"
#include "kube/error.hpp"

namespace dynamo::kube {

// Of an answer that is no success. `what` was asked ("get secrets dynamo/webhook-cert"), `body` is
// what came: a Status, or anything (a proxy's page), of which the first line is told.
Error error_of_answer(std::string_view what, int http_status, std::string_view body,
                      std::optional<std::chrono::seconds> retry_after);

// Of a Status object, such as a watch's ERROR event carries. A time to wait is a day at most.
Error error_of_status(std::string_view what, json::Value status);

// Puts what was asked in front of the text of an error below HTTP.
Error with_subject(Error error, std::string_view what);

}  // namespace dynamo::kube
