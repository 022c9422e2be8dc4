#include "cluster/facts_watch.hpp"

#include <memory>
#include <string_view>

namespace dynamo::cluster {
namespace {

using api::Fact;

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
  const auto served = [this](std::string_view group) {
    const std::optional<bool> answer = discovery_.served(group);
    if (!answer) return Fact::kUnknown;
    return *answer ? Fact::kYes : Fact::kNo;
  };
  const api::ClusterFacts facts = facts_of({.served = served,
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
               {"kubernetes_minor", facts.kubernetes_minor.value_or(0)}});
}

}  // namespace dynamo::cluster
