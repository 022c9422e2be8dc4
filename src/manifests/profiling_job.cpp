#include "manifests/profiling_job.hpp"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "json/writer.hpp"
#include "json/yaml_writer.hpp"
#include "manifests/builders.hpp"
#include "manifests/desired_objects.hpp"
#include "manifests/graph_objects.hpp"
#include "manifests/profiling_config.hpp"
#include "render/component/names.hpp"
#include "render/document/well_known.hpp"
#include "render/pod/base.hpp"

namespace dynamo::render {
namespace {

constexpr std::string_view kOutput = "profiling-output";
constexpr std::string_view kConfig = "profiling-config";
constexpr std::string_view kModelCache = "model-cache";
constexpr std::string_view kManagedBy = "dynamo-operator";
constexpr std::string_view kScriptImage = "bitnami/kubectl:latest";

// Waits for the profiler container, then stores its result in the cluster.
std::string copier_script(std::string_view request, std::string_view space) {
  std::string script =
      "fail() { echo \"$1\" >&2; exit 1; }\n"
      "ended() { kubectl get pod \"$HOSTNAME\" -o jsonpath='{.status.containerStatuses"
      "[?(@.name==\"profiler\")].state.terminated.reason}'; }\n"
      "until [ -n \"$(ended)\" ]; do sleep 5; done\n"
      "tries=0\n"
      "until [ -f /data/profiler_status.yaml ]; do\n"
      "  tries=$((tries + 1))\n"
      "  [ $tries -le 24 ] || fail 'the profiler left no status'\n"
      "  sleep 5\n"
      "done\n"
      "grep -Eq \"^status: *[\\\"']?success[\\\"']? *$\" /data/profiler_status.yaml || "
      "fail \"$(cat /data/profiler_status.yaml)\"\n"
      "[ -f /data/config_with_planner.yaml ] || fail 'the profiler left no config'\n"
      "{ cat <<'END'\n"
      "apiVersion: v1\n"
      "kind: ConfigMap\n"
      "metadata:\n"
      "  name: ";
  script += profiling_output_name(request).str();
  // A name may read as a number or as true.
  script += "\n  namespace: ";
  json::append_yaml_text(script, space);
  script += "\n  labels:\n    dgdr.nvidia.com/name: ";
  json::append_yaml_text(script, request);
  script += "\n    nvidia.com/managed-by: ";
  script += kManagedBy;
  script +=
      "\ndata:\n"
      "END\n"
      "for file in config_with_planner.yaml mocker_config_with_planner.yaml "
      "profiler_status.yaml; do\n"
      "  [ -f \"/data/$file\" ] || continue\n"
      "  echo \"  $file: |\"\n"
      "  sed 's/^/    /' \"/data/$file\"\n"
      "  echo\n"
      "done; } | kubectl apply -f -\n";
  return script;
}

std::string known_or(const std::optional<std::string>& address, const std::string& otherwise) {
  return address && !address->empty() ? *address : otherwise;
}

class JobWriter {
 public:
  JobWriter(const api::GraphDeploymentRequest& request, std::string_view namespace_name,
            const RenderEnvironment& environment, std::string& out)
      : request_(request),
        profiling_(request.profiling()),
        cache_(request.profiler_config()["deployment"]["modelCache"]),
        namespace_(namespace_name),
        environment_(environment),
        out_(out) {}

  void write() {
    out_.start_object().key("backoffLimit").integer(3);
    out_.key("template").start_object().key("spec").start_object();
    out_.member("serviceAccountName", kProfilingAccount).member("restartPolicy", "Never");
    constexpr std::int64_t kUser = 1000;
    out_.key("securityContext").start_object().key("runAsNonRoot").boolean(true);
    for (const std::string_view name : {"runAsUser", "runAsGroup", "fsGroup"}) {
      out_.key(name).integer(kUser);
    }
    out_.end_object().key("imagePullSecrets").start_array().start_object();
    out_.member("name", "nvcr-imagepullsecret").end_object().end_array();
    if (profiling_["tolerations"].size() > 0) {
      out_.key("tolerations").value(profiling_["tolerations"]);
    }
    out_.key("containers").start_array();
    write_profiler();
    write_copier();
    out_.end_array();
    write_volumes();
    out_.end_object().end_object().end_object();
  }

