#include "reconciler/component/claims.hpp"

#include <algorithm>
#include <string_view>

#include "api/kinds/objects.hpp"
#include "kube/object_key.hpp"
#include "kube/store.hpp"
#include "reconciler/desired/kinds.hpp"

namespace dynamo::reconciler::component {
namespace {

// The namespace of all services that set globalDynamoNamespace.
constexpr std::string_view kGlobalNamespace = "dynamo";

struct Pair {
  std::string_view dynamo_namespace;
  std::string_view service;
};

// A slash in either name would reach keys of another pair.
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

bool is_claimed_by_component(const Pair& pair, const kube::Object& own, const kube::Store& store) {
  const auto& by_namespace = store.index_by_field(kClaimedField);
  return std::ranges::any_of(
      store.keys(by_namespace, pair.dynamo_namespace), [&](const kube::ObjectKey& key) {
        const auto other = store.find(key);
        return other && other->uid() != own.uid() &&
               other->root()["spec"]["serviceName"].string_or_empty() == pair.service;
      });
}

class GraphClaims {
 public:
  GraphClaims(const Pair& pair, const kube::Object& own, const kube::Store& graphs)
      : pair_(pair), owner_(owning_graph(own)), graphs_(graphs) {}

  // A graph's services run in "NAMESPACE-GRAPH", or in the global namespace. Both parts may contain
  // dashes, so each dash may be the separator.
  bool any() const {
    const std::string_view whole = pair_.dynamo_namespace;
    for (std::size_t dash = whole.find('-'); dash != std::string_view::npos;
         dash = whole.find('-', dash + 1)) {
      const kube::ObjectKey key{.namespace_name = std::string(whole.substr(0, dash)),
                                .name = std::string(whole.substr(dash + 1))};
      if (is_claimed_by(key, false)) return true;
    }
    if (whole != kGlobalNamespace) return false;
    return std::ranges::any_of(
        graphs_.keys(), [this](const kube::ObjectKey& key) { return is_claimed_by(key, true); });
  }

 private:
  bool is_claimed_by(const kube::ObjectKey& key, bool is_global) const {
    if (!graphs_.contains(key)) return false;
    if (graphs_.uid_of(key) == owner_["uid"].string_or_empty()) return false;
    const auto graph = graphs_.find(key);
    if (!graph) return false;
    const json::Value service = graph->root()["spec"]["services"][pair_.service];
    if (!service.is_object()) return false;
    return !is_global || api::Service{service}.global_dynamo_namespace();
  }

  const Pair& pair_;
  const json::Value owner_;
  const kube::Store& graphs_;
};

}  // namespace

std::string why_keys_stay(const kube::Object& component, const CacheReader& cache,
                          bool is_restricted) {
  const json::Value spec = component.root()["spec"];
  const Pair pair{.dynamo_namespace = spec["dynamoNamespace"].string_or_empty(),
                  .service = spec["serviceName"].string_or_empty()};
  if (!is_plain(pair.dynamo_namespace) || !is_plain(pair.service)) {
    return "dynamoNamespace and serviceName must be names without a slash";
  }
  if (is_restricted) {
    const std::string of_graph = std::string(component.namespace_name()) + '-' +
                                 std::string(owning_graph(component)["name"].string_or_empty());
    if (pair.dynamo_namespace != of_graph) {
      return "dynamoNamespace must be that of the component's graph where one namespace is served: "
             "claims of other namespaces are not known";
    }
  }
  const kube::Store& components = cache.at(kComponents);
  const kube::Store& graphs = cache.at(kGraphs);
  if (!components.is_complete() || !graphs.is_complete()) {
    return "not all components and graphs of the cluster are known";
  }
  if (is_claimed_by_component(pair, component, components) ||
      GraphClaims(pair, component, graphs).any()) {
    return "another component or graph has the same dynamoNamespace and serviceName";
  }
  return {};
}

}  // namespace dynamo::reconciler::component
