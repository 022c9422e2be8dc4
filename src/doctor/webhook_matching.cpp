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

bool is_empty(json::Value selector) {
  return selector["matchLabels"].size() == 0 && selector["matchExpressions"].size() == 0;
}

}  // namespace

bool has_rule_for(const WebhookEntry& webhook, api::Kind kind, std::string_view operation) {
  const std::string plural = std::string(api::names(kind).singular) + 's';
  for (const json::Value rule : webhook.entry["rules"].elements()) {
    // All our kinds are namespaced.
    if (rule["scope"].string_or_empty() == "Cluster") continue;
    if (lists(rule["apiGroups"], api::kGroup) && lists(rule["apiVersions"], api::kVersion) &&
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
    if (webhook.path() == route.path && has_rule_for(webhook, route.kind, operation)) {
      called.push_back(&webhook);
    }
  }
  return called;
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
