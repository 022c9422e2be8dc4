#include "doctor/webhook_matching.hpp"

#include <utility>

#include "doctor/selector.hpp"

namespace dynamo::doctor {
namespace {

bool lists(json::Value list, std::string_view word) {
  for (const json::Value each : list.elements()) {
    const std::string_view text = each.string_or_empty();
    if (text == word || text == "*") return true;
  }
  return false;
}

// "dynamomodels/status": the resource and the subresource, which is empty for the resource itself.
std::pair<std::string_view, std::string_view> split(std::string_view resource) {
  const std::size_t slash = resource.find('/');
  if (slash == std::string_view::npos) return {resource, {}};
  return {resource.substr(0, slash), resource.substr(slash + 1)};
}

// By the API server's rules: the subresource * includes the resource itself.
bool lists_resource(json::Value resources, std::string_view plural) {
  for (const json::Value each : resources.elements()) {
    const auto [resource, subresource] = split(each.string_or_empty());
    if ((resource == plural || resource == "*") && (subresource.empty() || subresource == "*")) {
      return true;
    }
  }
  return false;
}

bool is_exact(const WebhookEntry& webhook) {
  return webhook.entry["matchPolicy"].string_or_empty() == "Exact";
}

// Whether the webhook receives objects of the other version than its route's, because the API
// server converts them. It does not know equivalents in a version that it does not serve.
bool is_converted(const Evidence& evidence, const WebhookEntry& webhook,
                  const admission::Route& own) {
  if (is_exact(webhook)) return false;
  return own.version == api::Version::kV1alpha1 ||
         serves_v1beta1(evidence, own.kind) != api::Fact::kNo;
}

bool is_empty(json::Value selector) {
  return selector["matchLabels"].size() == 0 && selector["matchExpressions"].size() == 0;
}

}  // namespace

api::Fact serves_v1beta1(const Evidence& evidence, api::Kind kind) {
  if (!evidence.definitions.has_value()) return api::Fact::kUnknown;
  const std::string name = std::string(api::names(kind).singular) + "s.nvidia.com";
  for (const kube::Object& definition : evidence.definitions.value) {
    if (definition.name() != name) continue;
    for (const json::Value version : definition.root()["spec"]["versions"].elements()) {
      if (version["name"].string_or_empty() == api::name(api::Version::kV1beta1) &&
          version["served"].boolean().value_or(true)) {
        return api::Fact::kYes;
      }
    }
  }
  return api::Fact::kNo;
}

std::vector<const admission::Route*> needed_routes(const Evidence& evidence) {
  std::vector<const admission::Route*> needed;
  for (const admission::Route& route : admission::routes()) needed.push_back(&route);
  for (const admission::Route& route : admission::later_routes()) {
    if (serves_v1beta1(evidence, route.kind) == api::Fact::kYes) needed.push_back(&route);
  }
  return needed;
}

bool has_rule_for(const WebhookEntry& webhook, const admission::Route& route,
                  std::string_view operation) {
  const std::string plural = std::string(api::names(route.kind).singular) + 's';
  for (const json::Value rule : webhook.entry["rules"].elements()) {
    // All our kinds are namespaced.
    if (rule["scope"].string_or_empty() == "Cluster") continue;
    if (lists(rule["apiGroups"], api::kGroup) &&
        lists(rule["apiVersions"], api::name(route.version)) &&
        lists(rule["operations"], operation) && lists_resource(rule["resources"], plural)) {
      return true;
    }
  }
  return false;
}

std::vector<const WebhookEntry*> called_for(const Evidence& evidence, const admission::Route& route,
                                            std::string_view operation) {
  std::vector<const WebhookEntry*> called;
  for (const WebhookEntry& webhook : evidence.webhooks.value) {
    const admission::Route* const own = admission::find_route(webhook.path());
    if (own == nullptr || own->kind != route.kind || own->purpose != route.purpose) continue;
    if (!has_rule_for(webhook, *own, operation)) continue;
    if (own->version == route.version || is_converted(evidence, webhook, *own)) {
      called.push_back(&webhook);
    }
  }
  return called;
}

bool misses_a_version(const Evidence& evidence, const WebhookEntry& webhook) {
  if (!is_exact(webhook)) return false;
  const admission::Route* const own = admission::find_route(webhook.path());
  if (own == nullptr || !api::has_two_versions(own->kind)) return true;
  const api::Version other =
      own->version == api::Version::kV1alpha1 ? api::Version::kV1beta1 : api::Version::kV1alpha1;
  const admission::Route* const route = admission::find_route(own->kind, own->purpose, other);
  // Only v1beta1 components and requests have defaults.
  if (route == nullptr) return false;
  return route->version != other || called_for(evidence, *route, "CREATE").empty();
}

NamespaceSelection selection(const Evidence& evidence, const WebhookEntry& webhook) {
  const json::Value selector = webhook.entry["namespaceSelector"];
  if (is_empty(selector)) return NamespaceSelection::kSelected;
  const json::Value labels = evidence.labels_of(evidence.dry_run.namespace_name);
  if (!labels.exists()) return NamespaceSelection::kUnknown;
  return selects(selector, labels) ? NamespaceSelection::kSelected : NamespaceSelection::kExcluded;
}

namespace {

// True for a condition that only exempts updates of terminating objects, which remove finalizers:
// not worth a report.
bool exempts_terminating_objects_only(json::Value condition) {
  std::string expression(condition["expression"].string_or_empty());
  std::erase(expression, ' ');
  return expression == "oldObject==null||!has(oldObject.metadata.deletionTimestamp)" ||
         expression == "object==null||!has(object.metadata.deletionTimestamp)";
}

}  // namespace

std::vector<std::string> conditions(const WebhookEntry& webhook) {
  std::vector<std::string> found;
  if (!is_empty(webhook.entry["objectSelector"])) found.emplace_back("its objectSelector");
  for (const json::Value each : webhook.entry["matchConditions"].elements()) {
    if (exempts_terminating_objects_only(each)) continue;
    found.emplace_back("its matchConditions");
    break;
  }
  return found;
}

bool names_every_resource(json::Value resources) {
  for (const json::Value each : resources.elements()) {
    if (split(each.string_or_empty()).first == "*") return true;
  }
  return false;
}

}  // namespace dynamo::doctor
