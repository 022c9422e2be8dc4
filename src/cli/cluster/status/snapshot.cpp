#include "cli/cluster/status/snapshot.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "desired/kinds.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object_meta.hpp"
#include "kube/object/resource.hpp"
#include "render/document/well_known.hpp"
#include "schema/table.hpp"
#include "text/timestamp.hpp"

namespace dynamo::cli::status {
namespace {

using aio::Task;

// Limit for the responses of one list: output for a terminal, not a copy of the cluster.
constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;
// Each needs a request.
constexpr std::size_t kMaxJobsWithPods = 20;
constexpr std::string_view kJobLabel = "job-name";  // of pods
constexpr std::string_view kRequestLabel = "dgdr";  // of profiling Jobs

kube::Resource resource_of(const api::KindNames& names) {
  const schema::Resource* const found = schema::find_resource(names.name);
  return {
      .group = api::kGroup, .version = api::kVersion, .plural = found->plural, .kind = names.name};
}

kube::ListOptions bounded() {
  kube::ListOptions options;
  options.most_bytes = kMaxBytes;
  return options;
}

// ": REASON: MESSAGE", without the parts that are empty.
std::string reason_in(json::Value from) {
  std::string text;
  for (const std::string_view member : {"reason", "message"}) {
    const std::string_view part = from[member].string_or_empty();
    if (!part.empty()) text.append(": ").append(part);
  }
  return text;
}

// Why the pod of a Job does not run: exit codes, or why it is not scheduled or was stopped.
std::string trouble_of(json::Value root) {
  const json::Value status = root["status"];
  std::string text;
  const auto add = [&text](const std::string& part) {
    if (!text.empty()) text += ", ";
    text += part;
  };
  for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    const json::Value containers = status[list];
    for (const json::Value each : containers.elements()) {
      const std::string name = "container " + std::string(each["name"].string_or_empty());
      const json::Value terminated = each["state"]["terminated"];
      const std::int64_t exit_code = terminated["exitCode"].integer().value_or(0);
      if (exit_code != 0) {
        add(name + " ended with exit code " + std::to_string(exit_code) + reason_in(terminated));
      }
      const json::Value waiting = each["state"]["waiting"];
      if (!waiting["message"].string_or_empty().empty()) add(name + " waits" + reason_in(waiting));
    }
  }
  const json::Value conditions = status["conditions"];
  for (const json::Value each : conditions.elements()) {
    if (each["type"].string_or_empty() == "PodScheduled" &&
        each["status"].string_or_empty() == "False") {
      add("not scheduled" + reason_in(each));
    }
  }
  // Such as Evicted.
  if (!status["reason"].string_or_empty().empty()) add("stopped" + reason_in(status));
  return text;
}

JobSummary read_job(const kube::Object& object) {
  const json::Value root = object.root();
  const json::Value status = root["status"];
  JobSummary job;
  job.namespace_name = object.namespace_name();
  job.name = object.name();
  job.uid = object.uid();
  if (const auto owner = kube::controller_of(object)) job.owner_uid = owner->uid;
  job.active = status["active"].integer().value_or(0);
  job.failed = status["failed"].integer().value_or(0);
  job.conditions = kube::Conditions::read(status["conditions"]).all();
  job.created = text::parse_timestamp(root["metadata"]["creationTimestamp"].string_or_empty());
  job.started = text::parse_timestamp(status["startTime"].string_or_empty());
  job.ended = text::parse_timestamp(status["completionTime"].string_or_empty());
  for (const kube::Condition& each : job.conditions) {
    const bool has_failed = each.type == "Failed" && each.status == kube::ConditionStatus::kTrue;
    if (has_failed && each.transition != TimePoint{}) job.ended = each.transition;
  }
  return job;
}

// The reason of the first waiting container, or else the phase.
std::string state_of(json::Value root) {
  if (root["metadata"]["deletionTimestamp"].exists()) return "Terminating";
  const json::Value status = root["status"];
  for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    const json::Value containers = status[list];
    for (const json::Value each : containers.elements()) {
      const std::string_view why = each["state"]["waiting"]["reason"].string_or_empty();
      if (!why.empty() && why != "ContainerCreating" && why != "PodInitializing") {
        return std::string(why);
      }
    }
  }
  const std::string_view phase = status["phase"].string_or_empty();
  return phase.empty() ? "Unknown" : std::string(phase);
}

