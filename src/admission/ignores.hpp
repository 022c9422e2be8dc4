// Lets an object's author ignore findings through an annotation. The server honours it only if its
// policy allows that.
#pragma once

#include <string_view>

#include "admission/evaluate.hpp"
#include "json/document.hpp"

namespace dynamo::admission {

// "dynamo-admission.nvidia.com/ignore: RULE[,RULE]", ids or globs, on an object, with the reason in
// the other annotation. Without a reason nothing is ignored.
inline constexpr std::string_view kIgnoreAnnotation = "dynamo-admission.nvidia.com/ignore";
inline constexpr std::string_view kIgnoreReasonAnnotation =
    "dynamo-admission.nvidia.com/ignore-reason";

// Whether an author may ignore errors of that rule: only rules on rendered objects, except those
// that report objects which could not be validated. Rules of the operator and rules on policy
// parameters can never be ignored; warnings always can.
bool may_be_ignored(std::string_view rule);

// The warning for an annotation that matches a finding but gives no reason.
inline constexpr std::string_view kNoReason =
    "ignores nothing without a reason; write dynamo-admission.nvidia.com/ignore-reason: WHY beside "
    "it, or remove it";

// Removes the findings that the annotations of `object` name, counts them in the decision, and adds
// one warning per rule. If errors were omitted, errors are kept, because the omitted ones are
// unknown. Findings that a policy exempts stay warnings.
void take_ignored(json::Value object, Decision& decision);

}  // namespace dynamo::admission
