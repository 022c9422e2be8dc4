// Objects of a graph that operators of both generations create alike, in the order of creation.
#pragma once

#include <string_view>

#include "manifests/desired_object.hpp"
#include "manifests/environment.hpp"
#include "render/component/component.hpp"
#include "render/document/arena.hpp"

namespace dynamo::render {

// An account that an operator creates in each namespace where it is needed, and that has no owner.
struct BoundAccount {
  std::string_view name;
  std::string_view cluster_role;  // of its binding
  std::string_view flag;          // of the operator, which names that role
};

// The account and its binding. Refused if the role is not known.
DesiredObjects bound_account(const BoundAccount& account, std::string_view namespace_name);

// The accounts of planners and endpoint pickers: a cluster-wide operator creates them, because they
// cannot be created at installation.
DesiredObjects account_objects(std::string_view namespace_name, bool has_picker,
                               const RenderEnvironment& environment);

// The claims that a graph in v1alpha1 creates.
DesiredObjects claim_objects(const api::GraphDeployment& graph, std::string_view namespace_name,
                             const OwnerMetadata& owner);

// The account through which the pods of the graph find each other, with its role.
DesiredObjects discovery_objects(std::string_view graph, std::string_view namespace_name,
                                 const OwnerMetadata& owner);

// The configuration and the pool of an endpoint picker; `path` is that of the component.
DesiredObjects picker_objects(const Component& picker, const api::FieldPath& path,
                              const OwnerMetadata& owner);

}  // namespace dynamo::render
