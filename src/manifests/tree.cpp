#include "manifests/tree.hpp"

#include <algorithm>
#include <utility>

#include "json/parser.hpp"
#include "manifests/builders.hpp"
#include "manifests/changes.hpp"
#include "manifests/desired_objects.hpp"

namespace dynamo::render {
namespace {

constexpr std::string_view kComponentKind = "DynamoComponentDeployment";
constexpr std::size_t kMaxChangesReported = 8;

DesiredObjects desired_objects_of_kind(api::Kind kind, json::Value object,
                                       std::string_view namespace_name,
                                       const RenderEnvironment& environment) {
  switch (kind) {
    case api::Kind::kGraphDeployment:
      return desired_objects_of(api::GraphDeployment{object}, namespace_name, environment);
    case api::Kind::kComponentDeployment:
      return desired_objects_of(api::ComponentDeployment{object}, namespace_name, environment);
    case api::Kind::kCheckpoint:
      return desired_objects_of(api::Checkpoint{object}, namespace_name, environment);
    case api::Kind::kGraphDeploymentRequest:
      return desired_objects_of(api::GraphDeploymentRequest{object}, namespace_name, environment);
    default:
      return {};
  }
}

const DesiredObject* find(const Tree& tree, const DesiredObject& wanted) {
  const auto found = std::ranges::find_if(tree.items, [&wanted](const DesiredObject& each) {
    return each.kind == wanted.kind && each.name == wanted.name;
  });
  return found == tree.items.end() ? nullptr : &*found;
}

// "DynamoComponentDeployment g-decode "
std::string owner_of_lines(api::Kind kind, json::Value object) {
  return std::string(api::names(kind).name) + " " +
         std::string(object["metadata"]["name"].string_or_empty()) + " ";
}

// Compares specs only. Components that serve the same model share its Service, which differs only
// in its owner.
bool is_the_same(const DesiredObject& one, const DesiredObject& other) {
  const auto left = json::parse_copy(one.manifest);
  const auto right = json::parse_copy(other.manifest);
  return json::equal(left->root()["spec"], right->root()["spec"]);
}

// Appends the wanted object unless the tree has it; returns whether it did.
bool add_object(api::Kind kind, json::Value object, DesiredObject desired, Tree& tree) {
  if (!desired.wanted) return false;
  if (const DesiredObject* const there = find(tree, desired)) {
    if (is_the_same(*there, desired)) return false;
    tree.refused.push_back(owner_of_lines(kind, object) + std::string(desired.kind) + " " +
                           desired.name +
                           ": must have a name of its own; another object of that name is "
                           "created before it, so rename one of the services");
    return false;
  }
  tree.items.push_back(std::move(desired));
  return true;
}

void add_refusal(api::Kind kind, json::Value object, const DesiredObjects& objects, Tree& tree) {
  if (!objects.refused) return;
  tree.refused.push_back(owner_of_lines(kind, object) + objects.refused->path + ": " +
                         objects.refused->reason);
}

void add(api::Kind kind, json::Value object, std::string_view namespace_name,
         const RenderEnvironment& environment, Tree& tree) {
  DesiredObjects objects = desired_objects_of_kind(kind, object, namespace_name, environment);
  for (DesiredObject& desired : objects.items) {
    const bool is_component = desired.kind == kComponentKind;
    if (!add_object(kind, object, std::move(desired), tree) || !is_component) continue;
    const auto manifest = json::parse_copy(tree.items.back().manifest);
    add(api::Kind::kComponentDeployment, manifest->root(), namespace_name, environment, tree);
  }
  add_refusal(kind, object, objects, tree);
}

// Whether the path is in the pod template of a workload whose pods can be replaced. A Job never
// changes: it is kept or created again.
bool is_of_pods(std::string_view kind, std::string_view path) {
  if (kind == "Deployment") return path.starts_with("spec.template.");
  if (kind == "LeaderWorkerSet") return path.starts_with("spec.leaderWorkerTemplate.");
  return kind == kPodCliqueSetKind && path.starts_with("spec.template.cliques[") &&
         !path.ends_with("].spec.replicas");
}

// Whether the annotation only records the last apply.
bool is_bookkeeping(const Change& change) {
  return change.path.starts_with("metadata.annotations.nvidia.com/last-applied-");
}

// Whether the path is the uid of a request, which a profiling Job passes to its pod: a file cannot
// contain it.
bool is_uid_of_request(const Change& change) {
  return change.path.find("[DGDR_UID]") != std::string::npos;
}

// Whether the API server stores quantities of this kind by value; components are stored as written.
bool is_kept_by_value(std::string_view kind) {
  return kind == "Deployment" || kind == "PersistentVolumeClaim" || kind == "Job";
}

// Whether the owners have the same names. Their uid, and blockOwnerDeletion with it, is only known
// once they are stored, so a file cannot contain it.
bool same_owners(json::Value left, json::Value right) {
  if (left.size() != right.size()) return false;
  const json::Elements others = right.elements();
  auto other = others.begin();
  for (const json::Value owner : left.elements()) {
    for (const std::string_view field : {"apiVersion", "kind", "name", "controller"}) {
      if (!json::equal(owner[field], (*other)[field])) return false;
    }
    ++other;
  }
  return true;
}

}  // namespace

Tree tree_of(api::Kind kind, json::Value object, std::string_view namespace_name,
             const RenderEnvironment& environment) {
  Tree tree;
  add(kind, object, namespace_name, environment, tree);
  return tree;
}

Tree hub_tree_of(api::Kind kind, json::Value hub, json::Value alpha,
                 std::string_view namespace_name, const RenderEnvironment& environment,
                 const std::function<std::string(const std::string&)>& to_written) {
  Tree tree;
  DesiredObjects objects;
  if (kind == api::Kind::kGraphDeployment) {
    const api::GraphDeployment graph{hub};
    const api::GraphDeployment preserved{alpha};
    objects = hub_objects_of(graph, preserved, namespace_name, environment);
  } else if (kind == api::Kind::kComponentDeployment) {
    const api::ComponentDeployment component{hub};
    const api::ComponentDeployment preserved{alpha};
    objects = hub_objects_of(component, preserved, namespace_name, environment);
  } else if (kind == api::Kind::kGraphDeploymentRequest) {
    const api::GraphDeploymentRequest request{hub};
    const api::GraphDeploymentRequest preserved{alpha};
    objects = hub_objects_of(request, preserved, namespace_name, environment);
  }
  for (DesiredObject& desired : objects.items) add_object(kind, hub, std::move(desired), tree);
  if (objects.refused) objects.refused->path = to_written(objects.refused->path);
  add_refusal(kind, hub, objects, tree);
  return tree;
}

std::vector<TreeChange> changes_of(const Tree& before, const Tree& after) {
  std::vector<TreeChange> found;
  for (const DesiredObject& desired : after.items) {
    TreeChange change{.kind = std::string(desired.kind), .name = desired.name};
    const DesiredObject* const old = find(before, desired);
    if (old == nullptr) {
      change.operation = TreeChange::Operation::kCreate;
      found.push_back(std::move(change));
      continue;
    }
    if (old->manifest == desired.manifest) continue;
    const auto left = json::parse_copy(old->manifest);
    const auto right = json::parse_copy(desired.manifest);
    // Read all changes, because the last one may be the one that replaces pods.
    std::vector<Change> all = changes(left->root(), right->root(), left->text.size());
    std::erase_if(all, is_bookkeeping);
    if (desired.kind == "Job") std::erase_if(all, is_uid_of_request);
    if (is_kept_by_value(desired.kind)) std::erase_if(all, is_same_amount);
    if (same_owners(left->root()["metadata"]["ownerReferences"],
                    right->root()["metadata"]["ownerReferences"])) {
      std::erase_if(all, [](const Change& each) {
        return each.path.starts_with("metadata.ownerReferences");
      });
    }
    if (all.empty()) continue;
    change.rolls = std::ranges::any_of(
        all, [&desired](const Change& each) { return is_of_pods(desired.kind, each.path); });
    const std::size_t count = all.size();
    all.resize(std::min(count, kMaxChangesReported));
    change.changes = wording_of(all);
    if (count > kMaxChangesReported) {
      change.changes += " and " + std::to_string(count - kMaxChangesReported) + " more";
    }
    found.push_back(std::move(change));
  }
  for (const DesiredObject& desired : before.items) {
    if (find(after, desired) != nullptr) continue;
    found.push_back({.operation = TreeChange::Operation::kDelete,
                     .kind = std::string(desired.kind),
                     .name = desired.name});
  }
  return found;
}

}  // namespace dynamo::render
