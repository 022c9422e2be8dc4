#include "manifests/checkpoint_job.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "json/writer.hpp"
#include "manifests/desired_objects.hpp"
#include "render/component/hash.hpp"
#include "render/component/names.hpp"
#include "render/document/limits.hpp"
#include "render/document/well_known.hpp"
#include "render/object/write.hpp"
#include "render/pod/volumes.hpp"

namespace dynamo::render {
namespace {

constexpr std::string_view kSignalVolume = "checkpoint-signal";
constexpr std::string_view kSignalPath = "/checkpoint-signal";
constexpr std::string_view kStorageVolume = "checkpoint-storage";
constexpr std::string_view kPodInfoVolume = "podinfo";
constexpr std::string_view kPodInfoPath = "/etc/podinfo";

std::string_view known(const std::optional<std::string>& text) {
  return text ? std::string_view(*text) : std::string_view{};
}

class JobWriter {
 public:
  JobWriter(const api::Checkpoint& checkpoint, const RenderEnvironment& environment,
            std::string& out)
      : template_(checkpoint.job()["podTemplateSpec"]),
        job_(checkpoint.job()),
        name_(checkpoint.metadata().name()),
        environment_(environment),
        out_(out) {
    const std::string_view found = checkpoint.status()["identityHash"].string_or_empty();
    hash_ = found.empty() ? std::string(checkpoint_identity_hash(checkpoint.identity()).view())
                          : std::string(found);
  }

  const std::string& hash() const { return hash_; }

  void write() {
    out_.start_object();
    write_limit("activeDeadlineSeconds", 3600);
    write_limit("backoffLimit", 3);
    write_limit("ttlSecondsAfterFinished", 300);
    out_.key("template").start_object();
    write_metadata();
    out_.key("spec");
    write_spec();
    out_.end_object().end_object();
  }

 private:
  void write_limit(std::string_view name, std::int64_t otherwise) {
    out_.key(name).integer(job_[name].integer().value_or(otherwise));
  }

  void write_metadata() {
    const json::Value metadata = template_["metadata"];
    out_.key("metadata").start_object().key("labels").start_object();
    for (const auto [key, value] : metadata["labels"].members()) {
      const bool ours = key == label::kCheckpointHash || key == label::kCheckpointName ||
                        key == label::kCheckpointSource;
      if (!ours) out_.key(key).value(value);
    }
    out_.member(label::kCheckpointHash, hash_).member(label::kCheckpointName, name_);
    out_.member(label::kCheckpointSource, "true").end_object();
    if (metadata["annotations"].size() > 0) {
      out_.key("annotations").value(metadata["annotations"]);
    }
    out_.end_object();
  }

  void write_spec() {
    constexpr std::array<std::string_view, 5> kOwn = {"restartPolicy", "securityContext",
                                                      "initContainers", "containers", "volumes"};
    const json::Value spec = template_["spec"];
    out_.start_object().member("restartPolicy", "Never");
    // Replaces the user's security context completely.
    out_.key("securityContext").start_object().key("seccompProfile").start_object();
    out_.member("type", "Localhost").member("localhostProfile", kSeccompProfile);
    out_.end_object().end_object();
    write_init_containers(spec);
    write_containers(spec);
    write_volumes(spec);
    for (const auto [name, value] : spec.members()) {
      if (std::ranges::find(kOwn, name) == kOwn.end()) out_.key(name).value(value);
    }
    out_.end_object();
  }

  void write_init_containers(json::Value spec) {
    out_.key("initContainers").start_array();
    for (const json::Value container : spec["initContainers"].elements()) out_.value(container);
    out_.start_object().member("name", "cleanup-signal-file");
    out_.member("image", environment_.checkpoint_init_image);
    out_.key("command").start_array().string("sh").string("-c");
    out_.string("rm -f " + signal_file()).end_array();
    out_.key("volumeMounts").start_array();
    write_mount(kSignalVolume, kSignalPath, false);
    out_.end_array().end_object().end_array();
  }

