#include "doctor/gather.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/namespace_lease.hpp"
#include "api/kind.hpp"
#include "certs/managed/settings.hpp"
#include "cluster/lease_record.hpp"
#include "cluster/lookup_watch.hpp"
#include "cluster/reconciler_lease.hpp"
#include "cluster/resources.hpp"
#include "conversion/convert.hpp"
#include "doctor/endpoints.hpp"
#include "doctor/grove.hpp"
#include "doctor/rights.hpp"
#include "doctor/unserved.hpp"
#include "json/writer.hpp"
#include "kube/client/client.hpp"
#include "kube/object/object_meta.hpp"
#include "kube/object/resource.hpp"
#include "text/base64.hpp"
#include "validators/catalog.hpp"

namespace dynamo::doctor {
namespace {

using aio::Task;

constexpr auto kPaths = std::to_array<std::string_view>({
    "/validate-nvidia-com-v1alpha1-",
    "/mutate-nvidia-com-v1alpha1-",
    "/validate-nvidia-com-v1beta1-",
    "/mutate-nvidia-com-v1beta1-",
    "/validate/nvidia.com/v1beta1/",
    "/mutate/nvidia.com/v1beta1/",
});

bool names_our_path(std::string_view text) {
  return std::ranges::any_of(
      kPaths, [text](std::string_view path) { return text.find(path) != std::string_view::npos; });
}

bool calls_us(json::Value webhook) {
  const std::string_view path = webhook["clientConfig"]["service"]["path"].string_or_empty();
  return names_our_path(webhook["clientConfig"]["url"].string_or_empty()) ||
         std::ranges::any_of(kPaths,
                             [path](std::string_view prefix) { return path.starts_with(prefix); });
}

// Whether the text contains a rule id as in our denials: "... [dgd.services.required]".
bool names_our_rule(std::string_view text) {
  for (std::size_t open = text.find('['); open != std::string_view::npos;
       open = text.find('[', open + 1)) {
    const std::string_view id = text.substr(open + 1, text.find(']', open) - open - 1);
    if (validators::find_rule(id) != nullptr) return true;
  }
  return false;
}

// One collection of evidence; lives as long as gather() runs.
class EvidenceCollector {
 public:
  EvidenceCollector(kube::Transport& transport, GatherOptions options,
                    std::shared_ptr<Evidence> evidence)
      : transport_(transport),
        client_(transport),
        options_(std::move(options)),
        kept_(std::move(evidence)),
        evidence_(*kept_) {}

  Task<kube::Result<void>> collect(std::string server, TimePoint now) {
    evidence_.server = std::move(server);
    evidence_.now = now;
    evidence_.restricted_namespace = options_.restricted_namespace;
    evidence_.lease_trust = options_.lease_trust;
    evidence_.operator_lease = options_.operator_lease;
    evidence_.operator_generation = options_.operator_generation;
    evidence_.rights_of_server = options_.as_server || !options_.service_account.empty();
    evidence_.account_namespace = namespace_of_account();
    name_dry_run();
    began_ = std::chrono::steady_clock::now();
    kube::Request request(kube::HttpMethod::kGet, "/version");
    const auto answer = co_await transport_.send(std::move(request));
    if (!answer) co_return answer.error();
    note_version(*answer);
    auto problem = co_await inspect_webhooks(kube::kValidatingWebhookConfigurations, false);
    auto other_problem = co_await inspect_webhooks(kube::kMutatingWebhookConfigurations, true);
    evidence_.webhooks.problem = problem.empty() ? std::move(other_problem) : std::move(problem);
    name_services();
    co_await inspect_definitions();
    co_await inspect_operators();
    for (ServiceEvidence& service : evidence_.services) co_await inspect_service(service);
    for (ServiceEvidence& service : evidence_.conversion_services) {
      co_await inspect_service(service);
    }
    co_await inspect_namespaces();
    co_await inspect_leases();
    co_await look_for_leaders();
    co_await look_for_managed();
    const auto lookups = cluster::looked_up_kinds(options_.cluster_lookups);
    Duties duties;
    duties.secret = options_.secret;
    duties.lookups = lookups;
    duties.inject_crds = options_.inject_crds;
    duties.keeper_account = options_.keeper_account;
    evidence_.rights = needed_rights(evidence_, duties);
    for (RightEvidence& right : evidence_.rights) co_await ask_for(right);
    co_await try_dry_run();
    // Last, because a cluster may have many of these.
    for (std::size_t i = 0; i < kServable.size(); ++i) {
      co_await inspect_kind(kServable[i], evidence_.kinds[i]);
    }
    co_await inspect_grove();
    evidence_.is_complete = true;
    co_return kube::Result<void>();
  }

