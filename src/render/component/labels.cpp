#include "render/component/labels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "render/component/hash.hpp"
#include "render/component/names.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::render {
namespace {

constexpr std::size_t kMaxOwn = 16;

// Collects entries in ascending precedence.
class Collector {
 public:
  Collector(std::size_t users, Arena& arena) : list_(arena, kMaxOwn + users), arena_(arena) {}

  void own(std::string_view key, std::string_view value, bool certain = true) {
    list_.push({.key = key, .value = value, .certain = certain});
  }
  void from(std::string_view key, std::string_view value, const Origin& origin) {
    list_.push({.key = key, .value = value, .origin = origin});
  }
  void users(json::Value map, const Origin& origin, bool certain = true) {
    for (const auto [key, value] : map.members()) {
      list_.push({.key = key,
                  .value = value.string_or_empty(),
                  .origin = origin.at_key(key),
                  .certain = certain});
    }
  }

  // The last entry of each key; an uncertain entry overrides nothing.
  std::span<const Label> merged() {
    const std::span<Label> all = list_.items();
    struct KeyIndex {
      std::string_view key;
      std::uint32_t index;
    };
    const std::span<KeyIndex> key_indexes = arena_.make_array<KeyIndex>(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      key_indexes[i] = {all[i].key, static_cast<std::uint32_t>(i)};
    }
    std::sort(key_indexes.begin(), key_indexes.end(),
              [](const KeyIndex& left, const KeyIndex& right) {
                json::count_step();
                const int order = left.key.compare(right.key);
                return order != 0 ? order < 0 : left.index < right.index;
              });
    ArenaList<Label> kept(arena_, all.size());
    for (const KeyIndex& key_index : key_indexes) {
      const Label& label = all[key_index.index];
      const bool taken = kept.size() > 0 && kept.items().back().key == label.key;
      if (!taken) {
        kept.push(label);
      } else if (label.certain || !kept.items().back().certain) {
        kept.items().back() = label;
      }
    }
    return kept.items();
  }

