#include "desired/settings.hpp"

namespace dynamo::reconciler {

std::string etcd_url_of(const std::string& address) {
  std::string url = address.substr(0, address.find(','));
  while (url.ends_with('/')) url.pop_back();
  if (url.empty() || url.find("://") != std::string::npos) return url;
  return "http://" + url;
}

bool is_pathway_known(const api::ClusterFacts& facts) {
  return facts.grove_served != api::Fact::kUnknown &&
         facts.leader_worker_set_served != api::Fact::kUnknown;
}

render::Pathway component_pathway(const api::ClusterFacts& facts) {
  return facts.leader_worker_set_served == api::Fact::kYes ? render::Pathway::kLws
                                                           : render::Pathway::kComponent;
}

}  // namespace dynamo::reconciler
