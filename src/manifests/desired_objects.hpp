// All objects that the controllers create from one object.
#pragma once

#include <string_view>

#include "api/kinds/objects.hpp"
#include "manifests/desired_object.hpp"
#include "manifests/environment.hpp"

namespace dynamo::render {

// The results depend only on the arguments, which are not kept. The functions do not validate: the
// caller must check the object against the rules. Thread-safe; they allocate.

// Deployments, or PodGroups and LeaderWorkerSets, then Services, then Ingress and VirtualService.
DesiredObjects desired_objects_of(const api::ComponentDeployment& component,
                                  std::string_view namespace_name,
                                  const RenderEnvironment& environment);

// Accounts, claims, requested checkpoints, scaling adapters, the objects for discovery and endpoint
// picker, and one DynamoComponentDeployment per service, by name; if Grove runs the graph, a
// PodCliqueSet, the Services, and for frontends an Ingress and a VirtualService.
DesiredObjects desired_objects_of(const api::GraphDeployment& graph,
                                  std::string_view namespace_name,
                                  const RenderEnvironment& environment);

// The objects that later operators create from one in v1beta1 (docs/adr/0037). `alpha` is the same
// object in v1alpha1, or a view of an absent value. Components of a graph are followed by their
// objects.
DesiredObjects hub_objects_of(const api::GraphDeployment& graph, const api::GraphDeployment& alpha,
                              std::string_view namespace_name,
                              const RenderEnvironment& environment);
DesiredObjects hub_objects_of(const api::ComponentDeployment& component,
                              const api::ComponentDeployment& alpha,
                              std::string_view namespace_name,
                              const RenderEnvironment& environment);

DesiredObjects hub_objects_of(const api::GraphDeploymentRequest& request,
                              const api::GraphDeploymentRequest& alpha,
                              std::string_view namespace_name,
                              const RenderEnvironment& environment);

// The job that creates the checkpoint.
DesiredObjects desired_objects_of(const api::Checkpoint& checkpoint,
                                  std::string_view namespace_name,
                                  const RenderEnvironment& environment);

// The profiling job and its account. The results of an earlier job must be deleted.
DesiredObjects desired_objects_of(const api::GraphDeploymentRequest& request,
                                  std::string_view namespace_name,
                                  const RenderEnvironment& environment);

}  // namespace dynamo::render
