#include "reconciler/graph/checkpoints.hpp"

#include <string_view>

#include "json/writer.hpp"
#include "render/component/hash.hpp"
#include "render/document/sorted_members.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::reconciler::graph {
namespace {

constexpr std::string_view kKind = "DynamoCheckpoint";

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
  for (const auto& [name, checkpoint] : objects.all(kKind)) {
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

void write_entry(json::Writer& out, json::Value checkpoint, const ObservedObjects& objects) {
  const std::string_view reference = checkpoint["checkpointRef"].string_or_empty();
  const kube::Object* found = nullptr;
  std::string name(reference);
  std::string hash;
  if (!reference.empty()) {
    found = objects.find(kKind, reference);
    if (found != nullptr) {
      hash = found->root()["status"]["identityHash"].string_or_empty();
    }
  } else {
    hash = render::checkpoint_identity_hash(checkpoint["identity"]).view();
    found = with_hash(objects, hash);
    if (found != nullptr) {
      name = found->name();
    } else if (is_created(checkpoint)) {
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

}  // namespace

std::string checkpoint_status(const api::GraphDeployment& graph, const ObservedObjects& objects) {
  std::string text;
  json::Writer out(text);
  out.start_object();
  const json::Value services = graph.services();
  for (const json::Member& service : render::sorted_members(services)) {
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

std::optional<Problem> missing_checkpoint(const api::GraphDeployment& graph,
                                          const ObservedObjects& objects) {
  const json::Value services = graph.services();
  for (const json::Member& service : render::sorted_members(services)) {
    if (!has_checkpoint(service.value)) continue;
    const std::string path = "spec.services[" + std::string(service.name) + "].checkpoint";
    if (!has_source(service.value)) {
      return Problem{Problem::Kind::kMissing,
                     path + ": must give a checkpointRef or an identity; found neither"};
    }
    const std::string_view name = reference_of(service.value);
    if (name.empty() || objects.find(kKind, name) != nullptr) continue;
    return Problem{Problem::Kind::kMissing,
                   path +
                       ".checkpointRef: must name a DynamoCheckpoint of the namespace; "
                       "found none of the name \"" +
                       std::string(name) + "\""};
  }
  return std::nullopt;
}

}  // namespace dynamo::reconciler::graph
