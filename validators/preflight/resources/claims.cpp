// Devices that a container claims from its pod.
#include <algorithm>
#include <array>
#include <cstddef>

#include "text/names.hpp"
#include "validators/preflight/pod/walk.hpp"
#include "validators/preflight/proof.hpp"
#include "validators/preflight/resources/resources.hpp"

namespace dynamo::validators::resources {
namespace {

using api::ErrorType;
using pod::found;
using render::Origin;
using render::ResourceClaim;

// Claims that are looked at, of a pod and of a container, so that the time stays bounded.
constexpr std::size_t kMost = 64;

// Where devices are not given out by claims the API server drops the fields unread.
bool claims_are_read(const Context& context) {
  constexpr int kFirstMinor = 34;
  return context.facts.kubernetes_minor && *context.facts.kubernetes_minor >= kFirstMinor;
}

// What another Kubernetes may know as a source.
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
    say_at(report, proven, ErrorType::kInvalid, pod, origin,
           "must have one of resourceClaimName and resourceClaimTemplateName; found both; remove "
           "one");
  } else if (!named && !templated && !has_unknown_source(claim)) {
    say_at(report, proven, ErrorType::kRequired, pod, origin,
           "must have one of resourceClaimName and resourceClaimTemplateName; found none; set one");
  }
  for (const std::string_view field : {"resourceClaimName", "resourceClaimTemplateName"}) {
    const auto name = claim[field].string();
    if (!name || text::is_dns_subdomain(*name)) continue;
    say_at(report, proven, ErrorType::kInvalid, pod, origin.child(field),
           found(pod::kDnsSubdomainForm, *name));
  }
}

void check_pods_claims(const RenderedPod& pod, json::Value claims, bool proven, Report& report) {
  const Origin list = pod.pod->field("resourceClaims");
  std::array<std::string_view, kMost> names;
  std::size_t index = 0;
  for (const json::Value claim : claims.elements()) {
    if (index == kMost) return;
    const Origin origin = list.at(index);
    const std::string_view name = claim["name"].string_or_empty();
    const auto last = names.begin() + static_cast<std::ptrdiff_t>(index);
    names[index++] = name;
    if (!claim.is_object()) continue;
    if (name.empty()) {
      say_at(report, proven, ErrorType::kRequired, pod, origin.child("name"), "must be set");
    } else if (!text::is_dns_label(name)) {
      say_at(report, proven, ErrorType::kInvalid, pod, origin.child("name"),
             found(pod::kDnsLabelForm, name));
    } else if (std::find(names.begin(), last, name) != last) {
      say_at(report, proven, ErrorType::kDuplicate, pod, origin.child("name"),
             found("must be unique in the pod", name, "rename one of the two"));
    }
    check_source(pod, claim, origin, proven, report);
  }
}

std::string_view request_of(const ResourceClaim& claim) {
  return claim.definition["request"].string_or_empty();
}

// A claim without a request is one on all of them.
bool overlap(const ResourceClaim& left, const ResourceClaim& right) {
  if (left.name != right.name) return false;
  const std::string_view one = request_of(left);
  const std::string_view other = request_of(right);
  return one == other || one.empty() || other.empty();
}

bool names_one_of(json::Value claims, std::string_view name) {
  for (const json::Value claim : claims.elements()) {
    if (claim["name"].string_or_empty() == name) return true;
  }
  return false;
}

void check_containers_claims(const Context& context, const RenderedPod& pod,
                             const render::Container& container, json::Value claims, bool proven,
                             Report& report) {
  const auto all = container.resources.claims;
  for (std::size_t at = 0; at < std::min(all.size(), kMost); ++at) {
    const ResourceClaim& claim = all[at];
    const Origin origin = claim.origin.child("name");
    if (claim.name.empty()) {
      say_at(report, proven, ErrorType::kRequired, pod, origin, "must be set");
      continue;
    }
    const auto before = all.first(at);
    const auto repeated = std::ranges::find_if(
        before, [&](const ResourceClaim& each) { return overlap(each, claim); });
    if (repeated != before.end()) {
      const bool in_both = repeated->origin.block != claim.origin.block;
      const Severity outcome = in_both ? outcome_of(Habit::kClaimTwice, context) : Severity::kDeny;
      say_at(report, if_certain(proven, outcome), ErrorType::kDuplicate, pod, origin,
             found("must be claimed once by a container", claim.name, "remove one of the two"));
    }
    const std::string_view request = request_of(claim);
    if (!request.empty() && !text::is_dns_label(request)) {
      say_at(report, proven, ErrorType::kInvalid, pod, claim.origin.child("request"),
             found(pod::kDnsLabelForm, request));
    }
    if (pod::list_size(claims) <= kMost && !names_one_of(claims, claim.name)) {
      say_at(report, proven, ErrorType::kNotFound, pod, origin,
             found("must be the name of one of the pod's resourceClaims", claim.name,
                   "correct it, or add the claim to extraPodSpec.resourceClaims"));
    }
  }
}

}  // namespace

void claims_unknown(const Context& context, const RenderedPod& pod, Report& report) {
  const bool proven = claims_are_read(context);
  const json::Value claims = pod.pod->user["resourceClaims"];
  if (claims.size() > 0) check_pods_claims(pod, claims, proven, report);
  pod::for_each_container(*pod.pod, [&](const render::Container& container) {
    check_containers_claims(context, pod, container, claims, proven, report);
  });
}

}  // namespace dynamo::validators::resources
