// How the operator was started, as far as children depend on it.
#pragma once

#include <string>

#include "api/context.hpp"
#include "render/children/environment.hpp"

namespace dynamo::reconciler {

struct ChildSettings {
  // What the flags say; what lies in the namespace is added by each pass. Its pathway is that of
  // environment_of().
  render::ChildEnvironment environment = {};
  // Where the Secret with the keys of MPI is copied from; empty: nothing is copied.
  std::string mpi_secret_namespace = {};
  // Of etcd's JSON gateway, "http://etcd:2379"; empty: nothing is cleaned up there.
  std::string etcd_url = {};
  std::string etcd_ca_file = {};  // empty: the system's roots
};

// "http://" stands in front of an address that says no scheme, as pods take it. Of several, the
// first; a slash at the end goes.
std::string etcd_url_of(const std::string& address);

// Whether it is known what the cluster serves: before, nothing can be decided.
bool is_pathway_known(const api::ClusterFacts& facts);

// How components run where graphs do not run by Grove.
render::Pathway component_pathway(const api::ClusterFacts& facts);

}  // namespace dynamo::reconciler