 private:
  bool has_base() const { return !profiling_["configMapRef"].is_nothing(); }
  std::string_view cache_claim() const { return cache_["pvcName"].string_or_empty(); }

  void write_profiler() {
    out_.start_object().member("name", "profiler");
    out_.member("image", profiling_["profilerImage"].string_or_empty());
    out_.key("command").start_array().string("python").string("-m");
    out_.string("benchmarks.profiler.profile_sla").end_array();
    out_.key("args").start_array().string("--profile-config");
    out_.string(profiling_config(request_, namespace_));
    if (request_.is_gpu_discovery_enabled()) out_.string("--enable-gpu-discovery");
    out_.end_array();
    write_variables();
    if (profiling_["resources"].size() > 0) out_.key("resources").value(profiling_["resources"]);
    out_.key("volumeMounts").start_array();
    write_mount(kOutput, "/data", false);
    if (has_base()) write_mount(kConfig, "/config", true);
    if (!cache_claim().empty()) {
      const std::string_view path = cache_["mountPath"].string_or_empty();
      write_mount(kModelCache, path.empty() ? "/opt/model-cache" : path, true);
    }
    if (mounts_client_tls()) write_mount(kClientTlsVolume, kClientTlsPath, true);
    out_.end_array().end_object();
  }

  void write_variables() {
    const std::string space(namespace_);
    out_.key("env").start_array().start_object().member("name", "HUGGING_FACE_HUB_TOKEN");
    out_.key("valueFrom").start_object().key("secretKeyRef").start_object();
    out_.member("key", "HF_TOKEN").member("name", "hf-token-secret");
    out_.end_object().end_object().end_object();
    write_variable("NATS_SERVER",
                   known_or(environment_.profile.nats_address, "nats://" + space + "-nats:4222"));
    write_variable("ETCD_ENDPOINTS",
                   known_or(environment_.profile.etcd_address, space + "-etcd:2379"));
    write_variable("DGDR_NAME", request_.metadata().name());
    write_variable("DGDR_NAMESPACE", namespace_);
    write_variable("DGDR_UID", request_.value()["metadata"]["uid"].string_or_empty());
    if (mounts_client_tls()) {
      for (const auto& [name, file] : kClientTlsFiles) write_variable(name, file);
    }
    out_.end_array();
    write_credentials();
  }

  bool mounts_client_tls() const { return !environment_.profile.client_tls_secret.empty(); }

  void write_credentials() {
    const std::string& secret = environment_.profile.client_credentials_secret;
    if (secret.empty()) return;
    out_.key("envFrom").start_array().start_object().key("secretRef").start_object();
    out_.member("name", secret).end_object().end_object().end_array();
  }

  bool runs_script() const {
    const std::vector<std::string>& command = environment_.profile_copier_command;
    return environment_.profile_copier_image.empty() ||
           (command.size() == 1 && command.front() == kProfileScript);
  }

  void write_copier() {
    const std::string_view image = environment_.profile_copier_image;
    out_.start_object().member("name", "output-copier");
    out_.member("image", image.empty() ? kScriptImage : image);
    if (runs_script()) {
      out_.key("command").start_array().string("/bin/sh").string("-c").end_array();
      out_.key("args").start_array();
      out_.string(copier_script(request_.metadata().name(), namespace_)).end_array();
    } else {
      write_copier_program();
    }
    out_.key("volumeMounts").start_array();
    write_mount(kOutput, "/data", true);
    out_.end_array().end_object();
  }

  // The last line of its log, the reason of a failure, becomes the container's message.
  void write_copier_program() {
    out_.key("command").start_array();
    for (const std::string& word : environment_.profile_copier_command) out_.string(word);
    out_.end_array().key("args").start_array();
    out_.string("--request=" + std::string(request_.metadata().name()));
    out_.string("--namespace=" + std::string(namespace_)).end_array();
    out_.member("terminationMessagePolicy", "FallbackToLogsOnError");
    out_.key("securityContext").start_object().key("allowPrivilegeEscalation").boolean(false);
    out_.key("readOnlyRootFilesystem").boolean(true);
    out_.key("capabilities").start_object().key("drop").start_array().string("ALL").end_array();
    out_.end_object().key("seccompProfile").start_object().member("type", "RuntimeDefault");
    out_.end_object().end_object();
  }

