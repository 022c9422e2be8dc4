#include "reconciler/graph/prerequisites.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "desired/kinds.hpp"
#include "json/parser.hpp"
#include "json/sorted_members.hpp"
#include "json/writer.hpp"
#include "manifests/secret.hpp"
#include "render/component/claims.hpp"
#include "render/component/hash.hpp"
#include "render/document/arena.hpp"
#include "render/document/well_known.hpp"

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
  const auto is_workload = [](const render::DesiredObject& desired) {
    return desired.kind == kComponents.kind || desired.kind == kPodCliqueSets.kind;
  };
  return missing(
      count_before(items, is_workload),
      "Secret " + *name + " must exist in the namespace, or where the operator copies it from");
}

constexpr std::string_view kCheckpointKind = "DynamoCheckpoint";

bool has_checkpoint(json::Value service) {
  return service["checkpoint"]["enabled"].boolean().value_or(false);
}

std::string_view reference_of(json::Value service) {
  return service["checkpoint"]["checkpointRef"].string_or_empty();
}

// An object that was stored before the definition required it may have neither.
bool has_source(json::Value service) {
  return !reference_of(service).empty() || service["checkpoint"]["identity"].is_object();
}

const kube::Object* with_hash(const ObservedObjects& objects, std::string_view hash) {
  for (const auto& [name, checkpoint] : objects.all(kCheckpointKind)) {
    const json::Value labels = checkpoint.root()["metadata"]["labels"];
    if (labels[render::label::kCheckpointHash].string_or_empty() == hash) return &checkpoint;
  }
  return nullptr;
}

// The graph creates the checkpoint if it does not exist.
bool is_created(json::Value checkpoint) {
  const std::string_view mode = checkpoint["mode"].string_or_empty();
  return mode.empty() || mode == "Auto";
}

// A checkpoint of another identity has the name, which object_diff.hpp reports.
bool is_name_taken(const ObservedObjects& objects, std::string_view name, json::Value identity) {
  const kube::Object* const found = objects.find(kCheckpointKind, name);
  return found != nullptr && render::checkpoint_identity_text(found->root()["spec"]["identity"]) !=
                                 render::checkpoint_identity_text(identity);
}

void write_entry(json::Writer& out, json::Value checkpoint, const ObservedObjects& objects) {
  const std::string_view reference = checkpoint["checkpointRef"].string_or_empty();
  const kube::Object* found = nullptr;
  std::string name(reference);
  std::string hash;
  if (!reference.empty()) {
    found = objects.find(kCheckpointKind, reference);
    if (found != nullptr) {
      hash = found->root()["status"]["identityHash"].string_or_empty();
    }
  } else {
    hash = render::checkpoint_identity_hash(checkpoint["identity"]).view();
    found = with_hash(objects, hash);
    if (found != nullptr) {
      name = found->name();
    } else if (is_created(checkpoint) && !is_name_taken(objects, hash, checkpoint["identity"])) {
      name = hash;
    }
  }
  out.start_object();
  if (!name.empty()) out.member("checkpointName", name);
  if (!hash.empty()) out.member("identityHash", hash);
  const bool ready =
      found != nullptr && found->root()["status"]["phase"].string_or_empty() == "Ready";
  if (ready) out.key("ready").boolean(true);
  out.end_object();
}

// The first service that references a checkpoint which does not exist.
std::optional<Problem> missing_checkpoint(const api::GraphDeployment& graph,
                                          const ObservedObjects& objects) {
  const json::Value services = graph.services();
  for (const json::Member& service : json::sorted_members(services)) {
    if (!has_checkpoint(service.value)) continue;
    const std::string path = "spec.services[" + std::string(service.name) + "].checkpoint";
    if (!has_source(service.value)) {
      return Problem{Problem::Kind::kMissing,
                     path + ": must give a checkpointRef or an identity; found neither"};
    }
    const std::string_view name = reference_of(service.value);
    if (name.empty() || objects.find(kCheckpointKind, name) != nullptr) continue;
    return Problem{Problem::Kind::kMissing,
                   path +
                       ".checkpointRef: must name a DynamoCheckpoint of the namespace; "
                       "found none of the name \"" +
                       std::string(name) + "\""};
  }
  return std::nullopt;
}

}  // namespace

std::optional<MissingPrerequisite> find_missing_prerequisite(
    const ObservedState& observed, const render::DesiredObjects& objects) {
  const api::GraphDeployment graph{observed.object.root()};
  const Items& items = objects.items;
  if (!observed.missing_queue.empty()) {
    return missing(0, "Queue " + observed.missing_queue +
                          " of KAI must exist: the pods of the graph are scheduled from it; create "
                          "it, or name another one in the annotation " +
                          std::string(render::annotation::kQueue));
  }
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

std::string checkpoint_status(const api::GraphDeployment& graph, const ObservedObjects& objects) {
  std::string text;
  json::Writer out(text);
  out.start_object();
  const json::Value services = graph.services();
  for (const json::Member& service : json::sorted_members(services)) {
    if (!has_checkpoint(service.value) || !has_source(service.value)) continue;
    out.key(service.name);
    write_entry(out, service.value["checkpoint"], objects);
  }
  out.end_object();
  return text;
}

bool are_all_checkpoints_observed(const api::GraphDeployment& graph,
                                  const ObservedObjects& objects) {
  const json::Value services = graph.services();
  for (const json::Member service : services.members()) {
    const json::Value checkpoint = service.value["checkpoint"];
    if (!has_checkpoint(service.value) || !has_source(service.value)) continue;
    if (!reference_of(service.value).empty() || !is_created(checkpoint)) continue;
    const auto hash = render::checkpoint_identity_hash(checkpoint["identity"]);
    if (with_hash(objects, hash.view()) == nullptr) return false;
  }
  return true;
}

}  // namespace dynamo::reconciler::graph
