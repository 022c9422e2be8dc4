#include "reconciler/component/etcd.hpp"

#include <string_view>
#include <utility>

#include "json/writer.hpp"

namespace dynamo::reconciler::component {

void forget_in_etcd(const Observed& observed, std::vector<Action>& actions) {
  const json::Value spec = observed.object.root()["spec"];
  const std::string_view space = spec["dynamoNamespace"].string_or_empty();
  const std::string_view service = spec["serviceName"].string_or_empty();
  const bool through_etcd = observed.environment.profile.discovery == render::Discovery::kEtcd;
  if (!through_etcd || observed.etcd_url.empty() || space.empty() || service.empty()) return;
  const std::string prefix = "/" + std::string(space) + "/components/" + std::string(service);
  // Up to the first key that does not begin with it.
  std::string end = prefix;
  ++end.back();
  std::string body = "{\"key\":\"";
  json::append_base64(body, prefix);
  body += "\",\"range_end\":\"";
  json::append_base64(body, end);
  body += "\"}";
  actions.push_back(http_call("POST", observed.etcd_url + "/v3/kv/deleterange", std::move(body)));
}

}  // namespace dynamo::reconciler::component