 private:
  void note_version(const kube::Response& answer) {
    if (answer.date) {
      evidence_.server_time.set(*answer.date);
    } else {
      evidence_.server_time.problem = "the API server does not say what time it is";
    }
    const auto version = kube::Object::parse(answer.body);
    if (version) evidence_.version = version->root()["gitVersion"].string_or_empty();
  }

  // Returns why they could not be read.
  Task<std::string> inspect_webhooks(kube::Resource resource, bool mutating) {
    auto list = co_await client_.list(resource, "");
    if (!list) co_return list.error().text;
    for (const kube::Object& configuration : list->items) {
      for (const json::Value entry : configuration.root()["webhooks"].elements()) {
        if (calls_us(entry)) evidence_.webhooks.value.push_back({configuration, entry, mutating});
      }
    }
    co_return "";
  }

  std::string namespace_of_account() const {
    const std::string& account = options_.service_account;
    if (!account.empty()) return account.substr(0, account.find('/'));
    return options_.as_server ? options_.pod_namespace : std::string();
  }

  void name_dry_run() {
    DryRunEvidence& run = evidence_.dry_run;
    run.has_explicit_namespace = !options_.dry_run_namespace.empty();
    run.namespace_name = options_.dry_run_namespace;
    if (!run.has_explicit_namespace) run.namespace_name = options_.restricted_namespace;
    if (run.namespace_name.empty()) run.namespace_name = "default";
  }

  void name_services() {
    for (const WebhookEntry& webhook : evidence_.webhooks.value) {
      name_service(webhook.entry["clientConfig"], evidence_.services);
    }
  }

  // Adds the Service that is called to `services`, unless it is known.
  void name_service(json::Value client_config, std::vector<ServiceEvidence>& services) {
    const json::Value called = client_config["service"];
    ServiceEvidence service;
    service.namespace_name = called["namespace"].string_or_empty();
    service.name = called["name"].string_or_empty();
    service.port = called["port"].integer().value_or(service.port);
    if (service.name.empty() || evidence_.service_of(client_config) != nullptr) return;
    services.push_back(std::move(service));
  }

  Task<> inspect_definitions() {
    std::vector<kube::Object> definitions;
    std::string problem;
    for (const api::KindNames& kind : api::kKinds) {
      if (!conversion::has_two_versions(kind.name)) continue;
      auto found = co_await client_.get(kube::kCustomResourceDefinitions, "",
                                        std::string(kind.singular) + "s.nvidia.com");
      if (!found) {
        if (!found.error().is("NotFound")) problem = found.error().text;
        continue;
      }
      const json::Value spec = found->root()["spec"];
      if (spec["versions"].size() < 2) continue;
      name_service(spec["conversion"]["webhook"]["clientConfig"], evidence_.conversion_services);
      definitions.push_back(*std::move(found));
    }
    evidence_.definitions = {std::move(definitions), std::move(problem)};
  }

  Task<> inspect_operators() {
    constexpr kube::Resource kDeployments{"apps", "v1", "deployments", "Deployment"};
    kube::ListOptions of_operators;
    of_operators.label_selector =
        "control-plane=controller-manager,app.kubernetes.io/part-of=dynamo-operator";
    auto found = co_await client_.list(kDeployments, "", of_operators);
    if (found) {
      evidence_.operators.set(std::move(found->items));
    } else {
      evidence_.operators.problem = found.error().text;
    }
  }

  Task<> inspect_service(ServiceEvidence& service) {
    auto found = co_await client_.get(kube::kServices, service.namespace_name, service.name);
    if (found) {
      service.service.set(*std::move(found));
    } else {
      service.service.problem = found.error().text;
      service.is_missing = found.error().is("NotFound");
    }
    kube::ListOptions of_service;
    of_service.label_selector = "kubernetes.io/service-name=" + service.name;
    auto slices = co_await client_.list(kube::kEndpointSlices, service.namespace_name, of_service);
    if (slices) {
      service.endpoint_slices.set(std::move(slices->items));
    } else {
      service.endpoint_slices.problem = slices.error().text;
    }
    co_await inspect_certificate(service);
  }

