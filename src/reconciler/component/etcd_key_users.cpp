#include "reconciler/component/etcd_key_users.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "api/kinds/service.hpp"
#include "desired/kinds.hpp"
#include "json/document.hpp"
#include "kube/cache/store.hpp"
#include "kube/object/object_key.hpp"

namespace dynamo::reconciler::component {
namespace {

// The namespace of all services that set globalDynamoNamespace.
constexpr std::string_view kGlobalNamespace = "dynamo";

// A slash in a name would reach keys of other names.
bool is_plain(std::string_view name) {
  return !name.empty() && name.find('/') == std::string_view::npos;
}

json::Value owning_graph(const kube::Object& component) {
  const json::Value owners = component.root()["metadata"]["ownerReferences"];
  for (const json::Value owner : owners.elements()) {
    if (owner["kind"].string_or_empty() == kGraphs.kind) return owner;
  }
  return {};
}

bool is_global(const kube::Object& component) {
  return api::Service{component.root()["spec"]}.is_in_global_dynamo_namespace();
}

// DYN_NAMESPACE of the component's pods, unless they use the global namespace.
std::string namespace_of_graph(const kube::Object& component) {
  return std::string(component.namespace_name()) + '-' +
         std::string(owning_graph(component)["name"].string_or_empty());
}

// Pods that no graph or component of the cluster describes may use any other namespace. A component
// without a graph gets the names of a former or later graph of its own namespace.
bool is_own_namespace(std::string_view dynamo_namespace, const kube::Object& component) {
  if (is_global(component)) return dynamo_namespace == kGlobalNamespace;
  const std::string of_graph = namespace_of_graph(component);
  return owning_graph(component).is_object() ? dynamo_namespace == of_graph
                                             : dynamo_namespace.starts_with(of_graph);
}

// Whether others use the keys below the Dynamo namespace of `own`. The engine or DYN_COMPONENT
// names a component there, so outside the graph of `own` any user of the namespace may use any
// name.
class Claims {
 public:
  Claims(const kube::Object& own, const kube::Store& components, const kube::Store& graphs)
      : own_(own), owner_(owning_graph(own)), components_(components), graphs_(graphs) {}

  bool any() const {
    return is_used_by_graph() || is_used_by_component() || is_used_by_standalone_pods() ||
           (dynamo_namespace_ == kGlobalNamespace && is_global_used());
  }

 private:
  // A graph's services run in "NAMESPACE-GRAPH". Both parts may contain dashes, so each dash may be
  // the separator.
  bool is_used_by_graph() const {
    for (std::size_t dash = dynamo_namespace_.find('-'); dash != std::string_view::npos;
         dash = dynamo_namespace_.find('-', dash + 1)) {
      const kube::ObjectKey key{.namespace_name = std::string(dynamo_namespace_.substr(0, dash)),
                                .name = std::string(dynamo_namespace_.substr(dash + 1))};
      if (graphs_.contains(key) && !is_owner(key)) return true;
    }
    return false;
  }

  bool is_used_by_component() const {
    return std::ranges::any_of(
        components_.keys(components_.index_by_field(kClaimedField), dynamo_namespace_),
        [this](const kube::ObjectKey& key) {
          const auto other = other_component(key);
          return other && is_conflict(*other);
        });
  }

  // Pods of components without a graph run in "NAMESPACE-".
  bool is_used_by_standalone_pods() const {
    if (!dynamo_namespace_.ends_with('-')) return false;
    const std::string_view space = dynamo_namespace_.substr(0, dynamo_namespace_.size() - 1);
    return std::ranges::any_of(components_.keys(components_.index_by_namespace(), space),
                               [this](const kube::ObjectKey& key) {
                                 const auto other = other_component(key);
                                 return other && !owning_graph(*other).is_object();
                               });
  }

  bool is_global_used() const {
    const auto has_global_service = [this](const kube::ObjectKey& key) {
      if (is_owner(key)) return false;
      const auto graph = graphs_.find(key);
      if (!graph) return false;
      for (const auto [name, service] : graph->root()["spec"]["services"].members()) {
        if (api::Service{service}.is_in_global_dynamo_namespace()) return true;
      }
      return false;
    };
    const auto is_global_component = [this](const kube::ObjectKey& key) {
      const auto other = other_component(key);
      return other && is_global(*other) && is_conflict(*other);
    };
    return std::ranges::any_of(graphs_.keys(), has_global_service) ||
           std::ranges::any_of(components_.keys(), is_global_component);
  }

  // A user may write any owner, so only a graph of the component's own namespace counts as such.
  bool is_owner(const kube::ObjectKey& key) const {
    const std::string_view uid = owner_["uid"].string_or_empty();
    return !uid.empty() && key.namespace_name == own_.namespace_name() &&
           graphs_.uid_of(key) == uid;
  }

  std::optional<kube::Object> other_component(const kube::ObjectKey& key) const {
    auto other = components_.find(key);
    if (other && other->uid() == own_.uid()) other.reset();
    return other;
  }

  // Components of one graph have different names, and so different keys. componentType is
  // DYN_COMPONENT.
  bool is_conflict(const kube::Object& other) const {
    const std::string_view uid = owner_["uid"].string_or_empty();
    const bool is_of_same_graph = !uid.empty() && other.namespace_name() == own_.namespace_name() &&
                                  owning_graph(other)["uid"].string_or_empty() == uid;
    if (!is_of_same_graph) return true;
    const std::string_view name = own_.root()["spec"]["serviceName"].string_or_empty();
    const json::Value spec = other.root()["spec"];
    return spec["serviceName"].string_or_empty() == name ||
           spec["componentType"].string_or_empty() == name;
  }

  const kube::Object& own_;
  const json::Value owner_;
  const std::string_view dynamo_namespace_ =
      own_.root()["spec"]["dynamoNamespace"].string_or_empty();
  const kube::Store& components_;
  const kube::Store& graphs_;
};

}  // namespace

std::string reason_to_keep_keys(const kube::Object& component, const CacheReader& cache,
                                bool is_restricted) {
  const json::Value spec = component.root()["spec"];
  const std::string_view dynamo_namespace = spec["dynamoNamespace"].string_or_empty();
  if (!is_plain(dynamo_namespace) || !is_plain(spec["serviceName"].string_or_empty())) {
    return "dynamoNamespace and serviceName must be names without a slash";
  }
  if (is_restricted && dynamo_namespace != namespace_of_graph(component)) {
    return "dynamoNamespace must be that of the component's graph where one namespace is served: "
           "claims of other namespaces are not known";
  }
  if (!is_own_namespace(dynamo_namespace, component)) {
    return "dynamoNamespace must be the one that the component's pods use: NAMESPACE-GRAPH, or "
           "dynamo with globalDynamoNamespace";
  }
  const kube::Store& components = cache.at(kComponents);
  const kube::Store& graphs = cache.at(kGraphs);
  if (!components.is_complete() || !graphs.is_complete()) {
    return "not all components and graphs of the cluster are known";
  }
  if (Claims(component, components, graphs).any()) {
    return "another component or graph may use them: it has the same dynamoNamespace, or is of the "
           "same graph and has this serviceName or componentType";
  }
  return {};
}

}  // namespace dynamo::reconciler::component
