#include "desired/render_flags.hpp"

#include <array>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include "json/parser.hpp"
#include "runtime/flag_forms.hpp"
#include "text/names.hpp"

namespace dynamo::reconciler {
namespace {

using runtime::Choice;
using runtime::ChoiceForm;
using runtime::DnsNameForm;
using runtime::DurationForm;
using runtime::into;
using runtime::NamesForm;
using runtime::NamespaceForm;
using runtime::SwitchForm;
using runtime::TextForm;

using namespace std::chrono_literals;

using Row = runtime::Flag<RenderOptions>;

constexpr std::array<Choice<render::CheckpointStorage>, 3> kStorages{
    {{"pvc", render::CheckpointStorage::kPvc},
     {"s3", render::CheckpointStorage::kS3},
     {"oci", render::CheckpointStorage::kOci}}};

// Named as in the manifest.
constexpr std::array<Choice<render::PickerTls>, 5> kPickerTls{
    {{"none", render::PickerTls::kNoRule},
     {"SIMPLE", render::PickerTls::kSimple},
     {"DISABLE", render::PickerTls::kDisable},
     {"ISTIO_MUTUAL", render::PickerTls::kIstioMutual},
     {"MUTUAL", render::PickerTls::kMutual}}};

// Values may contain any separator, so lists of names do not fit.
struct AnnotationsForm {
  runtime::FormTexts texts() const {
    return {"JSON", "",
            "a JSON object whose names are keys of annotations and whose values are texts"};
  }
  std::optional<std::vector<std::pair<std::string, std::string>>> parse(
      std::string_view text) const {
    const auto parsed = json::parse_copy(text);
    if (parsed->error || !parsed->root().is_object()) return std::nullopt;
    std::vector<std::pair<std::string, std::string>> annotations;
    for (const auto [key, value] : parsed->root().members()) {
      if (!text::is_annotation_key(key) || !value.string()) return std::nullopt;
      annotations.emplace_back(key, *value.string());
    }
    return annotations;
  }
};

}  // namespace

std::vector<Row> render_flags() {
  return {
      {"natsAddr", into(&RenderOptions::nats_address, TextForm{}), "",
       "Address of NATS for the pods."},
      {"etcdAddr", into(&RenderOptions::etcd_address, TextForm{}), "",
       "Address of etcd for the pods, with https:// in front for TLS. Where services find each "
       "other through etcd, the keys of a deleted component are removed there through its JSON "
       "gateway."},
      {"client-tls-secret-name", into(&RenderOptions::client_tls_secret, DnsNameForm{}), "",
       "A Secret of each graph's namespace with ca.crt, tls.crt and tls.key, for TLS to NATS and "
       "etcd. Pods mount it at /etc/dynamo-client-tls, and NATS_TLS_CA_CERT_PATH, ETCD_AUTH_CA, "
       "ETCD_AUTH_CLIENT_CERT and ETCD_AUTH_CLIENT_KEY name its files. Without it: none."},
      {"client-credentials-secret-name",
       into(&RenderOptions::client_credentials_secret, DnsNameForm{}), "",
       "A Secret of each graph's namespace whose keys pods get as variables, such as "
       "NATS_AUTH_USERNAME and NATS_AUTH_PASSWORD. Without it: none."},
      {"model-express-url", into(&RenderOptions::model_express_url, TextForm{}), "",
       "URL of the model express for the pods."},
      {"prometheus-endpoint", into(&RenderOptions::prometheus_endpoint, TextForm{}), "",
       "URL of Prometheus for the pods."},
      {"mpi-run-ssh-secret-name", into(&RenderOptions::mpi_secret_name, DnsNameForm{}),
       "mpi-run-ssh-secret",
       "The Secret with the SSH keys of MPI, which TensorRT-LLM on several nodes mounts. Where a "
       "graph needs it and its namespace has none, the reconciler generates a key pair for the "
       "namespace."},
      {"mpi-run-ssh-secret-namespace", into(&RenderOptions::mpi_secret_namespace, NamespaceForm{}),
       "",
       "Where the Secret is copied from, for the namespaces of --mpi-run-ssh-secret-namespaces."},
      {"mpi-run-ssh-secret-namespaces", into(&RenderOptions::mpi_secret_namespaces, NamesForm{}),
       "",
       "Globs: these namespaces get a copy of the Secret of --mpi-run-ssh-secret-namespace, and "
       "their users can read its private key. Without it: none."},
      {"mpi-run-ssh-keygen", into(&RenderOptions::mpi_secret_keygen, SwitchForm{}), "false",
       "Creates the Secret of --mpi-run-ssh-secret-namespace with a generated key pair when the "
       "first of these namespaces needs its copy and it does not exist."},
      {"planner-cluster-role-name", into(&RenderOptions::planner_cluster_role, TextForm{}), "",
       "The ClusterRole of planners. Graphs need it, unless only one namespace is served."},
      {"epp-cluster-role-name", into(&RenderOptions::endpoint_picker_cluster_role, TextForm{}), "",
       "The ClusterRole of endpoint pickers. Graphs that have one need it, unless only one "
       "namespace is served."},
      {"ingress-controller-class-name", into(&RenderOptions::ingress_class, TextForm{}), "",
       "The class of the Ingress that frontends get. Without it: they get none."},
      {"ingress-controller-tls-secret-name", into(&RenderOptions::ingress_tls_secret, TextForm{}),
       "", "The Secret with the certificate of these Ingresses. Without it: they have no TLS."},
      {"ingress-host-suffix", into(&RenderOptions::ingress_host_suffix, TextForm{}), "",
       "Suffix of the hosts of these Ingresses. Without it: `local`."},
      {"ingress-annotations", into(&RenderOptions::ingress_annotations, AnnotationsForm{}), "",
       "Annotations of every Ingress, such as `{\"cert-manager.io/cluster-issuer\":\"ca\"}`. "
       "Without it: none."},
      {"istio-virtual-service-gateway", into(&RenderOptions::virtual_service_gateway, TextForm{}),
       "", "The gateway of the VirtualService that frontends get. Without it: they get none."},
      {"grove-termination-delay",
       into(&RenderOptions::grove_termination_delay, DurationForm{0s, 8760h}), "15m",
       "How long Grove waits, once too few pods of a service are available, before it restarts the "
       "graph. 0s: as Grove decides."},
      {"debugger-image", into(&RenderOptions::debugger_image, TextForm{}), "python:3.12-slim",
       "The image of the container `debugger` of components in debug mode."},
      {"profile-copier-image", into(&RenderOptions::profile_copier_image, TextForm{}), "",
       "The image of the container that copies the output of a profiler into a ConfigMap: that of "
       "dynamo-reconciler. Without it: `bitnami/kubectl:latest`, with the operator's script."},
      {"profile-copier-command", into(&RenderOptions::profile_copier_command, NamesForm{}),
       "/usr/bin/dynamo-reconciler,copy-profile",
       "The command of --profile-copier-image; the flags of `copy-profile` follow. `script`: the "
       "image has kubectl and a shell, and runs the operator's script."},
  };
}

std::vector<Row> profiling_flags() {
  return {
      {"dgdr-profiling-cluster-role-name", into(&RenderOptions::profiling_cluster_role, TextForm{}),
       "",
       "The ClusterRole of profiling Jobs. Requests need it, unless only one namespace is served."},
  };
}

std::vector<Row> checkpoint_flags() {
  return {
      {"checkpoint-enabled", into(&RenderOptions::checkpoint_enabled, SwitchForm{}), "false",
       "Pods may start from checkpoints."},
      {"checkpoint-storage-type", into(&RenderOptions::checkpoint_storage, ChoiceForm{kStorages}),
       "pvc", "Storage type of checkpoints."},
      {"checkpoint-pvc-name", into(&RenderOptions::checkpoint_pvc, DnsNameForm{}), "chrek-pvc",
       "The claim that stores checkpoints."},
      {"checkpoint-pvc-base-path", into(&RenderOptions::checkpoint_base_path, TextForm{}),
       "/checkpoints", "Mount path of that claim."},
      {"checkpoint-s3-uri", into(&RenderOptions::checkpoint_s3_uri, TextForm{}), "",
       "S3 location of checkpoints."},
      {"checkpoint-oci-uri", into(&RenderOptions::checkpoint_oci_uri, TextForm{}), "",
       "Registry location of checkpoints."},
      {"checkpoint-signal-host-path", into(&RenderOptions::checkpoint_signal_host_path, TextForm{}),
       "/var/lib/chrek/signals", "The folder of the node for signals to pods."},
      {"checkpoint-restore-marker-file-path",
       into(&RenderOptions::checkpoint_restore_marker, TextForm{}), "/tmp/dynamo-restored",
       "The file that signals to a pod that it was restored."},
      {"checkpoint-ready-for-checkpoint-file-path",
       into(&RenderOptions::checkpoint_ready_file, TextForm{}), "/tmp/ready-for-checkpoint",
       "The file that signals that a pod can be saved."},
      {"checkpoint-init-container-image", into(&RenderOptions::checkpoint_init_image, TextForm{}),
       "busybox:latest", "The image that prepares the folder of a checkpoint."},
  };
}

std::vector<Row> later_flags() {
  return {
      {"epp-destination-rule-tls-mode", into(&RenderOptions::picker_tls, ChoiceForm{kPickerTls}),
       "none",
       "The TLS mode of the DestinationRule that a later operator with its gate for Istio creates "
       "for the Service of an endpoint picker; the default of that operator is SIMPLE. none: it "
       "creates no DestinationRule."},
      {"epp-destination-rule-insecure-skip-verify",
       into(&RenderOptions::picker_tls_skips_verification, SwitchForm{}), "true",
       "Whether this DestinationRule skips the verification of the endpoint picker's certificate."},
  };
}

}  // namespace dynamo::reconciler
