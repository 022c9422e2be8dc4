#include "reconciler/graph/prerequisites.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "api/kinds/objects.hpp"
#include "desired/kinds.hpp"
#include "json/parser.hpp"
#include "manifests/secret.hpp"
#include "reconciler/graph/checkpoints.hpp"
#include "render/component/claims.hpp"
#include "render/document/arena.hpp"

namespace dynamo::reconciler::graph {
namespace {

using Items = std::vector<render::DesiredObject>;

MissingPrerequisite missing(std::size_t before, std::string message) {
  return {before, {Problem::Kind::kMissing, std::move(message)}};
}

bool is_account(const render::DesiredObject& desired) {
  return !desired.tracked && (desired.kind == "ServiceAccount" || desired.kind == "RoleBinding");
}

bool is_claim(const render::DesiredObject& desired) {
  return desired.kind == "PersistentVolumeClaim";
}

// The number of items before the first one that satisfies `is_later`.
template <typename IsLater>
std::size_t count_before(const Items& items, IsLater is_later) {
  return static_cast<std::size_t>(std::ranges::find_if(items, is_later) - items.begin());
}

std::optional<MissingPrerequisite> missing_role(const Items& items,
                                                const ObservedObjects& objects) {
  for (std::size_t i = 0; i < items.size() && is_account(items[i]); ++i) {
    if (items[i].kind != "RoleBinding") continue;
    const auto manifest = json::parse_copy(items[i].manifest);
    const json::Value role = manifest->root()["roleRef"];
    const std::string_view name = role["name"].string_or_empty();
    if (role["kind"].string_or_empty() != "ClusterRole") continue;
    if (objects.find("ClusterRole", name) != nullptr) continue;
    // Its account precedes it, and is useless without it.
    return missing(i == 0 ? 0 : i - 1, "ClusterRole " + std::string(name) +
                                           " must exist: the pods of the graph need its rights; "
                                           "it is part of the operator's installation");
  }
  return std::nullopt;
}

std::optional<MissingPrerequisite> missing_claim(const api::GraphDeployment& graph,
                                                 const Items& items,
                                                 const ObservedObjects& objects) {
  const std::size_t first = count_before(items, std::not_fn(is_account));
  std::set<std::string_view> made;  // each claim once, however often it is named
  render::Arena arena;
  for (const render::Claim& claim : render::graph_claims(graph, arena)) {
    if (claim.created) {
      made.insert(claim.name);
      continue;
    }
    if (claim.name.empty() || made.contains(claim.name) ||
        objects.find("PersistentVolumeClaim", claim.name) != nullptr)
      continue;
    return missing(std::min(first + made.size(), items.size()),
                   "spec.pvcs: PersistentVolumeClaim " + std::string(claim.name) +
                       " must exist in the namespace, or be created by \"create: true\"");
  }
  return std::nullopt;
}

std::optional<MissingPrerequisite> missing_secret(const api::GraphDeployment& graph,
                                                  const ObservedState& observed,
                                                  const Items& items) {
  const render::Profile& profile = observed.environment.profile;
  const auto& name = profile.mpi_secret_name;
  if (!name || name->empty()) return std::nullopt;
  if (!render::needs_mpi_secret(graph, observed.object.namespace_name(), profile)) {
    return std::nullopt;
  }
  if (observed.objects.find("Secret", *name) != nullptr) return std::nullopt;
  if (observed.environment.mpi_secret_source.exists()) return std::nullopt;
  const auto is_component = [](const render::DesiredObject& desired) {
    return desired.kind == kComponents.kind;
  };
  return missing(
      count_before(items, is_component),
      "Secret " + *name + " must exist in the namespace, or where the operator copies it from");
}

}  // namespace

std::optional<MissingPrerequisite> find_missing_prerequisite(
    const ObservedState& observed, const render::DesiredObjects& objects) {
  const api::GraphDeployment graph{observed.object.root()};
  const Items& items = objects.items;
  if (auto role = missing_role(items, observed.objects)) return role;
  if (auto claim = missing_claim(graph, items, observed.objects)) return claim;
  if (auto problem = missing_checkpoint(graph, observed.objects)) {
    const auto is_later = [](const render::DesiredObject& desired) {
      return !is_account(desired) && !is_claim(desired);
    };
    return MissingPrerequisite{count_before(items, is_later), std::move(*problem)};
  }
  return missing_secret(graph, observed, items);
}

}  // namespace dynamo::reconciler::graph
