// The profiling Job of a request in v1beta1.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "manifests/desired_objects.hpp"
#include "manifests/graph_objects.hpp"
#include "manifests/hub_builders.hpp"
#include "manifests/merged_json.hpp"
#include "manifests/profiling_job.hpp"
#include "render/component/names.hpp"
#include "render/document/shell.hpp"
#include "render/document/well_known.hpp"
#include "render/pod/base.hpp"

namespace dynamo::render {
namespace {

constexpr std::string_view kProfiler = "profiler";
constexpr std::string_view kCopier = "output-copier";
constexpr std::string_view kOutput = "profiling-output";
constexpr std::string_view kConfig = "profiling-config";
constexpr std::string_view kModels = "model-cache";
constexpr std::string_view kToken = "copier-token";
constexpr std::string_view kManager = "dynamo-operator";

// Fields of a Job that a request may override; everything else is ignored.
constexpr std::array<std::string_view, 6> kOfJob = {
    "activeDeadlineSeconds", "backoffLimit", "completions",
    "parallelism",           "suspend",      "ttlSecondsAfterFinished"};
constexpr std::array<std::string_view, 15> kOfPod = {"affinity",
                                                     "automountServiceAccountToken",
                                                     "dnsConfig",
                                                     "dnsPolicy",
                                                     "imagePullSecrets",
                                                     "initContainers",
                                                     "nodeSelector",
                                                     "priorityClassName",
                                                     "runtimeClassName",
                                                     "securityContext",
                                                     "serviceAccountName",
                                                     "terminationGracePeriodSeconds",
                                                     "tolerations",
                                                     "topologySpreadConstraints",
                                                     "volumes"};
constexpr std::array<std::string_view, 6> kOfProfiler = {
    "env", "envFrom", "image", "resources", "securityContext", "volumeMounts"};
constexpr std::array<std::string_view, 2> kOfCopier = {"image", "resources"};
constexpr std::array<std::string_view, 5> kOwnLabels = {
    "app", "dgdr", label::kManagedBy, "dgdr.nvidia.com/name", "dgdr.nvidia.com/namespace"};

constexpr std::array<std::string_view, 1> kMergedLists = {"containers"};
constexpr std::array<std::string_view, 5> kReplacedLists = {
    "env", "imagePullSecrets", "initContainers", "volumeMounts", "volumes"};

bool has_name(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

void write_fields(json::Writer& out, json::Value from, std::span<const std::string_view> names) {
  for (const auto [name, value] : from.members()) {
    if (has_name(names, name)) out.key(name).value(value);
  }
}

json::Value copier_in(json::Value containers) {
  for (const json::Value container : containers.elements()) {
    if (container["name"].string_or_empty() == kCopier) return container;
  }
  return {};
}

// The container of that name, otherwise the first one that is not the copier.
json::Value profiler_in(json::Value containers) {
  json::Value first;
  for (const json::Value container : containers.elements()) {
    const std::string_view name = container["name"].string_or_empty();
    if (name == kProfiler) return container;
    if (name != kCopier && !first.exists()) first = container;
  }
  return first;
}

void write_metadata(json::Writer& out, json::Value metadata) {
  out.key("metadata").start_object().key("labels").start_object();
  for (const auto [name, value] : metadata["labels"].members()) {
    if (!has_name(kOwnLabels, name)) out.key(name).value(value);
  }
  out.end_object();
  if (metadata["annotations"].is_object()) out.key("annotations").value(metadata["annotations"]);
  out.end_object();
}

// The part of the override that counts, in the form of the Job.
std::string allowed_part(json::Value given) {
  const json::Value pod = given["template"]["spec"];
  std::string text;
  json::Writer out(text);
  out.start_object();
  write_fields(out, given, kOfJob);
  out.key("template").start_object();
  if (given["template"]["metadata"].is_object()) {
    write_metadata(out, given["template"]["metadata"]);
  }
  out.key("spec").start_object();
  write_fields(out, pod, kOfPod);
  out.key("containers").start_array().start_object().member("name", kProfiler);
  write_fields(out, profiler_in(pod["containers"]), kOfProfiler);
  out.end_object().start_object().member("name", kCopier);
  write_fields(out, copier_in(pod["containers"]), kOfCopier);
  out.end_object().end_array().end_object().end_object().end_object();
  return text;
}

// Stores what the profiler reports every ten seconds, and its result in the end. A reported failure
// is a result; without any report the container fails.
std::string copier_script(std::string_view request, std::string_view space) {
  const std::string map = profiling_output_name(request).str();
  std::string script = "map=";
  append_quoted_word(script, map);
  script += "\nspace=";
  append_quoted_word(script, space);
  script += "\nrequest=";
  append_quoted_word(script, request);
  script += R"sh(
report=/data/profiler_status.yaml
field() { sed -n "s/^$1: *//p" "$report" 2>/dev/null | head -n 1 | tr -d "\"'"; }
store() {
  kubectl -n "$space" create configmap "$map" --dry-run=client -o yaml "$@" | kubectl apply -f -
  kubectl -n "$space" patch configmap "$map" --type=merge -p '{"metadata":{"ownerReferences":[{
    "apiVersion":"nvidia.com/v1beta1","kind":"DynamoGraphDeploymentRequest",
    "name":"'"$request"'","uid":"'"$DGDR_UID"'"}]}}'
}
ended() {
  kubectl -n "$space" get pod "$HOSTNAME" -o jsonpath=\
'{.status.containerStatuses[?(@.name=="profiler")].state.terminated.reason}'
}
until [ -n "$(ended)" ]; do
  store --from-literal=phase="$(field phase)" --from-literal=message="$(field message)"
  sleep 10
