#include "cli/cluster/status/tree.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "kube/object/conditions.hpp"
#include "kube/object/object_meta.hpp"
#include "render/document/well_known.hpp"
#include "text/timestamp.hpp"

namespace dynamo::cli::status {
namespace {

using Key = std::pair<std::string, std::string>;  // namespace and name
using Pods = std::vector<const PodSummary*>;
using Objects = std::vector<const kube::Object*>;

constexpr std::string_view kComponentKind = "Service";
constexpr std::int64_t kReplicasOfNone = 1;  // for a service without replicas
constexpr std::string_view kGraphKind = api::names(api::Kind::kGraphDeployment).name;

Key key_of(const kube::Object& object) {
  return {std::string(object.namespace_name()), std::string(object.name())};
}

std::string counted(std::int64_t count, std::int64_t all, std::string_view what) {
  return std::to_string(count) + " of " + std::to_string(all) + " " + std::string(what);
}

Health health_of(std::int64_t ready, std::int64_t wanted) {
  return ready >= wanted ? Health::kGood : Health::kWaiting;
}

// State of graphs, requests and checkpoints.
Health health_of_state(std::string_view state) {
  if (state.empty()) return Health::kUnknown;
  constexpr auto kBadStates =
      std::to_array<std::string_view>({"failed", "Failed", "DeploymentDeleted"});
  if (std::ranges::find(kBadStates, state) != kBadStates.end()) return Health::kBad;
  const bool is_good = state == "successful" || state == "Ready" || state == "ready";
  return is_good ? Health::kGood : Health::kWaiting;
}

Health health_of_pod(const PodSummary& pod) {
  if (pod.is_ready() || pod.is_over()) return Health::kGood;
  const bool comes_or_goes =
      pod.state == "Pending" || pod.state == "Running" || pod.state == "Terminating";
  return comes_or_goes ? Health::kWaiting : Health::kBad;
}

std::string owner_graph(const kube::Object& object) {
  for (const kube::OwnerReference& each : kube::owners_of(object)) {
    if (each.kind == kGraphKind) return each.name;
  }
  return std::string(object.root()["metadata"]["labels"][render::label::kGraph].string_or_empty());
}

// The name of the component's service in its graph.
std::string service_of(const kube::Object& component) {
  const json::Value root = component.root();
  std::string_view name = root["metadata"]["labels"][render::label::kComponent].string_or_empty();
  if (name.empty()) name = root["spec"]["serviceName"].string_or_empty();
  return std::string(name.empty() ? component.name() : name);
}

// Unhealthy ones first, then by name.
void sort_pods(Pods& pods) {
  std::ranges::sort(pods, [](const PodSummary* a, const PodSummary* b) {
    const auto rank = [](const PodSummary& pod) {
      return std::tuple(-static_cast<int>(health_of_pod(pod)), std::string_view(pod.name));
    };
    return rank(*a) < rank(*b);
  });
}

StatusNode pod_node(const PodSummary& pod) {
  StatusNode node;
  node.kind = "Pod";
  node.namespace_name = pod.namespace_name;
  node.name = pod.name;
  node.state = pod.state;
  node.health = health_of_pod(pod);
  node.detail = counted(pod.ready, pod.containers, "containers ready");
  if (pod.restarts > 0) {
    node.detail +=
        ", " + std::to_string(pod.restarts) + (pod.restarts == 1 ? " restart" : " restarts");
  }
  if (!pod.trouble.empty()) node.detail += ", " + pod.trouble;
  node.created = pod.created;
  return node;
}

std::pair<std::string_view, Health> state_of_job(const JobSummary& job) {
  if (job.has("Failed")) return {"failed", Health::kBad};
  if (job.has("Complete")) return {"complete", Health::kGood};
  return {job.active > 0 ? "running" : "waiting", Health::kWaiting};
}

// "1 pod active, 2 pods failed"
std::string pods_of_job(const JobSummary& job) {
  const auto pods = [](std::int64_t count) {
    return std::to_string(count) + (count == 1 ? " pod" : " pods");
  };
  std::string text;
  if (!job.is_over()) text = pods(job.active) + " active";
  if (job.failed > 0) text += (text.empty() ? "" : ", ") + pods(job.failed) + " failed";
  return text;
}

// "979 ready, 1 Pending, and other states"
std::string states_of(std::span<const PodSummary* const> pods) {
  constexpr std::size_t kMaxStates = 8;
  std::map<std::string, std::size_t> counts;
  std::size_t others = 0;
  for (const PodSummary* const each : pods) {
    const std::string state = each->is_ready() ? "ready" : each->state;
    if (counts.size() < kMaxStates || counts.contains(state)) {
      ++counts[state];
    } else {
      ++others;
    }
  }
  std::string text;
  for (const auto& [state, count] : counts) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + state;
  }
  if (others > 0) text += ", " + std::to_string(others) + " in other states";
  return text;
}

// Types for which True means trouble.
bool reports_trouble(std::string_view type) {
  constexpr auto kEndings =
      std::to_array<std::string_view>({"Failure", "Failed", "Error", "Degraded", "Stalled",
                                       "Suspended", "Terminating", "Deleting"});
  return std::ranges::any_of(kEndings,
                             [type](std::string_view ending) { return type.ends_with(ending); });
}

// The generation of the spec that the object's own controller last observed; 0: not reported.
// Ignores our verdict condition: another controller writes it, and may run where that one does not.
std::int64_t observed_generation(json::Value status, const kube::Conditions& conditions) {
  constexpr std::string_view kVerdict = "DynamoAdmissionValid";
  if (const auto observed = status["observedGeneration"].integer()) return *observed;
  std::int64_t last = 0;
  for (const kube::Condition& each : conditions.all()) {
    if (each.type != kVerdict) last = std::max(last, each.observed_generation);
  }
  return last;
}

class Builder {
 public:
  Builder(const Snapshot& seen, const TreeLimits& limits) : seen_(seen), limits_(limits) {
    for (const PodSummary& each : seen.pods.value) {
      pods_[{each.namespace_name, each.graph}].push_back(&each);
    }
    for (const EventSummary& each : seen.events.value) note_event(each);
    for (const kube::Object& each : objects(api::Kind::kComponentDeployment)) {
      components_[{std::string(each.namespace_name()), owner_graph(each)}].push_back(&each);
    }
    for (const kube::Object& each : objects(api::Kind::kScalingAdapter)) {
      adapters_[{std::string(each.namespace_name()), graph_of_adapter(each)}].push_back(&each);
    }
    for (const kube::Object& each : objects(api::Kind::kModel)) {
      models_[{std::string(each.namespace_name()),
               std::string(each.root()["spec"]["baseModelName"].string_or_empty())}]
          .push_back(&each);
    }
    for (const kube::Object& each : objects(api::Kind::kCheckpoint)) {
      checkpoints_[key_of(each)] = &each;
    }
    for (const kube::Object& each : objects(api::Kind::kGraphDeployment)) {
      graphs_[key_of(each)] = &each;
    }
    for (const JobSummary& each : seen.jobs.value) {
      if (!each.owner_uid.empty()) jobs_[each.owner_uid].push_back(&each);
    }
    for (const PodSummary& each : seen.job_pods.value) {
      job_pods_[{each.namespace_name, each.job}].push_back(&each);
    }
  }

