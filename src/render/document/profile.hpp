// The known facts about the operator and the cluster that will act on a manifest. Every fact may be
// unknown; rendered items that depend on it are then marked uncertain.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/context.hpp"

namespace dynamo::render {

// How a graph becomes pods.
enum class Pathway : std::uint8_t {
  kUnknown,
  kNotGrove,   // one of the next two, unknown which
  kComponent,  // a Deployment per service; no LeaderWorkerSets
  kLws,        // the same, with LeaderWorkerSets for several nodes
  kGrove,      // one PodCliqueSet
};

enum class DiscoveryBackend : std::uint8_t { kUnknown, kKubernetes, kEtcd, kOther };

enum class CheckpointStorage : std::uint8_t { kUnknown, kPvc, kS3, kOci };

// A text is nullopt if unknown, and "" if known to be unset.
struct Profile {
  api::OperatorGeneration operator_generation = api::OperatorGeneration::kUnknown;
  Pathway pathway = Pathway::kUnknown;
  DiscoveryBackend discovery = DiscoveryBackend::kUnknown;  // the operator's, without annotations
  std::optional<std::string> nats_address = {};
  std::optional<std::string> etcd_address = {};
  std::optional<std::string> model_express_url = {};
  std::optional<std::string> prometheus_endpoint = {};
  std::optional<std::string> mpi_secret_name = {};
  // Secrets of each namespace that give pods a CA and certificate, and variables. "": none.
  std::string client_tls_secret = {};
  std::string client_credentials_secret = {};
  api::Fact kai_scheduler = api::Fact::kUnknown;

  std::optional<std::string> ingress_class = {};
  std::optional<std::string> ingress_tls_secret = {};
  std::optional<std::string> ingress_host_suffix = {};
  std::optional<std::string> virtual_service_gateway = {};

  api::Fact checkpointing = api::Fact::kUnknown;
  CheckpointStorage checkpoint_storage = CheckpointStorage::kUnknown;
  std::optional<std::string> checkpoint_pvc = {};
  std::optional<std::string> checkpoint_base_path = {};
  std::optional<std::string> checkpoint_uri = {};  // for S3 or OCI
  std::optional<std::string> checkpoint_signal_host_path = {};
  std::optional<std::string> checkpoint_restore_marker = {};
};

// Whether the operator edits the pods of services that restore checkpoints, which only the first
// generation does. validators/operator_profile.hpp lists the other differences between generations.
api::Fact edits_pods_to_restore(const Profile& profile);

// Derives the profile from the facts about the cluster.
Profile profile_of(const api::ClusterFacts& facts);

}  // namespace dynamo::render
