// What children depend on beside their object: how the operator was started, and what it found in
// the namespace.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/document.hpp"
#include "render/profile.hpp"

namespace dynamo::render {

// A Secret of credentials for one registry.
struct PullSecret {
  std::string host = {};
  std::string name = {};
};

// A DynamoCheckpoint of the namespace.
struct FoundCheckpoint {
  std::string name = {};
  std::string identity_hash = {};  // of its status; "" when it has none yet
  std::string labelled_hash = {};  // of its label; "" for none
  json::Value identity = {};       // of its spec; valid as long as its document
};

// A service whose pods carry a restart's id.
struct RestartMark {
  std::string service = {};
  std::string value = {};
};

// A value with which the operator knows everything: texts that are not set are empty, and nothing
// is unknown. What the profile leaves open is refused where a child depends on it.
struct ChildEnvironment {
  Profile profile = {};
  bool namespace_restricted = false;  // accounts are made by whoever installed the operator
  std::string debugger_image = "python:3.12-slim";
  std::string planner_cluster_role = {};
  std::string endpoint_picker_cluster_role = {};
  std::string profiling_cluster_role = {};
  std::string checkpoint_init_image = "busybox:latest";
  std::string checkpoint_ready_file = "/tmp/ready-for-checkpoint";

  // Of the namespace.
  std::string fallback_account = "default";   // for pods of components that are given none
  std::vector<PullSecret> pull_secrets = {};  // in listing order
  std::vector<FoundCheckpoint> checkpoints = {};
  std::vector<RestartMark> restarts = {};
  // A Secret with the keys of MPI, where the namespace has none of that name yet; valid as long as
  // its document.
  json::Value mpi_secret_source = {};
};

// The profile of an operator that is started without flags, in a cluster that serves none of the
// optional groups.
Profile default_operator_profile();

}  // namespace dynamo::render
