// Evaluates the rules on a stored object, with the same wording as a webhook's denial.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/request_evaluator.hpp"
#include "api/admission_review.hpp"
#include "api/kind.hpp"
#include "json/document.hpp"
#include "kube/object/object.hpp"

namespace dynamo::reconciler::validation {

struct ValidationResult {
  admission::Exemption exemption = admission::Exemption::kNone;  // no rule was evaluated
  // Rules with errors, each once; empty: none.
  std::vector<std::string_view> rules = {};  // static lifetime
  std::string message = {};                  // worded like the webhook's answer; empty: no error

  bool is_valid() const { return rules.empty(); }
};

// A request that creates the object now, without a user. Views into the object.
api::AdmissionRequest request_of(api::Kind kind, const kube::Object& object);

// Owns buffers that evaluations reuse. Not thread-safe.
class StoredObjectValidator {
 public:
  // Evaluates the object as if it were created now, like a webhook. Throws if a rule throws, which
  // is a defect.
  ValidationResult validate(api::Kind kind, const kube::Object& object,
                            const admission::EvaluationInputs& inputs);

  // Evaluates only the rules about changes, except those about the user, for a change of the spec
  // from `before` (the part from immutable_part()) to the present one. Assumes that the status has
  // not changed.
  ValidationResult validate_change(api::Kind kind, const kube::Object& object,
                                   std::string_view before,
                                   const admission::EvaluationInputs& inputs);

 private:
  admission::RequestEvaluator request_evaluator_;
};

}  // namespace dynamo::reconciler::validation