  StatusTree build(std::string_view name) {
    StatusTree tree;
    tree.terminating_namespaces = seen_.terminating_namespaces;
    note_problems(tree.notes);
    for (const kube::Object& each : objects(api::Kind::kGraphDeployment)) {
      tree.roots.push_back(graph_node(each));
    }
    const bool is_of_graph = !name.empty() && has(tree.roots, name);
    if (is_of_graph) {
      add_requests(tree.roots);
    } else {
      add_other_roots(tree.roots, name.empty());
    }
    if (!name.empty()) {
      std::erase_if(tree.roots, [name](const StatusNode& each) { return each.name != name; });
    }
    std::ranges::stable_sort(tree.roots, [](const StatusNode& a, const StatusNode& b) {
      const auto place = [](const StatusNode& node) {
        return std::tuple(std::string_view(node.namespace_name), node.kind != kGraphKind,
                          std::string_view(node.name));
      };
      return place(a) < place(b);
    });
    if (tree.roots.size() > limits_.roots) {
      tree.omitted_roots = tree.roots.size() - limits_.roots;
      tree.roots.resize(limits_.roots);
    }
    return tree;
  }

 private:
  const std::vector<kube::Object>& objects(api::Kind kind) const {
    return seen_.of(kind).objects.value;
  }
  static bool has(const std::vector<StatusNode>& nodes, std::string_view name) {
    return std::ranges::any_of(nodes, [name](const StatusNode& each) { return each.name == name; });
  }
  static std::string graph_of_adapter(const kube::Object& adapter) {
    return std::string(adapter.root()["spec"]["dgdRef"]["name"].string_or_empty());
  }

