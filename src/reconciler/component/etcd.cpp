#include "reconciler/component/etcd.hpp"

#include <string_view>
#include <utility>

#include "desired/desired_objects_plan.hpp"
#include "desired/kinds.hpp"
#include "json/writer.hpp"
#include "text/base64.hpp"

namespace dynamo::reconciler::component {
namespace {

std::string in_base64(std::string_view text) {
  std::string encoded;
  text::append_base64(encoded, text);
  return encoded;
}

// Deletes keys up to `end`, exclusive; a single key if `end` is empty.
void write_deletion(json::Writer& out, std::string_view key, std::string_view end) {
  out.start_object().key("request_delete_range").start_object();
  out.member("key", in_base64(key));
  if (!end.empty()) out.member("range_end", in_base64(end));
  out.end_object().end_object();
}

}  // namespace

void delete_etcd_keys(const ObservedState& observed, std::vector<Action>& actions) {
  const json::Value spec = observed.object.root()["spec"];
  const std::string_view space = spec["dynamoNamespace"].string_or_empty();
  const std::string_view service = spec["serviceName"].string_or_empty();
  const bool through_etcd =
      observed.environment.profile.discovery == render::DiscoveryBackend::kEtcd;
  if (!through_etcd || observed.etcd_url.empty() || space.empty() || service.empty()) return;
  if (!observed.keep_keys_reason.empty()) {
    actions.push_back(
        event(target_of(kComponents, observed.object.namespace_name(), observed.object.name(),
                        &observed.object),
              true, "EtcdNotCleaned",
              "its keys stay in etcd until their leases end: " + observed.keep_keys_reason));
    return;
  }
  const std::string prefix = "/" + std::string(space) + "/components/" + std::string(service);
  // Deletes the component's own key and all keys below it in one transaction, but not those of a
  // service whose name starts with this one.
  std::string text;
  json::Writer out(text);
  out.start_object().key("success").start_array();
  write_deletion(out, prefix, {});
  write_deletion(out, prefix + '/', prefix + static_cast<char>('/' + 1));
  out.end_array().end_object();
  actions.push_back(http_call("POST", observed.etcd_url + "/v3/kv/txn", std::move(text)));
}

}  // namespace dynamo::reconciler::component
