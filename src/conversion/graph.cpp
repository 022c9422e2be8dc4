// DynamoGraphDeployment: services by name in v1alpha1, a list of components in v1beta1.
#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "conversion/component.hpp"
#include "conversion/kinds.hpp"
#include "conversion/moves.hpp"
#include "conversion/named_list.hpp"
#include "conversion/replica_status.hpp"
#include "conversion/types.hpp"

namespace dynamo::conversion {

namespace {

constexpr Move kTopologyMoves[] = {{"topologyProfile", "clusterTopologyName"}, {"packDomain"}};
constexpr Move kGraphSpecMoves[] = {
    {"annotations"},
    {"backendFramework"},
    {"envs", "env"},
    {"experimental"},
    {"labels"},
    {"priorityClassName"},
    {"providerOverride"},
    {"restart"},
    {"topologyConstraint", "topologyConstraint", kTopologyMoves},
};

constexpr Move kRollingUpdateMoves[] = {
    {"endTime"}, {"phase"}, {"startTime"}, {"updatedServices", "updatedComponents"}};
constexpr Move kGraphStatusMoves[] = {
    {"checkpoints"}, {"conditions"}, {"observedGeneration"},
    {"placement"},   {"restart"},    {"rollingUpdate", "rollingUpdate", kRollingUpdateMoves},
    {"state"},
};

bool is_ascending(const Node* components) {
  std::string_view last;
  for (const Node* component : children(components)) {
    if (name_of(component) < last) return false;
    last = name_of(component);
  }
  return true;
}

// The entries of a map, sorted by key; the last one of duplicate keys counts.
std::vector<const Node*> sorted_entries(const Node* map) {
  std::vector<const Node*> entries;
  entries.reserve(count_children(map));
  for (const Node* entry : children(map)) entries.push_back(entry);
  // The API server writes maps in this order.
  const auto is_before = [](const Node* one, const Node* other) { return one->key < other->key; };
  if (std::ranges::adjacent_find(entries, std::not_fn(is_before)) == entries.end()) return entries;
  // With their keys next to each other, because nodes are far apart.
  std::vector<std::pair<std::string_view, const Node*>> sorted;
  sorted.reserve(entries.size());
  for (const Node* entry : entries) sorted.emplace_back(entry->key, entry);
  std::ranges::stable_sort(sorted, {}, &std::pair<std::string_view, const Node*>::first);
  entries.clear();
  std::string_view last;
  for (const auto& [key, entry] : sorted) {
    if (!entries.empty() && key == last) entries.pop_back();
    entries.push_back(entry);
    last = key;
  }
  return entries;
}

class GraphToBeta {
 public:
  explicit GraphToBeta(ObjectConversion& object) : object_(object), arena_(object.arena) {}

  void run() {
    const Node* const alpha = find(object_.source, "spec");
    if (object_.source_spec) {
      hub_ =
          object_.payloads.read_spec(arena_, *object_.source_spec, types::kBetaGraphDeploymentSpec)
              .spec;
    }
    Node* const beta = arena_.object(types::kBetaGraphDeploymentSpec);
    Node* const save = arena_.object(types::kAlphaGraphDeploymentSpec);
    apply_moves(arena_, alpha, beta, kGraphSpecMoves, Version::kV1beta1);
    if (!is_empty(find(alpha, "pvcs"))) set(arena_, save, "pvcs", find(alpha, "pvcs"));
    convert_services(find(alpha, "services"), beta, save);
    set_part(arena_, object_.target, "spec", beta);
    if (!is_zero(save)) object_.target_spec = write_spec_payload(object_.arena, save, false);
    convert_status(find(object_.source, "status"));
  }

