#include "doctor/configuration_checks.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "admission/routes.hpp"
#include "doctor/selector.hpp"

namespace dynamo::doctor {
namespace {

constexpr std::int64_t kDefaultTimeoutSeconds = 10;

bool lists(json::Value list, std::string_view word) {
  for (const json::Value each : list.elements()) {
    const std::string_view text = each.string_or_empty();
    if (text == word || text == "*") return true;
  }
  return false;
}

bool lists_everything(json::Value list) {
  for (const json::Value each : list.elements()) {
    const std::string_view text = each.string_or_empty();
    if (text == "*" || text == "*/*") return true;
  }
  return false;
}

std::string plural_of(api::Kind kind) {
  return std::string(api::names(kind).singular) + 's';
}

// Whether some rule of the webhook sends it this operation on the kind.
bool covers(const Webhook& webhook, api::Kind kind, std::string_view operation) {
  for (const json::Value rule : webhook.entry["rules"].elements()) {
    if (lists(rule["apiGroups"], api::kGroup) && lists(rule["apiVersions"], api::kVersion) &&
        lists(rule["operations"], operation) &&
        (lists(rule["resources"], plural_of(kind)) || lists_everything(rule["resources"]))) {
      return true;
    }
  }
  return false;
}

// The webhooks that are sent the operation at the route's path.
std::vector<const Webhook*> called_for(const Evidence& evidence, const admission::Route& route,
                                       std::string_view operation) {
  std::vector<const Webhook*> called;
  for (const Webhook& webhook : evidence.webhooks.value) {
    if (webhook.path() == route.path && covers(webhook, route.kind, operation)) {
      called.push_back(&webhook);
    }
  }
  return called;
}

constexpr std::array<std::string_view, 2> kOperations{"CREATE", "UPDATE"};

bool only_ours(const Webhook& webhook) {
  for (const json::Value rule : webhook.entry["rules"].elements()) {
    if (rule["apiGroups"].size() == 0) return false;
    for (const json::Value group : rule["apiGroups"].elements()) {
      if (group.string_or_empty() != api::kGroup) return false;
    }
  }
  return true;
}

}  // namespace

void configuration_present(const Evidence& evidence, Findings& findings) {
  if (evidence.webhooks.problem == kNoTime) {
    return findings.skipped("webhook configurations", evidence.webhooks.problem);
  }
  if (!evidence.webhooks.found()) {
    return findings.failed("webhook configurations", evidence.webhooks.problem,
                           "run the doctor as somebody who may list them");
  }
  std::size_t validating = 0;
  std::size_t mutating = 0;
  for (const Webhook& webhook : evidence.webhooks.value) {
    ++(webhook.mutating ? mutating : validating);
  }
  if (validating == 0) {
    findings.failed("ValidatingWebhookConfiguration",
                    "one must call /validate-nvidia-com-v1alpha1-…; found none: nothing is judged",
                    "install the webhook configurations");
  } else {
    findings.ok("ValidatingWebhookConfiguration", std::to_string(validating) + " webhooks");
  }
  if (mutating == 0) {
    findings.warning("MutatingWebhookConfiguration",
                     "one should call /mutate-nvidia-com-v1alpha1-…; found none: nothing is "
                     "defaulted",
                     "install the mutating configuration");
  }
}

void rules_complete(const Evidence& evidence, Findings& findings) {
  for (const admission::Route& route : admission::routes()) {
    for (const std::string_view operation : kOperations) {
      if (!called_for(evidence, route, operation).empty()) continue;
      const bool judges = route.purpose == admission::Purpose::kValidate;
      findings.warning(std::string(api::names(route.kind).name),
                       std::string(operation) + " must be sent to " + std::string(route.path) +
                           "; no webhook does: it is not " + (judges ? "judged" : "defaulted"),
                       "add a rule for nvidia.com/v1alpha1 " + plural_of(route.kind));
    }
  }
  if (!findings.troubled()) findings.ok("rules", "every kind is sent on create and update");
}

void rules_narrow(const Evidence& evidence, Findings& findings) {
  for (const Webhook& webhook : evidence.webhooks.value) {
    for (const json::Value rule : webhook.entry["rules"].elements()) {
      if (lists_everything(rule["apiGroups"]) || lists_everything(rule["resources"])) {
        findings.failed(webhook.subject(),
                        "rules must name groups and resources; found *: an outage of the webhook "
                        "stops the whole cluster",
                        "name nvidia.com and its resources");
      } else if (!lists(rule["apiGroups"], api::kGroup)) {
        findings.warning(webhook.subject(),
                         "rules must be about nvidia.com; found another group, which is answered "
                         "with an error",
                         "remove the rule");
      }
    }
  }
  if (!findings.troubled()) findings.ok("rules", "only resources of nvidia.com are sent");
}

void rules_once(const Evidence& evidence, Findings& findings) {
  for (const admission::Route& route : admission::routes()) {
    const auto called = called_for(evidence, route, kOperations[0]);
    for (std::size_t i = 1; i < called.size(); ++i) {
      findings.warning(called[i]->subject(),
                       "one webhook must be sent " + std::string(api::names(route.kind).name) +
                           "; " + called[0]->subject() + " is sent it as well",
                       "unless their namespaceSelectors differ, remove one");
    }
  }
  if (!findings.troubled()) findings.ok("rules", "no kind is sent twice");
}

void selectors_safe(const Evidence& evidence, Findings& findings) {
  if (!evidence.namespaces.found()) {
    return findings.skipped("namespaceSelector", evidence.namespaces.problem);
  }
  bool any = false;
  for (const Webhook& webhook : evidence.webhooks.value) {
    const json::Value selector = webhook.entry["namespaceSelector"];
    std::vector<std::string> caught;
    const auto look = [&](std::string_view namespace_name) {
      const json::Value labels = evidence.labels_of(namespace_name);
      if (labels.exists() && selects(selector, labels)) caught.emplace_back(namespace_name);
    };
    look("kube-system");
    const std::string_view own =
        webhook.entry["clientConfig"]["service"]["namespace"].string_or_empty();
    if (own != "kube-system") look(own);
    if (caught.empty()) continue;
    any = true;
    std::string names = caught[0];
    if (caught.size() > 1) names += " and " + caught[1];
    if (only_ours(webhook)) {
      findings.ok(webhook.subject(),
                  "selects " + names + " too, for resources of nvidia.com only: no lock-out");
    } else {
      findings.failed(
          webhook.subject(),
          "must not select " + names +
              ": an outage of the webhook then keeps its own pods from starting",
          "add a namespaceSelector with kubernetes.io/metadata.name NotIn [" + names + "]");
    }
  }
  if (!any) {
    findings.ok("namespaceSelector", "selects neither kube-system nor the server's own namespace");
  }
}

void timeouts_fit(const Evidence& evidence, Findings& findings) {
  constexpr std::int64_t kLeast = 2;
  constexpr std::int64_t kMost = 15;
  for (const Webhook& webhook : evidence.webhooks.value) {
    const std::int64_t seconds =
        webhook.entry["timeoutSeconds"].integer().value_or(kDefaultTimeoutSeconds);
    if (seconds < kLeast) {
      findings.warning(webhook.subject(),
                       "timeoutSeconds must leave time for one retry on another pod; found " +
                           std::to_string(seconds),
                       "set it to 5");
    } else if (seconds > kMost) {
      findings.warning(webhook.subject(),
                       "timeoutSeconds must be bearable in an outage; found " +
                           std::to_string(seconds) + ", which every write then waits for",
                       "set it to 10 or less");
    }
  }
  if (!findings.troubled()) findings.ok("timeoutSeconds", "between 2 and 15 everywhere");
}

void failure_policy_known(const Evidence& evidence, Findings& findings) {
  for (const Webhook& webhook : evidence.webhooks.value) {
    if (webhook.entry["failurePolicy"].string_or_empty() != "Ignore") continue;
    findings.warning(webhook.subject(),
                     webhook.mutating
                         ? "failurePolicy is Ignore: nothing is defaulted while the webhook is away"
                         : "failurePolicy is Ignore: everything is admitted while the webhook is "
                           "away",
                     "set Fail once the other checks pass");
  }
  if (!findings.troubled()) findings.ok("failurePolicy", "Fail everywhere");
}

void protocol_spoken(const Evidence& evidence, Findings& findings) {
  for (const Webhook& webhook : evidence.webhooks.value) {
    if (!lists(webhook.entry["admissionReviewVersions"], "v1")) {
      findings.failed(webhook.subject(), "admissionReviewVersions must hold v1", "add it");
    }
    const std::string_view effects = webhook.entry["sideEffects"].string_or_empty();
    if (effects != "None" && effects != "NoneOnDryRun") {
      findings.warning(
          webhook.subject(),
          "sideEffects must be None; found \"" + std::string(effects) + "\": dry runs are refused",
          "set None: there are none");
    }
    if (webhook.entry["matchPolicy"].string_or_empty() == "Exact") {
      findings.warning(webhook.subject(),
                       "matchPolicy must be Equivalent; found Exact: other versions of a resource "
                       "are not sent",
                       "set Equivalent");
    }
    if (!webhook.url().empty()) {
      findings.warning(webhook.subject(), "calls a URL, whose certificate is not managed here",
                       "let it call a Service");
    }
  }
  if (!findings.troubled()) findings.ok("webhooks", "AdmissionReview v1, no side effects");
}

}  // namespace dynamo::doctor
