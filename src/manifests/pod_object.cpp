#include "manifests/pod_object.hpp"

#include <algorithm>
#include <utility>

#include "manifests/image_host.hpp"
#include "render/component/hash.hpp"
#include "render/document/limits.hpp"
#include "render/document/origin.hpp"
#include "render/document/overlay.hpp"
#include "render/document/well_known.hpp"
#include "render/object/write.hpp"
#include "render/pod/checkpoint.hpp"
#include "render/pod/launch.hpp"
#include "schema/quantity.hpp"

namespace dynamo::render {
namespace {

constexpr std::string_view kNotKnown =
    "must not depend on a setting of the operator that is not known; found ";

// Checks the rendered items and stops at the first one that cannot be created.
class Inspection {
 public:
  Inspection(const Component& component, const Pod& pod, const api::FieldPath& path)
      : component_(component), pod_(pod), path_(path) {}

  std::optional<RenderRefusal> run(Arena& arena) {
    check_backend();
    check_workload();
    check_flags();
    check_name();
    for (const Container& container : pod_.init_containers) check_container(container);
    for (const Container& container : pod_.containers) check_container(container);
    for (const Volume& volume : pod_.volumes) check_volume(volume);
    for (const Label& label : pod_labels(component_, pod_.role, arena)) {
      if (!label.certain) refuse(label.origin, text(kNotKnown, label.key));
    }
    check_shared_memory();
    return std::move(refused_);
  }

 private:
  static std::string text(std::string_view what, std::string_view found) {
    constexpr std::size_t kMax = 100;
    return std::string(what) + '"' + std::string(found.substr(0, kMax)) + '"';
  }

  void refuse(const Origin& origin, std::string reason) {
    if (refused_) return;
    const OriginPath path(path_, origin);
    refused_ = RenderRefusal{path.path().render(), std::move(reason)};
  }

  void check_backend() {
    const Origin declared = origin_in(Block::kService, "backendFramework");
    switch (pod_.backend.problem) {
      case BackendProblem::kNone:
        return;
      case BackendProblem::kSeveralDetected:
        return refuse(origin_in(Block::kMainContainer, "args"),
                      "must run one engine, or backendFramework must say which; found several");
      case BackendProblem::kMismatch:
        return refuse(declared, text("must be what the command line runs; found ",
                                     component_.backend_framework));
      case BackendProblem::kUnknownDeclared:
        return refuse(declared,
                      text("must be vllm, sglang or trtllm; found ", component_.backend_framework));
    }
  }

  void check_workload() {
    if (workload_of(component_) == Workload::kUnknown) {
      refuse({}, text(kNotKnown, "the kind of workload"));
    }
    if (workload_of(component_) == Workload::kNone) {
      refuse(origin_in(Block::kService, "multinode"),
             "must be left out where the cluster has neither Grove nor LeaderWorkerSets");
    }
    if (component_.is_multinode() && pod_.backend.framework == Framework::kTrtllm &&
        component_.node_count > kMaxListedNodes) {
      refuse(origin_in(Block::kService, "multinode.nodeCount"),
             "must be at most " + std::to_string(kMaxListedNodes) + " for this engine; found " +
                 std::to_string(component_.node_count));
    }
  }

  void check_flags() {
    if (!pod_.service_account_certain) {
      refuse(pod_.service_account_origin, text(kNotKnown, "serviceAccountName"));
    }
    if (!pod_.scheduler_certain) refuse(pod_.scheduler_origin, text(kNotKnown, "schedulerName"));
    if (!pod_.checkpoint_certain) {
      refuse(origin_in(Block::kService, "checkpoint"), text(kNotKnown, "hostIPC"));
    }
  }

  // A checkpoint edits the container with that name (Q38).
  void check_name() {
    const Container& main = pod_.main();
    const bool edited = checkpoint_edits_pods(component_) != api::Fact::kNo;
    if (!edited || pod_.role == PodRole::kCheckpoint || main.name == kMainContainerName) return;
    refuse(main.name_origin(),
           text("must be \"main\" or left out where the pod starts from a checkpoint; found ",
                main.name));
  }

  void check_quantity(json::Value quantity, const Origin& origin) {
    if (!quantity.exists() || quantity.number()) return;
    const std::string_view written = quantity.string_or_empty();
    if (!schema::is_quantity(written)) {
      refuse(origin, text("must be a quantity, such as \"8Gi\"; found ", written));
    }
  }

  void check_container(const Container& container) {
    for (const Variable& variable : container.variables) {
      if (!variable.certain) refuse(variable.origin, text(kNotKnown, variable.name));
    }
    for (const Resource& resource : container.resources.items) {
      check_quantity(resource.limit, resource.limit_origin);
      check_quantity(resource.request, resource.request_origin);
    }
    for (const Mount& mount : container.mounts) {
      if (!mount.certain) refuse(mount.origin, text(kNotKnown, mount.volume));
      if (mount.definition.exists()) continue;
      if (mount.volume.empty()) refuse(mount.origin, "must name a volume");
      if (mount.path.empty()) {
        refuse(mount.origin,
               "must say where the volume is mounted; only vLLM's cache has a place of its own");
      }
    }
  }

  void check_volume(const Volume& volume) {
    if (!volume.certain) {
      refuse(volume.origin, text(kNotKnown, volume.name.empty() ? "volumes" : volume.name));
    }
  }

