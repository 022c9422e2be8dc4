#include "reconciler/component/workload.hpp"

#include <cstdint>
#include <vector>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object_meta.hpp"
#include "manifests/readiness.hpp"
#include "reconciler/component/refusals.hpp"
#include "text/presentable.hpp"

namespace dynamo::reconciler::component {
namespace {

constexpr std::string_view kDeployment = "Deployment";
constexpr std::string_view kGroup = "LeaderWorkerSet";
constexpr std::size_t kMaxNamed = 10;

std::int64_t count_of(json::Value status, std::string_view name) {
  return status[name].integer().value_or(0);
}

std::int64_t wanted_replicas(const render::DesiredObject& desired) {
  const auto manifest = json::parse_copy(desired.manifest);
  return manifest->root()["spec"]["replicas"].integer().value_or(1);
}

json::Value status_of(const kube::Object* live) {
  return live == nullptr ? json::Value{} : live->root()["status"];
}

// Why the cluster admits no more of its pods, such as a quota, a missing account or a webhook: "its
// pods are refused: ...", from the Deployment's condition. "" if it admits them.
std::string refusal_of(json::Value status) {
  const kube::Conditions conditions = kube::Conditions::read(status["conditions"]);
  if (!conditions.is_true("ReplicaFailure")) return "";
  std::string message = std::string("its pods").append(kAreRefused);
  text::append_presentable(message, conditions.find("ReplicaFailure")->message, kMaxOfRefusal);
  return message;
}

bool is_looked_at(const kube::Object& live) {
  return count_of(live.root()["status"], "observedGeneration") >= kube::generation_of(live);
}

std::string progress_of(const kube::Object* live, std::int64_t wanted, bool written) {
  if (live == nullptr) return "is being made";
  if (written) return "is being changed";
  const json::Value status = live->root()["status"];
  if (live->root()["spec"]["paused"].boolean().value_or(false)) return "is paused";
  if (!is_looked_at(*live)) {
    return "is not yet observed by its own controller";
  }
  return "must have " + std::to_string(wanted) +
         " replicas updated and available and no other; found " +
         std::to_string(count_of(status, "replicas")) + ", " +
         std::to_string(count_of(status, "updatedReplicas")) + " updated, " +
         std::to_string(count_of(status, "availableReplicas")) + " available";
}

void end_with(const std::string& refusal, WorkloadStatus& workload) {
  if (refusal.empty()) return;
  workload.message += "; " + refusal;
  workload.refusal += (workload.refusal.empty() ? "" : "; ") + refusal;
}

WorkloadStatus of_deployment(const ObservedState& observed, const render::DesiredObject& desired,
                             const DesiredObjectsPlan& plan) {
  const kube::Object* const live = observed.objects.find(kDeployment, desired.name);
  const bool written = plan.writes(kDeployment, desired.name);
  const std::int64_t wanted = wanted_replicas(desired);
  const bool paused = live != nullptr && live->root()["spec"]["paused"].boolean().value_or(false);
  WorkloadStatus made;
  made.ready = wanted == 0
                   ? !paused
                   : live != nullptr && !written && render::is_deployment_ready(live->root());
  made.reason = made.ready ? "DeploymentReady" : "DeploymentNotReady";
  made.message = "Deployment " + desired.name + " " +
                 (made.ready ? "is ready" : progress_of(live, wanted, written));
  const json::Value status = status_of(live);
  if (!made.ready && !written && !paused && live != nullptr && is_looked_at(*live)) {
    end_with(refusal_of(status), made);
  }
  json::Writer out(made.service);
  out.start_object().member("componentKind", kDeployment).member("componentName", desired.name);
  for (const std::string_view name :
       {"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"}) {
    out.key(name).integer(count_of(status, name));
  }
  out.end_object();
  return made;
}

// Why it is not ready; "" if it is. Groups of an older revision do not count, if the status shows
// the revision; the measured operator only requires ready groups.
std::string_view delay_of(const kube::Object* live, std::int64_t wanted, bool written) {
  if (live == nullptr) return wanted == 0 ? "" : "is being made";
  if (written) return "is being changed";
  if (wanted == 0) return "";
  const json::Value status = status_of(live);
  // Older releases of LeaderWorkerSet do not set it.
  const json::Value observed = status["observedGeneration"];
  if (observed.exists() && observed.integer().value_or(0) < kube::generation_of(*live)) {
    return "is not yet observed by its own controller";
  }
  const kube::Conditions conditions = kube::Conditions::read(status["conditions"]);
  const json::Value updated = status["updatedReplicas"];
  const bool old = updated.exists() && updated.integer().value_or(0) < wanted;
  if (old || conditions.is_true("UpdateInProgress")) return "has groups of before";
  if (count_of(status, "readyReplicas") < wanted) return "has groups that are not ready";
  return conditions.is_true("Available") ? "" : "is not available";
}

WorkloadStatus of_groups(const ObservedState& observed,
                         const std::vector<const render::DesiredObject*>& groups,
                         const DesiredObjectsPlan& plan) {
  std::int64_t replicas = 0;
  std::int64_t updated = 0;
  std::int64_t ready = 0;
  std::string late;
  std::size_t late_count = 0;
  std::vector<std::string> refusals;
  for (const render::DesiredObject* group : groups) {
    const kube::Object* const live = observed.objects.find(kGroup, group->name);
    const json::Value status = status_of(live);
    replicas += count_of(status, "replicas");
    updated += count_of(status, "updatedReplicas");
    ready += count_of(status, "readyReplicas");
    const bool written = plan.writes(kGroup, group->name);
    const std::string_view delay = delay_of(live, wanted_replicas(*group), written);
    if (delay.empty()) continue;
    const auto refused = observed.refusals.find(group->name);
    if (!written && refused != observed.refusals.end()) {
      refusals.push_back("the pods of " + group->name + std::string(kAreRefused) + refused->second);
    }
    if (late_count++ >= kMaxNamed) continue;
    late.append(late.empty() ? "" : ", ").append(group->name).append(" ").append(delay);
  }
  WorkloadStatus made;
  made.ready = late_count == 0;
  made.reason = made.ready ? "AllLeaderWorkerSetsReady" : "SomeLeaderWorkerSetsNotReady";
  made.message = made.ready ? "All LeaderWorkerSets are ready"
                            : std::to_string(late_count) + " of " + std::to_string(groups.size()) +
                                  " LeaderWorkerSets are not ready: " + late;
  for (const std::string& refusal : refusals) end_with(refusal, made);
  if (groups.empty()) return made;
  json::Writer out(made.service);
  out.start_object().member("componentKind", kGroup);
  out.member("componentName", groups.front()->name).key("replicas").integer(replicas);
  out.key("updatedReplicas").integer(updated).key("readyReplicas").integer(ready).end_object();
  return made;
}

}  // namespace

WorkloadStatus workload_of(const ObservedState& observed, const render::DesiredObjects& objects,
                           const DesiredObjectsPlan& plan) {
  std::vector<const render::DesiredObject*> groups;
  for (const render::DesiredObject& desired : objects.items) {
    if (!desired.wanted) continue;
    // The main Deployment precedes its debug copy.
    if (desired.kind == kDeployment) return of_deployment(observed, desired, plan);
    if (desired.kind == kGroup) groups.push_back(&desired);
  }
  return of_groups(observed, groups, plan);
}

}  // namespace dynamo::reconciler::component
