// Operator options that affect the objects rendered for graphs and components. The flags that set
// them are defined in render_flags.cpp.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "desired/mpi_secret.hpp"
#include "manifests/environment.hpp"

namespace dynamo::reconciler {

// One member per flag. Empty: not set.
struct RenderOptions {
  std::string nats_address;
  std::string etcd_address;
  std::string client_tls_secret;
  std::string client_credentials_secret;
  std::string model_express_url;
  std::string prometheus_endpoint;
  std::string mpi_secret_name = "mpi-run-ssh-secret";
  std::string mpi_secret_namespace;
  std::vector<std::string> mpi_secret_namespaces;  // globs; empty: none
  bool mpi_secret_keygen = false;
  std::string planner_cluster_role;
  std::string endpoint_picker_cluster_role;
  std::string profiling_cluster_role;
  std::string ingress_class;
  std::string ingress_tls_secret;
  std::string ingress_host_suffix;
  std::vector<std::pair<std::string, std::string>> ingress_annotations;  // key and value
  std::string virtual_service_gateway;
  // Of later operators only.
  render::PickerTls picker_tls = render::PickerTls::kNoRule;
  bool picker_tls_skips_verification = true;
  std::chrono::nanoseconds grove_termination_delay = std::chrono::minutes(15);
  std::string debugger_image = "python:3.12-slim";
  std::string profile_copier_image;
  std::vector<std::string> profile_copier_command{"/usr/bin/dynamo-reconciler", "copy-profile"};
  bool checkpoint_enabled = false;
  render::CheckpointStorage checkpoint_storage = render::CheckpointStorage::kPvc;
  std::string checkpoint_pvc = "chrek-pvc";
  std::string checkpoint_base_path = "/checkpoints";
  std::string checkpoint_s3_uri;
  std::string checkpoint_oci_uri;
  std::string checkpoint_signal_host_path = "/var/lib/chrek/signals";
  std::string checkpoint_restore_marker = "/tmp/dynamo-restored";
  std::string checkpoint_ready_file = "/tmp/ready-for-checkpoint";
  std::string checkpoint_init_image = "busybox:latest";
};

// Copies the options into the environment; the members that depend on the namespace are unchanged.
void set_environment(const RenderOptions& options, render::RenderEnvironment& environment);

MpiSecretCopies mpi_secret_copies(const RenderOptions& options);

}  // namespace dynamo::reconciler
