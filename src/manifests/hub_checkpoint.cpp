// The DynamoCheckpoint that later operators create for a component, and what it changes in the
// metadata of pods.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "manifests/hub_builders.hpp"
#include "manifests/label_list.hpp"
#include "manifests/merged_json.hpp"
#include "manifests/pod_object.hpp"
#include "render/component/experimental.hpp"
#include "render/component/hash.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::render {
namespace {

constexpr std::string_view kFirstVersion = "1";

// The first 32 hexadecimal digits of the hash of the component's identity.
std::string checkpoint_id(const Component& component, std::string_view graph_uid) {
  std::string identity;
  json::Writer out(identity);
  out.start_object();
  const auto add = [&out](std::string_view name, std::string_view value, bool always) {
    if (always || !value.empty()) out.member(name, value);
  };
  add("namespace", component.namespace_name, false);
  add("dgdName", component.graph_name, true);
  add("dgdUID", graph_uid, false);
  add("componentName", component.service_name, true);
  add("workerHash", component.worker_hash, false);
  out.end_object();
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::size_t kBytes = 16;
  std::string id;
  const Sha256 hash = sha256(identity);
  for (const std::uint8_t byte : std::span(hash).first(kBytes)) {
    id += kDigits[byte >> 4U];
    id += kDigits[byte & 0xFU];
  }
  return id;
}

bool has_pvc_storage(const Profile& profile) {
  return profile.checkpoint_storage == CheckpointStorage::kPvc && profile.checkpoint_base_path;
}

std::string_view targets_of(const Component& component) {
  const bool has_engines = failover_of(component) == EngineSharing::kInPod;
  return has_engines ? "engine-0,engine-1" : checkpointed_container(component);
}

// The pod that runs until it is captured: the target alone.
std::string captured_pod_spec(const HubComponent& of, const RenderEnvironment& environment,
                              Arena& arena) {
  Component job = of.component;
  job.node_count = 1;
  job.workload = Workload::kDeployment;
  Pod pod = render_pod(job, PodRole::kCheckpoint, arena);
  const std::string_view target = checkpointed_container(of.component);
  const auto found = std::ranges::find(pod.containers, target, &Container::name);
  if (found != pod.containers.end()) {
    pod.main_index = 0;
    pod.containers =
        pod.containers.subspan(static_cast<std::size_t>(found - pod.containers.begin()), 1);
  }
  std::string text;
  json::Writer out(text);
  write_desired_pod_spec(out, job, pod, {}, environment, arena);
  return text;
}

}  // namespace

void find_checkpoint(HubComponent& of, std::string_view graph_uid,
                     const RenderEnvironment& environment, Arena& arena) {
  const json::Value checkpoint = checkpoint_of(of.component);
  if (!checkpoint.exists()) return;
  of.checkpoint = checkpoint["checkpointRef"].string_or_empty();
  if (has_own_checkpoint(of.component)) {
    of.checkpoint = arena.join({"checkpoint-", checkpoint_id(of.component, graph_uid)});
  }
  const auto found =
      std::ranges::find(environment.checkpoints, of.checkpoint, &ObservedCheckpoint::name);
  of.checkpoint_exists = found != environment.checkpoints.end();
  of.component.checkpoint_is_ready = of.checkpoint_exists && found->is_ready;
  const bool waits = waits_for_checkpoint(of.component);
  of.is_gated = waits && !of.component.checkpoint_is_ready;
  if (!waits || of.is_gated) return;
  of.component.snapshot = found->id.empty() ? of.checkpoint : std::string_view(found->id);
  const std::string_view version = found->artifact_version;
  of.component.snapshot_version = version.empty() ? kFirstVersion : version;
}

std::optional<RenderRefusal> refusal_of_checkpoint(const HubComponent& of,
                                                   const api::FieldPath& path) {
  const Component& component = of.component;
  if (!checkpoint_of(component).exists()) return std::nullopt;
  const api::FieldPath checkpoint = path.child("checkpoint");
  const auto refused = [&](std::string_view reason) {
    return RenderRefusal{checkpoint.render(), std::string(reason)};
  };
  if (component.profile->checkpointing != api::Fact::kYes) {
    return refused("needs an operator with checkpoints; its flag checkpoint-enabled is not set");
  }
  if (shares_between_pods(component) || failover_of(component) == EngineSharing::kBetweenPods) {
    return refused("must be left out where pods share GPUs with mode InterPod");
  }
  if (has_own_checkpoint(component) || of.checkpoint_exists) return std::nullopt;
  return RenderRefusal{checkpoint.child("checkpointRef").render(),
                       "must name a DynamoCheckpoint of the namespace; found none"};
}