  Task<> inspect_certificate(ServiceEvidence& service) {
    AskOptions asking;
    asking.server_name = service.dns_name();
    asking.reach = options_.reach;
    asking.end = began_ + options_.all_reach;
    asking.now = evidence_.now;
    asking.began = began_;
    service.endpoints = ready_endpoints(service);
    service.endpoints = co_await ask(service.endpoints, std::move(asking));
    const bool any = std::ranges::any_of(service.endpoints, [](const ServiceEndpoint& endpoint) {
      return endpoint.was_asked && endpoint.peer.has_value();
    });
    if (!any) co_await inspect_secret(service);
  }

  // Used if no endpoint is reachable.
  Task<> inspect_secret(ServiceEvidence& service) {
    const std::size_t slash = options_.secret.find('/');
    if (slash == std::string::npos) co_return;
    // Pods of another namespace cannot serve from it.
    if (options_.secret.substr(0, slash) != service.namespace_name) co_return;
    auto secret = co_await client_.get(kube::kSecrets, service.namespace_name,
                                       options_.secret.substr(slash + 1));
    service.secret = options_.secret;
    if (!secret) {
      service.secret_pem.problem = secret.error().text;
      co_return;
    }
    auto pem = text::decode_base64(secret->root()["data"]["tls.crt"].string_or_empty());
    service.secret_pem.value = std::move(pem).value_or("");
  }

  Task<> inspect_namespaces() {
    std::vector<std::string> names{"kube-system", evidence_.dry_run.namespace_name};
    for (const ServiceEvidence& service : evidence_.services) {
      names.push_back(service.namespace_name);
    }
    std::ranges::sort(names);
    const auto twice = std::ranges::unique(names);
    names.erase(twice.begin(), twice.end());
    std::string problem;
    for (const std::string& name : names) {
      auto found = co_await client_.get(kube::kNamespaces, "", name);
      if (found) {
        evidence_.namespaces.value.push_back(*std::move(found));
      } else if (!found.error().is("NotFound")) {
        problem = found.error().text;
      }
    }
    evidence_.namespaces.problem = std::move(problem);
  }

  Task<> inspect_leases() {
    const std::string marker(admission::kNamespaceScopeLease);
    if (!options_.restricted_namespace.empty()) {
      auto own = co_await client_.get(kube::kLeases, options_.restricted_namespace, marker);
      if (own) {
        evidence_.leases.set({*std::move(own)});
      } else {
        evidence_.leases.problem = own.error().is("NotFound") ? "" : own.error().text;
      }
      co_return;
    }
    kube::ListOptions markers;
    markers.field_selector = "metadata.name=" + marker;
    auto leases = co_await client_.list(kube::kLeases, "", markers);
    if (leases) {
      evidence_.leases.set(std::move(leases->items));
    } else {
      evidence_.leases.problem = leases.error().text;
    }
  }

  Task<> look_for_leaders() {
    std::vector<kube::Object> found;
    for (const std::string_view name : {cluster::kOperatorLease, cluster::kReconcilerLease}) {
      kube::ListOptions named;
      named.field_selector = "metadata.name=" + std::string(name);
      auto leases = co_await client_.list(kube::kLeases, options_.restricted_namespace, named);
      if (!leases) {
        evidence_.leader_leases.problem = leases.error().text;
        co_return;
      }
      found.insert(found.end(), leases->items.begin(), leases->items.end());
    }
    co_await look_for_labelled_leaders(found);
    std::vector<std::string> configured = options_.reconciler_leases;
    if (!options_.operator_lease.empty()) configured.push_back(options_.operator_lease);
    for (const std::string& label : configured) {
      auto problem = co_await inspect_leader(label, found);
      if (problem.empty()) continue;
      evidence_.leader_leases.problem = std::move(problem);
      co_return;
    }
    co_await drop_ended(found);
    evidence_.leader_leases.set(std::move(found));
  }

  // A Lease without a holder in a namespace that is being deleted needs no leader.
  Task<> drop_ended(std::vector<kube::Object>& leases) {
    constexpr int kMaxAsked = 32;
    int asked = 0;
    for (auto lease = leases.begin(); lease != leases.end();) {
      const cluster::LeaseRecord record = cluster::read_lease(lease->root()["spec"]);
      const bool is_live =
          !record.holder.empty() && admission::is_live(record.view(), evidence_.now);
      if (is_live || ++asked > kMaxAsked) {
        ++lease;
        continue;
      }
      const auto space =
          co_await client_.get(kube::kNamespaces, "", std::string(lease->namespace_name()));
      const bool is_ended = space ? kube::is_terminating(*space) : space.error().is("NotFound");
      lease = is_ended ? leases.erase(lease) : lease + 1;
    }
  }

