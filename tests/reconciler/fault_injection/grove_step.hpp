// A part of Grove's controller, for clusters in memory.
#pragma once

#include <string>

#include "tests/support/fake_cluster.hpp"

namespace dynamo::reconciler {

// Creates the cliques and scaling groups of each PodCliqueSet, gives changed labels and annotations
// to them, and deletes those of deleted sets. Their pods are ready at the next step without a
// change, and so is the status of the set. A replica count is that of the clique or group.
void advance_grove(test::FakeCluster& cluster, const std::string& namespace_name);

}  // namespace dynamo::reconciler
