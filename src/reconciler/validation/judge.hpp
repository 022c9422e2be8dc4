// What the rules say of an object that is stored already: the same words as a webhook's denial.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/admit.hpp"
#include "api/admission_review.hpp"
#include "api/kind.hpp"
#include "json/document.hpp"
#include "kube/object.hpp"

namespace dynamo::reconciler::validation {

struct Verdict {
  admission::Exemption exemption = admission::Exemption::kNone;  // nobody was asked
  // Of the errors, each once; empty: none.
  std::vector<std::string_view> rules = {};  // of static lifetime
  std::string message = {};                  // as the webhook's answer words it; empty: no error

  bool is_valid() const { return rules.empty(); }
};

// As if the object were created now, by nobody. Views into it.
api::AdmissionRequest request_of(api::Kind kind, const kube::Object& object);

// Holds the memory that judgements reuse. Not thread-safe.
class Judge {
 public:
  // The object as if it were created now: what a webhook would say of it. Throws what a defect in a
  // rule throws.
  Verdict judge(api::Kind kind, const kube::Object& object,
                const admission::Environment& environment);

  // What of it must not have changed since its spec was `before` (a part of it: immutable_part()).
  // Its status is taken to have been what it is. Only the rules about changes are asked, and not
  // who made them.
  Verdict judge_change(api::Kind kind, const kube::Object& object, std::string_view before,
                       const admission::Environment& environment);

 private:
  admission::Admitter admitter_;
};

}  // namespace dynamo::reconciler::validation
