#include "cluster/facts_watch.hpp"

#include <memory>
#include <optional>
#include <string_view>

#include "api/kind.hpp"
#include "cluster/resources.hpp"

namespace dynamo::cluster {
namespace {

using api::Fact;

Fact fact_of(std::optional<bool> served) {
  if (!served) return Fact::kUnknown;
  return *served ? Fact::kYes : Fact::kNo;
}

// kUnknown while graphs are not served at all: the API server registers definitions after its
// start.
Fact serves_v1beta1(const kube::Discovery& discovery) {
  const auto serves = [&discovery](api::Version version) {
    return discovery.served(api::kGroup, api::name(version), kGraphDeployments.plural) == true;
  };
  if (serves(api::Version::kV1beta1)) return Fact::kYes;
  return serves(api::Version::kV1alpha1) ? Fact::kNo : Fact::kUnknown;
}

std::string_view name(Fact fact) {
  if (fact == Fact::kUnknown) return "unknown";
  return fact == Fact::kYes ? "yes" : "no";
}

}  // namespace

FactsWatch::FactsWatch(kube::Client& client, const ConfiguredFacts& configured, RcuCell& published,
                       runtime::Logger& logger, const kube::DiscoveryOptions& options)
    : configured_(configured),
      published_(published),
      logger_(logger),
      discovery_(client, logger, options, [this] { publish(); }) {}

void FactsWatch::publish() {
  const auto served = [this](std::string_view group) { return fact_of(discovery_.served(group)); };
  const api::ClusterFacts facts = facts_of({.served = served,
                                            .v1beta1_served = serves_v1beta1(discovery_),
                                            .is_outdated = discovery_.is_outdated(),
                                            .kubernetes_minor = discovery_.kubernetes_minor()},
                                           configured_);
  published_.collect();
  if (facts == published_.latest()) return;
  published_.publish(std::make_unique<const api::ClusterFacts>(facts));
  logger_.log(runtime::Level::kInfo, "facts of the cluster",
              {{"inference_pool", name(facts.inference_pool_served)},
               {"grove", name(facts.grove_served)},
               {"leader_worker_set", name(facts.leader_worker_set_served)},
               {"kai_scheduler", name(facts.kai_scheduler_served)},
               {"v1beta1", name(facts.v1beta1_served)},
               {"operator_generation", api::name(facts.operator_generation)},
               {"kubernetes_minor", facts.kubernetes_minor.value_or(0)}});
}

}  // namespace dynamo::cluster
