#include "admission/admit.hpp"

namespace dynamo::admission {

Decision& Admitter::call(const Route& route, const api::AdmissionRequest& request,
                         const EvaluationInputs& inputs) {
  evaluate(route, request, inputs, decision_);
  if (const auto fault = patch_check_.verify(route, request, inputs, decision_)) {
    throw Defect("defect in defaulting: " + *fault);
  }
  return decision_;
}

Admission Admitter::admit(api::Kind kind, api::AdmissionRequest request,
                          const EvaluationInputs& inputs) {
  patch_.clear();
  if (const Route* defaulting = find_route(kind, Purpose::kDefault)) {
    call(*defaulting, request, inputs);
    if (!decision_.patch.empty()) {
      patch_ = decision_.patch.text();
      request.object = patch_check_.patched();
    }
  }
  const Route* validating = find_route(kind, Purpose::kValidate);
  if (validating == nullptr) throw Defect("a kind without a route");
  return {call(*validating, request, inputs), patch_, request.object};
}

}  // namespace dynamo::admission
