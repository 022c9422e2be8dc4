#include "render/object/write.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "render/document/well_known.hpp"
#include "render/pod/launch.hpp"

namespace dynamo::render {
namespace {

// Fields of a container that are written from the rendered one.
constexpr std::array<std::string_view, 13> kContainerFields = {
    "name",           "image",         "command",        "args",
    "ports",          "env",           "envFrom",        "resources",
    "volumeMounts",   "livenessProbe", "readinessProbe", "startupProbe",
    "securityContext"};

// Fields of extraPodSpec that are written from the rendered pod.
constexpr std::array<std::string_view, 12> kPodFields = {
    "mainContainer",      "containers",    "initContainers",        "volumes",
    "serviceAccountName", "schedulerName", "restartPolicy",         "terminationGracePeriodSeconds",
    "securityContext",    "hostIPC",       "shareProcessNamespace", "imagePullSecrets"};

bool among(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Whether the API's types omit the value if it is empty. Other empty values are significant: a flag
// that is on by default, a number that may be 0, a block without fields.
bool is_left_out(std::string_view name, json::Value value) {
  constexpr std::array<std::string_view, 6> kFlags = {"hostNetwork", "hostPID",   "hostIPC",
                                                      "stdin",       "stdinOnce", "tty"};
  constexpr std::array<std::string_view, 2> kMaps = {"nodeSelector", "overhead"};
  if (!is_empty(value)) return false;
  if (value.is(json::Type::kBoolean)) return among(kFlags, name);
  if (value.is_object()) return among(kMaps, name);
  return value.is_nothing() || value.is_string() || value.is_array();
}

void write_texts(json::Writer& out, std::string_view name,
                 std::span<const std::string_view> texts) {
  if (texts.empty()) return;
  out.key(name).start_array();
  for (const std::string_view text : texts) out.string(text);
  out.end_array();
}

// An apply of a list with duplicate names fails (HTTP 500: "duplicate entries for key"). If the
// operator's variable duplicates the user's, as that of a compilation cache can, the user's wins;
// otherwise the last one wins, as in a container.
std::vector<const Variable*> counting(std::span<const Variable> variables,
                                      const PodWriteOptions& options) {
  std::vector<const Variable*> written;
  written.reserve(variables.size());
  for (const Variable& variable : variables) {
    if (variable.certain || options.uncertain) written.push_back(&variable);
  }
  const auto name_of = [](const Variable* variable) { return variable->name; };
  std::vector<const Variable*> by_name = written;
  std::ranges::stable_sort(by_name, [](const Variable* left, const Variable* right) {
    const int order = left->name.compare(right->name);
    return order != 0 ? order < 0 : !left->definition.exists() && right->definition.exists();
  });
  std::erase_if(written, [&](const Variable* variable) {
    return std::ranges::equal_range(by_name, variable->name, {}, name_of).back() != variable;
  });
  return written;
}

void write_variables(json::Writer& out, std::span<const Variable> variables,
                     const PodWriteOptions& options) {
  out.key("env").start_array();
  for (const Variable* const each : counting(variables, options)) {
    const Variable& variable = *each;
    if (variable.definition.exists()) {
      out.value(variable.definition);
      continue;
    }
    out.start_object().member("name", variable.name);
    if (!variable.field_path.empty()) {
      out.key("valueFrom").start_object().key("fieldRef").start_object();
      out.member("fieldPath", variable.field_path).end_object().end_object();
    } else if (!variable.value.empty()) {
      out.member("value", variable.value);
    }
    out.end_object();
  }
  out.end_array();
}

// Of several sources of one variable, the last one wins.
void write_env_from(json::Writer& out, const Container& container) {
  const bool has_secret =
      !container.env_from_secret.empty() || !container.env_from_operator.empty();
  if (container.env_from.size() == 0 && !has_secret) return;
  const auto write_secret = [&out](std::string_view name) {
    if (name.empty()) return;
    out.start_object().key("secretRef").start_object();
    out.member("name", name).end_object().end_object();
  };
  out.key("envFrom").start_array();
  write_secret(container.env_from_operator);
  for (const json::Value source : container.env_from.elements()) out.value(source);
  write_secret(container.env_from_secret);
  out.end_array();
}

void write_quantities(json::Writer& out, std::string_view name, const Resources& resources,
                      json::Value Resource::*side) {
  const bool any = std::ranges::any_of(
      resources.items, [side](const Resource& resource) { return (resource.*side).exists(); });
  if (!any) return;
  out.key(name).start_object();
  for (const Resource& resource : resources.items) {
    if ((resource.*side).exists()) out.key(resource.name).value(resource.*side);
  }
  out.end_object();
}

void write_resources(json::Writer& out, const Resources& resources) {
  if (resources.items.empty() && resources.claims.empty()) return;
  out.key("resources").start_object();
  write_quantities(out, "limits", resources, &Resource::limit);
  write_quantities(out, "requests", resources, &Resource::request);
  if (!resources.claims.empty()) {
    out.key("claims").start_array();
    for (const ResourceClaim& claim : resources.claims) {
      if (claim.definition.exists()) {
        out.value(claim.definition);
      } else {
        out.start_object().member("name", claim.name).end_object();
      }
    }
    out.end_array();
  }
  out.end_object();
}

void write_mounts(json::Writer& out, const Container& container, const PodWriteOptions& options) {
  if (container.mounts.empty() && container.copied_mounts.empty()) return;
  out.key("volumeMounts").start_array();
  for (const std::span<const Mount> mounts : {container.mounts, container.copied_mounts}) {
    for (const Mount& mount : mounts) {
      if (!mount.certain && !options.uncertain) continue;
      if (mount.definition.exists()) {
        out.value(mount.definition);
        continue;
      }
      out.start_object().member("name", mount.volume).member("mountPath", mount.path);
      if (mount.read_only) out.key("readOnly").boolean(true);
      if (!mount.sub_path.empty()) out.member("subPath", mount.sub_path);
      if (!mount.sub_path_expression.empty()) out.member("subPathExpr", mount.sub_path_expression);
      out.end_object();
    }
  }
  out.end_array();
}

// Writes an HTTP request with another port.
void write_request(json::Writer& out, const Overlay& request, std::string_view port) {
  out.start_object();
  request.for_each_member([&](std::string_view name, const Overlay& value) {
    if (name == "port") return;
    out.key(name);
    write_overlay(out, value);
  });
  out.member("port", port).end_object();
}

// Writes a probe that the operator has edited.
void write_edited_probe(json::Writer& out, const Probe& probe) {
  out.start_object();
  if (!probe.script.empty()) {
    out.key("exec").start_object().key("command").start_array();
    out.string("bash").string("-c").string(probe.script).end_array().end_object();
  }
  probe.fields.for_each_member([&](std::string_view name, const Overlay& value) {
    const bool is_delay = name == "initialDelaySeconds" && probe.starts_at_once;
    if (is_delay || probe.forced[name].exists()) return;
    out.key(name);
    if (name == "httpGet" && !probe.http_port.empty()) {
      write_request(out, value, probe.http_port);
    } else {
      write_overlay(out, value);
    }
  });
  for (const auto [name, value] : probe.forced.members()) out.key(name).value(value);
  out.end_object();
}

void write_probe(json::Writer& out, std::string_view name, const Probe& probe) {
  if (!probe.exists()) return;
  out.key(name);
  const bool is_edited = probe.forced.exists() || !probe.script.empty() ||
                         !probe.http_port.empty() || probe.starts_at_once;
  is_edited ? write_edited_probe(out, probe) : write_overlay(out, probe.fields);
}

void write_container_security(json::Writer& out, const Container& container,
                              const PodWriteOptions& options) {
  const json::Value user = container.user["securityContext"];
  if (container.as_root) {
    out.key("securityContext").start_object().key("runAsUser").integer(0).end_object();
    return;
  }
  if (!container.privileged || !(container.privileged_certain || options.uncertain)) {
    if (!user.is_nothing()) out.key("securityContext").value(user);
    return;
  }
  out.key("securityContext").start_object();
  for (const auto [name, value] : user.members()) {
    if (name != "privileged") out.key(name).value(value);
  }
  out.key("privileged").boolean(true).end_object();
}

// Writes the fields of the debugger, none of which the user sets.
void write_debugger(json::Writer& out) {
  out.key("stdin").boolean(true).key("tty").boolean(true);
  out.key("resources").start_object();
  out.key("requests").start_object().member("cpu", "100m").member("memory", "100Mi").end_object();
  out.key("limits").start_object().member("cpu", "1").member("memory", "1000Mi").end_object();
  out.end_object();
  out.key("securityContext").start_object().key("capabilities").start_object();
  out.key("add").start_array().string("SYS_PTRACE").end_array().end_object().end_object();
}

void write_container(json::Writer& out, const Container& container,
                     std::span<const std::string_view> command,
                     std::span<const std::string_view> args, const PodWriteOptions& options) {
  out.start_object().member("name", container.name);
  const bool ours = container.block == Block::kGenerated && container.name == kDebuggerContainer;
  const std::string_view image = ours ? options.debugger_image : container.image;
  if (!image.empty()) out.member("image", image);
  write_texts(out, "command", command);
  write_texts(out, "args", args);
  if (ours) {
    write_debugger(out);
    out.end_object();
    return;
  }
  if (container.ports.size() > 0) out.key("ports").value(container.ports);
  if (!container.variables.empty()) write_variables(out, container.variables, options);
  write_env_from(out, container);
  write_resources(out, container.resources);
  write_mounts(out, container, options);
  write_probe(out, "livenessProbe", container.liveness);
  write_probe(out, "readinessProbe", container.readiness);
  write_probe(out, "startupProbe", container.startup);
  write_container_security(out, container, options);
  if (!container.restart_policy.empty()) out.member("restartPolicy", container.restart_policy);
  for (const auto [name, value] : container.user.members()) {
    if (!among(kContainerFields, name) && !is_left_out(name, value)) out.key(name).value(value);
  }
  out.end_object();
}

void write_pod_info(json::Writer& out) {
  constexpr std::array<std::array<std::string_view, 2>, 8> kFiles = {{
      {"pod_name", "metadata.name"},
      {"pod_uid", "metadata.uid"},
      {"pod_namespace", "metadata.namespace"},
      {"dyn_namespace", "metadata.annotations['nvidia.com/dyn-namespace']"},
      {"dyn_component", "metadata.annotations['nvidia.com/dyn-component']"},
      {"dyn_parent_dgd_name", "metadata.annotations['nvidia.com/dyn-parent-dgd-name']"},
      {"dyn_parent_dgd_namespace", "metadata.annotations['nvidia.com/dyn-parent-dgd-namespace']"},
      {"dyn_discovery_backend", "metadata.annotations['nvidia.com/dyn-discovery-backend']"},
  }};
  out.key("downwardAPI").start_object().key("items").start_array();
  for (const auto& [path, field] : kFiles) {
    out.start_object().member("path", path).key("fieldRef").start_object();
    out.member("fieldPath", field).end_object().end_object();
  }
  out.end_array().end_object();
}

void write_pod_security(json::Writer& out, const Pod& pod, bool checkpoint_seccomp) {
  const json::Value user = pod.user["securityContext"];
  if (!checkpoint_seccomp && !pod.default_security_context) {
    out.key("securityContext").value(user);
    return;
  }
  out.key("securityContext").start_object();
  for (const auto [name, value] : user.members()) {
    if (!checkpoint_seccomp || name != "seccompProfile") out.key(name).value(value);
  }
  if (pod.default_security_context) out.key("fsGroup").integer(1000);
  if (checkpoint_seccomp) {
    out.key("seccompProfile").start_object().member("type", "Localhost");
    out.member("localhostProfile", kSeccompProfile).end_object();
  }
  out.end_object();
}

// Writes the user's value of a flag, unless the operator sets it.
void write_flag(json::Writer& out, const Pod& pod, std::string_view name, bool set) {
  const json::Value user = pod.user[name];
  if (set) {
    out.key(name).boolean(true);
  } else if (!user.is_nothing()) {
    out.key(name).value(user);
  }
}

bool tolerates(json::Value toleration) {
  const std::string_view key = toleration["key"].string_or_empty();
  const std::string_view effect = toleration["effect"].string_or_empty();
  return key == kDefaultGpu && toleration["operator"].string_or_empty() == "Exists" &&
         (effect.empty() || effect == "NoSchedule");
}

// Writes the user's tolerations and claims with those that later operators add.
void write_shared_gpus(json::Writer& out, const Pod& pod) {
  if (pod.tolerates_gpu_taint) {
    bool has_it = false;
    out.key("tolerations").start_array();
    for (const json::Value toleration : pod.user["tolerations"].elements()) {
      has_it = has_it || tolerates(toleration);
      out.value(toleration);
    }
    if (!has_it) {
      out.start_object().member("key", kDefaultGpu).member("operator", "Exists");
      out.member("effect", "NoSchedule").end_object();
    }
    out.end_array();
  }
  if (pod.gpu_claim_template.empty()) return;
  out.key("resourceClaims").start_array();
  for (const json::Value claim : pod.user["resourceClaims"].elements()) out.value(claim);
  out.start_object().member("name", kSharedGpuClaim);
  out.member("resourceClaimTemplateName", pod.gpu_claim_template).end_object().end_array();
}

// Writes the user's secrets, then the found ones that the user does not name.
void write_pull_secrets(json::Writer& out, const Pod& pod,
                        std::span<const std::string_view> found) {
  const json::Value users = pod.user["imagePullSecrets"];
  if (users.size() == 0 && found.empty()) return;
  out.key("imagePullSecrets").start_array();
  for (const json::Value secret : users.elements()) out.value(secret);
  for (std::size_t i = 0; i < found.size(); ++i) {
    bool named = among(found.first(i), found[i]);
    for (const json::Value secret : users.elements()) {
      named = named || secret["name"].string_or_empty() == found[i];
    }
    if (!named) out.start_object().member("name", found[i]).end_object();
  }
  out.end_array();
}

}  // namespace

void write_volume(json::Writer& out, const Volume& volume) {
  if (volume.kind == VolumeSource::kUser) {
    out.value(volume.definition);
    return;
  }
  out.start_object().member("name", volume.name);
  switch (volume.kind) {
    case VolumeSource::kPersistentVolumeClaim:
      out.key("persistentVolumeClaim").start_object().member("claimName", volume.source);
      out.end_object();
      break;
    case VolumeSource::kMemory:
      out.key("emptyDir").start_object().member("medium", "Memory").key("sizeLimit");
      volume.size.exists() ? out.value(volume.size) : out.string(kSharedMemorySize);
      out.end_object();
      break;
    case VolumeSource::kEmptyDir:
      out.key("emptyDir").start_object().end_object();
      break;
    case VolumeSource::kConfigMap:
      out.key("configMap").start_object().member("name", volume.source);
      out.key("items").start_array().start_object().member("key", volume.key);
      out.member("path", kEndpointPickerConfigFile).end_object().end_array().end_object();
      break;
    case VolumeSource::kSecret:
      out.key("secret").start_object().member("secretName", volume.source);
      out.key("defaultMode").integer(0644).end_object();
      break;
    case VolumeSource::kHostPath:
      out.key("hostPath").start_object().member("path", volume.source);
      out.member("type", "DirectoryOrCreate").end_object();
      break;
    case VolumeSource::kPodInfo:
      write_pod_info(out);
      break;
    case VolumeSource::kScript:
      out.key("configMap").start_object().member("name", volume.source).end_object();
      break;
    case VolumeSource::kPodLabels:
      out.key("downwardAPI").start_object().key("items").start_array().start_object();
      out.member("path", volume.key).key("fieldRef").start_object().key("fieldPath");
      out.string("metadata.labels['" + std::string(volume.source) + "']").end_object();
      out.end_object().end_array().end_object();
      break;
    case VolumeSource::kUser:
      break;
  }
  out.end_object();
}

void write_overlay(json::Writer& out, const Overlay& overlay) {
  if (!overlay.is_merged()) {
    out.value(overlay.value());
    return;
  }
  out.start_object();
  // Defaults are at most three levels deep, so the recursion is bounded.
  overlay.for_each_member([&](std::string_view name, const Overlay& member) {
    out.key(name);
    write_overlay(out, member);
  });
  out.end_object();
}

void write_labels(json::Writer& out, std::span<const Label> labels) {
  out.start_object();
  for (const Label& label : labels) out.member(label.key, label.value);
  out.end_object();
}

void write_pod_spec(json::Writer& out, const Component& component, const Pod& pod, Arena& arena,
                    const PodWriteOptions& options) {
  out.start_object();
  if (!pod.init_containers.empty()) {
    out.key("initContainers").start_array();
    for (const Container& container : pod.init_containers) {
      write_container(out, container, container.command.items, container.args.items, options);
    }
    out.end_array();
  }
  out.key("containers").start_array();
  for (const Container& container : pod.containers) {
    if (container.is_main() && options.launch) {
      const Launch launch = launch_of(component, pod.backend, pod.role, container, arena);
      write_container(out, container, launch.command, launch.args, options);
    } else {
      write_container(out, container, container.command.items, container.args.items, options);
    }
  }
  out.end_array();
  if (!pod.volumes.empty()) {
    out.key("volumes").start_array();
    for (const Volume& volume : pod.volumes) {
      if (volume.certain || options.uncertain) write_volume(out, volume);
    }
    out.end_array();
  }
  if (!pod.service_account.empty() && (pod.service_account_certain || options.uncertain)) {
    out.member("serviceAccountName", pod.service_account);
  } else if (pod.service_account.empty() && !options.fallback_account.empty()) {
    out.member("serviceAccountName", options.fallback_account);
  }
  write_pull_secrets(out, pod, options.pull_secrets);
  if (!pod.scheduler.empty() && (pod.scheduler_certain || options.uncertain)) {
    out.member("schedulerName", pod.scheduler);
  }
  out.member("restartPolicy", pod.restart_policy);
  out.key("terminationGracePeriodSeconds");
  pod.grace_period.exists() ? out.value(pod.grace_period)
                            : out.integer(pod.default_grace_period_seconds);
  const bool edited = pod.checkpoint_certain || options.uncertain;
  write_pod_security(out, pod, edited && pod.checkpoint_seccomp);
  write_flag(out, pod, "hostIPC", edited && pod.host_ipc);
  write_flag(out, pod, "shareProcessNamespace", pod.share_process_namespace);
  write_shared_gpus(out, pod);
  for (const auto [name, value] : pod.user.members()) {
    if ((name == "tolerations" && pod.tolerates_gpu_taint) ||
        (name == "resourceClaims" && !pod.gpu_claim_template.empty())) {
      continue;
    }
    if (!among(kPodFields, name) && !is_left_out(name, value)) out.key(name).value(value);
  }
  out.end_object();
}

void write_pod_template(json::Writer& out, const Component& component, const Pod& pod, Arena& arena,
                        const PodWriteOptions& options) {
  out.start_object().key("metadata").start_object().key("labels");
  write_labels(out, pod_labels(component, pod.role, arena));
  out.key("annotations");
  write_labels(out, pod_annotations(component, arena));
  out.end_object().key("spec");
  write_pod_spec(out, component, pod, arena, options);
  out.end_object();
}

}  // namespace dynamo::render
