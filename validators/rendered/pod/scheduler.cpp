// Which scheduler places the pods of a graph.
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::pod {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;
using render::Workload;

constexpr std::string_view kDefaultScheduler = "default-scheduler";
constexpr std::string_view kGroveScheduler = "kai-scheduler";
constexpr std::string_view kLwsScheduler = "volcano";

// The scheduler that the user set; "" if none.
std::string_view written(const RenderedPod& pod) {
  return pod.pod->user["schedulerName"].string_or_empty();
}

// Whether a pod without a scheduler and one with `name` certainly get different schedulers.
bool differs_from_none(std::string_view name, api::Fact kai_scheduler) {
  switch (kai_scheduler) {
    case api::Fact::kYes:
      return name != kGroveScheduler;
    case api::Fact::kNo:
      return name != kDefaultScheduler;
    case api::Fact::kUnknown:
      break;
  }
  return name != kGroveScheduler && name != kDefaultScheduler;
}

bool differ(std::string_view one, std::string_view other, api::Fact kai_scheduler) {
  if (one == other) return false;
  if (one.empty()) return differs_from_none(other, kai_scheduler);
  return other.empty() ? differs_from_none(one, kai_scheduler) : true;
}

void check_lws(const RenderedPod& pod, Report& report) {
  const std::string_view name = written(pod);
  if (name.empty() || name == kLwsScheduler) return;
  if (render::workload_of(*pod.component) != Workload::kLeaderWorkerSet) return;
  warn_at(report, pod, pod.pod->field("schedulerName"),
          found("must be \"volcano\" for LeaderWorkerSets, and is made so", name, "remove it"));
}

std::string mixed(std::string_view found) {
  std::string text = "must be the same for all services of a graph that runs through Grove; found ";
  text += found;
  return text += "; give all services one scheduler, or none";
}

void scheduler_mixed(const Context& context, const RenderedObject& rendered, Report& report) {
  for (const RenderedPod& pod : rendered.pods) check_lws(pod, report);
  if (rendered.pods.size() < 2) return;
  const RenderedPod& first = rendered.pods.front();
  const Workload workload = render::workload_of(*first.component);
  const bool grove =
      workload == Workload::kPodClique || workload == Workload::kPodCliqueScalingGroup;
  const bool can_be_grove = workload == Workload::kUnknown &&
                            first.component->profile->pathway == render::Pathway::kUnknown;
  if (!grove && !can_be_grove) return;
  // An update is compared with the findings on the old graph, which must not depend on the service
  // that is fixed first.
  const bool as_a_whole = context.operation == api::Operation::kUpdate;
  bool first_named = false;
  for (const RenderedPod& pod : rendered.pods.subspan(1)) {
    if (!differ(written(first), written(pod), context.facts.kai_scheduler_served)) continue;
    if (as_a_whole) {
      constexpr FieldPath kSpec{"spec"};
      return add_finding(report, grove, ErrorType::kInvalid, kSpec.child("services"),
                         mixed("several in schedulerName"));
    }
    // Report at the pod that names a scheduler.
    const bool at_first = written(pod).empty();
    if (at_first && first_named) continue;
    first_named = first_named || at_first;
    const RenderedPod& named = at_first ? first : pod;
    add_finding_at(report, grove, ErrorType::kInvalid, named, named.pod->field("schedulerName"),
                   mixed(quoted(written(named))));
  }
}

}  // namespace

extern constexpr Rule kSchedulerMixedRule{
    .id = "pod.scheduler.mixed",
    .kinds = kinds::kGraphs,
    .function = &scheduler_mixed,
    .field = "E.schedulerName",
};

}  // namespace dynamo::validators::pod
