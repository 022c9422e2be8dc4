// Operator settings that affect rendered objects.
#pragma once

#include <string>

#include "api/context.hpp"
#include "desired/mpi_secret.hpp"
#include "manifests/environment.hpp"

namespace dynamo::reconciler {

// Files for our own calls of etcd, from mounted Secrets. Each call reads them, since they may be
// rotated. Empty: not set.
struct EtcdFiles {
  std::string ca = {};  // without it: system roots
  std::string certificate = {};
  std::string key = {};
  std::string username = {};
  std::string password = {};
};

struct RenderSettings {
  // Values of the flags; each reconcile adds the objects of its namespace. The pathway is set
  // separately, from cluster facts.
  render::RenderEnvironment environment = {};
  MpiSecretCopies mpi_secret_copies = {};
  // Of etcd's JSON gateway, "http://etcd:2379"; empty: nothing is cleaned up there.
  std::string etcd_url = {};
  EtcdFiles etcd_files = {};
};

// Adds "http://" to an address without a scheme, as pods do. Uses the first of several addresses,
// and removes trailing slashes.
std::string etcd_url_of(const std::string& address);

// Whether the served APIs are known. Until then no pathway can be chosen.
bool is_pathway_known(const api::ClusterFacts& facts);

// The pathway of components for graphs that do not use Grove.
render::Pathway component_pathway(const api::ClusterFacts& facts);

}  // namespace dynamo::reconciler
