#include "doctor/check_groups.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/routes.hpp"
#include "doctor/markers.hpp"
#include "doctor/selector.hpp"
#include "doctor/webhook_matching.hpp"

namespace dynamo::doctor {
namespace {

constexpr std::int64_t kDefaultTimeoutSeconds = 10;

// Whether the list contains the word itself; a wildcard does not count.
bool names(json::Value list, std::string_view word) {
  for (const json::Value each : list.elements()) {
    if (each.string_or_empty() == word) return true;
  }
  return false;
}

bool names_other_than(json::Value list, std::string_view word) {
  for (const json::Value each : list.elements()) {
    if (each.string_or_empty() != word) return true;
  }
  return false;
}

std::string plural_of(api::Kind kind) {
  return std::string(api::names(kind).singular) + 's';
}

constexpr std::array<std::string_view, 2> kOperations{"CREATE", "UPDATE"};

// "CREATE and UPDATE"
void add_to(std::string& operations, std::string_view operation) {
  operations += operations.empty() ? "" : " and ";
  operations += operation;
}

// The version of the objects that the webhook's path takes.
std::string version_of(const WebhookEntry& webhook) {
  const admission::Route* const route = admission::find_route(webhook.path());
  return std::string(route == nullptr ? api::kVersion : api::name(route->version));
}

bool only_ours(const WebhookEntry& webhook) {
  for (const json::Value rule : webhook.entry["rules"].elements()) {
    if (rule["apiGroups"].size() == 0 || names_other_than(rule["apiGroups"], api::kGroup)) {
      return false;
    }
  }
  return true;
}

// Whether all selectors exclude the dry run's default namespace. The selectors of a restricted
// server do, if the doctor does not know of the restriction.
bool is_default_namespace_excluded(const Evidence& evidence) {
  return !evidence.dry_run.has_explicit_namespace && evidence.restricted_namespace.empty() &&
         std::ranges::all_of(evidence.webhooks.value, [&](const WebhookEntry& webhook) {
           return selection(evidence, webhook) == NamespaceSelection::kExcluded;
         });
}

// A fault in how the webhooks cover one operation of a route.
struct Gap {
  Level level = Level::kWarning;
  std::string text;
  std::string remedy;
  std::string operations = {};

