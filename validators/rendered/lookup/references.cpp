// The Secrets and ConfigMaps that pods read, if the user names them. The operator creates the ones
// that it mounts itself.
#include "render/component/names.hpp"
#include "validators/rendered/lookup/search.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::lookup {

using api::Context;

namespace {

using api::FieldPath;

constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kProfiling = kSpec.child("profilingConfig");

// The fields by which a pod refers to objects of one kind.
struct Words {
  api::LookupKind kind;
  std::string_view must;
  std::string_view in_variable;  // in valueFrom of a variable
  std::string_view in_list;      // in an entry of envFrom
  std::string_view in_volume;    // in a volume, and in a source of a projected volume
  std::string_view volume_name;  // the name's field in such a volume
};
constexpr Words kSecret{.kind = api::LookupKind::kSecret,
                        .must = "must name a Secret that exists",
                        .in_variable = "secretKeyRef",
                        .in_list = "secretRef",
                        .in_volume = "secret",
                        .volume_name = "secretName"};
constexpr Words kConfigMap{.kind = api::LookupKind::kConfigMap,
                           .must = "must name a ConfigMap that exists",
                           .in_variable = "configMapKeyRef",
                           .in_list = "configMapRef",
                           .in_volume = "configMap",
                           .volume_name = "name"};

constexpr std::string_view kContainerWaits = ", or the container waits for it";
constexpr std::string_view kPodWaits = ", or the pod waits for it";
constexpr std::string_view kPulledWithout = ", or images are pulled without it";

// Exists in every namespace shortly after the namespace is created.
constexpr std::string_view kAuthorities = "kube-root-ca.crt";

// The ConfigMap that the operator creates from an endpoint picker's configuration.
bool is_written_by_operator(const RenderedObject& object, std::string_view config_map) {
  return std::ranges::any_of(object.pods, [&](const RenderedPod& pod) {
    return pod.component->type == render::ComponentType::kEndpointPicker &&
           render::endpoint_picker_config_name(pod.component->graph_name) == config_map;
  });
}

class ReferenceSearch {
 public:
  ReferenceSearch(const Context& context, const Words& words, const RenderedObject& object,
                  Report& report)
      : words_(words), object_(object), search_(context, words.kind), report_(report) {}

  // The references of containers and volumes.
  void check_pod(const RenderedPod& pod) {
    pod::for_each_container(*pod.pod, [&](const render::Container& container) {
      check_list(pod, container);
      check_variables(pod, container);
    });
    for (const render::Volume& volume : pod.pod->volumes) check_volume(pod, volume);
  }

  void check_service_secret(const RenderedPod& pod) {
    const std::string_view name = pod.pod->main().env_from_secret;
    if (is_missing(name)) add_finding(pod.path->child("envFromSecret"), name, kContainerWaits);
  }

  void check_pull_secrets(const RenderedPod& pod) {
    std::size_t index = 0;
    for (const json::Value secret : pod.pod->user["imagePullSecrets"].elements()) {
      const std::size_t at = index++;
      const std::string_view name = missing(secret);
      if (name.empty()) continue;
      const render::OriginPath path(*pod.path, pod.pod->field("imagePullSecrets").at(at));
      add_finding(path.path().child("name"), name, kPulledWithout);
    }
  }

  // The credentials of a CSI driver.
  void check_driver_secret(const RenderedPod& pod, const render::Volume& volume) {
    const std::string_view name = missing(volume.definition["csi"]["nodePublishSecretRef"]);
    if (name.empty()) return;
    const render::OriginPath path(*pod.path, volume.origin);
    add_finding(path.path().child("csi").child("nodePublishSecretRef").child("name"), name,
                kPodWaits);
  }

 private:
  bool is_missing(std::string_view name) {
    if (!search_.is_missing(name)) return false;
    if (words_.kind != api::LookupKind::kConfigMap) return true;
    return name != kAuthorities && !is_written_by_operator(object_, name);
  }

  // The name in a reference if it is missing and must be reported, otherwise "".
  std::string_view missing(json::Value reference, std::string_view field = "name") {
    const std::string_view name = reference[field].string_or_empty();
    if (name.empty() || reference["optional"].boolean().value_or(false)) return {};
    return is_missing(name) ? name : std::string_view{};
  }

  void check_list(const RenderedPod& pod, const render::Container& container) {
    std::size_t index = 0;
    for (const json::Value source : container.env_from.elements()) {
      const std::size_t at = index++;
      const std::string_view name = missing(source[words_.in_list]);
      if (name.empty()) continue;
      const render::OriginPath path(*pod.path, container.field("envFrom").at(at));
      add_finding(path.path().child(words_.in_list).child("name"), name, kContainerWaits);
    }
  }