 private:
  ArenaList<Label> list_;
  Arena& arena_;
};

json::Value service_map(const Component& component, std::string_view name) {
  return component.service.value()[name];
}

json::Value pod_map(const Component& component, std::string_view name) {
  return component.service.value()["extraPodMetadata"][name];
}

void add_base_model(const Component& component, Arena& arena, Collector& out) {
  const std::string_view model = component.service.value()["modelRef"]["name"].string_or_empty();
  if (model.empty()) return;
  out.from(label::kBaseModelHash, arena.join({base_model_hash(model).view()}),
           origin_in(Block::kService, "modelRef.name"));
}

void add_identity(const Component& component, Arena& arena, Collector& out) {
  out.from(label::kComponent, component.service_name, {});
  out.own(label::kDynamoNamespace, dynamo_namespace(component).in(arena));
  out.own(label::kGraph, component.graph_name);
}

void add_types(const Component& component, Collector& out) {
  const auto add = [&](std::string_view key, std::string_view field) {
    const std::string_view value = service_map(component, field).string_or_empty();
    if (!value.empty()) out.from(key, value, origin_in(Block::kService, field));
  };
  add(label::kComponentType, "componentType");
  add(label::kSubComponentType, "subComponentType");
}

void add_metrics(const Component& component, Collector& out) {
  const api::Fact enabled = metrics_enabled(component);
  if (enabled != api::Fact::kNo) {
    out.own(label::kMetricsEnabled, "true", enabled == api::Fact::kYes);
  }
}

// A component of a graph has only the graph's labels; a standalone one has those of its user.
void add_component_labels(const Component& component, Arena& arena, Collector& out) {
  if (component.in_graph) {
    add_identity(component, arena, out);
  } else {
    out.users(service_map(component, "labels"), origin_in(Block::kService, "labels"));
    out.users(component.object_labels, origin_in(Block::kMetadata, "labels"));
  }
  add_base_model(component, arena, out);
}

bool through_grove(Workload workload) {
  return workload == Workload::kPodClique || workload == Workload::kPodCliqueScalingGroup;
}

void add_grove_labels(const Component& component, Arena& arena, Collector& out) {
  out.own(label::kSelector, component_name(component).in(arena));
  add_identity(component, arena, out);
  add_types(component, out);
  add_base_model(component, arena, out);
  const json::Value identity = service_map(component, "checkpoint")["identity"];
  if (component.from_checkpoint && identity.is_object()) {
    out.from(label::kCheckpointHash, arena.join({checkpoint_identity_hash(identity).view()}),
             origin_in(Block::kService, "checkpoint.identity"));
  }
  add_metrics(component, out);
  out.users(service_map(component, "labels"), origin_in(Block::kService, "labels"));
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Overrides all others, for pods that name no other scheduler.
void add_queue(const Component& component, Collector& out) {
  const api::Fact kai = component.profile->kai_scheduler;
  if (kai == api::Fact::kNo) return;
  const std::string_view scheduler = component.pod()["schedulerName"].string_or_empty();
  if (!scheduler.empty() && scheduler != kKaiScheduler) return;
  out.own(label::kQueue, queue_of(component.object_annotations), kai == api::Fact::kYes);
}

// Annotations of Grove's pods: their discovery backend and the operator version of their graph.
void add_annotations_of_grove(const Component& component, bool certain, Collector& out) {
  const auto of_graph = [&](std::string_view key) {
    return component.object_annotations[key].string_or_empty();
  };
  std::string_view backend = of_graph(annotation::kDiscoveryBackend);
  if (backend.empty()) {
    backend = discovery_of(component) == DiscoveryBackend::kEtcd ? "etcd" : "kubernetes";
  }
  out.own(annotation::kDiscoveryBackend, backend,
          certain && discovery_of(component) != DiscoveryBackend::kUnknown);
  const std::string_view version = of_graph(annotation::kOriginVersion);
  if (!version.empty()) out.own(annotation::kOriginVersion, version, certain);
}

void add_deployment_labels(const Component& component, PodRole role, Arena& arena, Collector& out) {
  add_component_labels(component, arena, out);
  add_metrics(component, out);
  if (!component.in_graph) {
    out.from(label::kGraph, service_map(component, "labels")[label::kGraph].string_or_empty(),
             origin_in(Block::kService, "labels").at_key(label::kGraph));
  }
  add_types(component, out);
  if (role == PodRole::kMain || role == PodRole::kCheckpoint) {
    out.own(label::kSelector, deployment_name(component).in(arena));
    if (component.debug_twin) out.own(label::kTargetType, "debug");
  } else {
    out.own(label::kRole, role == PodRole::kLeader ? "leader" : "worker");
    // One set per replica; the value is the replica's index.
    out.own(label::kInstanceId, "0");
  }
}

}  // namespace

std::span<const Label> pod_labels(const Component& component, PodRole role, Arena& arena) {
  const json::Value extra = pod_map(component, "labels");
  const json::Value users = service_map(component, "labels");
  const Workload workload = workload_of(component);
  Collector collector(extra.size() + users.size() + component.object_labels.size(), arena);
  if (through_grove(workload)) {
    add_grove_labels(component, arena, collector);
  } else {
    add_deployment_labels(component, role, arena, collector);
    if (workload == Workload::kUnknown && component.in_graph) {
      collector.users(users, origin_in(Block::kService, "labels"), false);
    }
  }
  collector.users(extra, origin_in(Block::kService, "extraPodMetadata.labels"));
  if (through_grove(workload)) add_queue(component, collector);
  return collector.merged();
}

Label selector_label(const Component& component, Arena& arena) {
  return {.key = label::kSelector, .value = deployment_name(component).in(arena)};
}

std::span<const Label> pod_annotations(const Component& component, Arena& arena) {
  const json::Value own = service_map(component, "annotations");
  const json::Value extra = pod_map(component, "annotations");
  const Workload workload = workload_of(component);
  Collector collector(own.size() + extra.size(), arena);
  // Deployments pass on only the restart's annotation.
  const bool certain = through_grove(workload);
  if (certain || workload == Workload::kUnknown) {
    collector.users(own, origin_in(Block::kService, "annotations"), certain);
    add_annotations_of_grove(component, certain, collector);
  }
  if (workload == Workload::kLeaderWorkerSet) {
    collector.own(annotation::kGroupName, leader_worker_set_name(component, 0).in(arena));
  }
  collector.users(extra, origin_in(Block::kService, "extraPodMetadata.annotations"));
  const json::Value restart = own[annotation::kRestartAt];
  if (!certain && workload != Workload::kUnknown && restart.is_string()) {
    collector.from(annotation::kRestartAt, restart.string_or_empty(),
                   origin_in(Block::kService, "annotations").at_key(annotation::kRestartAt));
  }
  return collector.merged();
}

std::span<const Label> workload_labels(const Component& component, Arena& arena) {
  const json::Value users = service_map(component, "labels");
  Collector collector(users.size() + component.object_labels.size(), arena);
  add_component_labels(component, arena, collector);
  return collector.merged();
}

std::span<const Label> workload_annotations(const Component& component, Arena& arena) {
  const json::Value own = service_map(component, "annotations");
  const json::Value extra = pod_map(component, "annotations");
  Collector collector(own.size() + extra.size(), arena);
  collector.users(own, origin_in(Block::kService, "annotations"));
  if (component.in_graph) {
    for (const std::string_view key :
         {annotation::kEnableMetrics, annotation::kDiscoveryBackend, annotation::kOriginVersion}) {
      const json::Value value = component.object_annotations[key];
      if (!value.is_nothing()) {
        collector.from(key, value.string_or_empty(),
                       origin_in(Block::kMetadata, "annotations").at_key(key));
      }
    }
  }
  collector.users(extra, origin_in(Block::kService, "extraPodMetadata.annotations"));
  const std::string_view model = service_map(component, "modelRef")["name"].string_or_empty();
  if (!model.empty()) {
    collector.from(annotation::kBaseModel, model, origin_in(Block::kService, "modelRef.name"));
  }
  return collector.merged();
}

std::span<const Label> service_labels(const Component& component, Arena& arena) {
  const json::Value users = service_map(component, "labels");
  Collector collector(users.size() + component.object_labels.size(), arena);
  if (through_grove(workload_of(component))) {
    collector.users(users, origin_in(Block::kService, "labels"));
  } else {
    add_component_labels(component, arena, collector);
  }
  const DiscoveryBackend discovery = discovery_of(component);
  if (discovery == DiscoveryBackend::kKubernetes || discovery == DiscoveryBackend::kUnknown) {
    const bool certain = discovery == DiscoveryBackend::kKubernetes;
    collector.own(label::kDiscoveryBackend, "kubernetes", certain);
    collector.own(label::kDiscoveryEnabled, "true", certain);
  }
  return collector.merged();
}

std::string_view queue_of(json::Value graph_annotations) {
  const std::string_view queue =
      without_blanks(graph_annotations[annotation::kQueue].string_or_empty());
  return queue.empty() ? "dynamo" : queue;
}

const Label* find_label(std::span<const Label> sorted, std::string_view key) {
  const auto found = std::lower_bound(
      sorted.begin(), sorted.end(), key,
      [](const Label& label, std::string_view wanted) { return label.key < wanted; });
  return found != sorted.end() && found->key == key ? &*found : nullptr;
}

}  // namespace dynamo::render
