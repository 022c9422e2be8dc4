#include "doctor/rights.hpp"

#include <algorithm>
#include <utility>

#include "admission/namespace_lease.hpp"
#include "api/kind.hpp"
#include "certs/managed/settings.hpp"
#include "cluster/lookup_watch.hpp"
#include "conversion/convert.hpp"
#include "json/writer.hpp"

namespace dynamo::doctor {
namespace {

class List {
 public:
  RightEvidence& add(std::string_view verb, const kube::Resource& resource,
                     std::string_view needed_for) {
    RightEvidence right;
    right.verb = verb;
    right.group = resource.group;
    right.resource = resource.plural;
    right.needed_for = needed_for;
    rights_.push_back(std::move(right));
    return rights_.back();
  }
  RightEvidence& add_optional(std::string_view verb, const kube::Resource& resource,
                              std::string_view needed_for) {
    RightEvidence& right = add(verb, resource, needed_for);
    right.optional = true;
    return right;
  }
  std::vector<RightEvidence> take() { return std::move(rights_); }

 private:
  std::vector<RightEvidence> rights_;
};

constexpr std::string_view kManaged = "managed certificates";
constexpr std::string_view kUsualSecret = "dynamo-webhook-cert";

// Names of the Services in a namespace that API servers call.
std::vector<std::string> services_in(const Evidence& evidence, std::string_view namespace_name) {
  std::vector<std::string> names;
  for (const ServiceEvidence& service : evidence.services) {
    if (service.namespace_name == namespace_name) names.push_back(service.name);
  }
  return names;
}

// Permissions if servers and keepers have separate accounts.
void add_divided(List& list, const Evidence& evidence, const std::string& namespace_name,
                 const Duties& duties) {
  const auto add = [&](std::string_view account, std::string_view verb,
                       const kube::Resource& resource, std::string_view name) -> RightEvidence& {
    RightEvidence& right = list.add_optional(verb, resource, kManaged);
    right.account = account;
    right.namespace_name = namespace_name;
    right.name = name;
    return right;
  };
  const std::string_view keeper = duties.keeper_account;
  const bool is_known = duties.secret.starts_with(namespace_name + '/');
  const std::string_view secret =
      is_known ? duties.secret.substr(namespace_name.size() + 1) : kUsualSecret;
  for (const std::string_view verb : {"list", "watch"}) {
    add({}, verb, kube::kSecrets, secret).name_is_guessed = !is_known;
  }
  for (const std::string_view verb : {"list", "watch", "update", "patch"}) {
    add(keeper, verb, kube::kSecrets, secret).name_is_guessed = !is_known;
  }
  add(keeper, "create", kube::kSecrets, {});
  for (const std::string_view verb : {"list", "watch", "create", "delete"}) {
    add(keeper, verb, kube::kLeases, {});
  }
  for (const std::string& service : services_in(evidence, namespace_name)) {
    for (const std::string_view verb : {"list", "watch", "patch"}) {
      add({}, verb, kube::kLeases, service + "-replicas");
    }
    for (const std::string_view verb : {"get", "update", "patch"}) {
      add(keeper, verb, kube::kLeases, service + "-leader");
      add(keeper, verb, kube::kLeases, service + "-replicas");
    }
  }
  for (const std::string_view verb : {"create", "patch"}) {
    add(keeper, verb, kube::kEvents, {});
  }
}

void add_in_namespace(List& list, const std::string& namespace_name, std::string_view secret) {
  const auto add = [&](std::string_view verb, const kube::Resource& resource,
                       std::string_view needed_for) -> RightEvidence& {
    RightEvidence& right = list.add_optional(verb, resource, needed_for);
    right.namespace_name = namespace_name;
    return right;
  };
  const bool is_known = secret.starts_with(namespace_name + '/');
  const std::string_view name = is_known ? secret.substr(namespace_name.size() + 1) : kUsualSecret;
  for (const std::string_view verb : {"list", "watch", "update"}) {
    RightEvidence& right = add(verb, kube::kSecrets, kManaged);
    right.name = name;
    right.name_is_guessed = !is_known;
  }
  // RBAC cannot narrow create by name.
  add("create", kube::kSecrets, kManaged);
  for (const std::string_view verb : {"get", "list", "watch", "create", "update", "delete"}) {
    add(verb, kube::kLeases, "managed certificates (leader election, reports)");
  }
  for (const std::string_view verb : {"create", "patch"}) {
    add(verb, kube::kEvents, "events about certificates");
  }
}

bool has_injection_label(const kube::Object& configuration) {
  const std::string label = certs::managed::Settings().injection_label;
  const std::size_t equals = label.find('=');
  const json::Value labels = configuration.root()["metadata"]["labels"];
  return labels[label.substr(0, equals)].string_or_empty() == label.substr(equals + 1);
}

// The namespaces that may hold the server's Secret and Leases.
std::vector<std::string> namespaces_of_server(const Evidence& evidence) {
  if (!evidence.account_namespace.empty()) return {evidence.account_namespace};
  std::vector<std::string> namespaces;
  for (const ServiceEvidence& service : evidence.services) {
    if (std::ranges::find(namespaces, service.namespace_name) == namespaces.end()) {
      namespaces.push_back(service.namespace_name);
    }
  }
  return namespaces;
}

// The configurations of one kind that the server writes, each once.
std::vector<std::string> injected_configurations(const Evidence& evidence, bool mutating) {
  std::vector<std::string> names;
  for (const WebhookEntry& webhook : evidence.webhooks.value) {
    if (webhook.mutating != mutating || !is_kept_by_server(webhook, evidence)) continue;
    const std::string_view name = webhook.configuration.name();
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  }
  return names;
}

void add_managed(List& list, const Evidence& evidence, const Duties& duties) {
  for (const bool mutating : {false, true}) {
    const kube::Resource& resource =
        mutating ? kube::kMutatingWebhookConfigurations : kube::kValidatingWebhookConfigurations;
    // Configurations are found by label, so list cannot be narrowed by name; writes can.
    for (const std::string_view verb : {"list", "watch"}) {
      list.add_optional(verb, resource, kManaged).account = duties.keeper_account;
    }
    std::vector<std::string> names = injected_configurations(evidence, mutating);
    for (std::string& name : names) {
      RightEvidence& right = list.add_optional("patch", resource, kManaged);
      right.account = duties.keeper_account;
      right.name = std::move(name);
    }
  }
  for (const std::string& each : namespaces_of_server(evidence)) {
    if (duties.keeper_account.empty()) {
      add_in_namespace(list, each, duties.secret);
    } else {
      add_divided(list, evidence, each, duties);
    }
  }
}

// CRDs of kinds with two versions. Others may be written as well, but the doctor does not know
// their names.
void add_definitions(List& list, std::string_view account) {
  constexpr std::string_view kNeededFor = "--inject-crds";
  for (const std::string_view verb : {"list", "watch"}) {
    list.add_optional(verb, kube::kCustomResourceDefinitions, kNeededFor).account = account;
  }
  for (const api::KindNames& kind : api::kKinds) {
    if (!conversion::has_two_versions(kind.name)) continue;
    RightEvidence& right = list.add_optional("patch", kube::kCustomResourceDefinitions, kNeededFor);
    right.account = account;
    right.name = std::string(kind.singular) + "s.nvidia.com";
  }
}

// The marker Lease of a restricted server.
void add_marker(List& list, const std::string& namespace_name) {
  for (const std::string_view verb : {"create", "get", "update", "delete"}) {
    RightEvidence& right = list.add(verb, kube::kLeases, "holding the namespace");
    right.namespace_name = namespace_name;
    // RBAC cannot narrow create by name.
    if (verb != "create") right.name = admission::kNamespaceScopeLease;
  }
}

}  // namespace

bool is_kept_by_server(const WebhookEntry& webhook, const Evidence& evidence) {
  if (!has_injection_label(webhook.configuration)) return false;
  const std::string& own = evidence.account_namespace;
  const json::Value service = webhook.entry["clientConfig"]["service"];
  return own.empty() || service["namespace"].string_or_empty() == own;
}

std::vector<RightEvidence> needed_rights(const Evidence& evidence, const Duties& duties) {
  List list;
  const std::string& restricted = evidence.restricted_namespace;
  if (restricted.empty()) {
    for (const std::string_view verb : {"list", "watch"}) {
      list.add(verb, kube::kLeases, "leaving namespaces to other operators").name =
          admission::kNamespaceScopeLease;
    }
    list.add_optional("create", kube::kEvents, "events about leases that are not trusted");
  } else {
    add_marker(list, restricted);
  }
  for (const api::LookupKind kind : duties.lookups) {
    for (const std::string_view verb : {"list", "watch"}) {
      list.add_optional(verb, cluster::resource_of(kind), "--cluster-lookups").namespace_name =
          api::is_cluster_scoped(kind) ? std::string() : restricted;
    }
  }
  if (evidence.managed.has_value() && evidence.managed.value) {
    add_managed(list, evidence, duties);
  }
  if (duties.inject_crds) {
    add_definitions(list, duties.keeper_account);
  }
  return list.take();
}

std::string review_body(const RightEvidence& right, std::string_view service_account) {
  const bool own = service_account.empty();
  std::string body;
  json::Writer writer(body);
  writer.start_object()
      .member("apiVersion", "authorization.k8s.io/v1")
      .member("kind", own ? "SelfSubjectAccessReview" : "SubjectAccessReview");
  writer.key("spec").start_object().key("resourceAttributes").start_object();
  writer.member("verb", right.verb).member("group", right.group).member("resource", right.resource);
  if (!right.namespace_name.empty()) writer.member("namespace", right.namespace_name);
  if (!right.name.empty()) writer.member("name", right.name);
  writer.end_object();
  if (!own) {
    const std::size_t slash = service_account.find('/');
    const std::string in(service_account.substr(0, slash));
    writer.member("user", "system:serviceaccount:" + in + ':' +
                              std::string(service_account.substr(slash + 1)));
    writer.key("groups")
        .start_array()
        .string("system:serviceaccounts")
        .string("system:serviceaccounts:" + in)
        .string("system:authenticated")
        .end_array();
  }
  writer.end_object().end_object();
  return body;
}

}  // namespace dynamo::doctor
