#include "reconciler/child_flags.hpp"

#include <array>

#include "runtime/flag_forms.hpp"

namespace dynamo::reconciler {
namespace {

using runtime::Choice;
using runtime::ChoiceForm;
using runtime::DnsNameForm;
using runtime::into;
using runtime::NamesForm;
using runtime::NamespaceForm;
using runtime::SwitchForm;
using runtime::TextForm;

using Row = runtime::Flag<ChildOptions>;

constexpr std::array<Choice<render::CheckpointStorage>, 3> kStorages{
    {{"pvc", render::CheckpointStorage::kPvc},
     {"s3", render::CheckpointStorage::kS3},
     {"oci", render::CheckpointStorage::kOci}}};

}  // namespace

std::vector<Row> child_flags() {
  return {
      {"natsAddr", into(&ChildOptions::nats_address, TextForm{}), "",
       "Address of NATS for the pods."},
      {"etcdAddr", into(&ChildOptions::etcd_address, TextForm{}), "",
       "Address of etcd for the pods. Where services find each other through etcd, the keys of a "
       "deleted component are removed there, by the JSON gateway; https:// in front of it for "
       "TLS."},
      {"model-express-url", into(&ChildOptions::model_express_url, TextForm{}), "",
       "URL of the model express for the pods."},
      {"prometheus-endpoint", into(&ChildOptions::prometheus_endpoint, TextForm{}), "",
       "URL of Prometheus for the pods."},
      {"mpi-run-ssh-secret-name", into(&ChildOptions::mpi_secret_name, DnsNameForm{}),
       "mpi-run-ssh-secret",
       "The Secret with the SSH keys of MPI, which TensorRT-LLM on several nodes mounts. Where a "
       "graph needs it and its namespace has none, the reconciler generates a key pair for the "
       "namespace."},
      {"mpi-run-ssh-secret-namespace", into(&ChildOptions::mpi_secret_namespace, NamespaceForm{}),
       "",
       "Where the Secret is copied from, for the namespaces of --mpi-run-ssh-secret-namespaces."},
      {"mpi-run-ssh-secret-namespaces", into(&ChildOptions::mpi_secret_namespaces, NamesForm{}), "",
       "Globs: these namespaces get a copy of the Secret of --mpi-run-ssh-secret-namespace, and "
       "their users can read its private key. Without it: none."},
      {"planner-cluster-role-name", into(&ChildOptions::planner_cluster_role, TextForm{}), "",
       "The ClusterRole of planners. Needed by graphs, unless one namespace is served alone."},
      {"epp-cluster-role-name", into(&ChildOptions::endpoint_picker_cluster_role, TextForm{}), "",
       "The ClusterRole of endpoint pickers; needed by graphs that have one, unless one namespace "
       "is served alone."},
      {"ingress-controller-class-name", into(&ChildOptions::ingress_class, TextForm{}), "",
       "The class of the Ingress that frontends get. Without it: they get none."},
      {"ingress-controller-tls-secret-name", into(&ChildOptions::ingress_tls_secret, TextForm{}),
       "", "The Secret with the certificate of these. Without it: they have no TLS."},
      {"ingress-host-suffix", into(&ChildOptions::ingress_host_suffix, TextForm{}), "",
       "Suffix of their hosts. Without it: `local`."},
      {"istio-virtual-service-gateway", into(&ChildOptions::virtual_service_gateway, TextForm{}),
       "", "The gateway of the VirtualService that frontends get. Without it: they get none."},
      {"debugger-image", into(&ChildOptions::debugger_image, TextForm{}), "python:3.12-slim",
       "The image of the container `debugger` of components in debug mode."},
  };
}

std::vector<Row> checkpoint_flags() {
  return {
      {"checkpoint-enabled", into(&ChildOptions::checkpoint_enabled, SwitchForm{}), "false",
       "Pods may start from checkpoints."},
      {"checkpoint-storage-type", into(&ChildOptions::checkpoint_storage, ChoiceForm{kStorages}),
       "pvc", "Where checkpoints lie."},
      {"checkpoint-pvc-name", into(&ChildOptions::checkpoint_pvc, DnsNameForm{}), "chrek-pvc",
       "The claim that they lie in."},
      {"checkpoint-pvc-base-path", into(&ChildOptions::checkpoint_base_path, TextForm{}),
       "/checkpoints", "Where it is mounted."},
      {"checkpoint-s3-uri", into(&ChildOptions::checkpoint_s3_uri, TextForm{}), "",
       "Where they lie in S3."},
      {"checkpoint-oci-uri", into(&ChildOptions::checkpoint_oci_uri, TextForm{}), "",
       "Where they lie in a registry."},
      {"checkpoint-signal-host-path", into(&ChildOptions::checkpoint_signal_host_path, TextForm{}),
       "/var/lib/chrek/signals", "The folder of the node for signals to pods."},
      {"checkpoint-restore-marker-file-path",
       into(&ChildOptions::checkpoint_restore_marker, TextForm{}), "/tmp/dynamo-restored",
       "The file that signals to a pod that it was restored."},
      {"checkpoint-ready-for-checkpoint-file-path",
       into(&ChildOptions::checkpoint_ready_file, TextForm{}), "/tmp/ready-for-checkpoint",
       "The file that signals that a pod can be saved. No effect: no controller of this version "
       "takes checkpoints."},
      {"checkpoint-init-container-image", into(&ChildOptions::checkpoint_init_image, TextForm{}),
       "busybox:latest",
       "The image that prepares the folder of a checkpoint. No effect: no controller of this "
       "version "
       "takes checkpoints."},
  };
}

}  // namespace dynamo::reconciler
