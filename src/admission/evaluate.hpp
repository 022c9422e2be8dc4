// Evaluates a decoded request. Pure: all inputs are arguments.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/both_versions.hpp"
#include "admission/namespace_lease.hpp"
#include "admission/policy.hpp"
#include "admission/routes.hpp"
#include "api/admission_review.hpp"
#include "api/context.hpp"
#include "api/error_list.hpp"
#include "json/parser.hpp"
#include "json/patch.hpp"
#include "render/document/arena.hpp"

namespace dynamo::admission {

// Why a request was allowed without validation.
enum class Exemption : unsigned char {
  kNone,
  kOperation,    // DELETE and CONNECT are never validated
  kSubResource,  // status and scale belong to the controllers
  kTerminating,  // deletion was requested and the spec is unchanged: finalizers must be removable
  kOtherNamespace,  // outside the only namespace of a restricted server
  kNamespaceLease,  // a live Lease: the namespace belongs to another operator
};
inline constexpr std::array<std::string_view, 6> kExemptionNames{
    "none", "operation", "sub_resource", "terminating", "other_namespace", "namespace_lease"};

constexpr std::string_view name(Exemption exemption) {
  return kExemptionNames[static_cast<std::size_t>(exemption)];
}

// The inputs of a request's evaluation. Holds references; all of them must outlive the response.
struct EvaluationInputs {
  const api::Settings& settings;
  const api::ClusterFacts& facts;
  const NamespaceLeases& leases;
  std::chrono::system_clock::time_point now;
  const Policy* policy = nullptr;                // null: the catalog's severities, no exemptions
  const api::ClusterObjects* objects = nullptr;  // null: no lookups
  // The caller applies the ignore annotations itself, regardless of the policy: evaluate() leaves
  // ignored findings in place.
  bool caller_applies_ignores = false;
  // The operator's own configuration, and limits for parameters that the policy does not set; null:
  // none.
  const api::Parameters* default_parameters = nullptr;
  // The object is stored, and the caller creates other objects from it. For a component that a
  // graph owns, the policy then applies by the graph's name, regardless of who wrote the component.
  bool is_stored = false;
};

// Reused for each request: clear() keeps the memory.
struct Decision {
  Exemption exemption = Exemption::kNone;
  // Holder and end of the marker Lease in the object's namespace. Until that end, which may be in
  // the past, we do not validate there. Without a relevant Lease, `lease_end` is absent.
  std::string_view lease_holder;
  std::optional<std::chrono::system_clock::time_point> lease_end;
  // Ratcheted rules also reported violations that existed before, because they may have been
  // admitted under that Lease.
  bool validated_in_full = false;
  // Why the request as a whole is denied, in one line, before any rule ran; "": it is not.
  std::string refusal;
  api::ErrorList findings;
  json::PatchWriter patch;
  // Exemptions of the policy without which the request would be denied, without duplicates.
  std::vector<const PolicyExemption*> used_exemptions;
  // Findings that were removed because of the object's ignore annotation.
  std::size_t ignored_errors = 0;
  std::size_t ignored_warnings = 0;
  render::Arena arena;    // scratch memory of the evaluation
  BothVersions versions;  // scratch memory for objects that later operators reconcile

  bool is_allowed() const { return !findings.has_errors() && refusal.empty(); }
  void clear();
};

// Whether the operator can serve objects of the version: v1beta1 needs a later one.
bool can_be_served(api::Version version, const api::ClusterFacts& facts);

// Validates or defaults `request`, depending on the route. A v1beta1 object belongs to a later
// operator, even if the facts do not name the generation. Precondition: the request has the
// objects that its operation needs (see missing_object()) and the kind of the route. Throws only on
// defects.
void evaluate(const Route& route, const api::AdmissionRequest& request,
              const EvaluationInputs& inputs, Decision& decision);

// The field of the review that must contain an object for this operation and does not, or "".
std::string_view missing_object(const api::AdmissionRequest& request);

// Applies `decision.patch` to the object and defaults the result again. nullopt if every operation
// applies and the second run adds nothing. Otherwise one line that describes the defect in our
// code. The memory is kept between calls; not thread-safe.
class PatchCheck {
 public:
  std::optional<std::string> check(const Route& route, const api::AdmissionRequest& request,
                                   const EvaluationInputs& inputs, Decision& decision);

  // The object with the patch applied, after check() returned nullopt for a non-empty patch.
  // Refers to the request's texts; valid until the next call.
  json::Value patched() const { return patched_.root(); }

  // Frees memory above `nodes` nodes of a patched object.
  void shrink_to(std::size_t nodes) {
    if (patched_.capacity() > nodes) [[unlikely]]
      patched_.shrink_to(nodes);
  }

 private:
  json::Parser parser_;
  std::string text_;
  json::Document patch_;
  json::Document patched_;
  json::PatchWriter second_;
};

}  // namespace dynamo::admission