  void write_containers(json::Value spec) {
    const std::size_t captured = captured_container(spec["containers"]);
    out_.key("containers").start_array();
    std::size_t index = 0;
    for (const json::Value container : spec["containers"].elements()) {
      if (index++ == captured) {
        write_captured(container);
      } else {
        out_.value(container);
      }
    }
    out_.end_array();
  }

  // The container named main, which may follow sidecars (Q20), otherwise the first one.
  static std::size_t captured_container(json::Value containers) {
    std::size_t index = 0;
    for (const json::Value container : containers.elements()) {
      if (container["name"].string_or_empty() == kMainContainerName) return index;
      ++index;
    }
    return 0;
  }

  void write_captured(json::Value container) {
    constexpr std::array<std::string_view, 5> kOwn = {"env", "volumeMounts", "readinessProbe",
                                                      "livenessProbe", "startupProbe"};
    out_.start_object();
    for (const auto [name, value] : container.members()) {
      if (std::ranges::find(kOwn, name) == kOwn.end()) out_.key(name).value(value);
    }
    write_variables(container["env"]);
    out_.key("readinessProbe").start_object().key("exec").start_object();
    out_.key("command").start_array().string("cat").string(environment_.checkpoint_ready_file);
    out_.end_array().end_object().key("initialDelaySeconds").integer(15);
    out_.key("periodSeconds").integer(2).end_object();
    out_.key("volumeMounts").start_array();
    for (const json::Value mount : container["volumeMounts"].elements()) out_.value(mount);
    write_mount(kSignalVolume, kSignalPath, false);
    if (!claim().empty()) write_mount(kStorageVolume, base_path(), false);
    write_mount(kPodInfoVolume, kPodInfoPath, true);
    out_.end_array().end_object();
  }

  // Appends to the user's variables, regardless of their names.
  void write_variables(json::Value users) {
    out_.key("env").start_array();
    for (const json::Value variable : users.elements()) out_.value(variable);
    write_variable("DYN_CHECKPOINT_SIGNAL_FILE", signal_file());
    write_variable("DYN_READY_FOR_CHECKPOINT_FILE", environment_.checkpoint_ready_file);
    write_variable("DYN_CHECKPOINT_HASH", hash_);
    const CheckpointLocation stored = checkpoint_location(hash_, environment_.profile);
    write_variable("DYN_CHECKPOINT_LOCATION", stored.location);
    write_variable("DYN_CHECKPOINT_STORAGE_TYPE", stored.storage_type);
    write_variable("DYN_RESTORE_MARKER_FILE",
                   known(environment_.profile.checkpoint_restore_marker));
    out_.end_array();
  }

  void write_volumes(json::Value spec) {
    out_.key("volumes").start_array();
    for (const json::Value volume : spec["volumes"].elements()) out_.value(volume);
    write_volume(out_, {.name = kSignalVolume,
                        .kind = VolumeSource::kHostPath,
                        .source = known(environment_.profile.checkpoint_signal_host_path)});
    if (!claim().empty()) {
      write_volume(out_, {.name = kStorageVolume,
                          .kind = VolumeSource::kPersistentVolumeClaim,
                          .source = claim()});
    }
    write_volume(out_, {.name = kPodInfoVolume, .kind = VolumeSource::kPodInfo});
    out_.end_array();
  }

  void write_variable(std::string_view name, std::string_view value) {
    out_.start_object().member("name", name).member("value", value).end_object();
  }
  void write_mount(std::string_view volume, std::string_view path, bool read_only) {
    out_.start_object().member("name", volume).member("mountPath", path);
    if (read_only) out_.key("readOnly").boolean(true);
    out_.end_object();
  }

  std::string signal_file() const { return std::string(kSignalPath) + "/" + hash_; }
  // Other storage needs no claim, and its default name belongs to none.
  std::string_view claim() const {
    if (environment_.profile.checkpoint_storage != CheckpointStorage::kPvc) return {};
    return known(environment_.profile.checkpoint_pvc);
  }
  std::string_view base_path() const { return known(environment_.profile.checkpoint_base_path); }

