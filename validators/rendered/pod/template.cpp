// Fields that a pod may have but the template of a workload may not.
#include <algorithm>
#include <string>

#include "schema/suggest.hpp"
#include "schema/wording.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/pod/vocabulary.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::pod {

using api::Context;

namespace {

using api::ErrorType;
using render::Workload;

// Since this minor version init containers may have other restart policies (beta, with rules by
// exit code).
constexpr int kContainerRestartRulesSince = 34;

bool is_restart_policy(std::string_view policy) {
  return std::ranges::find(kRestartPolicies.words, policy) != kRestartPolicies.words.end();
}

// "; did you mean X?", or "".
std::string suggest_policy(std::string_view policy) {
  if (is_restart_policy(policy)) return {};
  return schema::did_you_mean(schema::nearest_word(kRestartPolicies.words, policy));
}

bool through_grove(Workload workload) {
  return workload == Workload::kPodClique || workload == Workload::kPodCliqueScalingGroup;
}

// An error if `certain`, otherwise a warning.
void add_finding(bool certain, const RenderedPod& pod, const render::Origin& origin,
                 std::string detail, Report& report) {
  if (certain) return add_at(report, ErrorType::kForbidden, pod, origin, std::move(detail));
  warn_at(report, pod, origin, std::move(detail));
}

void check_restart_policy(const RenderedPod& pod, Workload workload, Report& report) {
  const std::string_view policy = pod.pod->user["restartPolicy"].string_or_empty();
  const render::Origin origin = pod.pod->field("restartPolicy");
  if (pod.pod->block == render::Block::kTemplate) {
    if (policy.empty() || policy == "Never") return;
    return add_finding(
        false, pod, origin,
        found("must be \"Never\" for a checkpoint's job, and is made so", policy, "remove it"),
        report);
  }
  if (policy.empty() || policy == "Always") return;
  const bool typo = !is_restart_policy(policy);
  const bool deployed = workload == Workload::kDeployment || workload == Workload::kLeaderWorkerSet;
  add_finding(typo || deployed, pod, origin,
              found("must be \"Always\": a Deployment or LeaderWorkerSet has no other", policy,
                    "remove it") +
                  suggest_policy(policy),
              report);
}

void check_pod_fields(const Context& context, const RenderedPod& pod, Workload workload,
                      Report& report) {
  const json::Value user = pod.pod->user;
  const bool job = pod.pod->block == render::Block::kTemplate;
  if (list_size(user["ephemeralContainers"]) > 0) {
    add_finding(true, pod, pod.pod->field("ephemeralContainers"),
                "must not be set: these containers are added to running pods only; remove it",
                report);
  }
  if (!job && !user["activeDeadlineSeconds"].is_nothing()) {
    const bool deployed =
        workload == Workload::kDeployment || workload == Workload::kLeaderWorkerSet;
    add_finding(
        deployed, pod, pod.pod->field("activeDeadlineSeconds"),
        "must not be set: a Deployment or LeaderWorkerSet has no deadline, and in Grove every pod "
        "would end by it; remove it",
        report);
  }
  if (!user["nodeName"].string_or_empty().empty() && !job) {
    add_finding(
        through_grove(workload), pod, pod.pod->field("nodeName"),
        "must not be set: it goes past the scheduler, binds every replica to one node, and Grove "
        "refuses it; use nodeSelector or affinity",
        report);
  }
  // It is valid in a Deployment, so it is not reported if the workload is unknown.
  if (through_grove(workload) && list_size(user["topologySpreadConstraints"]) > 0) {
    add_finding(
        context.operation == api::Operation::kCreate, pod,
        pod.pod->field("topologySpreadConstraints"),
        "must not be set for a graph that runs through Grove, which refuses it; remove it, or set "
        "the annotation nvidia.com/enable-grove to \"false\"",
        report);
  }
}

void check_init_container(const Context& context, const RenderedPod& pod,
                          const render::Container& container, Report& report) {
  const std::string_view policy = container.user["restartPolicy"].string_or_empty();
  if (policy == "Always") return;
  if (!policy.empty()) {
    const bool older = context.facts.kubernetes_minor.has_value() &&
                       *context.facts.kubernetes_minor < kContainerRestartRulesSince;
    // All versions refuse a word that is none of the three.
    if (older || !is_restart_policy(policy)) {
      add_at(report, ErrorType::kNotSupported, pod, container.field("restartPolicy"),
             found("must be \"Always\" or not set for an init container", policy) +
                 suggest_policy(policy));
    }
  }
  for (const std::string_view name :
       {"livenessProbe", "readinessProbe", "startupProbe", "lifecycle"}) {
    if (container.user[name].is_nothing()) continue;
    add_finding(
        true, pod, container.field(name),
        "must not be set for an init container that ends; remove it, or set restartPolicy to "
        "\"Always\" for one that runs together with the others",
        report);
  }
}

void forbidden_in_template(const Context& context, const RenderedPod& pod, Report& report) {
  const Workload workload = render::workload_of(*pod.component);
  check_restart_policy(pod, workload, report);
  check_pod_fields(context, pod, workload, report);
  for (const render::Container& container : pod.pod->init_containers) {
    check_init_container(context, pod, container, report);
  }
}

}  // namespace

extern constexpr Rule kForbiddenInTemplateRule{
    .id = "pod.forbidden-in-template",
    .kinds = kinds::kPods,
    .function = &forbidden_in_template,
    .field = "E",
};

}  // namespace dynamo::validators::pod