  // The doctor's role has no permission to list all Leases: without it, names must suffice.
  Task<> look_for_labelled_leaders(std::vector<kube::Object>& found) {
    kube::ListOptions labelled;
    labelled.label_selector =
        std::string(cluster::kReconcilerLabel) + "=" + std::string(cluster::kReconcilerLabelValue);
    auto leases = co_await client_.list(kube::kLeases, "", labelled);
    if (!leases) co_return;
    evidence_.lists_leases = true;
    const std::string& only = options_.restricted_namespace;
    for (const kube::Object& each : leases->items) {
      const json::Value annotations = each.root()["metadata"]["annotations"];
      const bool is_elsewhere = !only.empty() && each.namespace_name() != only &&
                                annotations[cluster::kScopeAnnotation].string_or_empty() != only;
      if (is_elsewhere) continue;
      if (!is_among(found, each.namespace_name(), each.name())) found.push_back(each);
    }
  }

  static bool is_among(const std::vector<kube::Object>& objects, std::string_view space,
                       std::string_view name) {
    return std::ranges::any_of(objects, [&](const kube::Object& each) {
      return each.namespace_name() == space && each.name() == name;
    });
  }

  // Returns why it could not be read; a Lease that does not exist has no leader.
  Task<std::string> inspect_leader(const std::string& label, std::vector<kube::Object>& found) {
    const std::size_t slash = label.find('/');
    const std::string space = label.substr(0, slash);
    const std::string name = label.substr(slash + 1);
    if (is_among(found, space, name)) co_return "";
    auto lease = co_await client_.get(kube::kLeases, space, name);
    if (lease) {
      found.push_back(*std::move(lease));
    } else if (!lease.error().is("NotFound")) {
      co_return lease.error().text;
    }
    co_return "";
  }

  // Indicated by the label that makes the server write a caBundle, or by content that only its own
  // Secret has.
  Task<> look_for_managed() {
    const bool any = std::ranges::any_of(
        evidence_.webhooks.value,
        [this](const WebhookEntry& webhook) { return is_kept_by_server(webhook, evidence_); });
    bool managed = any || options_.inject_crds;
    if (!managed) managed = co_await secret_is_managed();
    if (managed) {
      evidence_.managed.set(true);
    } else if (evidence_.webhooks.has_value()) {
      const std::string& own = evidence_.account_namespace;
      evidence_.managed.problem = "no webhook configuration has the label " +
                                  certs::managed::Settings().injection_label +
                                  (own.empty() ? "" : " and calls a Service in namespace " + own);
    } else {
      evidence_.managed.problem = "not known to be managed: " + evidence_.webhooks.problem;
    }
  }

  Task<bool> secret_is_managed() {
    const std::size_t slash = options_.secret.find('/');
    if (slash == std::string::npos) co_return false;
    const std::string space = options_.secret.substr(0, slash);
    // The server's Secret is in its own namespace.
    const std::string& own = evidence_.account_namespace;
    if (!own.empty() && space != own) co_return false;
    auto secret = co_await client_.get(kube::kSecrets, space, options_.secret.substr(slash + 1));
    co_return secret && secret->root()["data"]["ca.key"].exists();
  }

  Task<> ask_for(RightEvidence& right) {
    const std::string& account = right.account.empty() ? options_.service_account : right.account;
    const kube::Resource& review =
        account.empty() ? kube::kSelfSubjectAccessReviews : kSubjectAccessReviews;
    auto answer = co_await client_.create(review, "", review_body(right, account));
    if (answer) {
      right.allowed.set(answer->root()["status"]["allowed"].boolean().value_or(false));
    } else {
      right.allowed.problem = answer.error().text;
    }
  }

  // A graph without services: it satisfies the CRD and violates a rule.
  Task<> try_dry_run() {
    DryRunEvidence& run = evidence_.dry_run;
    kube::WriteOptions dry;
    dry.dry_run = true;
    std::string body = R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",)"
                       R"("metadata":{"generateName":"dynamo-doctor-"},"spec":{"services":{}}})";
    kube::Client patient = client_.with_deadline(options_.dry_run);
    auto created = co_await patient.create(cluster::kGraphDeployments, run.namespace_name,
                                           std::move(body), dry);
    if (created) {
      run.outcome = DryRunOutcome::kAdmitted;
      co_return;
    }
    run.text = created.error().text;
    run.outcome = outcome_of(created.error());
  }

