// Writes a decision as the response of an AdmissionReview.
#pragma once

#include <string>
#include <vector>

#include "admission/evaluate.hpp"
#include "admission/routes.hpp"
#include "api/admission_review.hpp"

namespace dynamo::admission {

// Whether denials are enforced. kAudit allows the request and returns the errors as warnings.
enum class Enforcement : unsigned char { kDeny, kAudit };

// The object's name: metadata.name, otherwise the request's name, otherwise metadata.generateName.
std::string_view object_name(const api::AdmissionRequest& request);

// The warnings of the response, within the API server's limits: no control characters, at most 256
// characters each and 4,096 in all. (The API server drops a warning with a control character, and
// cuts each to 256 characters once all exceed 4,096.) If warnings do not fit, the last one gives
// their number, and warnings about exemptions come first, one per rule. `first`, unless empty,
// precedes all others.
std::vector<std::string> render_warnings(const api::ErrorList& findings, bool errors_too,
                                         const std::string& first = {});

// "DynamoGraphDeployment.nvidia.com "NAME" is invalid: [FIELD: MESSAGE, ...]", in the API server's
// wording.
std::string denial_message(api::Kind kind, std::string_view object_name,
                           const api::ErrorList& findings);

// The rule ids of the errors without duplicates, in the order of the errors.
std::vector<std::string_view> rule_ids(const api::ErrorList& findings);

// Appends the whole response to `out`.
void write_answer(const Route& route, const api::AdmissionRequest& request, Decision& decision,
                  Enforcement enforcement, std::string& out);

}  // namespace dynamo::admission