  void check_variables(const RenderedPod& pod, const render::Container& container) {
    for (const render::Variable& variable : container.variables) {
      const std::string_view name = missing(variable.definition["valueFrom"][words_.in_variable]);
      if (name.empty()) continue;
      const render::OriginPath path(*pod.path, variable.origin);
      add_finding(path.path().child("valueFrom").child(words_.in_variable).child("name"), name,
                  kContainerWaits);
    }
  }

  void check_volume(const RenderedPod& pod, const render::Volume& volume) {
    const bool of_picker =
        volume.kind == render::VolumeSource::kConfigMap && !volume.origin.is_generated();
    if (of_picker) return check_picker_config(pod, volume);
    const std::string_view name = missing(volume.definition[words_.in_volume], words_.volume_name);
    if (!name.empty()) {
      const render::OriginPath path(*pod.path, volume.origin);
      add_finding(path.path().child(words_.in_volume).child(words_.volume_name), name, kPodWaits);
    }
    std::size_t index = 0;
    for (const json::Value source : volume.definition["projected"]["sources"].elements()) {
      const std::size_t at = index++;
      const std::string_view projected = missing(source[words_.in_volume]);
      if (projected.empty()) continue;
      const render::OriginPath path(*pod.path, volume.origin);
      const FieldPath all = path.path().child("projected");
      const FieldPath sources = all.child("sources");
      add_finding(sources.index(at).child(words_.in_volume).child("name"), projected, kPodWaits);
    }
  }

  void check_picker_config(const RenderedPod& pod, const render::Volume& volume) {
    if (words_.kind != api::LookupKind::kConfigMap) return;
    const std::string_view name =
        missing(pod.component->service.endpoint_picker_config()["configMapRef"]);
    if (name.empty()) return;
    const render::OriginPath path(*pod.path, volume.origin);
    add_finding(path.path().child("name"), name, kPodWaits);
  }

  void add_finding(const FieldPath& path, std::string_view name, std::string_view otherwise) {
    std::string text(words_.must);
    text.append(otherwise).append(search_.found_none(name, "create it"));
    report_.also_warn(path, text.append(kMayComeLater));
  }

  const Words& words_;
  const RenderedObject& object_;
  Search search_;
  Report& report_;
};

// The profiling job reads the token for the model hub, regardless of the request.
void check_hub_token(const Context& context, json::Value profiling, Report& report) {
  if (!profiling.is_object()) return;  // other rules report it
  constexpr std::string_view kToken = "hf-token-secret";
  Search search(context, api::LookupKind::kSecret);
  if (!search.is_missing(kToken)) return;
  std::string text =
      "must find the Secret from which its job reads HF_TOKEN, or the job waits for it";
  text.append(search.found_none(kToken, "create it")).append(kMayComeLater);
  report.also_warn(kProfiling, std::move(text));
}

// The operator reads it once, before the first attempt.
void check_base_config(const Context& context, json::Value profiling, Report& report) {
  const std::string_view name = profiling["configMapRef"]["name"].string_or_empty();
  Search search(context, api::LookupKind::kConfigMap);
  if (!search.is_missing(name)) return;
  report.also_warn(kProfiling.child("configMapRef").child("name"),
                   "must name a ConfigMap that exists, or the request fails for good" +
                       search.found_none(name, "create it before the request"));
}

void secrets(const Context& context, const RenderedObject& object, Report& report) {
  if (context.objects == nullptr) return;
  if (is_created_from_graph(object.object)) return;
  if (context.kind == api::Kind::kGraphDeploymentRequest) {
    return check_hub_token(context, object.object.spec()["profilingConfig"], report);
  }
  ReferenceSearch search(context, kSecret, object, report);
  for (const RenderedPod& pod : object.pods) {
    search.check_service_secret(pod);
    search.check_pod(pod);
    for (const render::Volume& volume : pod.pod->volumes) search.check_driver_secret(pod, volume);
    search.check_pull_secrets(pod);
  }
}

void config_maps(const Context& context, const RenderedObject& object, Report& report) {
  if (context.objects == nullptr) return;
  if (is_created_from_graph(object.object)) return;
  if (context.kind == api::Kind::kGraphDeploymentRequest) {
    return check_base_config(context, object.object.spec()["profilingConfig"], report);
  }
  ReferenceSearch search(context, kConfigMap, object, report);
  for (const RenderedPod& pod : object.pods) search.check_pod(pod);
}

}  // namespace

extern constexpr Rule kSecretsRule{
    .id = "cross.secret-missing",
    .kinds = kinds::kPodsAndRequests,
    .severity = Severity::kWarn,
    .function = &secrets,
    .field = "P.envFromSecret, C.env, C.envFrom, E.volumes, E.imagePullSecrets",
};

extern constexpr Rule kConfigMapsRule{
    .id = "cross.configmap-missing",
    .kinds = kinds::kPodsAndRequests,
    .severity = Severity::kWarn,
    .function = &config_maps,
    .field = "C.env, C.envFrom, E.volumes, P.eppConfig.configMapRef",
};

}  // namespace dynamo::validators::lookup