  bool is_same(const Gap& other) const {
    return level == other.level && text == other.text && remedy == other.remedy;
  }
};

// "ValidatingWebhookConfiguration/a webhook b is sent only what its objectSelector lets through"
std::string in_words(const WebhookEntry& webhook, const std::vector<std::string>& what) {
  std::string text = webhook.subject() + " is sent only what ";
  for (std::size_t i = 0; i < what.size(); ++i) text += (i == 0 ? "" : " and ") + what[i];
  const bool is_plural = what.size() > 1 || what[0].ends_with('s');
  return text + (is_plural ? " let through" : " lets through");
}

Gap unknown_selection(const Evidence& evidence, const WebhookEntry& webhook) {
  const std::string& space = evidence.dry_run.namespace_name;
  return {Level::kSkipped,
          "whether the namespaceSelector of " + webhook.subject() + " selects namespace " + space +
              " is not known: " +
              (evidence.namespaces.has_value() ? "there is no namespace " + space
                                               : evidence.namespaces.problem),
          "give --namespace one that is there and may be read"};
}

// Returns nullopt if some webhook receives every object.
std::optional<Gap> gap_of(const Evidence& evidence, const admission::Route& route,
                          std::string_view operation, bool ignores_namespaces) {
  const std::string missed =
      route.purpose == admission::Purpose::kValidate ? "is not validated" : "is not defaulted";
  std::string text;
  std::optional<Gap> unknown;
  for (const WebhookEntry* const webhook : called_for(evidence, route, operation)) {
    std::vector<std::string> what = conditions(*webhook);
    const NamespaceSelection selected =
        ignores_namespaces ? NamespaceSelection::kSelected : selection(evidence, *webhook);
    if (selected == NamespaceSelection::kExcluded) {
      what.insert(what.begin(), "its namespaceSelector, which excludes namespace " +
                                    evidence.dry_run.namespace_name + ',');
    }
    if (!what.empty()) {
      text += (text.empty() ? "" : ", ") + in_words(*webhook, what);
    } else if (selected == NamespaceSelection::kUnknown) {
      unknown = unknown_selection(evidence, *webhook);
    } else {
      return std::nullopt;
    }
  }
  if (unknown) return unknown;
  if (text.empty()) {
    return Gap{Level::kWarning, "no webhook does: it " + missed,
               "add a rule for nvidia.com/" + std::string(api::name(route.version)) + ' ' +
                   plural_of(route.kind)};
  }
  return Gap{Level::kWarning, text + ": the rest " + missed,
             "remove the condition, or ensure that it holds for all objects that must be "
             "validated"};
}

// Whether two webhooks receive the same objects.
enum class Overlap : std::uint8_t { kNone, kSure, kUnknown };

// A cluster-wide server skips the namespace of a restricted one while the marker Lease there is
// live. Two servers restricted to the same namespace both stay active.
Overlap find_overlap(const Evidence& evidence, const WebhookEntry& one, const WebhookEntry& other) {
  const json::Value selector = one.entry["namespaceSelector"];
  const json::Value other_selector = other.entry["namespaceSelector"];
  if (are_disjoint(selector, other_selector)) return Overlap::kNone;
  const auto names = named_namespaces(selector);
  const auto other_names = named_namespaces(other_selector);
  if (names.has_value() == other_names.has_value()) return Overlap::kSure;
  bool is_seen = evidence.leases.has_value();
  bool is_left = true;
  for (const std::string_view each : names ? *names : *other_names) {
    const std::string& own = evidence.restricted_namespace;
    is_seen = is_seen && (own.empty() || own == each);
    is_left = is_left && is_held(evidence, each);
  }
  if (!is_seen) return Overlap::kUnknown;
  return is_left ? Overlap::kNone : Overlap::kSure;
}

struct WebhookOverlap {
  const WebhookEntry* webhook;
  const WebhookEntry* other;
  Overlap overlap;
  std::string operations;
};

void add_overlap(std::vector<WebhookOverlap>& found, WebhookOverlap added,
                 std::string_view operation) {
  auto at = std::ranges::find_if(found, [&added](const WebhookOverlap& each) {
    return each.webhook == added.webhook && each.other == added.other;
  });
  if (at == found.end()) at = found.insert(at, std::move(added));
  add_to(at->operations, operation);
}

// For each webhook, the first earlier one that receives the same objects; certain overlaps take
// precedence over possible ones.
std::vector<WebhookOverlap> find_overlaps(const Evidence& evidence, const admission::Route& route) {
  std::vector<WebhookOverlap> found;
  for (const std::string_view operation : kOperations) {
    const auto called = called_for(evidence, route, operation);
    for (auto one = called.begin(); one != called.end(); ++one) {
      for (const Overlap wanted : {Overlap::kSure, Overlap::kUnknown}) {
        const auto other = std::find_if(called.begin(), one, [&](const WebhookEntry* each) {
          return find_overlap(evidence, *each, **one) == wanted;
        });
        if (other == one) continue;
        add_overlap(found, {*one, *other, wanted, ""}, operation);
        break;
      }
    }
  }
  return found;
}

// Later operators keep their own webhooks next to ours: then both call different Services.
bool may_be_of_operator(const Evidence& evidence, const admission::Route& route,
                        const WebhookOverlap& overlap) {
  return serves_v1beta1(evidence, api::Kind::kGraphDeployment) == api::Fact::kYes &&
         route.kind != api::Kind::kScalingAdapter &&
         evidence.service_of(overlap.webhook->entry["clientConfig"]) !=
             evidence.service_of(overlap.other->entry["clientConfig"]);
}

// "DynamoModel", "DynamoGraphDeployment in v1beta1"
std::string in_words(const admission::Route& route) {
  std::string words(api::names(route.kind).name);
  if (route.version != api::Version::kV1alpha1) {
    words.append(" in ").append(api::name(route.version));
  }
  return words;
}

std::string why_leases_are_unknown(const Evidence& evidence) {
  return evidence.leases.has_value() ? "with --restricted-namespace those of others are not checked"
                                     : evidence.leases.problem;
}

}  // namespace

void configuration_present(const Evidence& evidence, Findings& findings) {
  if (evidence.webhooks.problem == kNoTime) {
    return findings.skipped("webhook configurations", evidence.webhooks.problem);
  }
  if (!evidence.webhooks.has_value()) {
    return findings.failed("webhook configurations", evidence.webhooks.problem,
                           "run the doctor as an account that may list them");
  }
  std::size_t validating = 0;
  std::size_t mutating = 0;
  for (const WebhookEntry& webhook : evidence.webhooks.value) {
    ++(webhook.mutating ? mutating : validating);
  }
  if (validating == 0) {
    findings.failed("ValidatingWebhookConfiguration",
                    "one must call /validate-nvidia-com-v1alpha1-…; found none: nothing is "
                    "validated",
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
  const bool ignores_namespaces = is_default_namespace_excluded(evidence);
  if (ignores_namespaces) {
    findings.skipped("namespaceSelector",
                     "all webhooks exclude namespace " + evidence.dry_run.namespace_name +
                         ": which namespaces are validated is not known",
                     "give --namespace one that they select");
  }
  for (const admission::Route* const route : needed_routes(evidence)) {
    std::vector<Gap> gaps;
    for (const std::string_view operation : kOperations) {
      std::optional<Gap> gap = gap_of(evidence, *route, operation, ignores_namespaces);
      if (!gap) continue;
      if (gaps.empty() || !gaps.back().is_same(*gap)) gaps.push_back(*std::move(gap));
      add_to(gaps.back().operations, operation);
    }
    for (Gap& gap : gaps) {
      findings.report(
          gap.level, std::string(api::names(route->kind).name),
          gap.operations + " must be sent to " + std::string(route->path) + "; " + gap.text,
          std::move(gap.remedy));
    }
  }
  if (!findings.has_trouble()) findings.ok("rules", "every kind is sent on create and update");
}

void rules_narrow(const Evidence& evidence, Findings& findings) {
  for (const WebhookEntry& webhook : evidence.webhooks.value) {
    for (const json::Value rule : webhook.entry["rules"].elements()) {
      const bool is_of_all = names_every_resource(rule["resources"]);
      const bool is_of_others = names_other_than(rule["apiGroups"], api::kGroup);
      if (names(rule["apiGroups"], "*") || (is_of_all && is_of_others)) {
        findings.failed(webhook.subject(),
                        "rules must name groups and resources; found *: an outage of the webhook "
                        "stops the whole cluster",
                        "name nvidia.com and its resources");
      } else if (is_of_others) {
        findings.warning(webhook.subject(),
                         "rules must be about nvidia.com; found another group, which is answered "
                         "with an error",
                         "remove the rule");
      } else if (is_of_all) {
        findings.warning(webhook.subject(),
                         "rules must name resources; found *: the other resources of nvidia.com "
                         "are sent as well, and answered with an error",
                         "name the resource that is validated at this path");
      }
      const std::string version = version_of(webhook);
      if (names_other_than(rule["apiVersions"], version)) {
        findings.warning(
            webhook.subject(),
            "rules must be about " + version +
                "; found another version, whose objects are sent as they are and "
                "answered with an error",
            "name " + version + " only: with matchPolicy Equivalent others are converted");
      }
    }
  }
  if (!findings.has_trouble()) findings.ok("rules", "only resources of nvidia.com are sent");
}

void rules_once(const Evidence& evidence, Findings& findings) {
  for (const admission::Route* const route : needed_routes(evidence)) {
    for (const WebhookOverlap& each : find_overlaps(evidence, *route)) {
      const std::string text = "one webhook must be sent " + each.operations + " of " +
                               in_words(*route) + "; " + each.other->subject() +
                               " is sent it as well";
      if (each.overlap == Overlap::kUnknown) {
        findings.skipped(
            each.webhook->subject(),
            text + ", unless a marker Lease keeps them apart: " + why_leases_are_unknown(evidence));
      } else if (may_be_of_operator(evidence, *route, each)) {
        findings.skipped(each.webhook->subject(),
                         text + ", unless one is the Dynamo operator's, which needs its own");
      } else {
        findings.warning(each.webhook->subject(), text,
                         "unless their selectors have nothing in common, remove one");
      }
    }
  }
  if (!findings.has_trouble()) findings.ok("rules", "no kind is sent twice");
}

void selectors_safe(const Evidence& evidence, Findings& findings) {
  if (!evidence.namespaces.has_value()) {
    return findings.skipped("namespaceSelector", evidence.namespaces.problem);
  }
  bool any = false;
  for (const WebhookEntry& webhook : evidence.webhooks.value) {
    const json::Value selector = webhook.entry["namespaceSelector"];
    std::vector<std::string> caught;
    const auto check_namespace = [&](std::string_view namespace_name) {
      const json::Value labels = evidence.labels_of(namespace_name);
      if (labels.exists() && selects(selector, labels)) caught.emplace_back(namespace_name);
    };
    check_namespace("kube-system");
    const std::string_view own =
        webhook.entry["clientConfig"]["service"]["namespace"].string_or_empty();
    if (own != "kube-system") check_namespace(own);
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
  constexpr std::int64_t kMax = 15;
  for (const WebhookEntry& webhook : evidence.webhooks.value) {
    const std::int64_t seconds =
        webhook.entry["timeoutSeconds"].integer().value_or(kDefaultTimeoutSeconds);
    if (seconds < kLeast) {
      findings.warning(webhook.subject(),
                       "timeoutSeconds must leave time for one retry on another pod; found " +
                           std::to_string(seconds),
                       "set it to 5");
    } else if (seconds > kMax) {
      findings.warning(webhook.subject(),
                       "timeoutSeconds must be bearable in an outage; found " +
                           std::to_string(seconds) + ", which every write then waits for",
                       "set it to 10 or less");
    }
  }
  if (!findings.has_trouble()) findings.ok("timeoutSeconds", "between 2 and 15 everywhere");
}

void failure_policy_known(const Evidence& evidence, Findings& findings) {
  for (const WebhookEntry& webhook : evidence.webhooks.value) {
    if (webhook.entry["failurePolicy"].string_or_empty() != "Ignore") continue;
    findings.warning(webhook.subject(),
                     webhook.mutating
                         ? "failurePolicy is Ignore: nothing is defaulted while the webhook is away"
                         : "failurePolicy is Ignore: everything is admitted while the webhook is "
                           "away",
                     "set Fail once the other checks pass");
  }
  if (!findings.has_trouble()) findings.ok("failurePolicy", "Fail everywhere");
}

void protocol_spoken(const Evidence& evidence, Findings& findings) {
  for (const WebhookEntry& webhook : evidence.webhooks.value) {
    if (!names(webhook.entry["admissionReviewVersions"], "v1")) {
      findings.failed(webhook.subject(), "admissionReviewVersions must hold v1", "add it");
    }
    const std::string_view effects = webhook.entry["sideEffects"].string_or_empty();
    if (effects != "None" && effects != "NoneOnDryRun") {
      findings.warning(
          webhook.subject(),
          "sideEffects must be None; found \"" + std::string(effects) + "\": dry runs are refused",
          "set None: there are none");
    }
    if (misses_a_version(evidence, webhook)) {
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
  if (!findings.has_trouble()) findings.ok("webhooks", "AdmissionReview v1, no side effects");
}

}  // namespace dynamo::doctor