done
if [ "$(field status)" = success ] && [ -f /data/final_config.yaml ]; then
  store --from-literal=profiler_status=success --from-file="$report" \
    --from-file=/data/final_config.yaml
  exit
fi
store --from-literal=profiler_status=failed --from-literal=profiler_error="$(field message)"
[ -f "$report" ]
)sh";
  return script;
}

class HubJobWriter {
 public:
  HubJobWriter(const api::GraphDeploymentRequest& request, const api::GraphDeploymentRequest& alpha,
               std::string_view namespace_name, const Profile& profile, std::string& out)
      : spec_(request.spec()),
        preserved_(alpha.profiling()),
        name_(request.metadata().name()),
        uid_(request.value()["metadata"]["uid"].string_or_empty()),
        namespace_(namespace_name),
        profile_(profile),
        out_(out) {}

  void write() {
    out_.start_object().key("backoffLimit").integer(0).key("template").start_object();
    out_.key("spec").start_object().member("serviceAccountName", kProfilingAccount);
    out_.member("restartPolicy", "Never").key("securityContext").start_object();
    out_.key("runAsNonRoot").boolean(true);
    constexpr std::int64_t kUser = 1000;
    for (const std::string_view name : {"runAsUser", "runAsGroup", "fsGroup"}) {
      out_.key(name).integer(kUser);
    }
    out_.end_object().key("imagePullSecrets").start_array().start_object();
    out_.member("name", "nvcr-imagepullsecret").end_object().end_array();
    out_.key("containers").start_array();
    write_profiler();
    write_copier();
    out_.end_array().key("volumes").start_array();
    write_volumes();
    out_.end_array().end_object().end_object().end_object();
  }

 private:
  std::string_view models() const { return spec_["modelCache"]["pvcName"].string_or_empty(); }
  bool lacks_token() const {
    const json::Value pod = spec_["overrides"]["profilingJob"]["template"]["spec"];
    return pod["automountServiceAccountToken"].boolean() == false;
  }

  void write_profiler() {
    out_.start_object().member("name", kProfiler).member("image", spec_["image"].string_or_empty());
    out_.key("command").start_array().string("python").string("-m").string("dynamo.profiler");
    out_.end_array().key("args").start_array().string("--config").string(json::to_text(spec_));
    out_.string("--output-dir").string("/data").end_array().member("workingDir", "/workspace");
    out_.key("env").start_array().start_object().member("name", "HUGGING_FACE_HUB_TOKEN");
    out_.key("valueFrom").start_object().key("secretKeyRef").start_object();
    out_.member("key", "HF_TOKEN").member("name", "hf-token-secret");
    out_.end_object().end_object().end_object();
    write_variable("DGDR_NAME", name_);
    write_variable("DGDR_NAMESPACE", namespace_);
    write_variable("DGDR_UID", uid_);
    for (const auto& [name, address] :
         {std::pair{"NATS_SERVER", &profile_.nats_address},
          std::pair{"ETCD_ENDPOINTS", &profile_.etcd_address},
          std::pair{"MODEL_EXPRESS_URL", &profile_.model_express_url},
          std::pair{"PROMETHEUS_ENDPOINT", &profile_.prometheus_endpoint}}) {
      if (*address && !(*address)->empty()) write_variable(name, **address);
    }
    out_.end_array().key("volumeMounts").start_array();
    write_mount(kOutput, "/data", false);
    if (!models().empty()) {
      const std::string_view path = spec_["modelCache"]["pvcMountPath"].string_or_empty();
      write_mount(kModels, path.empty() ? "/opt/model-cache" : path, true);
    }
    if (preserved_["configMapRef"].is_object()) write_mount(kConfig, "/config", true);
    out_.end_array().end_object();
  }

  void write_copier() {
    out_.start_object().member("name", kCopier).member("image", "bitnami/kubectl:latest");
    out_.key("command").start_array().string("/bin/sh").string("-c").end_array();
    out_.key("args").start_array().string(copier_script(name_, namespace_)).end_array();
    out_.key("env").start_array();
    write_variable("DGDR_UID", uid_);
    out_.end_array().key("volumeMounts").start_array();
    write_mount(kOutput, "/data", true);
    if (lacks_token()) write_mount(kToken, "/var/run/secrets/kubernetes.io/serviceaccount", true);
    out_.end_array().end_object();
  }

