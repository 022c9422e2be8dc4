// Lets an object's author ignore findings through an annotation. The server honours it only if its
// policy allows that.
#pragma once

#include <string_view>

#include "admission/evaluate.hpp"
#include "json/document.hpp"
#include "validators/ignore_list.hpp"

namespace dynamo::admission {

// Without a reason in the other annotation nothing is ignored.
using validators::kIgnoreAnnotation;
using validators::kIgnoreReasonAnnotation;

// Whether an author may ignore errors of that rule: only rules on rendered objects, except those
// that report objects which could not be validated. Rules of the operator and rules on policy
// parameters can never be ignored; warnings always can.
bool can_be_ignored(std::string_view rule);

// The warning for an annotation that matches a finding but gives no reason.
inline constexpr std::string_view kNoReason =
    "ignores nothing without a reason; write dynamo-admission.nvidia.com/ignore-reason: WHY next "
    "to it, or remove it";

// Removes the findings that the annotations of `object` name, counts them in the decision, and adds
// one warning per rule. If errors were omitted, errors are kept, because the omitted ones are
// unknown. Findings that a policy exempts stay warnings.
void remove_ignored_findings(json::Value object, Decision& decision);

}  // namespace dynamo::admission
