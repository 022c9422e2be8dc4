// Graphs that Grove runs, and the queues from which KAI schedules their pods.
#pragma once

#include <string_view>
#include <vector>

#include "doctor/evidence.hpp"
#include "kube/object/object.hpp"
#include "kube/object/resource.hpp"

namespace dynamo::doctor {

inline constexpr kube::Resource kKaiQueues{"scheduling.run.ai", "v2", "queues", "Queue", false};
// dynamo-reconciler sets it to False on a graph that is older than Grove in its cluster.
inline constexpr std::string_view kRunsByGrove = "RunsByGrove";

// Whether the answer to GET /apis has the API group.
bool serves_group(const kube::Object& groups, std::string_view name);

// Adds a DynamoGraphDeployment to the evidence, unless Grove does not run it. Every graph counts
// under its queue, until remove_existing_queues().
void add_graph(const kube::Object& graph, GroveEvidence& evidence);
// Keeps the graphs whose queue is not among these objects.
void remove_existing_queues(const std::vector<kube::Object>& queues, GroveEvidence& evidence);

}  // namespace dynamo::doctor
