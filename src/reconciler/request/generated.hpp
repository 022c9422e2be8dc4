// The objects created from a profiler's result: the graph and ConfigMaps.
#pragma once

#include <string>
#include <string_view>

#include "api/kinds/objects.hpp"
#include "json/document.hpp"
#include "kube/object/object.hpp"
#include "kube/object/object_key.hpp"
#include "reconciler/request/result.hpp"

namespace dynamo::reconciler::request {

// The labels by which a graph names its request.
inline constexpr std::string_view kRequestName = "dgdr.nvidia.com/name";
inline constexpr std::string_view kRequestNamespace = "dgdr.nvidia.com/namespace";

// Where the request's objects are created: spec.deploymentOverrides.namespace, or its own
// namespace. The namespace of the generated graph is ignored.
std::string target_namespace(const api::GraphDeploymentRequest& request);

// The graph's name is that of spec.deploymentOverrides, or the generated one; may be empty.
// `generated`: ProfilingResult::graph.
kube::ObjectKey target_graph(const api::GraphDeploymentRequest& request, json::Value generated);

// The manifest to create: labels and annotations of spec.deploymentOverrides win over generated
// ones, and the labels that name the request win over all. JSON.
std::string graph_manifest(const api::GraphDeploymentRequest& request, json::Value generated);

// A ConfigMap with a name: no other kind is created next to the graph.
bool can_be_created(const AdditionalResource& resource);

// The generated ConfigMap in that namespace, with the labels that name the request. JSON.
std::string config_map_manifest(const api::GraphDeploymentRequest& request,
                                const AdditionalResource& resource);

// The request creates its graph (spec.autoApply), and not a user.
bool applies_itself(const api::GraphDeploymentRequest& request);

// Names the objects for which the result has another namespace than target_namespace(), and where
// they are created, as one line; "" if there are none. A user who applies the graph of
// status.generatedDeployment applies it in its own namespace.
std::string describe_other_namespaces(const api::GraphDeploymentRequest& request,
                                      const ProfilingResult& result);

// Names the generated objects that are not created, such as "Secret s, Role r"; "" if there are
// none.
std::string describe_refused_objects(const ProfilingResult& result);

// The request that the labels name; an empty name: none.
kube::ObjectKey labelled_request(const kube::Object& object);

// The object was created before the request, so it comes from another request of that name or
// another client. False if one of them has no creationTimestamp.
bool is_older(const kube::Object& object, const kube::Object& request);

}  // namespace dynamo::reconciler::request
