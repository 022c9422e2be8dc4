#include "admission/request_evaluator.hpp"

namespace dynamo::admission {

Decision& RequestEvaluator::evaluate(const Route& route, const api::AdmissionRequest& request,
                                     const EvaluationInputs& inputs) {
  admission::evaluate(route, request, inputs, decision_);
  if (const auto fault = patch_check_.check(route, request, inputs, decision_)) {
    throw Defect("defect in defaulting: " + *fault);
  }
  return decision_;
}

Admission RequestEvaluator::evaluate_both(api::Kind kind, api::AdmissionRequest request,
                                          const EvaluationInputs& inputs) {
  patch_.clear();
  // Later operators default some kinds of v1alpha1 on the path of v1beta1 alone.
  if (const Route* defaulting = find_route(kind, Purpose::kDefault, api::Version::kV1beta1)) {
    evaluate(*defaulting, request, inputs);
    if (!decision_.patch.empty()) {
      patch_ = decision_.patch.text();
      request.object = patch_check_.patched();
    }
  }
  const Route* validating = find_route(kind, Purpose::kValidate, request.version());
  if (validating == nullptr) throw Defect("a kind without a route");
  return {evaluate(*validating, request, inputs), patch_, request.object};
}

}  // namespace dynamo::admission
