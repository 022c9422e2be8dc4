#include "desired/render_options.hpp"

namespace dynamo::reconciler {

void set_environment(const RenderOptions& options, render::RenderEnvironment& environment) {
  environment.debugger_image = options.debugger_image;
  environment.profile_copier_image = options.profile_copier_image;
  environment.profile_copier_command = options.profile_copier_command;
  environment.planner_cluster_role = options.planner_cluster_role;
  environment.endpoint_picker_cluster_role = options.endpoint_picker_cluster_role;
  environment.profiling_cluster_role = options.profiling_cluster_role;
  environment.ingress_annotations = options.ingress_annotations;
  environment.picker_tls = options.picker_tls;
  environment.picker_tls_skips_verification = options.picker_tls_skips_verification;
  environment.checkpoint_init_image = options.checkpoint_init_image;
  environment.checkpoint_ready_file = options.checkpoint_ready_file;
  environment.grove_termination_delay =
      std::chrono::duration_cast<std::chrono::milliseconds>(options.grove_termination_delay);
  render::Profile& profile = environment.profile;
  profile.nats_address = options.nats_address;
  profile.etcd_address = options.etcd_address;
  profile.client_tls_secret = options.client_tls_secret;
  profile.client_credentials_secret = options.client_credentials_secret;
  profile.model_express_url = options.model_express_url;
  profile.prometheus_endpoint = options.prometheus_endpoint;
  profile.mpi_secret_name = options.mpi_secret_name;
  profile.ingress_class = options.ingress_class;
  profile.ingress_tls_secret = options.ingress_tls_secret;
  profile.ingress_host_suffix = options.ingress_host_suffix;
  profile.virtual_service_gateway = options.virtual_service_gateway;
  profile.checkpointing = options.checkpoint_enabled ? api::Fact::kYes : api::Fact::kNo;
  profile.checkpoint_storage = options.checkpoint_storage;
  profile.checkpoint_pvc = options.checkpoint_pvc;
  profile.checkpoint_base_path = options.checkpoint_base_path;
  if (options.checkpoint_storage == render::CheckpointStorage::kS3) {
    profile.checkpoint_uri = options.checkpoint_s3_uri;
  } else if (options.checkpoint_storage == render::CheckpointStorage::kOci) {
    profile.checkpoint_uri = options.checkpoint_oci_uri;
  }
  profile.checkpoint_signal_host_path = options.checkpoint_signal_host_path;
  profile.checkpoint_restore_marker = options.checkpoint_restore_marker;
}

MpiSecretCopies mpi_secret_copies(const RenderOptions& options) {
  return {.source_namespace = options.mpi_secret_namespace,
          .namespaces = options.mpi_secret_namespaces,
          .creates_source = options.mpi_secret_keygen};
}

}  // namespace dynamo::reconciler
