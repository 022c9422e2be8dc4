#include "desired/graph_cliques.hpp"

#include <cstdint>
#include <optional>
#include <set>

#include "desired/kinds.hpp"
#include "desired/object_diff.hpp"
#include "json/sorted_members.hpp"
#include "json/writer.hpp"
#include "kube/object/object_meta.hpp"
#include "render/document/name.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::reconciler::graph {
namespace {

constexpr std::string_view kNotObserved = "is not yet observed by its own controller";

bool is_scaling_group(std::string_view kind) {
  return kind == kScalingGroups.kind;
}

std::string_view mark_on(json::Value annotations) {
  return annotations[render::annotation::kRestartAt].string_or_empty();
}

// The status field in which the kind counts replicas that serve.
std::string_view serving_field(std::string_view kind) {
  return is_scaling_group(kind) ? "availableReplicas" : "readyReplicas";
}

std::int64_t replicas_of(const kube::Object& clique) {
  // The definition of scaling groups has a default.
  const std::int64_t otherwise = is_scaling_group(clique.kind()) ? 1 : 0;
  return clique.root()["spec"]["replicas"].integer().value_or(otherwise);
}

std::string counted(std::int64_t count, std::int64_t wanted, std::string_view what) {
  return std::to_string(count) + " of " + std::to_string(wanted) + " replicas " +
         (count == 1 ? "is " : "are ") + std::string(what);
}

void write_row(json::Writer& out, const kube::Resource& resource, std::string_view name,
               const kube::Object* clique) {
  out.start_object().member("componentKind", resource.kind).member("componentName", name);
  const json::Value status = clique == nullptr ? json::Value{} : clique->root()["status"];
  for (const std::string_view field : {"replicas", "updatedReplicas"}) {
    out.key(field).integer(status[field].integer().value_or(0));
  }
  if (clique != nullptr) {
    const std::string_view field = serving_field(resource.kind);
    out.key(field).integer(status[field].integer().value_or(0));
  }
  out.end_object();
}

}  // namespace

std::string clique_name(std::string_view graph, std::string_view service) {
  return render::Name(graph).with("-0-").lowered(service).str();
}

const kube::Resource& clique_resource_of(json::Value service) {
  return api::Service{service}.node_count() > 1 ? kScalingGroups : kPodCliques;
}

const kube::Object* clique_set_of(std::string_view graph, std::string_view uid,
                                  const ObservedObjects& objects) {
  const kube::Object* const found = objects.find(kPodCliqueSets.kind, graph);
  return found != nullptr && is_ours(*found, {.uid = uid}) ? found : nullptr;
}

std::string why_clique_is_late(const kube::Object* clique) {
  if (clique == nullptr) return "does not exist yet";
  if (kube::is_terminating(*clique)) return "is being deleted";
  const json::Value status = clique->root()["status"];
  const std::optional<std::int64_t> observed = status["observedGeneration"].integer();
  if (!observed || *observed < kube::generation_of(*clique)) return std::string(kNotObserved);
  const std::int64_t wanted = replicas_of(*clique);
  if (wanted == 0) return {};
  const auto count = [status](std::string_view field) {
    return status[field].integer().value_or(0);
  };
  const std::string_view serving = serving_field(clique->kind());
  if (count(serving) != wanted) {
    return counted(count(serving), wanted,
                   is_scaling_group(clique->kind()) ? "available" : "ready");
  }
  if (count("updatedReplicas") != wanted) {
    return counted(count("updatedReplicas"), wanted, "updated");
  }
  if (count("replicas") != wanted) return counted(count("replicas"), wanted, "present");
  return {};
}

GraphCliques::GraphCliques(const api::GraphDeployment& graph, std::string_view uid,
                           const ObservedObjects& objects)
    : graph_(graph),
      name_(graph.metadata().name()),
      objects_(objects),
      set_(clique_set_of(name_, uid, objects)) {
  for (const auto& [name, clique] : objects.all(kPodCliques.kind)) {
    const json::Value metadata = clique.root()["metadata"];
    const json::Value labels = metadata["labels"];
    if (labels[render::label::kGraph].string_or_empty() != name_) continue;
    const std::string_view service = labels[render::label::kComponent].string_or_empty();
    std::string_view& mark = marks_[service];
    if (mark.empty()) mark = mark_on(metadata["annotations"]);
  }
}