 private:
  void convert_services(const Node* services, Node* beta, Node* save) {
    const NameIndex hub_components(find(hub_, "components"), "name");
    Node* const components = arena_.list();
    Node* const saved = arena_.map();
    for (const Node* service : in_order(sorted_entries(services))) {
      if (service->kind == NodeKind::kNull) {
        append(arena_, saved, service->key, service);
        continue;
      }
      const Node* const hub = hub_components.find(service->key);
      Node* const component = arena_.object(types::kBetaComponent);
      set_text(arena_, component, "name", service->key);
      convert_component_to_beta(arena_, service, hub, component);
      append(arena_, components, component);
      save_service(service, saved);
    }
    if (!is_empty(components)) set(arena_, beta, "components", components);
    if (!is_empty(saved)) set(arena_, save, "services", saved);
  }

  void save_service(const Node* service, Node* saved) {
    Node* const save = arena_.object(types::kAlphaComponent);
    save_alpha_component(arena_, service, hub_ == nullptr, save);
    const Node* const name = find(service, "serviceName");
    if (text_of(name) != service->key) set(arena_, save, "serviceName", name);
    if (!is_zero(save)) append(arena_, saved, service->key, save);
  }

  // Sorted by name, except where the v1beta1 user wrote another order.
  std::vector<const Node*> in_order(std::vector<const Node*> services) const {
    const Node* const hub_components = find(hub_, "components");
    if (is_ascending(hub_components)) return services;
    std::vector<const Node*> ordered;
    std::vector<bool> is_used(services.size());
    for (const Node* component : children(hub_components)) {
      const auto found = std::ranges::lower_bound(services, name_of(component), {}, &Node::key);
      if (found == services.end() || (*found)->key != name_of(component)) continue;
      const auto position = static_cast<std::size_t>(found - services.begin());
      if (is_used[position]) continue;
      is_used[position] = true;
      ordered.push_back(*found);
    }
    for (std::size_t i = 0; i < services.size(); ++i) {
      if (!is_used[i]) ordered.push_back(services[i]);
    }
    return ordered;
  }

  void convert_status(const Node* alpha) {
    if (alpha == nullptr) return;
    Node* const beta = arena_.object(types::kBetaGraphDeploymentStatus);
    apply_moves(arena_, alpha, beta, kGraphStatusMoves, Version::kV1beta1);
    Node* const components = arena_.map();
    Node* const saved = arena_.map();
    for (const Node* service : sorted_entries(find(alpha, "services"))) {
      append(arena_, components, service->key, convert_replica_status_to_beta(arena_, service));
      const Node* const save = save_replica_status(arena_, service);
      if (save != nullptr) append(arena_, saved, service->key, save);
    }
    if (!is_empty(components)) set(arena_, beta, "components", components);
    set_part(arena_, object_.target, "status", beta);
    if (is_empty(saved)) return;
    Node* const save = arena_.object(types::kAlphaGraphDeploymentStatus);
    set(arena_, save, "services", saved);
    object_.target_status = write_status_payload(object_.arena, save);
  }

  ObjectConversion& object_;
  Arena& arena_;
  const Node* hub_ = nullptr;
};

class GraphToAlpha {
 public:
  explicit GraphToAlpha(ObjectConversion& object) : object_(object), arena_(object.arena) {}

  std::optional<std::string> run() {
    const Node* const beta = find(object_.source, "spec");
    if (const auto name = duplicate_name(find(beta, "components"))) {
      return std::string("spec.components has two components with the name \"")
          .append(*name)
          .append("\"");
    }
    if (object_.source_spec) {
      saved_ =
          object_.payloads.read_spec(arena_, *object_.source_spec, types::kAlphaGraphDeploymentSpec)
              .spec;
    }
    Node* const alpha = arena_.object(types::kAlphaGraphDeploymentSpec);
    apply_moves(arena_, beta, alpha, kGraphSpecMoves, Version::kV1alpha1);
    convert_components(find(beta, "components"), alpha);
    if (find(alpha, "pvcs") == nullptr) set(arena_, alpha, "pvcs", find(saved_, "pvcs"));
    set_part(arena_, object_.target, "spec", alpha);
    return convert_status(find(object_.source, "status"));
  }