  void write_volumes() {
    out_.key("volumes").start_array().start_object().member("name", kOutput);
    const std::string_view output = profiling_["outputPVC"].string_or_empty();
    if (output.empty()) {
      out_.key("emptyDir").start_object().end_object();
    } else {
      out_.key("persistentVolumeClaim").start_object().member("claimName", output).end_object();
    }
    out_.end_object();
    if (has_base()) write_base();
    if (!cache_claim().empty()) {
      out_.start_object().member("name", kModelCache).key("persistentVolumeClaim").start_object();
      out_.member("claimName", cache_claim()).key("readOnly").boolean(true);
      out_.end_object().end_object();
    }
    if (mounts_client_tls()) {
      out_.start_object().member("name", kClientTlsVolume).key("secret").start_object();
      out_.member("secretName", environment_.profile.client_tls_secret).end_object().end_object();
    }
    out_.end_array();
  }

  void write_base() {
    const json::Value reference = profiling_["configMapRef"];
    constexpr std::string_view kFile = "disagg.yaml";
    const std::string_view key = reference["key"].string_or_empty();
    out_.start_object().member("name", kConfig).key("configMap").start_object();
    out_.member("name", reference["name"].string_or_empty());
    out_.key("items").start_array().start_object().member("key", key.empty() ? kFile : key);
    out_.member("path", kFile).end_object().end_array().end_object().end_object();
  }

  void write_variable(std::string_view name, std::string_view value) {
    out_.start_object().member("name", name).member("value", value).end_object();
  }
  void write_mount(std::string_view volume, std::string_view path, bool read_only) {
    out_.start_object().member("name", volume).member("mountPath", path);
    if (read_only) out_.key("readOnly").boolean(true);
    out_.end_object();
  }

  const api::GraphDeploymentRequest& request_;
  json::Value profiling_;
  json::Value cache_;
  std::string_view namespace_;
  const RenderEnvironment& environment_;
  json::Writer out_;
};

}  // namespace

DesiredObject build_profiling_job(const api::GraphDeploymentRequest& request,
                                  std::string_view namespace_name,
                                  const RenderEnvironment& environment) {
  std::string spec = "\"spec\":";
  JobWriter(request, namespace_name, environment, spec).write();
  const std::string_view name = request.metadata().name();
  const std::string job = profiling_job_name(name).str();
  const std::array<Label, 3> labels = {
      Label{.key = "app",
            .value = uses_ai_configurator(request) ? "aic-profiler" : "dynamo-profiler"},
      Label{.key = "dgdr", .value = name}, Label{.key = label::kManagedBy, .value = kManagedBy}};
  return make_desired_object({.api_version = "batch/v1",
                              .kind = "Job",
                              .name = job,
                              .namespace_name = namespace_name,
                              .labels = labels,
                              .owner = owner_of(request, "DynamoGraphDeploymentRequest", name)},
                             spec);
}

DesiredObjects desired_objects_of(const api::GraphDeploymentRequest& request,
                                  std::string_view namespace_name,
                                  const RenderEnvironment& environment) {
  DesiredObjects objects;
  const std::string_view name = request.metadata().name();
  // The result of an earlier run must not be mistaken for this one's.
  objects.items.push_back(unwanted_object("v1", "ConfigMap", profiling_output_name(name).str()));
  if (!environment.namespace_restricted) {
    DesiredObjects account = bound_account({.name = kProfilingAccount,
                                            .cluster_role = environment.profiling_cluster_role,
                                            .flag = "dgdr-profiling-cluster-role-name"},
                                           namespace_name);
    for (DesiredObject& each : account.items) objects.items.push_back(std::move(each));
    objects.refused = std::move(account.refused);
    if (objects.refused) return objects;
  }
  objects.refused = refusal_of_config(request);
  if (!objects.refused) {
    objects.items.push_back(build_profiling_job(request, namespace_name, environment));
  }
  return objects;
}

}  // namespace dynamo::render