  void note_problems(std::vector<std::string>& notes) const {
    for (const api::KindNames& names : api::kKinds) {
      const KindObjects& kind = seen_.of(names.kind);
      if (kind.is_absent) {
        notes.push_back(std::string(names.name) +
                        " is not served here: its definition must be installed");
      } else if (!kind.objects.has_value()) {
        notes.push_back(kind.objects.problem);
      }
    }
    if (!seen_.pods.has_value()) notes.push_back(seen_.pods.problem);
    if (!seen_.events.has_value()) notes.push_back(seen_.events.problem);
    if (!seen_.jobs.has_value()) notes.push_back(seen_.jobs.problem);
    if (!seen_.job_pods.has_value()) notes.push_back(seen_.job_pods.problem);
  }

  // Keeps the last events of each object.
  void note_event(const EventSummary& event) {
    auto& kept = event.uid.empty()
                     ? events_[std::tuple(event.kind, event.namespace_name, event.name)]
                     : events_by_uid_[event.uid];
    const auto later = [](const EventSummary* a, const EventSummary* b) {
      return a->last > b->last;
    };
    kept.insert(std::ranges::upper_bound(kept, &event, later), &event);
    if (kept.size() > kMaxEvents) kept.pop_back();
  }

  StatusNode node_of(api::Kind kind, const kube::Object& object) {
    StatusNode node;
    node.kind = api::names(kind).name;
    node.namespace_name = object.namespace_name();
    node.name = object.name();
    const json::Value root = object.root();
    node.created = text::parse_timestamp(root["metadata"]["creationTimestamp"].string_or_empty());
    add_conditions_and_events(node, kind, object);
    return node;
  }

  // Adds the object's conditions and events.
  void add_conditions_and_events(StatusNode& node, api::Kind kind, const kube::Object& object) {
    const json::Value status = object.root()["status"];
    const kube::Conditions conditions = kube::Conditions::read(status["conditions"]);
    node.generation = kube::generation_of(object);
    node.observed_generation = observed_generation(status, conditions);
    node.conditions = conditions.all();
    if (node.conditions.size() > kMaxConditions) node.conditions.resize(kMaxConditions);
    add_events_of(node, object.uid(), api::names(kind).name, key_of(object));
  }

  void add_events_of(StatusNode& node, std::string_view uid, std::string_view kind,
                     const Key& key) const {
    // An event with a uid belongs to exactly that object, not to an earlier one with its name.
    const auto own = events_by_uid_.find(std::string(uid));
    if (own != events_by_uid_.end()) add_events(node, own->second);
    const auto found = events_.find(std::tuple(std::string(kind), key.first, key.second));
    if (found != events_.end()) add_events(node, found->second);
  }

  static void add_events(StatusNode& node, const std::vector<const EventSummary*>& events) {
    for (const EventSummary* const each : events) node.events.push_back(*each);
    std::ranges::stable_sort(node.events, std::ranges::greater{}, &EventSummary::last);
    if (node.events.size() > kMaxEvents) node.events.resize(kMaxEvents);
  }

  // For several components of one service: the conditions of an unavailable one, if any, and the
  // last events of all.
  void report_component(StatusNode& node, const kube::Object& component) {
    StatusNode alone;
    add_conditions_and_events(alone, api::Kind::kComponentDeployment, component);
    if (node.conditions.empty() || is_available(node))
      node.conditions = std::move(alone.conditions);
    if (alone.is_stale() || !node.is_stale()) {
      node.generation = alone.generation;
      node.observed_generation = alone.observed_generation;
    }
    std::ranges::move(alone.events, std::back_inserter(node.events));
    std::ranges::stable_sort(node.events, std::ranges::greater{}, &EventSummary::last);
    if (node.events.size() > kMaxEvents) node.events.resize(kMaxEvents);
  }

  static bool is_available(const StatusNode& node) {
    return std::ranges::any_of(node.conditions, [](const kube::Condition& each) {
      return each.type == "Available" && each.status == kube::ConditionStatus::kTrue;
    });
  }

  static void set_state(StatusNode& node, const kube::Object& object, std::string_view state) {
    node.state = state;
    node.health = health_of_state(state);
    if (kube::is_terminating(object)) {
      node.state = "terminating";
      node.health = Health::kWaiting;
    }
  }