 private:
  static std::optional<std::string_view> duplicate_name(const Node* components) {
    std::vector<std::string_view> names;
    names.reserve(count_children(components));
    for (const Node* component : children(components)) names.push_back(name_of(component));
    std::ranges::sort(names);
    const auto found = std::ranges::adjacent_find(names);
    if (found == names.end()) return std::nullopt;
    return *found;
  }

  void convert_components(const Node* components, Node* alpha) {
    const Node* const saved_services = find(saved_, "services");
    const KeyIndex saved(saved_services);
    const bool keeps_order = !is_ascending(components);
    Node* const services = arena_.map();
    Node* const hub_components = arena_.list();
    for (const Node* component : children(components)) {
      const std::string_view name = name_of(component);
      const Node* save = saved.find(name);
      if (save != nullptr && save->kind == NodeKind::kNull) save = nullptr;
      Node* const service = arena_.object(types::kAlphaComponent);
      convert_component_to_alpha(arena_, component, save, service);
      save_component(component, service, keeps_order, hub_components);
      const Node* const service_name = find(save, "serviceName");
      if (text_of(service_name) != name) set(arena_, service, "serviceName", service_name);
      append(arena_, services, name, service);
    }
    add_empty_services(saved_services, components, services);
    if (!is_empty(services)) set(arena_, alpha, "services", services);
    if (is_empty(hub_components)) return;
    Node* const hub = arena_.object(types::kBetaGraphDeploymentSpec);
    set(arena_, hub, "components", hub_components);
    object_.target_spec = write_spec_payload(object_.arena, hub, false);
  }

  void save_component(const Node* component, const Node* service, bool keeps_order,
                      Node* hub_components) {
    Node* const save = arena_.object(types::kBetaComponent);
    save_beta_component(arena_, component, service, save);
    const bool marks_origin =
        !object_.has_source_payload() && find(component, "podTemplate") != nullptr;
    if (!keeps_order && !marks_origin && is_zero(save)) return;
    set(arena_, save, "name", find(component, "name"));
    append(arena_, hub_components, save);
  }

  // Services without a value, which have no component.
  void add_empty_services(const Node* saved_services, const Node* components, Node* services) {
    const NameIndex live(components, "name");
    for (const Node* saved : sorted_entries(saved_services)) {
      if (saved->kind == NodeKind::kNull && live.find(saved->key) == nullptr) {
        append(arena_, services, saved->key, saved);
      }
    }
  }

  std::optional<std::string> convert_status(const Node* beta) {
    StatusPayload saved;
    if (object_.source_status) {
      saved = object_.payloads.read_status(arena_, *object_.source_status,
                                           types::kAlphaGraphDeploymentStatus);
    }
    if (saved.error) return "annotation nvidia.com/dgd-status: " + *saved.error;
    if (beta == nullptr) return std::nullopt;
    Node* const alpha = arena_.object(types::kAlphaGraphDeploymentStatus);
    apply_moves(arena_, beta, alpha, kGraphStatusMoves, Version::kV1alpha1);
    const KeyIndex saved_services(find(saved.status, "services"));
    Node* const services = arena_.map();
    for (const Node* component : sorted_entries(find(beta, "components"))) {
      Node* const service =
          convert_replica_status_to_alpha(arena_, component, saved_services.find(component->key));
      append(arena_, services, component->key, service);
    }
    if (!is_empty(services)) set(arena_, alpha, "services", services);
    set_part(arena_, object_.target, "status", alpha);
    return std::nullopt;
  }

  ObjectConversion& object_;
  Arena& arena_;
  const Node* saved_ = nullptr;
};

}  // namespace

void set_part(Arena& arena, Node* object, std::string_view name, const Node* part) {
  if (!is_zero(part)) set(arena, object, name, part);
}

std::optional<std::string> convert_graph_to_beta(ObjectConversion& object) {
  GraphToBeta(object).run();
  return std::nullopt;
}

std::optional<std::string> convert_graph_to_alpha(ObjectConversion& object) {
  return GraphToAlpha(object).run();
}

}  // namespace dynamo::conversion
