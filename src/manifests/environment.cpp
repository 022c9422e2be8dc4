#include "manifests/environment.hpp"

namespace dynamo::render {

Profile default_operator_profile() {
  Profile profile;
  profile.operator_generation = api::OperatorGeneration::kFirst;
  profile.pathway = Pathway::kComponent;
  profile.discovery = DiscoveryBackend::kKubernetes;
  profile.nats_address = "";
  profile.etcd_address = "";
  profile.model_express_url = "";
  profile.prometheus_endpoint = "";
  profile.mpi_secret_name = "";
  profile.kai_scheduler = api::Fact::kNo;
  profile.ingress_class = "";
  profile.ingress_tls_secret = "";
  profile.ingress_host_suffix = "";
  profile.virtual_service_gateway = "";
  profile.checkpointing = api::Fact::kNo;
  profile.checkpoint_storage = CheckpointStorage::kPvc;
  profile.checkpoint_pvc = "chrek-pvc";
  profile.checkpoint_base_path = "/checkpoints";
  profile.checkpoint_uri = "";
  profile.checkpoint_signal_host_path = "/var/lib/chrek/signals";
  profile.checkpoint_restore_marker = "/tmp/dynamo-restored";
  return profile;
}

}  // namespace dynamo::render