  StatusNode graph_node(const kube::Object& graph) {
    shown_models_.clear();
    shown_checkpoints_.clear();
    StatusNode node = node_of(api::Kind::kGraphDeployment, graph);
    const json::Value root = graph.root();
    set_state(node, graph, root["status"]["state"].string_or_empty());
    const Key key = key_of(graph);
    std::map<std::string, Objects> components;
    const json::Value services = root["spec"]["services"];
    for (const json::Member each : services.members()) components[std::string(each.name)];
    for (const kube::Object* const each : components_[key]) {
      components[service_of(*each)].push_back(each);
    }
    std::set<const void*> shown;
    std::int64_t ready = 0;
    for (const auto& [name, deployed] : components) {
      node.children.push_back(component_node(graph, name, deployed, shown));
      if (node.children.back().health == Health::kGood) ++ready;
    }
    node.detail = counted(ready, static_cast<std::int64_t>(components.size()), "services ready");
    for (const kube::Object* const each : adapters_[key]) {
      if (shown.insert(each).second) node.children.push_back(adapter_node(*each));
    }
    Pods others;
    for (const PodSummary* const each : pods_[key]) {
      if (!shown.contains(each)) others.push_back(each);
    }
    add_pods(node, std::move(others));
    return node;
  }

  StatusNode component_node(const kube::Object& graph, const std::string& name,
                            const Objects& deployed, std::set<const void*>& shown) {
    const json::Value root = graph.root();
    json::Value spec = root["spec"]["services"][name];
    // A deployed service that the graph no longer contains.
    if (!spec.exists() && !deployed.empty()) spec = deployed.front()->root()["spec"];
    StatusNode node;
    node.kind = kComponentKind;
    node.namespace_name = graph.namespace_name();
    node.name = name;
    node.state = spec["componentType"].string_or_empty();
    json::Value counts = root["status"]["services"][name];
    for (const kube::Object* const each : deployed) {
      report_component(node, *each);
      if (!counts.exists()) counts = each->root()["status"]["service"];
    }
    count_replicas(node, spec, counts);
    const Key key = key_of(graph);
    Pods pods;
    for (const PodSummary* const each : pods_[key]) {
      const bool is_of_it = each->component == name ||
                            std::ranges::any_of(deployed, [each](const kube::Object* component) {
                              return each->selector == component->name();
                            });
      if (is_of_it && shown.insert(each).second) pods.push_back(each);
    }
    for (const kube::Object* const each : adapters_[key]) {
      const bool is_of_it = each->root()["spec"]["dgdRef"]["serviceName"].string_or_empty() == name;
      if (is_of_it && shown.insert(each).second) node.children.push_back(adapter_node(*each));
    }
    add_models(node, spec);
    add_checkpoint(node, checkpoint_of(root, spec, name));
    add_pods(node, std::move(pods));
    return node;
  }

  // `spec` is that of the service or the component.
  static void count_replicas(StatusNode& node, json::Value spec, json::Value counts) {
    const std::int64_t all = spec["replicas"].integer().value_or(kReplicasOfNone);
    if (!counts.exists()) {
      node.detail = std::to_string(all) + " wanted, none reported";
      return;
    }
    // Not every workload kind sets both.
    const std::int64_t ready = std::max(counts["readyReplicas"].integer().value_or(0),
                                        counts["availableReplicas"].integer().value_or(0));
    node.detail = counted(ready, all, "ready");
    node.health = health_of(ready, all);
  }

  void add_models(StatusNode& node, json::Value spec) {
    const std::string_view base = spec["modelRef"]["name"].string_or_empty();
    if (base.empty()) return;
    const auto found = models_.find({node.namespace_name, std::string(base)});
    if (found == models_.end()) return;
    for (const kube::Object* const each : found->second) {
      const Key key = key_of(*each);
      attached_.insert(key);
      if (shown_models_.insert(key).second) node.children.push_back(model_node(*each));
    }
  }

  // The graph's status has it once the graph was reconciled.
  static std::string_view checkpoint_of(json::Value graph, json::Value service,
                                        std::string_view name) {
    const std::string_view known =
        graph["status"]["checkpoints"][name]["checkpointName"].string_or_empty();
    return known.empty() ? service["checkpoint"]["checkpointRef"].string_or_empty() : known;
  }

  void add_checkpoint(StatusNode& node, std::string_view name) {
    const auto found = checkpoints_.find({node.namespace_name, std::string(name)});
    if (found == checkpoints_.end()) return;
    used_checkpoints_.insert(found->first);
    if (!shown_checkpoints_.insert(found->first).second) return;
    node.children.push_back(checkpoint_node(*found->second));
  }

