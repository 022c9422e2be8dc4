#include "reconciler/graph/adapters.hpp"

#include <string>
#include <string_view>

#include "desired/desired_objects_plan.hpp"
#include "desired/kinds.hpp"
#include "kube/object/object_meta.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::reconciler::graph {
namespace {

bool is_orphan(const kube::Object& adapter, const kube::Object& graph) {
  const json::Value labels = adapter.root()["metadata"]["labels"];
  if (labels[render::label::kGraph].string_or_empty() != graph.name()) return false;
  const std::string_view service =
      adapter.root()["spec"]["dgdRef"]["serviceName"].string_or_empty();
  return !graph.root()["spec"]["services"][service].exists();
}

}  // namespace

void remove_orphans(const kube::Object& graph, const Parent& parent, const ObservedObjects& objects,
                    const DesiredObjectsPlan& plan, std::vector<Action>& actions) {
  const ManagedKind* const kind = find_managed_kind(kAdapterKind);
  for (const auto& [name, adapter] : objects.all(kAdapterKind)) {
    if (kube::is_terminating(adapter) || !is_orphan(adapter, graph)) continue;
    // The plan has already processed the graph's own names.
    if (plan.is_added_or_kept(kAdapterKind, name)) continue;
    if (kube::controller_of(adapter) && !is_ours(adapter, parent)) continue;
    Delete removed = remove(target_of(kind->resource, parent.namespace_name, name, &adapter));
    removed.stands_alone = true;
    actions.push_back(std::move(removed));
    actions.push_back(event_of_write(
        target_of(parent.resource, parent.namespace_name, parent.name, &graph), "AdapterDeleted",
        "Deleted scaling adapter " + name + ", whose service does not exist"));
  }
}

}  // namespace dynamo::reconciler::graph
