// One way to judge, for the server, the dry run, the library and controllers alike: what becomes of
// a request by our webhooks, with defaults, exemptions, rules and policy.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "admission/evaluate.hpp"
#include "admission/routes.hpp"
#include "api/admission_review.hpp"
#include "json/document.hpp"

namespace dynamo::admission {

// Our own patch does not do what it should. It leaves like any other defect: as an exception, for
// the one firewall of whoever asked.
class Defect : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// What becomes of a request. Views are valid until the Admitter is used again, and as long as the
// request's texts are.
struct Admission {
  const Decision& decision;  // of the rules
  std::string_view patch;    // the defaults as a JSON Patch; "" for none
  json::Value object;        // what was judged: the request's object with the defaults
};

// Holds the memory that requests reuse. Not thread-safe: one per thread.
class Admitter {
 public:
  // What the one webhook of `route` decides. Preconditions as for evaluate(). Throws Defect when
  // the patch is wrong, and what a defect in a rule throws.
  Decision& call(const Route& route, const api::AdmissionRequest& request,
                 const Environment& environment);

  // What both webhooks decide of an object of `kind`, in the API server's order: the rules see the
  // defaults. Preconditions and exceptions as for call().
  Admission admit(api::Kind kind, api::AdmissionRequest request, const Environment& environment);

  const Decision& decision() const { return decision_; }

  // Gives back memory above so many nodes of a patched object.
  void shrink_to(std::size_t nodes) { patch_check_.shrink_to(nodes); }

 private:
  Decision decision_;
  PatchCheck patch_check_;
  std::string patch_;
};

}  // namespace dynamo::admission