const kube::Object* GraphCliques::find(std::string_view service, json::Value definition) const {
  const kube::Object* const found =
      objects_.find(clique_resource_of(definition).kind, clique_name(name_, service));
  if (found == nullptr || set_ == nullptr) return found;
  const std::optional<kube::OwnerReference> owner = kube::controller_of(*found);
  const bool is_of_a_former =
      owner && owner->kind == kPodCliqueSets.kind && owner->uid != set_->uid();
  return is_of_a_former ? nullptr : found;
}

bool GraphCliques::is_updated(std::string_view service) const {
  if (set_ == nullptr) return false;
  const auto observed = set_->root()["status"]["observedGeneration"].integer();
  if (!observed || *observed < kube::generation_of(*set_)) return false;
  const kube::Object* const clique = find(service, graph_.services()[service]);
  return why_clique_is_late(clique).empty() && has_applied_set(*clique) &&
         has_restart_mark(service);
}

bool GraphCliques::has_applied_set(const kube::Object& clique) const {
  // Hashes are opaque to clients, and the first versions of Grove report none.
  const std::string_view wanted = set_->root()["status"]["currentGenerationHash"].string_or_empty();
  const std::string_view applied =
      clique.root()["status"]["currentPodCliqueSetGenerationHash"].string_or_empty();
  return wanted.empty() || applied.empty() || applied == wanted;
}

// A clique that still has its pods from before the restart is ready, too.
bool GraphCliques::has_restart_mark(std::string_view service) const {
  const std::string_view mark = graph_.restart()["id"].string_or_empty();
  for (const auto& [name, clique] : objects_.all(kPodCliques.kind)) {
    const json::Value metadata = clique.root()["metadata"];
    const json::Value labels = metadata["labels"];
    const bool is_of_service = labels[render::label::kGraph].string_or_empty() == name_ &&
                               labels[render::label::kComponent].string_or_empty() == service;
    // Others did not get the mark from Grove.
    const bool shows_marks = is_of_service && kube::controller_of(clique).has_value();
    if (shows_marks && mark_on(metadata["annotations"]) != mark) return false;
  }
  return true;
}

std::string_view GraphCliques::mark_in_set(std::string_view service) const {
  if (set_ == nullptr) return {};
  const std::string name = render::Name{}.lowered(service).str();
  const std::string leader = name + "-ldr";
  const json::Value cliques = set_->root()["spec"]["template"]["cliques"];
  for (const json::Value clique : cliques.elements()) {
    const std::string_view found = clique["name"].string_or_empty();
    if (found == name || found == leader) return mark_on(clique["annotations"]);
  }
  return {};
}

std::string_view GraphCliques::restart_mark_of(std::string_view service) const {
  // Grove copies a mark to the cliques later: without it there, the set must keep it.
  const std::string_view in_set = mark_in_set(service);
  if (!in_set.empty()) return in_set;
  const auto found = marks_.find(service);
  return found == marks_.end() ? std::string_view{} : found->second;
}

std::string GraphCliques::why_set_is_late(const DesiredObjectsPlan& plan) const {
  if (plan.writes(kPodCliqueSets.kind, name_)) {
    return set_ == nullptr ? "is being made" : "is being changed";
  }
  if (set_ == nullptr) return "does not exist yet";
  const auto observed = set_->root()["status"]["observedGeneration"].integer().value_or(0);
  return observed < kube::generation_of(*set_) ? std::string(kNotObserved) : std::string{};
}

ServiceReadiness GraphCliques::readiness(const DesiredObjectsPlan& plan) const {
  std::map<std::string, std::string> late;
  if (const std::string why = why_set_is_late(plan); !why.empty()) {
    late.emplace(name_, std::string(kPodCliqueSets.kind) + " " + why);
  }
  ServiceReadiness made;
  json::Writer out(made.counted);
  out.start_object();
  const json::Value services = graph_.services();
  for (const json::Member& service : json::sorted_members(services)) {
    if (!service.value.is_object()) continue;
    const kube::Resource& resource = clique_resource_of(service.value);
    const std::string name = clique_name(name_, service.name);
    const kube::Object* const clique = find(service.name, service.value);
    std::string why = why_clique_is_late(clique);
    const std::optional<std::int64_t> wanted = service.value["replicas"].integer();
    if (why.empty() && wanted && *wanted != replicas_of(*clique)) why = "is being scaled";
    if (!why.empty()) late.emplace(name, std::string(resource.kind) + " " + why);
    out.key(service.name);
    write_row(out, resource, name, clique);
  }
  out.end_object();
  set_message(late, made);
  return made;
}

}  // namespace dynamo::reconciler::graph
