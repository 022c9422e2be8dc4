// References of a pod to other objects.
#include "text/names.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::pod {

using api::Context;

namespace {

using api::ErrorType;

void check_name(const RenderedPod& pod, std::string_view field, bool certain, Report& report) {
  const std::string_view name = pod.pod->user[field].string_or_empty();
  if (name.empty() || text::is_dns_subdomain(name)) return;
  add_finding_at(report, certain, ErrorType::kInvalid, pod, pod.pod->field(field),
                 found(kDnsSubdomainForm, name));
}

// The operator replaces the account of a graph's planner unless Grove runs it.
void check_account(const RenderedPod& pod, Report& report) {
  if (pod.pod->service_account_origin.is_generated()) return;
  const render::Component& component = *pod.component;
  const bool can_be_replaced = component.in_graph &&
                               component.type == render::ComponentType::kPlanner &&
                               render::workload_of(component) == render::Workload::kUnknown;
  check_name(pod, "serviceAccountName", !can_be_replaced, report);
}

void references(const Context&, const RenderedPod& pod, Report& report) {
  const json::Value user = pod.pod->user;
  check_account(pod, report);
  for (const std::string_view field : {"priorityClassName", "runtimeClassName", "nodeName"}) {
    check_name(pod, field, true, report);
  }
  std::size_t index = 0;
  for (const json::Value secret : user["imagePullSecrets"].elements()) {
    const std::size_t at = index++;
    if (!secret.is_object() || !secret["name"].string_or_empty().empty()) continue;
    warn_at(report, pod, pod.pod->field("imagePullSecrets").at(at),
            "must have a name; found none, so it is of no use; name the secret, or remove the "
            "entry");
  }
  if (user["overhead"].size() > 0 && user["runtimeClassName"].string_or_empty().empty()) {
    add_at(report, ErrorType::kForbidden, pod, pod.pod->field("overhead"),
           "must come from a RuntimeClass: a pod that brings its own is refused; remove it, or "
           "name the class in runtimeClassName");
  }
  const auto priority = user["priority"].integer();
  if (priority && *priority != 0 && user["priorityClassName"].string_or_empty().empty()) {
    warn_at(report, pod, pod.pod->field("priority"),
            "must come from a PriorityClass: a pod that brings another is refused; remove it, and "
            "name the class in priorityClassName");
  }
}

}  // namespace

extern constexpr Rule kReferencesRule{
    .id = "pod.references",
    .kinds = kinds::kPods,
    .function = &references,
    .field = "E.serviceAccountName, E.priorityClassName, E.runtimeClassName",
};

}  // namespace dynamo::validators::pod
