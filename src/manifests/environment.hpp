// The inputs of desired objects besides their source object: the operator's configuration and the
// related objects in the namespace.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/document.hpp"
#include "render/document/profile.hpp"

namespace dynamo::render {

// A Secret with the credentials of one registry.
struct PullSecret {
  std::string host = {};
  std::string name = {};
};

// A DynamoCheckpoint of the namespace.
struct ObservedCheckpoint {
  std::string name = {};
  std::string identity_hash = {};  // from its status; "" if it has none yet
  std::string labelled_hash = {};  // from its label; "" for none
  json::Value identity = {};       // from its spec; valid as long as its document
  bool is_ready = false;           // from its status
  // Of later operators: by which restored pods find its data.
  std::string id = {};
  std::string artifact_version = {};
};

// A service whose pods carry the id of a restart.
struct RestartMark {
  std::string service = {};
  std::string value = {};
};

inline constexpr std::string_view kProfileScript = "script";

// Of later operators: the TLS mode of Istio's DestinationRule for an endpoint picker.
enum class PickerTls : std::uint8_t {
  kNoRule,  // the operator creates none
  kDisable,
  kSimple,
  kMutual,
  kIstioMutual,
};

// In a complete environment no fact is unknown; unset texts are empty. An object that depends on an
// unknown fact of the profile is refused.
struct RenderEnvironment {
  Profile profile = {};
  bool namespace_restricted = false;  // the installation creates the accounts, not the operator
  std::string debugger_image = "python:3.12-slim";
  std::string planner_cluster_role = {};
  std::string endpoint_picker_cluster_role = {};
  std::string profiling_cluster_role = {};
  // The container that copies the output of a profiler into a ConfigMap. Empty: the operator's
  // image and script.
  std::string profile_copier_image = {};
  // The words before the flags of `copy-profile`, or the one word kProfileScript: the image has
  // kubectl and a shell, and runs the operator's script.
  std::vector<std::string> profile_copier_command = {"/usr/bin/dynamo-reconciler", "copy-profile"};
  // Of every Ingress: key and value.
  std::vector<std::pair<std::string, std::string>> ingress_annotations = {};
  PickerTls picker_tls = PickerTls::kNoRule;
  bool picker_tls_skips_verification = true;
  std::string checkpoint_init_image = "busybox:latest";
  std::string checkpoint_ready_file = "/tmp/ready-for-checkpoint";
  // How long Grove waits before it restarts a graph that lost too many pods; 0: as Grove decides.
  std::chrono::milliseconds grove_termination_delay = std::chrono::minutes(15);

  // Facts about the namespace:
  std::string fallback_account = "default";   // for pods of components that set none
  std::vector<PullSecret> pull_secrets = {};  // in listing order
  std::vector<ObservedCheckpoint> checkpoints = {};
  std::vector<RestartMark> restarts = {};
  // The source of the namespace's Secret with the MPI keys, if that does not exist yet: the Secret
  // of another namespace, or a generated one. Valid as long as its document.
  json::Value mpi_secret_source = {};
  bool mpi_secret_is_generated = false;
};

// The profile of an operator that runs without flags, in a cluster that serves none of the optional
// API groups.
Profile default_operator_profile();

}  // namespace dynamo::render
