// Checks the user's volumes against the rules of Kubernetes.
#include <array>

#include "text/names.hpp"
#include "validators/content/container_syntax.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/pod/vocabulary.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::pod {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

// The known sources. An unknown member may be a source of a later Kubernetes version and does not
// count.
constexpr std::array<std::string_view, 30> kSources = {
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "flocker",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    "cephfs",
    "quobyte",
    "downwardAPI",
    "fc",
    "flexVolume",
    "configMap",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
};

void require_text(json::Value block, std::string_view field, const FieldPath& path,
                  Report& report) {
  if (!block[field].string_or_empty().empty()) return;
  const json::Value value = block[field];
  if (!value.is_nothing() && !value.is_string()) return;  // a type error
  report.add(ErrorType::kRequired, path.child(field), "must be set");
}

// Checks the permission bits of a file: 0 to 0777.
void check_mode(json::Value block, std::string_view field, const FieldPath& path, Report& report) {
  constexpr std::int64_t kAllBits = 0777;
  const auto mode = block[field].integer();
  if (!mode || (*mode >= 0 && *mode <= kAllBits)) return;
  report.add(ErrorType::kInvalid, path.child(field),
             "must be between 0 and 511 (0777); found " + std::to_string(*mode));
}

void check_path(json::Value block, const FieldPath& path, Report& report) {
  const std::string_view text = block["path"].string_or_empty();
  if (text.empty()) {
    require_text(block, "path", path, report);
  } else if (!is_path_in_volume(text)) {
    report.add(ErrorType::kInvalid, path.child("path"),
               found("must be a path below the volume: relative, without \"..\"", text));
  }
}

// Checks a list of keys of a ConfigMap or Secret and the file of each.
void check_items(json::Value block, const FieldPath& path, Report& report) {
  const FieldPath items = path.child("items");
  std::size_t index = 0;
  for (const json::Value item : block["items"].elements()) {
    const FieldPath at = items.index(index++);
    if (!item.is_object()) continue;
    require_text(item, "key", at, report);
    check_path(item, at, report);
    check_mode(item, "mode", at, report);
  }
}

// Checks a list of downward API items and the file of each.
void check_downward_items(json::Value block, const FieldPath& path, Report& report) {
  const FieldPath items = path.child("items");
  std::size_t index = 0;
  for (const json::Value item : block["items"].elements()) {
    const FieldPath at = items.index(index++);
    if (!item.is_object()) continue;
    check_path(item, at, report);
    check_mode(item, "mode", at, report);
    const json::Value field = item["fieldRef"];
    const json::Value resource = item["resourceFieldRef"];
    if (field.is_nothing() == resource.is_nothing()) {
      report.add(field.is_nothing() ? ErrorType::kRequired : ErrorType::kInvalid, at,
                 "must have one of fieldRef and resourceFieldRef; found " +
                     std::string(field.is_nothing() ? "none" : "both"));
      continue;
    }
    if (field.is_object()) {
      const std::string_view text = field["fieldPath"].string_or_empty();
      if (is_volume_field_path(text)) continue;
      report.add(ErrorType::kNotSupported, at.child("fieldRef").child("fieldPath"),
                 found("must be metadata.name, .namespace, .uid, .labels or .annotations", text));
    } else if (resource.is_object()) {
      const FieldPath reference = at.child("resourceFieldRef");
      require_text(resource, "containerName", reference, report);
      const std::string_view text = resource["resource"].string_or_empty();
      if (is_container_resource(text)) continue;
      report.add(ErrorType::kNotSupported, reference.child("resource"),
                 found("must be limits.X or requests.X with cpu, memory, ephemeral-storage or "
                       "hugepages-SIZE",
                       text));
    }
  }
}

void check_token(json::Value token, const FieldPath& path, Report& report) {
  constexpr std::int64_t kShortest = 600;
  constexpr std::int64_t kLongest = std::int64_t{1} << 32U;
  check_path(token, path, report);
  const auto seconds = token["expirationSeconds"].integer();
  if (!seconds || (*seconds >= kShortest && *seconds <= kLongest)) return;
  report.add(ErrorType::kInvalid, path.child("expirationSeconds"),
             "must be between 600 and 2^32; found " + std::to_string(*seconds));
}

void check_projected(json::Value projected, const FieldPath& path, Report& report) {
  constexpr std::array<std::string_view, 6> kProjections = {
      "secret",        "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle",
      "podCertificate"};
  check_mode(projected, "defaultMode", path, report);
  const FieldPath sources = path.child("sources");
  std::size_t index = 0;
  for (const json::Value source : projected["sources"].elements()) {
    const FieldPath at = sources.index(index++);
    std::size_t count = 0;
    for (const std::string_view name : kProjections) count += source[name].is_nothing() ? 0 : 1;
    if (count > 1) {
      report.add(ErrorType::kForbidden, at,
                 "must have one source; found several; make an entry of each");
    }
    for (const std::string_view name : {kProjections[0], kProjections[1]}) {
      if (!source[name].is_object()) continue;
      require_text(source[name], "name", at.child(name), report);
      check_items(source[name], at.child(name), report);
    }
    if (source["downwardAPI"].is_object()) {
      check_downward_items(source["downwardAPI"], at.child("downwardAPI"), report);
    }
    if (source["serviceAccountToken"].is_object()) {
      check_token(source["serviceAccountToken"], at.child("serviceAccountToken"), report);
    }
  }
}

