// From a decision to the text of an AdmissionReview answer.
#pragma once

#include <string>
#include <vector>

#include "admission/evaluate.hpp"
#include "admission/routes.hpp"
#include "api/admission_review.hpp"

namespace dynamo::admission {

// Whether a denial is enforced, or only told: kAudit allows, with the errors as warnings.
enum class Enforcement : unsigned char { kDeny, kAudit };

// What the object is called: metadata.name, else the request's name, else metadata.generateName.
std::string_view object_name(const api::AdmissionRequest& request);

// The warnings as they are sent, inside of what the API server passes on (it drops a warning with a
// control character, and cuts all of them to 256 characters once they exceed 4,096 together): no
// control characters, at most 256 characters each and 4,096 in all, the rest told as a count. Where
// something is left out, what exemptions excuse comes first, once for each rule. `first`, unless it
// is empty, comes before all.
std::vector<std::string> render_warnings(const api::ErrorList& findings, bool errors_too,
                                         const std::string& first = {});

// "DynamoGraphDeployment.nvidia.com "NAME" is invalid: [FIELD: MESSAGE, …]", as the API server
// words its own.
std::string denial_message(api::Kind kind, std::string_view object_name,
                           const api::ErrorList& findings);

// The rule ids of the errors, each once, in the order of the errors.
std::vector<std::string_view> rule_ids(const api::ErrorList& findings);

// Appends the whole answer to `out`.
void write_answer(const Route& route, const api::AdmissionRequest& request, Decision& decision,
                  Enforcement enforcement, std::string& out);

}  // namespace dynamo::admission