  json::Value template_;
  json::Value job_;
  std::string_view name_;
  std::string hash_;
  const RenderEnvironment& environment_;
  json::Writer out_;
};

}  // namespace

CheckpointLocation checkpoint_location(std::string_view hash, const Profile& profile) {
  switch (profile.checkpoint_storage) {
    case CheckpointStorage::kS3:
      return {"s3", std::string(known(profile.checkpoint_uri)).append("/").append(hash) + ".tar"};
    case CheckpointStorage::kOci:
      return {"oci", std::string(known(profile.checkpoint_uri)).append(":").append(hash)};
    case CheckpointStorage::kPvc:
    case CheckpointStorage::kUnknown:
      break;
  }
  return {"pvc", std::string(known(profile.checkpoint_base_path)).append("/").append(hash)};
}

std::optional<RenderRefusal> refusal_of(const api::Checkpoint& checkpoint,
                                        const RenderEnvironment& environment) {
  const api::FieldPath spec("spec");
  const api::FieldPath job = spec.child("job");
  const api::FieldPath pod = job.child("podTemplateSpec");
  const json::Value written = checkpoint.job()["podTemplateSpec"]["spec"];
  if (written["containers"].size() == 0) {
    return RenderRefusal{pod.child("spec.containers").render(),
                         "must have a container to be captured"};
  }
  const PodSize measured = measure({.pod = written, .is_template = true});
  if (measured.excess) {
    const OriginPath path(pod, measured.excess->origin);
    return RenderRefusal{path.path().render(),
                         "must have at most " + std::to_string(measured.excess->limit) +
                             " entries; found " + std::to_string(measured.excess->found)};
  }
  const Profile& profile = environment.profile;
  if (profile.checkpoint_storage == CheckpointStorage::kUnknown || !profile.checkpoint_pvc ||
      !profile.checkpoint_base_path || !profile.checkpoint_signal_host_path ||
      !profile.checkpoint_restore_marker) {
    return RenderRefusal{
        job.render(),
        "must not depend on a setting of the operator that is not known; found where "
        "checkpoints are kept"};
  }
  const bool is_remote = profile.checkpoint_storage == CheckpointStorage::kS3 ||
                         profile.checkpoint_storage == CheckpointStorage::kOci;
  if (is_remote && known(profile.checkpoint_uri).empty()) {
    const std::string flag = profile.checkpoint_storage == CheckpointStorage::kS3
                                 ? "--checkpoint-s3-uri"
                                 : "--checkpoint-oci-uri";
    return RenderRefusal{job.render(), "must have a storage that the operator knows; found no " +
                                           flag + ": set it, or another --checkpoint-storage-type"};
  }
  return std::nullopt;
}

DesiredObject build_checkpoint_job(const api::Checkpoint& checkpoint,
                                   std::string_view namespace_name,
                                   const RenderEnvironment& environment) {
  std::string spec = "\"spec\":";
  JobWriter writer(checkpoint, environment, spec);
  writer.write();
  const std::string_view name = checkpoint.metadata().name();
  const std::string job = checkpoint_job_name(name).str();
  const std::array<Label, 2> labels = {Label{.key = label::kCheckpointHash, .value = writer.hash()},
                                       Label{.key = label::kCheckpointName, .value = name}};
  return make_desired_object({.api_version = "batch/v1",
                              .kind = "Job",
                              .name = job,
                              .namespace_name = namespace_name,
                              .labels = labels,
                              .owner = owner_of(checkpoint, "DynamoCheckpoint", name)},
                             spec);
}

DesiredObjects desired_objects_of(const api::Checkpoint& checkpoint,
                                  std::string_view namespace_name,
                                  const RenderEnvironment& environment) {
  DesiredObjects objects;
  objects.refused = refusal_of(checkpoint, environment);
  if (!objects.refused) {
    objects.items.push_back(build_checkpoint_job(checkpoint, namespace_name, environment));
  }
  return objects;
}

}  // namespace dynamo::render
