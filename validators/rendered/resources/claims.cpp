// The devices that a container claims from its pod.
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "text/names.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::resources {

using api::Context;

namespace {

using api::ErrorType;
using pod::found;
using render::Origin;
using render::ResourceClaim;

// The number of claims checked per pod and per container, which bounds the time.
constexpr std::size_t kMax = 64;

// Whether the API server is known to read the fields. Versions without dynamic resource allocation
// drop them.
bool claims_are_read(const Context& context) {
  constexpr int kFirstMinor = 34;
  return context.facts.kubernetes_minor && *context.facts.kubernetes_minor >= kFirstMinor;
}

// Whether the claim has a source that is unknown here, perhaps of another Kubernetes version.
bool has_unknown_source(json::Value claim) {
  for (const auto [name, value] : claim.members()) {
    const bool known =
        name == "name" || name == "resourceClaimName" || name == "resourceClaimTemplateName";
    if (!known) return true;
  }
  return false;
}

void check_source(const RenderedPod& pod, json::Value claim, const Origin& origin, bool proven,
                  Report& report) {
  const bool named = !claim["resourceClaimName"].is_nothing();
  const bool templated = !claim["resourceClaimTemplateName"].is_nothing();
  if (named && templated) {
    add_finding_at(
        report, proven, ErrorType::kInvalid, pod, origin,
        "must have one of resourceClaimName and resourceClaimTemplateName; found both; remove "
        "one");
  } else if (!named && !templated && !has_unknown_source(claim)) {
    add_finding_at(
        report, proven, ErrorType::kRequired, pod, origin,
        "must have one of resourceClaimName and resourceClaimTemplateName; found none; set one");
  }
  for (const std::string_view field : {"resourceClaimName", "resourceClaimTemplateName"}) {
    const auto name = claim[field].string();
    if (!name || text::is_dns_subdomain(*name)) continue;
    add_finding_at(report, proven, ErrorType::kInvalid, pod, origin.child(field),
                   found(pod::kDnsSubdomainForm, *name));
  }
}

// The names of a pod's claims, read once because each claim of each container is looked up in them.
class PodClaims {
 public:
  explicit PodClaims(json::Value claims) : are_all_(pod::list_size(claims) <= kMax) {
    for (const json::Value claim : claims.elements()) {
      if (count_ == kMax) return;
      names_[count_++] = claim["name"].string_or_empty();
    }
  }

  std::string_view name(std::size_t index) const { return names_[index]; }
  // Whether one of the first `count` claims has that name.
  bool have(std::string_view name, std::size_t count) const {
    const std::span<const std::string_view> names = std::span(names_).first(count);
    return std::ranges::find(names, name) != names.end();
  }
  // Whether certainly no claim has that name.
  bool certainly_lacks(std::string_view name) const { return are_all_ && !have(name, count_); }

 private:
  std::array<std::string_view, kMax> names_;
  std::size_t count_ = 0;
  const bool are_all_;
};

void check_pods_claims(const RenderedPod& pod, json::Value claims, const PodClaims& names,
                       bool proven, Report& report) {
  const Origin list = pod.pod->field("resourceClaims");
  std::size_t next = 0;
  for (const json::Value claim : claims.elements()) {
    if (next == kMax) return;
    const std::size_t index = next++;
    const Origin origin = list.at(index);
    const std::string_view name = names.name(index);
    if (!claim.is_object()) continue;
    if (name.empty()) {
      add_finding_at(report, proven, ErrorType::kRequired, pod, origin.child("name"),
                     "must be set");
    } else if (!text::is_dns_label(name)) {
      add_finding_at(report, proven, ErrorType::kInvalid, pod, origin.child("name"),
                     found(pod::kDnsLabelForm, name));
    } else if (names.have(name, index)) {
      add_finding_at(report, proven, ErrorType::kDuplicate, pod, origin.child("name"),
                     found("must be unique in the pod", name, "rename one of the two"));
    }
    check_source(pod, claim, origin, proven, report);
  }
}

std::string_view request_of(const ResourceClaim& claim) {
  return claim.definition["request"].string_or_empty();
}

// A claim without a request covers all requests.
bool are_overlapping(const ResourceClaim& left, const ResourceClaim& right) {
  if (left.name != right.name) return false;
  const std::string_view one = request_of(left);
  const std::string_view other = request_of(right);
  return one == other || one.empty() || other.empty();
}

void check_containers_claims(const Context& context, const RenderedPod& pod,
                             const render::Container& container, const PodClaims& claims,
                             bool proven, Report& report) {
  const auto all = container.resources.claims;
  for (std::size_t at = 0; at < std::min(all.size(), kMax); ++at) {
    const ResourceClaim& claim = all[at];
    const Origin origin = claim.origin.child("name");
    if (claim.name.empty()) {
      add_finding_at(report, proven, ErrorType::kRequired, pod, origin, "must be set");
      continue;
    }
    const auto before = all.first(at);
    const auto repeated = std::ranges::find_if(
        before, [&](const ResourceClaim& each) { return are_overlapping(each, claim); });
    if (repeated != before.end()) {
      const bool in_both = repeated->origin.block != claim.origin.block;
      const Severity outcome =
          in_both ? severity_of(OperatorBehaviour::kClaimTwice, context) : Severity::kDeny;
      add_finding_at(
          report, if_certain(proven, outcome), ErrorType::kDuplicate, pod, origin,
          found("must be claimed once by a container", claim.name, "remove one of the two"));
    }
    const std::string_view request = request_of(claim);
    if (!request.empty() && !text::is_dns_label(request)) {
      add_finding_at(report, proven, ErrorType::kInvalid, pod, claim.origin.child("request"),
                     found(pod::kDnsLabelForm, request));
    }
    if (claims.certainly_lacks(claim.name)) {
      add_finding_at(report, proven, ErrorType::kNotFound, pod, origin,
                     found("must be the name of one of the pod's resourceClaims", claim.name,
                           "correct it, or add the claim to extraPodSpec.resourceClaims"));
    }
  }
}

void claims_unknown(const Context& context, const RenderedPod& pod, Report& report) {
  const bool proven = claims_are_read(context);
  const json::Value claims = pod.pod->user["resourceClaims"];
  bool are_claimed = claims.size() > 0;
  pod::for_each_container(*pod.pod, [&](const render::Container& container) {
    are_claimed = are_claimed || !container.resources.claims.empty();
  });
  if (!are_claimed) return;
  const PodClaims names(claims);
  if (claims.size() > 0) check_pods_claims(pod, claims, names, proven, report);
  pod::for_each_container(*pod.pod, [&](const render::Container& container) {
    check_containers_claims(context, pod, container, names, proven, report);
  });
}

}  // namespace

extern constexpr Rule kClaimsUnknownRule{
    .id = "res.claims.unknown",
    .kinds = kinds::kPods,
    .function = &claims_unknown,
    .field = "P.resources.claims, C.resources.claims, E.resourceClaims",
};

}  // namespace dynamo::validators::resources