PodSummary read_pod(const kube::Object& object) {
  const json::Value root = object.root();
  const json::Value labels = root["metadata"]["labels"];
  PodSummary pod;
  pod.namespace_name = object.namespace_name();
  pod.name = object.name();
  pod.graph = labels[render::label::kGraph].string_or_empty();
  pod.component = labels[render::label::kComponent].string_or_empty();
  pod.selector = labels[render::label::kSelector].string_or_empty();
  pod.state = state_of(root);
  pod.job = labels[kJobLabel].string_or_empty();
  if (!pod.job.empty()) pod.trouble = trouble_of(root);
  const json::Value containers = root["status"]["containerStatuses"];
  for (const json::Value each : containers.elements()) {
    ++pod.containers;
    if (each["ready"].boolean().value_or(false)) ++pod.ready;
    pod.restarts += std::max<std::int64_t>(each["restartCount"].integer().value_or(0), 0);
  }
  pod.created = text::parse_timestamp(root["metadata"]["creationTimestamp"].string_or_empty());
  return pod;
}

// Reads the new events API, or the fields that older recorders set.
TimePoint time_of(json::Value root) {
  const std::array<std::string_view, 4> candidates{
      root["series"]["lastObservedTime"].string_or_empty(),
      root["deprecatedLastTimestamp"].string_or_empty(), root["eventTime"].string_or_empty(),
      root["metadata"]["creationTimestamp"].string_or_empty()};
  for (const std::string_view text : candidates) {
    if (const auto time = text::parse_timestamp(text)) return *time;
  }
  return {};
}

EventSummary read_event(const kube::Object& object) {
  const json::Value root = object.root();
  const json::Value regarding = root["regarding"];
  EventSummary event;
  event.kind = regarding["kind"].string_or_empty();
  event.namespace_name = regarding["namespace"].string_or_empty();
  event.name = regarding["name"].string_or_empty();
  event.uid = regarding["uid"].string_or_empty();
  event.is_warning = root["type"].string_or_empty() == "Warning";
  event.reason = root["reason"].string_or_empty();
  event.note = root["note"].string_or_empty();
  event.count = std::max<std::int64_t>({root["series"]["count"].integer().value_or(1),
                                        root["deprecatedCount"].integer().value_or(1), 1});
  event.last = time_of(root);
  return event;
}

std::optional<TerminatingNamespace> read_terminating(const kube::Object& object) {
  if (!kube::is_terminating(object)) return std::nullopt;
  const json::Value root = object.root();
  TerminatingNamespace found;
  found.name = object.name();
  found.since = text::parse_timestamp(root["metadata"]["deletionTimestamp"].string_or_empty());
  // The API server sets a condition to True for each reason that blocks deletion of the namespace.
  const kube::Conditions conditions = kube::Conditions::read(root["status"]["conditions"]);
  for (const kube::Condition& each : conditions.all()) {
    if (each.status != kube::ConditionStatus::kTrue || each.message.empty()) continue;
    found.message += (found.message.empty() ? "" : "; ") + each.message;
  }
  return found;
}

class Reader {
 public:
  Reader(kube::Client client, Query query, TimePoint now)
      : client_(client), query_(std::move(query)) {
    seen_.now = now;
    seen_.namespace_name = query_.namespace_name;
  }

  Task<kube::Result<Snapshot>> read() {
    for (const api::KindNames& names : api::kKinds) {
      const bool answered = co_await read_kind(names);
      if (!answered) co_return failure_;
    }
    co_await read_pods();
    co_await read_events("regarding.apiVersion=" + std::string(api::kApiVersion));
    co_await read_all_jobs();
    co_await read_namespaces();
    co_return std::move(seen_);
  }

 private:
  // Returns false if the API server does not respond, so that further requests are useless:
  // `failure_` has the reason.
  Task<bool> read_kind(api::KindNames names) {
    KindObjects& kind = seen_.kinds[static_cast<std::size_t>(names.kind)];
    auto list = co_await client_.list(resource_of(names), query_.namespace_name, bounded());
    if (list) {
      kind.objects.set(std::move(list->items));
      co_return true;
    }
    const kube::Error& error = list.error();
    const bool was_answered = error.failure == kube::FailureKind::kStatus ||
                              error.failure == kube::FailureKind::kProtocol ||
                              error.failure == kube::FailureKind::kTooLarge;
    if (!was_answered) {
      failure_ = error;
      co_return false;
    }
    kind.is_absent = error.is("NotFound");
    kind.objects.problem = error.text;
    co_return true;
  }

  bool is_of_a_graph() const {
    const auto& graphs = seen_.of(api::Kind::kGraphDeployment).objects.value;
    return std::ranges::any_of(
        graphs, [&](const kube::Object& each) { return each.name() == query_.name; });
  }

