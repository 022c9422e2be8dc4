// What an object's author asks not to hear, by an annotation. The server takes notice of it only
// where its policy says so.
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

// Whether an author may ignore an error of that rule: if it is about what will be made of the
// object, and not about what cannot be judged. Never one of the operator's own or of a policy's
// parameters. Warnings may always be ignored.
bool may_be_ignored(std::string_view rule);

// What is said of the annotation where it names something that was found, and no reason.
inline constexpr std::string_view kNoReason =
    "ignores nothing without a reason; write dynamo-admission.nvidia.com/ignore-reason: WHY beside "
    "it, or remove it";

// Takes out of the findings what the annotations of `object` name, counts it in the decision, and
// says so in one warning for each rule. An error stays when there are more than are kept, since
// nobody knows what the others are; what a policy exempts stays a warning.
void take_ignored(json::Value object, Decision& decision);

}  // namespace dynamo::admission
