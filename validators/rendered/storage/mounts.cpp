// Volumes and mounts, including those of the operator.
#include <algorithm>
#include <array>
#include <vector>

#include "validators/content/container_syntax.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::storage {

using api::Context;

namespace {

using api::ErrorType;
using render::Block;
using render::Container;
using render::Mount;
using render::Volume;

// The field of a service for which first-generation operators add volumes and mounts.
constexpr std::string_view kCheckpoint = "checkpoint";

bool is_service_mount(const Volume& volume) {
  return volume.origin.block == Block::kService && volume.origin.field == "volumeMounts";
}

bool is_written_by_user(const Volume& volume) {
  return volume.kind == render::VolumeSource::kUser;
}

std::string_view without_slashes(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

// Looks up volume names: short lists are searched linearly, long ones are sorted.
class VolumeNames {
 public:
  explicit VolumeNames(std::span<const Volume> volumes) : volumes_(volumes) {
    constexpr std::size_t kShort = 32;
    if (volumes.size() <= kShort) return;
    sorted_.reserve(volumes.size());
    for (const Volume& volume : volumes) sorted_.push_back(volume.name);
    std::ranges::sort(sorted_);
  }
  bool has(std::string_view name) const {
    if (!sorted_.empty()) return std::ranges::binary_search(sorted_, name);
    return std::ranges::find(volumes_, name, &Volume::name) != volumes_.end();
  }

 private:
  std::span<const Volume> volumes_;
  std::vector<std::string_view> sorted_;
};

// Volumes that controllers add to the job of a checkpoint; first-generation operators also add them
// to services.
bool is_added_for_checkpoint(std::string_view name) {
  constexpr std::array<std::string_view, 3> kAdded = {"checkpoint-signal", "checkpoint-storage",
                                                      "podinfo"};
  return std::ranges::find(kAdded, name) != kAdded.end();
}

bool is_privileged(const Container& container) {
  return container.privileged ||
         container.user["securityContext"]["privileged"].boolean().value_or(false);
}

void check_propagation(const RenderedPod& pod, bool privileged, const Mount& mount,
                       Report& report) {
  const std::string_view propagation = mount.definition["mountPropagation"].string_or_empty();
  if (propagation == "Bidirectional" && !privileged) {
    add_at(report, ErrorType::kForbidden, pod, mount.origin.child("mountPropagation"),
           "must not be Bidirectional in a container that is not privileged");
  }
  const std::string_view recursive = mount.definition["recursiveReadOnly"].string_or_empty();
  if (recursive != "Enabled" && recursive != "IfPossible") return;
  if (mount.read_only && (propagation.empty() || propagation == "None")) return;
  add_at(report, ErrorType::kForbidden, pod, mount.origin.child("recursiveReadOnly"),
         "must be Disabled unless readOnly is true and mountPropagation None");
}

// Checks a mount as the user wrote it in a container.
void check_form(const RenderedPod& pod, bool privileged, const Mount& mount, Report& report) {
  const json::Value path = mount.definition["mountPath"];
  if (path.is_nothing() || (path.is_string() && path.string_or_empty().empty())) {
    add_at(report, ErrorType::kRequired, pod, mount.origin.child("mountPath"), "must be set");
  }
  const json::Value sub_path = mount.definition["subPath"];
  const json::Value expression = mount.definition["subPathExpr"];
  const auto check = [&](std::string_view field) {
    const std::string_view text = mount.definition[field].string_or_empty();
    if (!text.starts_with('/') && !has_parent_part(text)) return;
    add_at(report, ErrorType::kInvalid, pod, mount.origin.child(field),
           pod::found("must be a path below the volume: relative, without \"..\"", text));
  };
  check("subPath");
  check("subPathExpr");
  if (!sub_path.string_or_empty().empty() && !expression.string_or_empty().empty()) {
    add_at(report, ErrorType::kInvalid, pod, mount.origin.child("subPathExpr"),
           "must not be set together with subPath; remove one of the two");
  }
  check_propagation(pod, privileged, mount, report);
}

// The one of two mounts that the user can change.
const Mount& changeable(const Mount& later, const Mount& earlier) {
  return later.origin.is_generated() || later.origin.field == kCheckpoint ? earlier : later;
}

void check_paths(const Context& context, const RenderedPod& pod, const Container& container,
                 Report& report) {
  const std::span<const Mount> mounts = container.mounts;
  pod::for_each_repeated(
      mounts.size(), [&](std::size_t at) { return without_slashes(mounts[at].path); },
      [&](std::size_t at, std::size_t before) {
        const Mount& mount = changeable(mounts[at], mounts[before]);
        const Mount& other = &mount == &mounts[at] ? mounts[before] : mounts[at];
        const bool of_operator = other.origin.is_generated() || other.origin.field == kCheckpoint;
        const bool from_service = mount.origin.block == Block::kService;
        std::string detail =
            pod::found("must be the only mount of the container at this path", mount.path);
        if (other.path == "/dev/shm" && of_operator) {
          detail += ", where the operator mounts shared memory; use sharedMemory, or disable it";
        } else if (other.origin.field == kCheckpoint) {
          detail += ", where first operators mount a volume for a checkpoint; choose another path";
        } else if (of_operator) {
          detail += ", where the operator mounts a volume of its own; choose another path";
        } else {
          detail += " twice; choose another path";
        }
        // Paths that differ only in a slash are accepted, and the second mount hides the first.
        const bool certain =
            mounts[at].path == mounts[before].path && mounts[at].certain && mounts[before].certain;
        const bool at_shared_memory = other.path == "/dev/shm" && of_operator;
        // One is from the service, one from mainContainer.
        const bool same_twice = mounts[at].volume == mounts[before].volume &&
                                from_service != (other.origin.block == Block::kService) &&
                                !of_operator;
        const Severity outcome = at_shared_memory
                                     ? severity_of(OperatorBehaviour::kMountOfSharedMemory, context)
                                 : same_twice ? severity_of(OperatorBehaviour::kMountTwice, context)
                                              : Severity::kDeny;
        add_finding_at(report, if_certain(certain, outcome), ErrorType::kDuplicate, pod,
                       mount.origin.child(from_service ? "mountPoint" : "mountPath"),
                       std::move(detail));
      });
}

constexpr std::string_view kPodInfoVolume = "podinfo";

bool is_added(const Volume& volume) {
  return volume.origin.field == kCheckpoint;
}

// Later operators search the claims for volumes that the main container mounts.
bool is_mounted_by_main(const render::Pod& pod, std::string_view volume) {
  const Container& main = pod.main();
  return main.is_main() &&
         std::ranges::find(main.mounts, volume, &Mount::volume) != main.mounts.end();
}

template <typename Visit>
void for_each_user_container(const RenderedPod& pod, Visit visit) {
  pod::for_each_container(*pod.pod, visit);
}

bool is_picker(const RenderedPod& pod) {
  return pod.component->type == render::ComponentType::kEndpointPicker;
}

// Checks the default mounts of an endpoint picker, whose volumes the user may have replaced.
void check_default_mounts(const Context& context, const RenderedPod& pod, const VolumeNames& names,
                          bool can_have_more, Report& report) {
  if (!is_picker(pod)) return;
  const Severity outcome =
      if_certain(!can_have_more, severity_of(OperatorBehaviour::kPickersVolumes, context));
  if (outcome == Severity::kOff) return;
  for (const Mount& mount : pod.pod->main().mounts) {
    if (!mount.origin.is_generated() || mount.volume.empty() || names.has(mount.volume)) continue;
    const render::OriginPath volumes(*pod.path, pod.pod->field("volumes"));
    add_finding(
        report, outcome == Severity::kDeny, ErrorType::kNotFound, volumes.path(),
        "must have a volume " + quoted(mount.volume) +
            " too, which an endpoint picker mounts by default: first operators leave theirs out "
            "where there are any here; add it, or give mainContainer.volumeMounts",
        about({mount.volume}));
  }
}

// Whether a file is below a mount path.
bool is_mounted_below(std::string_view file, std::string_view path) {
  path = without_slashes(path);
  if (path.empty() || !file.starts_with(path)) return false;
  return path.ends_with('/') || file.size() == path.size() || file[path.size()] == '/';
}

// The default arguments of an endpoint picker name a file that its default mounts provide.
void check_configuration(const Context& context, const RenderedPod& pod, Report& report) {
  if (!is_picker(pod) || severity_of(OperatorBehaviour::kPickersVolumes, context) == Severity::kOff)
    return;
  const Container& main = pod.pod->main();
  if (!main.args.origin.is_generated() || main.args.empty()) return;
  const std::string_view file = main.args.items.back();
  const bool is_there = std::ranges::any_of(
      main.mounts, [&](const Mount& mount) { return is_mounted_below(file, mount.path); });
  if (is_there) return;
  warn_at(report, pod, main.field("volumeMounts"),
          "must have a mount with the configuration, which the default arguments of an endpoint "
          "picker look for in " +
              std::string(file) +
              ": mounts of one's own replace the default ones; mount it there, or give args");
}

void duplicate_volume(const Context& context, const RenderedPod& pod, Report& report) {
  const std::span<const Volume> volumes = pod.pod->volumes;
  pod::for_each_repeated(
      volumes.size(), [&](std::size_t at) { return volumes[at].name; },
      [&](std::size_t at, std::size_t before) {
        const Volume& later = volumes[at];
        const Volume& earlier = volumes[before];
        if (is_written_by_user(later) && is_written_by_user(earlier))
          return;  // another rule reports it
        const bool later_is_users = is_service_mount(later);
        const Volume& users = later_is_users ? later : earlier;
        const Volume& other = later_is_users ? earlier : later;
        const bool both_mounts = is_service_mount(later) && is_service_mount(earlier);
        // First-generation operators omit theirs if the user has one.
        if (earlier.name == kPodInfoVolume && is_added(later)) return;
        OperatorBehaviour behaviour = OperatorBehaviour::kVolumeTwice;
        std::string detail = "must name a volume of its own; found ";
        detail += quoted(users.name);
        if (both_mounts) {
          behaviour = OperatorBehaviour::kClaimMountedTwice;
          detail +=
              " twice; to mount one claim at several paths use extraPodSpec.volumes and "
              "mainContainer.volumeMounts";
        } else if (is_written_by_user(other)) {
          behaviour = OperatorBehaviour::kVolumeOfPodTwice;
          detail +=
              " in extraPodSpec.volumes too; remove it there, or here and mount it in "
              "mainContainer.volumeMounts";
        } else if (other.origin.field == kCheckpoint) {
          detail += ", which first operators add to the pod for a checkpoint; rename it";
        } else {
          detail += ", which the operator adds to the pod; rename it";
        }
        const bool certain = later.certain && earlier.certain;
        add_finding_at(report, if_certain(certain, severity_of(behaviour, context)),
                       ErrorType::kDuplicate, pod, users.origin.child("name"), std::move(detail));
      });
}

void mount_path(const Context& context, const RenderedPod& pod, Report& report) {
  for_each_user_container(pod, [&](const Container& container) {
    const bool privileged = !container.mounts.empty() && is_privileged(container);
    for (const Mount& mount : container.mounts) {
      if (mount.path.find(':') != std::string_view::npos && !mount.origin.is_generated()) {
        const bool from_service = mount.origin.block == Block::kService;
        // Kubernetes forbids ':' without checking it; container runtimes split the path there.
        warn_at(report, pod, mount.origin.child(from_service ? "mountPoint" : "mountPath"),
                pod::found("must not contain ':'", mount.path));
      }
      if (mount.definition.is_object()) check_form(pod, privileged, mount, report);
    }
    check_paths(context, pod, container, report);
  });
}

void unknown_volume(const Context& context, const RenderedPod& pod, Report& report) {
  const VolumeNames names(pod.pod->volumes);
  // A volume of the operator whose name is unknown here.
  const bool can_have_more = std::ranges::any_of(pod.pod->volumes, [](const Volume& volume) {
    return volume.name.empty() && volume.origin.is_generated();
  });
  check_default_mounts(context, pod, names, can_have_more, report);
  check_configuration(context, pod, report);
  const bool is_job = pod.pod->block == Block::kTemplate;
  for_each_user_container(pod, [&](const Container& container) {
    for (const Mount& mount : container.mounts) {
      if (!mount.definition.is_object()) continue;
      const json::Value name = mount.definition["name"];
      if (mount.volume.empty()) {
        if (!name.is_nothing() && !name.is_string()) continue;  // a type error
        add_at(report, ErrorType::kRequired, pod, mount.origin.child("name"),
               "must name a volume of the pod");
        continue;
      }
      const bool of_checkpoint = is_added_for_checkpoint(mount.volume);
      if (names.has(mount.volume) || (is_job && of_checkpoint)) continue;
      // The volumes that later operators add when they create the pods are unknown.
      const bool can_be_added = can_have_more || (of_checkpoint && pod.component->from_checkpoint);
      const bool by_main = container.is_main() || is_mounted_by_main(*pod.pod, mount.volume);
      const Severity outcome =
          by_main ? severity_of(OperatorBehaviour::kVolumeAdded, context) : Severity::kDeny;
      add_finding_at(
          report, if_certain(!can_be_added, outcome), ErrorType::kNotFound, pod,
          mount.origin.child("name"),
          pod::found(is_job ? "must be the name of a volume of the pod"
                            : "must be the name of a volume of extraPodSpec.volumes, or of a "
                              "claim in the service's volumeMounts",
                     mount.volume));
    }
  });
}

}  // namespace

extern constexpr Rule kDuplicateVolumeRule{
    .id = "storage.mount.duplicate-volume",
    .kinds = kinds::kServices,
    .function = &duplicate_volume,
    .field = "P.volumeMounts[i].name",
};

extern constexpr Rule kMountPathRule{
    .id = "storage.mount.path",
    .kinds = kinds::kPods,
    .function = &mount_path,
    .field = "volumeMounts[i]",
};

extern constexpr Rule kUnknownVolumeRule{
    .id = "storage.mount.unknown-volume",
    .kinds = kinds::kPods,
    .function = &unknown_volume,
    .field = "volumeMounts[i].name",
};

}  // namespace dynamo::validators::storage