  Task<> read_pods() {
    kube::ListOptions options = bounded();
    options.label_selector = render::label::kGraph;
    if (!query_.name.empty() && is_of_a_graph()) options.label_selector += "=" + query_.name;
    const auto list = co_await client_.list(kube::kPods, query_.namespace_name, options);
    if (!list) {
      seen_.pods.problem = list.error().text;
      co_return;
    }
    for (const kube::Object& each : list->items) seen_.pods.value.push_back(read_pod(each));
  }

  Task<> read_events(std::string field_selector) {
    kube::ListOptions options = bounded();
    options.field_selector = std::move(field_selector);
    const auto list = co_await client_.list(kube::kEvents, query_.namespace_name, options);
    if (!list) {
      seen_.events.problem = list.error().text;
      co_return;
    }
    for (const kube::Object& each : list->items) seen_.events.value.push_back(read_event(each));
  }

  Task<> read_all_jobs() {
    if (!seen_.of(api::Kind::kGraphDeploymentRequest).objects.value.empty()) {
      co_await read_jobs(kRequestLabel);
    }
    if (!seen_.of(api::Kind::kCheckpoint).objects.value.empty()) {
      co_await read_jobs(render::label::kCheckpointName);
    }
    co_await read_job_pods();
    // Only their events have the reason.
    const bool is_any_waiting = std::ranges::any_of(seen_.jobs.value, &JobSummary::is_waiting);
    if (is_any_waiting) co_await read_events("regarding.kind=Job");
  }

  Task<> read_jobs(std::string_view label) {
    kube::ListOptions options = bounded();
    options.label_selector = label;
    const auto list = co_await client_.list(reconciler::find_managed_kind("Job")->resource,
                                            query_.namespace_name, options);
    if (!list) {
      seen_.jobs.problem = list.error().text;
      co_return;
    }
    for (const kube::Object& each : list->items) seen_.jobs.value.push_back(read_job(each));
  }

  // Running Jobs first.
  std::vector<const JobSummary*> jobs_with_pods() const {
    const bool is_any = query_.name.empty() || is_of_a_graph();
    std::vector<const JobSummary*> found;
    for (const JobSummary& each : seen_.jobs.value) {
      const bool is_wanted = is_any || each.name.ends_with(query_.name);
      if (is_wanted && !each.has("Complete")) found.push_back(&each);
    }
    std::ranges::stable_sort(found, {}, &JobSummary::is_over);
    return found;
  }

  Task<> read_job_pods() {
    const std::vector<const JobSummary*> jobs = jobs_with_pods();
    for (std::size_t i = 0; i < std::min(jobs.size(), kMaxJobsWithPods); ++i) {
      kube::ListOptions options = bounded();
      options.label_selector = std::string(kJobLabel) + "=" + jobs[i]->name;
      const auto list = co_await client_.list(kube::kPods, jobs[i]->namespace_name, options);
      if (!list) {
        seen_.job_pods.problem = list.error().text;
        co_return;
      }
      for (const kube::Object& each : list->items) seen_.job_pods.value.push_back(read_pod(each));
    }
    if (jobs.size() > kMaxJobsWithPods) {
      seen_.job_pods.problem = "the pods of " + std::to_string(jobs.size() - kMaxJobsWithPods) +
                               " more Jobs: name a request or a checkpoint";
    }
  }

  Task<> read_namespaces() {
    const auto take = [this](const kube::Object& object) {
      if (auto found = read_terminating(object)) {
        seen_.terminating_namespaces.push_back(*std::move(found));
      }
    };
    if (!query_.namespace_name.empty()) {
      const auto found = co_await client_.get(kube::kNamespaces, "", query_.namespace_name);
      if (found) take(*found);
      co_return;
    }
    kube::ListOptions options = bounded();
    options.field_selector = "status.phase=Terminating";
    const auto list = co_await client_.list(kube::kNamespaces, "", options);
    if (!list) co_return;
    for (const kube::Object& each : list->items) take(each);
  }

  kube::Client client_;
  const Query query_;
  Snapshot seen_;
  kube::Error failure_;
};

}  // namespace

bool JobSummary::has(std::string_view condition) const {
  return std::ranges::any_of(conditions, [condition](const kube::Condition& each) {
    return each.type == condition && each.status == kube::ConditionStatus::kTrue;
  });
}

aio::Task<kube::Result<Snapshot>> gather(kube::Client client, Query query, TimePoint now) {
  Reader reader(client, std::move(query), now);
  co_return co_await reader.read();
}

}  // namespace dynamo::cli::status
