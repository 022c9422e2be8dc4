#include "doctor/grove.hpp"

#include <string>
#include <vector>

#include "doctor/check_groups.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object_meta.hpp"
#include "render/component/component.hpp"
#include "render/component/labels.hpp"

namespace dynamo::doctor {
namespace {

// The kind of the workloads that the status counts, such as PodClique; empty before the first
// status.
std::string_view workload_kind_of(json::Value graph) {
  const json::Value services = graph["status"]["services"];
  for (const json::Member service : services.members()) {
    const std::string_view kind = service.value["componentKind"].string_or_empty();
    if (!kind.empty()) return kind;
  }
  return {};
}

bool is_of_grove(std::string_view kind) {
  return kind == "PodClique" || kind == "PodCliqueScalingGroup";
}

bool has_avoided_grove(json::Value graph) {
  return kube::Conditions::read(graph["status"]["conditions"]).find(kRunsByGrove) != nullptr;
}

void report_abandoned(const GroveEvidence& grove, Findings& findings) {
  if (grove.abandoned.empty()) return findings.ok("Grove", "is not served, and runs no graph");
  findings.warning("Grove",
                   "must be served, because it runs the pods of graphs; found no grove.io, and " +
                       std::to_string(grove.abandoned.size()) + " that it ran: " +
                       join_names(grove.abandoned) + ": no controller changes them",
                   "install Grove again, or recreate the graphs");
}

}  // namespace

bool serves_group(const kube::Object& groups, std::string_view name) {
  const json::Value list = groups.root()["groups"];
  for (const json::Value each : list.elements()) {
    if (each["name"].string_or_empty() == name) return true;
  }
  return false;
}

void add_graph(const kube::Object& graph, GroveEvidence& evidence) {
  if (kube::is_terminating(graph)) return;
  const json::Value root = graph.root();
  const json::Value annotations = root["metadata"]["annotations"];
  if (render::is_grove_disabled(annotations)) return;
  const std::string_view kind = workload_kind_of(root);
  const bool is_new = kind.empty() && !has_avoided_grove(root);
  if (!is_of_grove(kind) && !(is_new && evidence.is_served)) return;
  std::string name = std::string(graph.namespace_name()) + '/' + std::string(graph.name());
  if (!evidence.is_served) {
    evidence.abandoned.push_back(std::move(name));
    return;
  }
  ++evidence.graphs;
  evidence.without_queue[std::string(render::queue_of(annotations))].push_back(std::move(name));
}

void remove_existing_queues(const std::vector<kube::Object>& queues, GroveEvidence& evidence) {
  for (const kube::Object& queue : queues) {
    evidence.without_queue.erase(std::string(queue.name()));
  }
}

void graphs_of_grove_served(const Evidence& evidence, Findings& findings) {
  if (!evidence.grove.has_value()) return findings.skipped("Grove", evidence.grove.problem);
  const GroveEvidence& grove = evidence.grove.value;
  if (!grove.is_served) return report_abandoned(grove, findings);
  for (const auto& [queue, graphs] : grove.without_queue) {
    findings.warning("Queue " + queue,
                     "must exist, because KAI schedules pods of graphs from it; found none, and " +
                         std::to_string(graphs.size()) + " of " + std::to_string(grove.graphs) +
                         " graphs over Grove that name it: " + join_names(graphs) +
                         ": nothing of them changes",
                     "create it (kaiQueues.enabled of the chart creates dynamo), or name another "
                     "one in the annotation nvidia.com/kai-scheduler-queue");
  }
  if (!grove.unread_queues.empty()) findings.skipped("queues of KAI", grove.unread_queues);
  if (findings.has_trouble()) return;
  findings.ok("Grove",
              "is served, and " + std::to_string(grove.graphs) + " graphs over it lack no queue");
}

}  // namespace dynamo::doctor
