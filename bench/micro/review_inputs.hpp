// The dependencies of a review in a server, with fixed values.
#pragma once

#include <chrono>
#include <optional>

#include "admission/evaluate.hpp"
#include "admission/review.hpp"

namespace dynamo::bench {

struct ReviewInputs {
  api::Settings settings{.operator_version = "1.0.0",
                         .operator_service_account = std::nullopt,
                         .restricted_namespace = ""};
  api::ClusterFacts facts;
  admission::NoNamespaceLeases leases;
  admission::EvaluationInputs evaluation{.settings = settings,
                                         .facts = facts,
                                         .leases = leases,
                                         .now = std::chrono::system_clock::time_point{}};
};

}  // namespace dynamo::bench