  Task<> inspect_kind(const ServableKind& kind, KindEvidence& found) {
    std::size_t count = 0;
    std::vector<std::string> unserved;
    kube::ListOptions by_page;
    by_page.on_page = [&](std::span<const kube::Object> objects, bool is_first) {
      if (is_first) {
        count = 0;
        unserved.clear();
      }
      count += objects.size();
      for (const kube::Object& each : objects) {
        if (!is_unserved(each, kind, evidence_.now)) continue;
        unserved.push_back(std::string(each.namespace_name()) + '/' + std::string(each.name()));
      }
    };
    const auto list = co_await client_.list(kind.resource, options_.restricted_namespace, by_page);
    // Without its definition a kind has no objects.
    if (!list && !list.error().is("NotFound")) {
      found.unserved.problem = list.error().text;
      co_return;
    }
    found.count = count;
    found.unserved.set(std::move(unserved));
  }

  Task<> inspect_grove() {
    const auto groups = co_await client_.get_path("/apis");
    if (!groups) {
      evidence_.grove.problem = groups.error().text;
      co_return;
    }
    GroveEvidence found;
    const auto reset = [&] {
      found = {};
      found.is_served = serves_group(*groups, "grove.io");
    };
    reset();
    kube::ListOptions by_page;
    by_page.on_page = [&](std::span<const kube::Object> objects, bool is_first) {
      if (is_first) reset();
      for (const kube::Object& each : objects) add_graph(each, found);
    };
    const auto graphs =
        co_await client_.list(cluster::kGraphDeployments, options_.restricted_namespace, by_page);
    // Without its definition the kind has no objects.
    if (!graphs && !graphs.error().is("NotFound")) {
      evidence_.grove.problem = graphs.error().text;
      co_return;
    }
    co_await inspect_queues(serves_group(*groups, kKaiQueues.group), found);
    evidence_.grove.set(std::move(found));
  }

  // Leaves in `found` the graphs without their queue.
  Task<> inspect_queues(bool is_scheduled_by_kai, GroveEvidence& found) {
    if (!is_scheduled_by_kai || found.without_queue.empty()) {
      found.without_queue.clear();
      co_return;
    }
    const auto queues = co_await client_.list(kKaiQueues, "");
    if (queues) {
      remove_existing_queues(queues->items, found);
      co_return;
    }
    found.without_queue.clear();
    found.unread_queues = queues.error().text;
  }

  DryRunOutcome outcome_of(const kube::Error& error) const {
    constexpr int kGatewayTimeout = 504;
    // Nothing else delays a create request that long.
    if (error.failure == kube::FailureKind::kDeadline || error.http_status == kGatewayTimeout) {
      return DryRunOutcome::kCallFailed;
    }
    // Another webhook's denial proves nothing, and its failure is not ours.
    const std::string_view text = error.text;
    const bool ours = names_our_webhook(text);
    const bool unknown = !evidence_.webhooks.has_value();
    if (text.find("failed calling webhook") != std::string_view::npos &&
        (ours || (unknown && names_our_path(text)))) {
      return DryRunOutcome::kCallFailed;
    }
    if (text.find("denied the request") != std::string_view::npos &&
        (ours || (unknown && names_our_rule(text)))) {
      return DryRunOutcome::kDenied;
    }
    return DryRunOutcome::kRefused;
  }

  // In the API server's form: webhook "NAME".
  bool names_our_webhook(std::string_view text) const {
    return std::ranges::any_of(evidence_.webhooks.value, [text](const WebhookEntry& webhook) {
      const std::string quoted = "webhook \"" + std::string(webhook.name()) + '"';
      return text.find(quoted) != std::string_view::npos;
    });
  }

  kube::Transport& transport_;
  kube::Client client_;
  const GatherOptions options_;
  const std::shared_ptr<Evidence> kept_;
  Evidence& evidence_;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace

aio::Task<kube::Result<void>> gather(kube::Transport& transport, std::string server,
                                     GatherOptions options, TimePoint now,
                                     std::shared_ptr<Evidence> evidence) {
  EvidenceCollector collector(transport, std::move(options), std::move(evidence));
  co_return co_await collector.collect(std::move(server), now);
}

}  // namespace dynamo::doctor