void check_host_path(json::Value host_path, const FieldPath& path, Report& report) {
  require_text(host_path, "path", path, report);
  if (has_parent_part(host_path["path"].string_or_empty())) {
    report.add(ErrorType::kInvalid, path.child("path"),
               found("must not contain \"..\"", host_path["path"].string_or_empty()));
  }
  check_spelling(host_path["type"], kHostPathTypes.words, path.child("type"), report);
}

void check_nfs(json::Value nfs, const FieldPath& path, Report& report) {
  require_text(nfs, "server", path, report);
  require_text(nfs, "path", path, report);
  const std::string_view text = nfs["path"].string_or_empty();
  if (text.empty() || text.starts_with('/')) return;
  report.add(ErrorType::kInvalid, path.child("path"), found("must begin with '/'", text));
}

// Checks a claim that is created for the pod.
void check_ephemeral(json::Value ephemeral, const FieldPath& path, Report& report) {
  const FieldPath in = path.child("volumeClaimTemplate");
  const json::Value claim = ephemeral["volumeClaimTemplate"];
  if (claim.is_nothing()) {
    report.add(ErrorType::kRequired, in, "must be set");
    return;
  }
  const json::Value spec = claim["spec"];
  if (!spec.is_object()) return;  // the schema requires it
  const FieldPath of_spec = in.child("spec");
  if (list_size(spec["accessModes"]) == 0) {
    report.add(ErrorType::kRequired, of_spec.child("accessModes"),
               "must name an access mode, such as ReadWriteOnce; found none");
  }
  if (spec["resources"]["requests"]["storage"].is_nothing()) {
    const FieldPath resources = of_spec.child("resources");
    report.add(ErrorType::kRequired, resources.child("requests").key("storage"),
               "must be set: the size of the claim");
  }
}

// A quantity as text, or a number.
bool is_negative(json::Value quantity) {
  const std::string_view text = quantity.string_or_empty();
  if (text.starts_with('-')) {
    return text.find_first_of("123456789") != std::string_view::npos;
  }
  return quantity.number().value_or(0) < 0;
}

void check_sources(json::Value volume, const FieldPath& path, Report& report) {
  if (is_negative(volume["emptyDir"]["sizeLimit"])) {
    report.add(ErrorType::kInvalid, path.child("emptyDir").child("sizeLimit"),
               "must be 0 or more; found a negative size");
  }
  const auto with = [&](std::string_view name, auto check) {
    const json::Value block = volume[name];
    if (block.is_object()) check(block, path.child(name), report);
  };
  with("hostPath", &check_host_path);
  with("nfs", &check_nfs);
  with("ephemeral", &check_ephemeral);
  with("projected", &check_projected);
  with("persistentVolumeClaim", [](json::Value claim, const FieldPath& at, Report& to) {
    require_text(claim, "claimName", at, to);
  });
  with("secret", [](json::Value secret, const FieldPath& at, Report& to) {
    require_text(secret, "secretName", at, to);
    check_mode(secret, "defaultMode", at, to);
    check_items(secret, at, to);
  });
  with("configMap", [](json::Value config_map, const FieldPath& at, Report& to) {
    require_text(config_map, "name", at, to);
    check_mode(config_map, "defaultMode", at, to);
    check_items(config_map, at, to);
  });
  with("downwardAPI", [](json::Value downward, const FieldPath& at, Report& to) {
    check_mode(downward, "defaultMode", at, to);
    check_downward_items(downward, at, to);
  });
  with("csi", [](json::Value csi, const FieldPath& at, Report& to) {
    require_text(csi, "driver", at, to);
  });
}

void check_volume(const RenderedPod& pod, const render::Volume& volume, Report& report) {
  const render::OriginPath at(*pod.path, volume.origin);
  const FieldPath& path = at.path();
  if (volume.name.empty()) {
    report.add(ErrorType::kRequired, path.child("name"), "must be set");
  } else if (!text::is_dns_label(volume.name)) {
    report.add(ErrorType::kInvalid, path.child("name"),
               found(kDnsLabelForm, volume.name, "rename it"));
  }
  std::size_t sources = 0;
  for (const auto [name, value] : volume.definition.members()) {
    const bool known = std::ranges::find(kSources, name) != kSources.end();
    if (known && !value.is_nothing()) ++sources;
  }
  if (sources > 1) {
    report.add(ErrorType::kForbidden, path,
               "must have one source; found several; make a volume of each");
  }
  if (sources > 0) check_sources(volume.definition, path, report);
}

void volumes(const Context&, const RenderedPod& pod, Report& report) {
  const std::span<const render::Volume> all = pod.pod->volumes;
  std::size_t users = 0;  // they come first
  for (const render::Volume& volume : all) {
    if (volume.kind != render::VolumeSource::kUser) break;
    check_volume(pod, volume, report);
    ++users;
  }
  for_each_repeated(
      users, [&](std::size_t at) { return all[at].name; },
      [&](std::size_t at, std::size_t) {
        add_at(report, ErrorType::kDuplicate, pod, all[at].origin.child("name"),
               found("must be unique in the pod", all[at].name, "rename one of the two"));
      });
}

}  // namespace

extern constexpr Rule kVolumesRule{
    .id = "pod.volumes",
    .kinds = kinds::kPods,
    .function = &volumes,
    .field = "E.volumes",
};

}  // namespace dynamo::validators::pod