  void add_pods(StatusNode& node, Pods pods) const {
    sort_pods(pods);
    const std::size_t shown = std::min(pods.size(), limits_.pods);
    for (std::size_t i = 0; i < shown; ++i) node.children.push_back(pod_node(*pods[i]));
    node.omitted_pods = pods.size() - shown;
    if (node.omitted_pods > 0) node.omitted_states = states_of(std::span(pods).subspan(shown));
  }

  StatusNode adapter_node(const kube::Object& adapter) {
    StatusNode node = node_of(api::Kind::kScalingAdapter, adapter);
    const json::Value root = adapter.root();
    const std::int64_t wanted = root["spec"]["replicas"].integer().value_or(0);
    // The value last written to its graph; the service above shows what actually runs.
    const auto given = root["status"]["replicas"].integer();
    node.detail = std::to_string(wanted) + " replicas wanted";
    if (given) {
      node.detail += ", " + std::to_string(*given) + " given to the graph";
      node.health = *given == wanted ? Health::kGood : Health::kWaiting;
    }
    return node;
  }

  StatusNode model_node(const kube::Object& model) {
    StatusNode node = node_of(api::Kind::kModel, model);
    const json::Value root = model.root();
    node.state = root["spec"]["modelType"].string_or_empty();
    const auto all = root["status"]["totalEndpoints"].integer();
    if (!all) return node;
    if (node.state == "lora") {
      const std::int64_t ready = root["status"]["readyEndpoints"].integer().value_or(0);
      node.detail = counted(ready, *all, "endpoints ready");
      node.health = *all > 0 ? health_of(ready, *all) : Health::kWaiting;
      return node;
    }
    // No endpoint is asked to load it, so none ever counts as ready.
    node.detail = std::to_string(*all) + (*all == 1 ? " endpoint found" : " endpoints found");
    const bool is_good =
        kube::Conditions::read(root["status"]["conditions"]).is_true("EndpointsReady");
    node.health = is_good ? Health::kGood : Health::kWaiting;
    return node;
  }

  StatusNode checkpoint_node(const kube::Object& checkpoint) {
    StatusNode node = node_of(api::Kind::kCheckpoint, checkpoint);
    const json::Value status = checkpoint.root()["status"];
    set_state(node, checkpoint, status["phase"].string_or_empty());
    node.detail = status["message"].string_or_empty();
    const std::string_view location = status["location"].string_or_empty();
    if (!location.empty()) {
      if (!node.detail.empty()) node.detail += ", ";
      node.detail += "stored at " + std::string(location);
    }
    add_jobs(node, checkpoint);
    return node;
  }

  StatusNode request_node(const kube::Object& request) {
    StatusNode node = node_of(api::Kind::kGraphDeploymentRequest, request);
    set_state(node, request, request.root()["status"]["state"].string_or_empty());
    add_jobs(node, request);
    add_generated_graph(node, request.root());
    return node;
  }

  void add_jobs(StatusNode& node, const kube::Object& owner) const {
    const auto found = jobs_.find(std::string(owner.uid()));
    if (found == jobs_.end()) return;
    for (const JobSummary* const each : found->second) node.children.push_back(job_node(*each));
  }

  StatusNode job_node(const JobSummary& job) const {
    StatusNode node;
    node.kind = "Job";
    node.namespace_name = job.namespace_name;
    node.name = job.name;
    std::tie(node.state, node.health) = state_of_job(job);
    node.detail = pods_of_job(job);
    node.created = job.created;
    node.started = job.started;
    node.ended = job.ended;
    node.conditions = job.conditions;
    if (node.conditions.size() > kMaxConditions) node.conditions.resize(kMaxConditions);
    add_events_of(node, job.uid, node.kind, {job.namespace_name, job.name});
    const auto pods = job_pods_.find({job.namespace_name, job.name});
    if (pods != job_pods_.end()) add_pods(node, pods->second);
    return node;
  }

