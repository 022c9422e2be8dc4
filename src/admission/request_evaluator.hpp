// Evaluates a request with our webhooks' defaults, rules, exemptions and policy. The server, the
// dry run, the library and the controllers all use it.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "admission/evaluate.hpp"
#include "admission/routes.hpp"
#include "api/admission_review.hpp"
#include "json/document.hpp"

namespace dynamo::admission {

// Thrown if our own patch is wrong, which is a bug. The caller handles it like other exceptions.
class Defect : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// The result of a request. Views are valid until the RequestEvaluator is used again, and as long as
// the request's texts are.
struct Admission {
  const Decision& decision;  // of the rules
  std::string_view patch;    // the defaults as a JSON Patch; "" for none
  json::Value object;        // the validated object: the request's object with the defaults
};

// Holds the memory that requests reuse. Not thread-safe: one per thread.
class RequestEvaluator {
 public:
  // The decision of the one webhook of `route`. Preconditions as for evaluate(). Throws Defect if
  // the patch is wrong, and any exception of a defective rule.
  Decision& evaluate(const Route& route, const api::AdmissionRequest& request,
                     const EvaluationInputs& inputs);

  // The denial of a request as a whole.
  Decision& refuse(std::string reason) {
    decision_.clear();
    decision_.refusal = std::move(reason);
    return decision_;
  }

  // The decision of both webhooks on an object of `kind`, in the API server's order: rules see the
  // defaults. Preconditions and exceptions as for evaluate().
  Admission evaluate_both(api::Kind kind, api::AdmissionRequest request,
                          const EvaluationInputs& inputs);

  const Decision& decision() const { return decision_; }

  // The memory in bytes of converted objects, from now on; unlimited by default. Requests that need
  // more are denied.
  void limit_memory(std::size_t bytes) { decision_.versions.limit_memory(bytes); }

  // Frees memory above `nodes` nodes of a patched or converted object.
  void shrink_to(std::size_t nodes) {
    patch_check_.shrink_to(nodes);
    decision_.versions.shrink_to(nodes);
  }

 private:
  Decision decision_;
  PatchCheck patch_check_;
  std::string patch_;
};

}  // namespace dynamo::admission
