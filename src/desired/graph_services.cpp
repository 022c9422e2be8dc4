#include "desired/graph_services.hpp"

#include <algorithm>
#include <set>

#include "desired/graph_cliques.hpp"
#include "desired/graph_pathway.hpp"
#include "desired/object_diff.hpp"
#include "json/parser.hpp"
#include "json/sorted_members.hpp"
#include "json/writer.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object_meta.hpp"
#include "render/document/name.hpp"
#include "render/document/well_known.hpp"
#include "text/presentable.hpp"

namespace dynamo::reconciler::graph {
namespace {

constexpr std::string_view kAvailable = "Available";

// Its controller has observed the newest spec.
bool is_observed(const kube::Object& component) {
  const auto observed = component.root()["status"]["observedGeneration"].integer().value_or(0);
  return observed >= kube::generation_of(component);
}

std::string text_of(const render::RestartStatus& status) {
  std::string text;
  json::Writer out(text);
  out.start_object().member("observedID", status.id).member("phase", status.phase);
  out.key("inProgress").start_array();
  for (const std::string& service : status.in_progress) out.string(service);
  out.end_array().end_object();
  return text;
}

std::string why_not(const kube::Object* component, bool written) {
  constexpr std::size_t kLongest = 256;
  if (component == nullptr) return "is being made";
  if (written) return "is being changed";
  const kube::Conditions conditions =
      kube::Conditions::read(component->root()["status"]["conditions"]);
  const kube::Condition* const available = conditions.find(kAvailable);
  // Also include what a failed reconcile reports about the newest spec.
  const bool is_of_now =
      is_observed(*component) ||
      (available != nullptr && available->status == kube::ConditionStatus::kFalse &&
       available->observed_generation >= kube::generation_of(*component));
  if (!is_of_now) return "is not yet observed by its own controller";
  if (available == nullptr) return "has no status yet";
  std::string why = available->reason;
  if (available->message.empty()) return why;
  why += " (";
  text::append_presentable(why, available->message, kLongest);
  return why + ")";
}

}  // namespace

std::string component_name(std::string_view graph, std::string_view service) {
  return render::Name(graph).with("-").lowered(service).str();
}

const kube::Object* component_of(std::string_view graph, std::string_view uid,
                                 std::string_view service, const ObservedObjects& objects) {
  const kube::Object* const found = objects.find(kComponents.kind, component_name(graph, service));
  return found != nullptr && is_ours(*found, {.uid = uid}) ? found : nullptr;
}

bool is_available(const kube::Object* component) {
  if (component == nullptr || !is_observed(*component)) return false;
  const json::Value conditions = component->root()["status"]["conditions"];
  return kube::Conditions::read(conditions).is_true(kAvailable);
}

std::string_view restart_mark_of(const kube::Object* component) {
  if (component == nullptr) return {};
  const json::Value annotations = component->root()["spec"]["annotations"];
  return annotations[render::annotation::kRestartAt].string_or_empty();
}

Restart restart_of(const api::GraphDeployment& graph, std::string_view uid,
                   const ObservedObjects& objects, render::Pathway pathway) {
  const std::string_view name = graph.metadata().name();
  std::optional<GraphCliques> cliques;
  if (is_run_by_grove(graph, pathway)) cliques.emplace(graph, uid, objects);
  const auto is_updated = [&](std::string_view service) {
    return cliques ? cliques->is_updated(service)
                   : is_available(component_of(name, uid, service, objects));
  };
  Restart restart;
  restart.status = render::restart_status(graph, graph.status()["restart"], is_updated);
  const auto status = json::parse_copy(restart.status ? text_of(*restart.status) : "null");
  const render::RestartSelection selection = render::restart_selection(graph, status->root());
  const json::Value services = graph.services();
  for (const json::Member& service : json::sorted_members(services)) {
    if (std::ranges::find(selection.services, service.name) != selection.services.end()) {
      restart.marks.push_back({std::string(service.name), selection.value});
      continue;
    }
    const std::string_view carried =
        cliques ? cliques->restart_mark_of(service.name)
                : restart_mark_of(component_of(name, uid, service.name, objects));
    if (!carried.empty()) {
      restart.marks.push_back({std::string(service.name), std::string(carried)});
    }
  }
  return restart;
}

ServiceReadiness service_readiness_of(const api::GraphDeployment& graph, std::string_view uid,
                                      const ObservedObjects& objects,
                                      const DesiredObjectsPlan& plan, render::Pathway pathway) {
  if (is_run_by_grove(graph, pathway)) return GraphCliques(graph, uid, objects).readiness(plan);
  const std::string_view name = graph.metadata().name();
  std::map<std::string, std::string> late;
  std::set<std::string> added;
  ServiceReadiness made;
  json::Writer out(made.counted);
  out.start_object();
  const json::Value services = graph.services();
  for (const json::Member& service : json::sorted_members(services)) {
    const std::string object_name = component_name(name, service.name);
    const kube::Object* const component = component_of(name, uid, service.name, objects);
    const bool written = plan.writes(kComponents.kind, object_name);
    if (written || !is_available(component)) late.emplace(object_name, why_not(component, written));
    // If two services map to the same name, the first one owns it.
    if (component == nullptr || !added.insert(object_name).second) continue;
    const json::Value counted = component->root()["status"]["service"];
    if (counted.is_object()) out.key(service.name).value(counted);
  }
  out.end_object();
  set_message(late, made);
  return made;
}

void set_message(const std::map<std::string, std::string>& late, ServiceReadiness& readiness) {
  readiness.ready = late.empty();
  readiness.message = readiness.ready ? "All services are ready" : "Not ready: ";
  bool first = true;
  for (const auto& [object_name, why] : late) {
    if (!first) readiness.message += "; ";
    first = false;
    readiness.message += object_name;
    readiness.message += ": ";
    readiness.message += why;
  }
}

}  // namespace dynamo::reconciler::graph
