// Which components support checkpoints, and the label by which services find them.
#include "render/component/hash.hpp"
#include "render/document/well_known.hpp"
#include "validators/rendered/engine_command.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::checkpoints {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

constexpr FieldPath kMetadata{"metadata"};
constexpr FieldPath kLabels = kMetadata.child("labels");

// If false, another rule reports the missing field.
bool is_complete(json::Value identity) {
  return !identity["model"].string_or_empty().empty() &&
         !identity["backendFramework"].string_or_empty().empty();
}

json::Value hash_label_of(json::Value object) {
  return object["metadata"]["labels"][render::label::kCheckpointHash];
}

void hash_label(const Context&, const api::Checkpoint& now, const api::Checkpoint*,
                Report& report) {
  const json::Value label = hash_label_of(now.value());
  if (!label.is_string() || !is_complete(now.identity())) return;
  const auto hash = render::checkpoint_identity_hash(now.identity());
  if (label.string_or_empty() == hash.view()) return;
  report.add(ErrorType::kInvalid, kLabels.key(render::label::kCheckpointHash),
             pod::found("must be " + quoted(hash.view()) +
                            ", the hash of spec.identity, or services with this identity wait for "
                            "ever",
                        label.string_or_empty(), "correct it"));
}

void hash_missing(const Context& context, const RenderedObject& object, Report& report) {
  if (context.kind == api::Kind::kCheckpoint) {
    const json::Value identity = object.object.spec()["identity"];
    if (hash_label_of(object.object.value()).exists() || !is_complete(identity)) return;
    return report.add(ErrorType::kRequired, kLabels.key(render::label::kCheckpointHash),
                      "must be " + quoted(render::checkpoint_identity_hash(identity).view()) +
                          " for services that look for this identity; found none, so only "
                          "checkpointRef finds it; add the label");
  }
  for (const RenderedPod& pod : object.pods) {
    const json::Value checkpoint = pod.component->service.value()["checkpoint"];
    const json::Value identity = checkpoint["identity"];
    const bool looks_for_it = pod.component->from_checkpoint &&
                              checkpoint["mode"].string_or_empty() == "Manual" &&
                              checkpoint["checkpointRef"].string_or_empty().empty();
    if (!looks_for_it || !is_complete(identity)) continue;
    const auto hash = render::checkpoint_identity_hash(identity);
    report.add(ErrorType::kRequired, pod.path->child("checkpoint").child("identity"),
               "must find a DynamoCheckpoint with the label " +
                   std::string(render::label::kCheckpointHash) + ": " + std::string(hash.view()) +
                   ", or the service waits forever; make sure that there is one",
               about({hash.view()}));
  }
}

void controller_missing(const Context& context, const api::Checkpoint& now,
                        const api::Checkpoint* old, Report& report) {
  if (!context.facts.checkpoints_unserved) return;
  if (old != nullptr && json::equal(old->spec(), now.spec())) return;
  report.add(
      ErrorType::kNotSupported, FieldPath{"kind"},
      "must have a controller: dynamo-reconciler replaces the Dynamo operator without the one "
      "of this kind, so no checkpoint is saved; start services without spec.checkpoint");
}

void unsupported(const Context&, const RenderedPod& pod, Report& report) {
  if (!pod.component->from_checkpoint) return;
  const FieldPath checkpoint = pod.path->child("checkpoint");
  const FieldPath path = checkpoint.child("enabled");
  if (pod.component->is_multinode()) {
    return report.add(ErrorType::kNotSupported, path,
                      "must be false for several nodes: a checkpoint holds the state of one pod; "
                      "found nodeCount " +
                          std::to_string(pod.component->node_count) + "; remove it");
  }
  const render::ComponentType type = pod.component->type;
  if (render::is_worker_like(type)) return;
  // A component of another type may run an engine under its own name.
  const bool generic = type == render::ComponentType::kGeneric;
  if (generic && engine_of(pod.pod->main()) != render::Framework::kNoop) return;
  report.add(ErrorType::kNotSupported, path,
             "must be false for a component that is no worker: only the state of an engine is "
             "saved; remove it");
}

}  // namespace

extern constexpr Rule kHashLabelRule{
    .id = "ckpt.manual.no-label",
    .kinds = kinds::kCheckpoints,
    .severity = Severity::kWarn,
    .function = &hash_label,
    .field = "metadata.labels[nvidia.com/checkpoint-hash]",
};

extern constexpr Rule kHashMissingRule{
    .id = "ckpt.manual.hash",
    .kinds = kinds::kPods,
    .severity = Severity::kOff,
    .function = &hash_missing,
    .field = "metadata.labels[nvidia.com/checkpoint-hash], P.checkpoint.identity",
};

extern constexpr Rule kUnsupportedRule{
    .id = "ckpt.unsupported",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .function = &unsupported,
    .field = "P.checkpoint.enabled",
};

extern constexpr Rule kControllerMissingRule{
    .id = "ckpt.controller",
    .kinds = kinds::kCheckpoints,
    .severity = Severity::kWarn,
    .ratchet = Ratchet::kNo,
    .function = &controller_missing,
    .field = "kind",
};

}  // namespace dynamo::validators::checkpoints
