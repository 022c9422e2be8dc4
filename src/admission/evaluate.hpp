// From a decoded request to a decision. Pure: everything it depends on is an argument.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/namespace_lease.hpp"
#include "admission/policy.hpp"
#include "admission/routes.hpp"
#include "api/admission_review.hpp"
#include "api/context.hpp"
#include "api/error_list.hpp"
#include "json/parser.hpp"
#include "json/patch.hpp"
#include "render/arena.hpp"

namespace dynamo::admission {

// Why a request was allowed without being judged.
enum class Exemption : unsigned char {
  kNone,
  kOperation,       // DELETE and CONNECT are never judged
  kSubResource,     // status and scale are the controllers' own
  kTerminating,     // deletion was requested and the spec is unchanged: finalizers must go
  kOtherNamespace,  // outside of the one namespace that the server is restricted to
  kNamespaceLease,  // a live lease: the namespace belongs to another operator
};
inline constexpr std::array<std::string_view, 6> kExemptionNames{
    "none", "operation", "sub_resource", "terminating", "other_namespace", "namespace_lease"};

constexpr std::string_view name(Exemption exemption) {
  return kExemptionNames[static_cast<std::size_t>(exemption)];
}

// What the world looks like to one request. Referred to, not owned: all of it outlives the answer.
struct Environment {
  const api::Settings& settings;
  const api::ClusterFacts& facts;
  const NamespaceLeases& leases;
  std::chrono::system_clock::time_point now;
  const Policy* policy = nullptr;                // null: the catalogue's severities, no exemptions
  const api::ClusterObjects* objects = nullptr;  // null: no rule looks names up
  // The caller hears what annotations ask to ignore and takes it out itself, whatever the policy
  // says.
  bool hears_ignored = false;
};

// Reused from request to request: clear() keeps the memory.
struct Decision {
  Exemption exemption = Exemption::kNone;
  // Of the Lease in the object's namespace, if it matters: whose the namespace is, if it says so,
  // and until when it leaves, or left, the namespace to that one.
  std::string_view lease_holder;
  std::optional<std::chrono::system_clock::time_point> lease_end;
  // Ratcheted rules forgave nothing: the object may be from a time of that Lease.
  bool judged_whole = false;
  api::ErrorList findings;
  json::PatchWriter patch;
  // Exemptions of the policy without which the request would be denied, each once.
  std::vector<const PolicyExemption*> used_exemptions;
  // Findings that were taken out because an annotation of the object asks for it.
  std::size_t ignored_errors = 0;
  std::size_t ignored_warnings = 0;
  render::Arena arena;  // what the judgement needed on its way

  bool allowed() const { return !findings.has_errors(); }
  void clear();
};

// Judges or defaults `request` as the route says. Precondition: the request has the objects that
// its operation needs (see missing_object()) and the kind of the route. Throws only what a defect
// throws.
void evaluate(const Route& route, const api::AdmissionRequest& request,
              const Environment& environment, Decision& decision);

// The field of the review that must hold an object for this operation and does not, or "".
std::string_view missing_object(const api::AdmissionRequest& request);

// Applies `decision.patch` to the object and defaults the result again. Answers nothing when every
// operation applies and the second pass finds nothing left to set; else one line saying what is
// wrong, which is a defect of ours. Memory is kept from call to call; not thread-safe.
class PatchCheck {
 public:
  std::optional<std::string> verify(const Route& route, const api::AdmissionRequest& request,
                                    const Environment& environment, Decision& decision);

  // The object with the patch applied, after verify() answered nothing for a patch that is not
  // empty. Refers to the request's texts; valid until the next call.
  json::Value patched() const { return patched_.root(); }

  // Gives back memory above so many nodes of a patched object.
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