bool has_own_checkpoint(const Component& component) {
  const json::Value checkpoint = checkpoint_of(component);
  return component.in_graph && checkpoint.exists() &&
         checkpoint["checkpointRef"].string_or_empty().empty();
}

DesiredObject build_hub_checkpoint(const HubComponent& of, std::string_view graph_uid,
                                   const OwnerMetadata& owner, const RenderEnvironment& environment,
                                   Arena& arena) {
  const Component& component = of.component;
  const std::string id = checkpoint_id(component, graph_uid);
  const json::Value checkpoint = checkpoint_of(component);
  const std::string_view given = checkpoint["deletionPolicy"].string_or_empty();
  const std::string_view policy = given.empty() ? "Delete" : given;
  std::vector<Label> labels;
  set_label(labels, {.key = label::kSnapshot, .value = id});
  set_label(labels, {.key = label::kGraph, .value = component.graph_name});
  set_label(labels, {.key = label::kComponent, .value = component.service_name});
  if (!component.worker_hash.empty()) {
    set_label(labels, {.key = label::kWorkerHash, .value = component.worker_hash});
  }
  const std::array<Label, 3> annotations = {
      Label{.key = annotation::kAutoCheckpoint, .value = "true"},
      Label{.key = annotation::kCheckpointDeletion, .value = policy},
      Label{.key = annotation::kArtifactVersion, .value = kFirstVersion}};
  const std::string pod_text = captured_pod_spec(of, environment, arena);
  const auto pod = json::parse_copy(pod_text);
  const json::Value over = checkpoint["job"]["podTemplate"];
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object().key("identity").start_object();
  out.member("model", arena.join({component.namespace_name, "/", component.graph_name}));
  out.member("backendFramework", of.framework).key("extraParameters").start_object();
  if (!graph_uid.empty()) out.member("dgdUID", graph_uid);
  out.member("component", component.service_name).member("checkpointID", id);
  out.end_object().end_object().key("job").start_object();
  const std::string_view target = checkpointed_container(component);
  if (target != kMainContainerName) out.member("targetContainerName", target);
  out.key("podTemplateSpec").start_object();
  if (over["metadata"].is_object()) out.key("metadata").value(over["metadata"]);
  out.key("spec");
  constexpr std::array<std::string_view, 1> kContainers = {"containers"};
  write_merged(out, pod->root(), over["spec"], {.merged = kContainers});
  out.end_object().end_object().end_object();
  return make_desired_object(
      {.api_version = api::kApiVersion,
       .kind = "DynamoCheckpoint",
       .name = of.checkpoint,
       .namespace_name = component.namespace_name,
       .labels = labels,
       .annotations = annotations,
       .owner = policy == "Retain" ? std::nullopt : std::optional<OwnerMetadata>(owner)},
      spec);
}

void set_checkpoint_labels(const HubComponent& of, std::vector<Label>& labels) {
  if (of.component.snapshot.empty()) return;
  std::erase_if(labels, [](const Label& each) { return each.key == label::kSnapshotSource; });
  set_label(labels, {.key = label::kRestoreTarget, .value = "true"});
  set_label(labels, {.key = label::kSnapshot, .value = of.component.snapshot});
}

void set_checkpoint_annotations(const HubComponent& of, std::vector<Label>& annotations) {
  constexpr std::array kOwn = {annotation::kRestoreCandidate, annotation::kCheckpointName,
                               annotation::kSnapshotTargets,  annotation::kArtifactVersion,
                               annotation::kStorageType,      annotation::kStorageBasePath};
  std::erase_if(annotations,
                [&](const Label& each) { return std::ranges::find(kOwn, each.key) != kOwn.end(); });
  const Component& component = of.component;
  if (of.checkpoint.empty() || of.is_gated) return;
  set_label(annotations, {.key = annotation::kSnapshotTargets, .value = targets_of(component)});
  if (component.snapshot.empty()) {
    set_label(annotations, {.key = annotation::kRestoreCandidate, .value = "true"});
    set_label(annotations, {.key = annotation::kCheckpointName, .value = of.checkpoint});
    return;
  }
  const Profile& profile = *component.profile;
  set_label(annotations,
            {.key = annotation::kArtifactVersion, .value = component.snapshot_version});
  if (!has_pvc_storage(profile)) return;
  set_label(annotations, {.key = annotation::kStorageType, .value = "pvc"});
  set_label(annotations,
            {.key = annotation::kStorageBasePath, .value = *profile.checkpoint_base_path});
}

}  // namespace dynamo::render