  void check_shared_memory() {
    const json::Value size = component_.service.shared_memory_size();
    if (!component_.service.is_shared_memory_disabled() && !is_empty(size)) {
      check_quantity(size, origin_in(Block::kService, "sharedMemory.size"));
    }
  }

  const Component& component_;
  const Pod& pod_;
  const api::FieldPath& path_;
  std::optional<RenderRefusal> refused_;
};

// The storage of checkpoints must be known. Returns the missing setting.
std::optional<std::string_view> missing_storage(const Profile& profile) {
  const auto set = [](const std::optional<std::string>& value) { return value && !value->empty(); };
  if (profile.checkpointing != api::Fact::kYes) return "checkpoint-enabled";
  switch (profile.checkpoint_storage) {
    case CheckpointStorage::kPvc:
      if (!set(profile.checkpoint_pvc)) return "checkpoint-pvc-name";
      if (!set(profile.checkpoint_base_path)) return "checkpoint-pvc-base-path";
      return std::nullopt;
    case CheckpointStorage::kS3:
      if (!set(profile.checkpoint_uri)) return "checkpoint-s3-uri";
      return std::nullopt;
    case CheckpointStorage::kOci:
      if (!set(profile.checkpoint_uri)) return "checkpoint-oci-uri";
      return std::nullopt;
    case CheckpointStorage::kUnknown:
      break;
  }
  return "checkpoint-storage-type";
}

}  // namespace

std::optional<RenderRefusal> refusal_of(const Component& component, const Pod& pod,
                                        const api::FieldPath& path, Arena& arena) {
  return Inspection(component, pod, path).run(arena);
}

ResolvedComponent with_checkpoint(const Component& component, const RenderEnvironment& environment,
                                  const api::FieldPath& path, Arena& arena) {
  ResolvedComponent resolved{.component = component};
  if (!component.from_checkpoint) return resolved;
  const api::FieldPath checkpoint = path.child("checkpoint");
  if (const auto missing = missing_storage(environment.profile)) {
    resolved.refused = RenderRefusal{
        checkpoint.render(), "needs an operator that says where checkpoints are kept; its flag " +
                                 std::string(*missing) + " is not set"};
    return resolved;
  }
  const json::Value written = component.service.value()["checkpoint"];
  const std::string_view reference = written["checkpointRef"].string_or_empty();
  if (reference.empty()) {
    if (!written["identity"].is_object()) {
      resolved.refused =
          RenderRefusal{checkpoint.render(), "must give a checkpointRef or an identity"};
    }
    return resolved;
  }
  const auto found =
      std::ranges::find(environment.checkpoints, reference, &ObservedCheckpoint::name);
  if (found == environment.checkpoints.end()) {
    resolved.refused = RenderRefusal{checkpoint.child("checkpointRef").render(),
                                     "must name a DynamoCheckpoint of the namespace; found none"};
    return resolved;
  }
  resolved.component.checkpoint_hash = found->identity_hash;
  if (found->identity_hash.empty()) {
    resolved.component.checkpoint_hash =
        arena.join({checkpoint_identity_hash(found->identity).view()});
  }
  return resolved;
}

std::vector<std::string_view> pull_secrets_of(const Component& component,
                                              const RenderEnvironment& environment) {
  std::vector<std::string_view> names;
  if (component.annotation(annotation::kDisablePullSecrets).string_or_empty() == "true") {
    return names;
  }
  const auto add = [&](std::string_view image) {
    const auto host = image_host(image);
    if (!host) return;
    for (const PullSecret& secret : environment.pull_secrets) {
      if (secret.host == *host) names.push_back(secret.name);
    }
  };
  add(component.main_container()["image"].string_or_empty());
  if (!component.reads_hub) return names;
  // Later operators find those of all containers; a secret that is named twice is written once.
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (const json::Value container : component.pod()[list].elements()) {
      add(container["image"].string_or_empty());
    }
  }
  return names;
}

void write_template_metadata(json::Writer& out, std::span<const Label> labels,
                             std::span<const Label> annotations) {
  out.start_object();
  if (!labels.empty()) {
    out.key("labels");
    write_labels(out, labels);
  }
  if (!annotations.empty()) {
    out.key("annotations");
    write_labels(out, annotations);
  }
  out.end_object();
}

void write_desired_template(json::Writer& out, const Component& component, const Pod& pod,
                            std::span<const Label> labels, std::span<const Label> annotations,
                            const RenderEnvironment& environment, Arena& arena) {
  out.start_object().key("metadata");
  write_template_metadata(out, labels, annotations);
  out.key("spec");
  write_desired_pod_spec(out, component, pod, environment.fallback_account, environment, arena);
  out.end_object();
}

void write_desired_pod_spec(json::Writer& out, const Component& component, const Pod& pod,
                            std::string_view fallback_account, const RenderEnvironment& environment,
                            Arena& arena) {
  const std::vector<std::string_view> secrets = pull_secrets_of(component, environment);
  write_pod_spec(out, component, pod, arena,
                 {.uncertain = false,
                  .launch = true,
                  .fallback_account = fallback_account,
                  .debugger_image = environment.debugger_image,
                  .pull_secrets = secrets});
}

}  // namespace dynamo::render