  // The graph that the request created, or else the one that a user shall create.
  void add_generated_graph(StatusNode& node, json::Value request) {
    const json::Value status = request["status"];
    const json::Value deployment = status["deployment"];
    const json::Value metadata = status["generatedDeployment"]["metadata"];
    StatusNode graph;
    graph.kind = kGraphKind;
    graph.name = deployment["name"].string_or_empty();
    graph.namespace_name = deployment["namespace"].string_or_empty();
    const bool is_created = !graph.name.empty();
    if (!is_created) graph.name = metadata["name"].string_or_empty();
    if (graph.name.empty()) return;
    if (graph.namespace_name.empty()) graph.namespace_name = node.namespace_name;
    const auto found = graphs_.find({graph.namespace_name, graph.name});
    if (found != graphs_.end()) {
      node.children.push_back(graph_node(*found->second));
      return;
    }
    graph.health = Health::kWaiting;
    if (node.state == "DeploymentDeleted") {
      graph.state = "deleted";
      graph.health = Health::kBad;
    } else if (is_created) {
      graph.state = deployment["state"].string_or_empty();
      graph.health = health_of_state(graph.state);
      graph.detail = "in namespace " + graph.namespace_name;
    } else {
      graph.state = "generated";
      graph.detail = request["spec"]["autoApply"].boolean().value_or(false)
                         ? "not created yet"
                         : "apply status.generatedDeployment of the request";
    }
    node.children.push_back(std::move(graph));
  }

  StatusNode lone_component_node(const kube::Object& component) {
    StatusNode node = node_of(api::Kind::kComponentDeployment, component);
    const json::Value root = component.root();
    node.state = root["spec"]["componentType"].string_or_empty();
    count_replicas(node, root["spec"], root["status"]["service"]);
    Pods pods;
    for (const PodSummary& each : seen_.pods.value) {
      const bool is_of_it =
          each.namespace_name == component.namespace_name() && each.selector == component.name();
      if (is_of_it) pods.push_back(&each);
    }
    add_pods(node, std::move(pods));
    return node;
  }

  void add_requests(std::vector<StatusNode>& roots) {
    for (const kube::Object& each : objects(api::Kind::kGraphDeploymentRequest)) {
      roots.push_back(request_node(each));
    }
  }

  // Objects without an existing graph. `unattached`: skips objects that are already below a graph.
  void add_other_roots(std::vector<StatusNode>& roots, bool unattached) {
    const auto is_below = [&](const kube::Object& object, const std::string& graph) {
      return unattached && graphs_.contains({std::string(object.namespace_name()), graph});
    };
    add_requests(roots);
    for (const kube::Object& each : objects(api::Kind::kComponentDeployment)) {
      if (!is_below(each, owner_graph(each))) roots.push_back(lone_component_node(each));
    }
    for (const kube::Object& each : objects(api::Kind::kScalingAdapter)) {
      if (!is_below(each, graph_of_adapter(each))) roots.push_back(adapter_node(each));
    }
    for (const kube::Object& each : objects(api::Kind::kModel)) {
      if (!unattached || !attached_.contains(key_of(each))) roots.push_back(model_node(each));
    }
    for (const kube::Object& each : objects(api::Kind::kCheckpoint)) {
      if (!unattached || !used_checkpoints_.contains(key_of(each))) {
        roots.push_back(checkpoint_node(each));
      }
    }
  }

  const Snapshot& seen_;
  const TreeLimits limits_;
  // By namespace and graph; models by namespace and base model.
  std::map<Key, Pods> pods_;
  std::map<Key, Objects> components_;
  std::map<Key, Objects> adapters_;
  std::map<Key, Objects> models_;
  std::map<Key, const kube::Object*> checkpoints_;
  std::map<Key, const kube::Object*> graphs_;
  // By namespace and Job.
  std::map<Key, Pods> job_pods_;
  // By the uid of their owner.
  std::map<std::string, std::vector<const JobSummary*>> jobs_;
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<const EventSummary*>>
      events_;
  std::map<std::string, std::vector<const EventSummary*>> events_by_uid_;
  // Already below a graph.
  std::set<Key> attached_;          // models below any graph
  std::set<Key> used_checkpoints_;  // likewise
  // Below the current graph only: another graph may use the same ones.
  std::set<Key> shown_models_;
  std::set<Key> shown_checkpoints_;
};

}  // namespace

std::string_view to_string(Health health) {
  switch (health) {
    case Health::kGood:
      return "good";
    case Health::kWaiting:
      return "waiting";
    case Health::kBad:
      return "bad";
    case Health::kUnknown:
      break;
  }
  return "unknown";
}

bool is_as_expected(const kube::Condition& condition) {
  const auto expected = reports_trouble(condition.type) ? kube::ConditionStatus::kFalse
                                                        : kube::ConditionStatus::kTrue;
  return condition.status == expected;
}

StatusTree make_tree(const Snapshot& seen, std::string_view name, const TreeLimits& limits) {
  return Builder(seen, limits).build(name);
}

}  // namespace dynamo::cli::status