  void write_volumes() {
    const std::string_view output = preserved_["outputPVC"].string_or_empty();
    if (output.empty()) {
      out_.start_object().member("name", kOutput).key("emptyDir").start_object();
      out_.end_object().end_object();
    } else {
      write_claim(kOutput, output, false);
    }
    if (!models().empty()) write_claim(kModels, models(), true);
    if (preserved_["configMapRef"].is_object()) write_config();
    if (lacks_token()) write_token();
  }

  void write_config() {
    constexpr std::string_view kFile = "disagg.yaml";
    const json::Value reference = preserved_["configMapRef"];
    const std::string_view key = reference["key"].string_or_empty();
    out_.start_object().member("name", kConfig).key("configMap").start_object();
    out_.member("name", reference["name"].string_or_empty());
    out_.key("items").start_array().start_object().member("key", key.empty() ? kFile : key);
    out_.member("path", kFile).end_object().end_array().end_object().end_object();
  }

  // The files of the account, which pods without this setting have.
  void write_token() {
    out_.start_object().member("name", kToken).key("projected").start_object();
    out_.key("sources").start_array().start_object().key("serviceAccountToken").start_object();
    out_.member("path", "token").end_object().end_object();
    out_.start_object().key("configMap").start_object().member("name", "kube-root-ca.crt");
    out_.key("items").start_array().start_object().member("key", "ca.crt");
    out_.member("path", "ca.crt").end_object().end_array().end_object().end_object();
    out_.start_object().key("downwardAPI").start_object().key("items").start_array();
    out_.start_object().member("path", "namespace").key("fieldRef").start_object();
    out_.member("fieldPath", "metadata.namespace").end_object().end_object().end_array();
    out_.end_object().end_object().end_array().end_object().end_object();
  }

  void write_variable(std::string_view name, std::string_view value) {
    out_.start_object().member("name", name).member("value", value).end_object();
  }
  void write_mount(std::string_view volume, std::string_view path, bool is_read_only) {
    out_.start_object().member("name", volume).member("mountPath", path);
    if (is_read_only) out_.key("readOnly").boolean(true);
    out_.end_object();
  }
  void write_claim(std::string_view volume, std::string_view claim, bool is_read_only) {
    out_.start_object().member("name", volume).key("persistentVolumeClaim").start_object();
    out_.member("claimName", claim);
    if (is_read_only) out_.key("readOnly").boolean(true);
    out_.end_object().end_object();
  }

  json::Value spec_;
  json::Value preserved_;  // in v1alpha1
  std::string_view name_;
  std::string_view uid_;
  std::string_view namespace_;
  const Profile& profile_;
  json::Writer out_;
};

std::optional<RenderRefusal> refusal_of_request(json::Value spec) {
  if (spec["image"].string_or_empty().empty()) {
    return RenderRefusal{"spec.profilingConfig.profilerImage",
                         "must name the image of the profiler"};
  }
  if (spec["overrides"]["dgd"].is_nothing()) return std::nullopt;
  return RenderRefusal{"spec.overrides.dgd", "needs the image of the operator, which is not known"};
}

DesiredObject build_hub_job(const api::GraphDeploymentRequest& request,
                            const api::GraphDeploymentRequest& alpha,
                            std::string_view namespace_name, const Profile& profile) {
  std::string own;
  HubJobWriter(request, alpha, namespace_name, profile, own).write();
  const auto base = json::parse_copy(own);
  const auto over = json::parse_copy(allowed_part(request.spec()["overrides"]["profilingJob"]));
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  write_merged(out, base->root(), over->root(),
               {.merged = kMergedLists, .replaced = kReplacedLists});
  const std::string_view name = request.metadata().name();
  const std::string job = profiling_job_name(name).str();
  const std::array<Label, 3> labels = {Label{.key = "app", .value = "dynamo-profiler"},
                                       Label{.key = "dgdr", .value = name},
                                       Label{.key = label::kManagedBy, .value = kManager}};
  OwnerMetadata owner = owner_of(request, "DynamoGraphDeploymentRequest", name);
  owner.api_version = kHubApiVersion;
  return make_desired_object({.api_version = "batch/v1",
                              .kind = "Job",
                              .name = job,
                              .namespace_name = namespace_name,
                              .labels = labels,
                              .owner = owner},
                             spec);
}

}  // namespace

DesiredObjects hub_objects_of(const api::GraphDeploymentRequest& request,
                              const api::GraphDeploymentRequest& alpha,
                              std::string_view namespace_name,
                              const RenderEnvironment& environment) {
  DesiredObjects objects;
  if (!environment.namespace_restricted) {
    objects = bound_account({.name = kProfilingAccount,
                             .cluster_role = environment.profiling_cluster_role,
                             .flag = "dgdr-profiling-cluster-role-name"},
                            namespace_name);
    if (objects.refused) return objects;
  }
  objects.refused = refusal_of_request(request.spec());
  if (!objects.refused) {
    objects.items.push_back(build_hub_job(request, alpha, namespace_name, environment.profile));
  }
  return objects;
}

}  // namespace dynamo::render
