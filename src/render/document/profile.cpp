#include "render/document/profile.hpp"

namespace dynamo::render {
namespace {

Pathway pathway_of(const api::ClusterFacts& facts) {
  if (facts.grove_served == api::Fact::kYes) return Pathway::kGrove;
  if (facts.grove_served == api::Fact::kUnknown) return Pathway::kUnknown;
  switch (facts.leader_worker_set_served) {
    case api::Fact::kYes:
      return Pathway::kLws;
    case api::Fact::kNo:
      return Pathway::kComponent;
    case api::Fact::kUnknown:
      break;
  }
  return Pathway::kNotGrove;
}

DiscoveryBackend discovery_of(api::Fact kubernetes_discovery) {
  if (kubernetes_discovery == api::Fact::kYes) return DiscoveryBackend::kKubernetes;
  if (kubernetes_discovery == api::Fact::kNo) return DiscoveryBackend::kEtcd;
  return DiscoveryBackend::kUnknown;
}

}  // namespace

api::Fact edits_pods_to_restore(const Profile& profile) {
  switch (profile.operator_generation) {
    case api::OperatorGeneration::kFirst:
      return api::Fact::kYes;
    case api::OperatorGeneration::kLater:
      return api::Fact::kNo;
    case api::OperatorGeneration::kUnknown:
      break;
  }
  return api::Fact::kUnknown;
}

Profile profile_of(const api::ClusterFacts& facts) {
  Profile profile;
  profile.operator_generation = facts.operator_generation;
  profile.pathway = pathway_of(facts);
  profile.discovery = discovery_of(facts.kubernetes_discovery);
  profile.kai_scheduler = facts.kai_scheduler_served;
  return profile;
}

}  // namespace dynamo::render
