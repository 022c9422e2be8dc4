#include "tests/controller_cases/operator.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "manifests/image_host.hpp"
#include "render/component/component.hpp"
#include "runtime/flag_values.hpp"
#include "text/base64.hpp"

namespace dynamo::cases {
namespace {

constexpr std::string_view kComponentPodLabel = "nvidia.com/dynamo-component-pod";
constexpr std::string_view kCheckpointHashLabel = "nvidia.com/checkpoint-hash";

bool is_set(const Value& flag) {
  return flag.IsTrue() || text(flag) == "true";
}

std::string or_default(const Value& flag, std::string otherwise) {
  return flag.IsString() ? std::string(text(flag)) : std::move(otherwise);
}

void set(const Value& flag, std::optional<std::string>& setting) {
  if (flag.IsString()) setting = std::string(text(flag));
}

render::Profile profile_of(const Value& flags) {
  render::Profile profile = render::default_operator_profile();
  profile.pathway =
      is_set(member(flags, "grove")) ? render::Pathway::kGrove : component_pathway(flags);
  if (text(member(flags, "discovery-backend")) == "etcd") {
    profile.discovery = render::DiscoveryBackend::kEtcd;
  }
  if (is_set(member(flags, "kai"))) profile.kai_scheduler = api::Fact::kYes;
  set(member(flags, "natsAddr"), profile.nats_address);
  set(member(flags, "etcdAddr"), profile.etcd_address);
  set(member(flags, "model-express-url"), profile.model_express_url);
  set(member(flags, "prometheus-endpoint"), profile.prometheus_endpoint);
  // A required flag; the cases omit it if it has this value.
  profile.mpi_secret_name =
      or_default(member(flags, "mpi-run-ssh-secret-name"), "mpi-run-ssh-secret");
  set(member(flags, "ingress-controller-class-name"), profile.ingress_class);
  set(member(flags, "ingress-controller-tls-secret-name"), profile.ingress_tls_secret);
  set(member(flags, "ingress-host-suffix"), profile.ingress_host_suffix);
  set(member(flags, "istio-virtual-service-gateway"), profile.virtual_service_gateway);
  if (is_set(member(flags, "checkpoint-enabled"))) profile.checkpointing = api::Fact::kYes;
  const std::string_view storage = text(member(flags, "checkpoint-storage-type"));
  if (storage == "s3") {
    profile.checkpoint_storage = render::CheckpointStorage::kS3;
    set(member(flags, "checkpoint-s3-uri"), profile.checkpoint_uri);
  } else if (storage == "oci") {
    profile.checkpoint_storage = render::CheckpointStorage::kOci;
    set(member(flags, "checkpoint-oci-uri"), profile.checkpoint_uri);
  }
  set(member(flags, "checkpoint-pvc-name"), profile.checkpoint_pvc);
  set(member(flags, "checkpoint-pvc-base-path"), profile.checkpoint_base_path);
  set(member(flags, "checkpoint-signal-host-path"), profile.checkpoint_signal_host_path);
  set(member(flags, "checkpoint-restore-marker-file-path"), profile.checkpoint_restore_marker);
  return profile;
}

void add_secret(const Value& secret, std::vector<render::PullSecret>& out) {
  const auto config =
      text::decode_base64(text(member(member(secret, "data"), ".dockerconfigjson")));
  if (!config) return;
  const std::string name(text(member(member(secret, "metadata"), "name")));
  Object parsed_config;
  try {
    parsed_config = parsed(*config);
  } catch (const std::runtime_error&) {
    return;  // our operator skips it too
  }
  const Value& auths = member(parsed_config, "auths");
  if (!auths.IsObject()) return;
  for (const auto& [registry, credentials] : auths.GetObject()) {
    const auto host = render::image_host(text(registry));
    if (host) out.push_back({std::string(*host), name});
  }
}

}  // namespace

bool runs_by_grove(const Value& flags, const Value& graph) {
  if (!is_set(member(flags, "grove"))) return false;
  const auto annotations =
      json::parse_copy(text_of(member(member(graph, "metadata"), "annotations")));
  return !render::is_grove_disabled(annotations->root());
}

render::Pathway component_pathway(const Value& flags) {
  return is_set(member(flags, "lws")) ? render::Pathway::kLws : render::Pathway::kComponent;
}

Operator operator_of(const Value& flags, const Store& store, std::string_view space) {
  Operator made;
  render::RenderEnvironment& environment = made.environment;
  environment.profile = profile_of(flags);
  if (const auto delay = runtime::parse_duration(text(member(flags, "grove-termination-delay")))) {
    environment.grove_termination_delay =
        std::chrono::duration_cast<std::chrono::milliseconds>(*delay);
  }
  environment.namespace_restricted = member(flags, "restrictedNamespace").IsString();
  environment.planner_cluster_role =
      or_default(member(flags, "planner-cluster-role-name"), "planner");
  environment.endpoint_picker_cluster_role = or_default(member(flags, "epp-cluster-role-name"), "");
  environment.profiling_cluster_role =
      or_default(member(flags, "dgdr-profiling-cluster-role-name"), "");
  environment.checkpoint_init_image = or_default(member(flags, "checkpoint-init-container-image"),
                                                 environment.checkpoint_init_image);
  environment.checkpoint_ready_file =
      or_default(member(flags, "checkpoint-ready-for-checkpoint-file-path"),
                 environment.checkpoint_ready_file);
  // The measured operator copies it into every namespace.
  const std::string source_space(text(member(flags, "mpi-run-ssh-secret-namespace")));
  const std::string& secret = *environment.profile.mpi_secret_name;
  const Object* const source = store.find(Store::key("Secret", source_space, secret));
  if (source != nullptr && store.find(Store::key("Secret", space, secret)) == nullptr) {
    made.documents.push_back(json::parse_copy(text_of(*source)));
    environment.mpi_secret_source = made.documents.back()->root();
  }
  bool has_fallback = false;
  for (const auto& [key, object] : store.objects()) {
    const Value& metadata = member(object, "metadata");
    if (text(member(metadata, "namespace")) != space) continue;
    const std::string_view kind = text(member(object, "kind"));
    const std::string name(text(member(metadata, "name")));
    const Value& labels = member(metadata, "labels");
    if (kind == "ServiceAccount" && !has_fallback &&
        text(member(labels, kComponentPodLabel)) == "true") {
      environment.fallback_account = name;
      has_fallback = true;
    }
    if (kind == "Secret" && text(member(object, "type")) == "kubernetes.io/dockerconfigjson") {
      add_secret(object, environment.pull_secrets);
    }
    if (kind == "DynamoCheckpoint") {
      made.documents.push_back(json::parse_copy(text_of(object)));
      environment.checkpoints.push_back(
          {.name = name,
           .identity_hash = std::string(text(member(member(object, "status"), "identityHash"))),
           .labelled_hash = std::string(text(member(labels, kCheckpointHashLabel))),
           .identity = made.documents.back()->root()["spec"]["identity"]});
    }
  }
  return made;
}

}  // namespace dynamo::cases
