#include "doctor/gather.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "admission/namespace_lease.hpp"
#include "cluster/lookup_watch.hpp"
#include "doctor/endpoints.hpp"
#include "doctor/rights.hpp"
#include "json/writer.hpp"
#include "kube/base64.hpp"
#include "kube/client.hpp"
#include "kube/resource.hpp"

namespace dynamo::doctor {
namespace {

using kube::Task;

bool calls_us(json::Value webhook) {
  const std::string_view path = webhook["clientConfig"]["service"]["path"].string_or_empty();
  const std::string_view url = webhook["clientConfig"]["url"].string_or_empty();
  const auto has = [&](std::string_view prefix) {
    return path.starts_with(prefix) || url.find(prefix) != std::string_view::npos;
  };
  return has("/validate-nvidia-com-v1alpha1-") || has("/mutate-nvidia-com-v1alpha1-");
}

// One look at a cluster; lives as long as gather() runs.
class Look {
 public:
  Look(kube::Transport& transport, GatherOptions options)
      : transport_(transport), client_(transport), options_(std::move(options)) {}

  Task<kube::Result<Evidence>> all(std::string server, TimePoint now) {
    evidence_.server = std::move(server);
    evidence_.now = now;
    began_ = std::chrono::steady_clock::now();
    auto answered = co_await look_at_version();
    if (!answered) co_return answered.error();
    co_await look_at_webhooks(kube::kValidatingWebhookConfigurations, false);
    co_await look_at_webhooks(kube::kMutatingWebhookConfigurations, true);
    name_services();
    for (ServiceEvidence& service : evidence_.services) co_await look_at_service(service);
    co_await look_at_namespaces();
    co_await look_at_leases();
    evidence_.rights = needed_rights(evidence_, options_.secret,
                                     cluster::looked_up_kinds(options_.cluster_lookups));
    evidence_.rights_of_server = options_.as_server || !options_.service_account.empty();
    for (RightEvidence& right : evidence_.rights) co_await ask_for(right);
    co_await try_dry_run();
    co_return std::move(evidence_);
  }

 private:
  Task<kube::Result<void>> look_at_version() {
    kube::Request request(kube::Verb::kGet, "/version");
    auto answer = co_await transport_.send(std::move(request));
    if (!answer) co_return answer.error();
    if (answer->date) {
      evidence_.server_time.value = *answer->date;
    } else {
      evidence_.server_time.problem = "the API server does not say what time it is";
    }
    auto version = kube::Object::parse(answer->body);
    if (version) evidence_.version = version->root()["gitVersion"].string_or_empty();
    co_return kube::Result<void>();
  }

  Task<> look_at_webhooks(kube::Resource resource, bool mutating) {
    auto list = co_await client_.list(resource, "");
    if (!list) {
      evidence_.webhooks.problem = list.error().text;
      co_return;
    }
    for (const kube::Object& configuration : list->items) {
      for (const json::Value entry : configuration.root()["webhooks"].elements()) {
        if (calls_us(entry)) evidence_.webhooks.value.push_back({configuration, entry, mutating});
      }
    }
  }

  void name_services() {
    for (const Webhook& webhook : evidence_.webhooks.value) {
      const json::Value called = webhook.entry["clientConfig"]["service"];
      ServiceEvidence service;
      service.namespace_name = called["namespace"].string_or_empty();
      service.name = called["name"].string_or_empty();
      service.port = called["port"].integer().value_or(service.port);
      if (service.name.empty()) continue;
      const bool known = std::ranges::any_of(evidence_.services, [&](const ServiceEvidence& each) {
        return each.label() == service.label() && each.port == service.port;
      });
      if (!known) evidence_.services.push_back(std::move(service));
    }
  }

  Task<> look_at_service(ServiceEvidence& service) {
    auto found = co_await client_.get(kube::kServices, service.namespace_name, service.name);
    if (found) {
      service.service.value = *std::move(found);
    } else {
      service.service.problem = found.error().text;
    }
    kube::ListOptions of_service;
    of_service.label_selector = "kubernetes.io/service-name=" + service.name;
    auto slices = co_await client_.list(kube::kEndpointSlices, service.namespace_name, of_service);
    if (slices) {
      service.endpoint_slices.value = std::move(slices->items);
    } else {
      service.endpoint_slices.problem = slices.error().text;
    }
    co_await look_at_certificate(service);
  }

  Task<> look_at_certificate(ServiceEvidence& service) {
    AskOptions asking;
    asking.server_name = service.dns_name();
    asking.reach = options_.reach;
    asking.end = began_ + options_.all_reach;
    asking.now = evidence_.now;
    asking.began = began_;
    service.endpoints = co_await ask(ready_endpoints(service), std::move(asking));
    const bool any = std::ranges::any_of(service.endpoints, [](const Endpoint& endpoint) {
      return endpoint.was_asked && endpoint.peer.found();
    });
    if (!any) co_await look_at_secret(service);
  }

  // For when no endpoint can be reached from here.
  Task<> look_at_secret(ServiceEvidence& service) {
    const std::size_t slash = options_.secret.find('/');
    if (slash == std::string::npos) co_return;
    auto secret = co_await client_.get(kube::kSecrets, options_.secret.substr(0, slash),
                                       options_.secret.substr(slash + 1));
    service.secret = options_.secret;
    if (!secret) {
      service.secret_pem.problem = secret.error().text;
      co_return;
    }
    auto pem = kube::decode_base64(secret->root()["data"]["tls.crt"].string_or_empty());
    service.secret_pem.value = std::move(pem).value_or("");
  }

  Task<> look_at_namespaces() {
    std::vector<std::string> names{"kube-system", options_.dry_run_namespace};
    for (const ServiceEvidence& service : evidence_.services) {
      names.push_back(service.namespace_name);
    }
    std::ranges::sort(names);
    const auto twice = std::ranges::unique(names);
    names.erase(twice.begin(), twice.end());
    for (const std::string& name : names) {
      auto found = co_await client_.get(kube::kNamespaces, "", name);
      if (found) {
        evidence_.namespaces.value.push_back(*std::move(found));
      } else if (!found.error().is("NotFound")) {
        evidence_.namespaces.problem = found.error().text;
      }
    }
  }

  Task<> look_at_leases() {
    kube::ListOptions markers;
    markers.field_selector = "metadata.name=" + std::string(admission::kNamespaceScopeLease);
    auto leases = co_await client_.list(kube::kLeases, "", markers);
    if (leases) {
      evidence_.leases.value = std::move(leases->items);
    } else {
      evidence_.leases.problem = leases.error().text;
    }
  }

  Task<> ask_for(RightEvidence& right) {
    const kube::Resource& review =
        options_.service_account.empty() ? kube::kSelfSubjectAccessReviews : kSubjectAccessReviews;
    auto answer = co_await client_.create(review, "", review_body(right, options_.service_account));
    if (answer) {
      right.allowed.value = answer->root()["status"]["allowed"].boolean().value_or(false);
    } else {
      right.allowed.problem = answer.error().text;
    }
  }

  // A graph without services: it fits the definition and breaks a rule.
  Task<> try_dry_run() {
    DryRunEvidence& run = evidence_.dry_run;
    run.namespace_name = options_.dry_run_namespace;
    kube::WriteOptions dry;
    dry.dry_run = true;
    std::string body = R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",)"
                       R"("metadata":{"generateName":"dynamo-doctor-"},"spec":{"services":{}}})";
    auto created =
        co_await client_.create(kube::kGraphDeployments, run.namespace_name, std::move(body), dry);
    if (created) {
      run.outcome = DryRun::kAdmitted;
      co_return;
    }
    run.text = created.error().text;
    // Another webhook's denial proves nothing, and another's failure is not ours.
    const bool ours = names_our_webhook(run.text);
    if (ours && run.text.find("failed calling webhook") != std::string::npos) {
      run.outcome = DryRun::kCallFailed;
    } else if (ours && run.text.find("denied the request") != std::string::npos) {
      run.outcome = DryRun::kDenied;
    } else {
      run.outcome = DryRun::kRefused;
    }
  }

  // As the API server names it: webhook "NAME".
  bool names_our_webhook(std::string_view text) const {
    return std::ranges::any_of(evidence_.webhooks.value, [text](const Webhook& webhook) {
      const std::string quoted = "webhook \"" + std::string(webhook.name()) + '"';
      return text.find(quoted) != std::string_view::npos;
    });
  }

  kube::Transport& transport_;
  kube::Client client_;
  const GatherOptions options_;
  std::chrono::steady_clock::time_point began_;
  Evidence evidence_;
};

}  // namespace

kube::Task<kube::Result<Evidence>> gather(kube::Transport& transport, std::string server,
                                          GatherOptions options, TimePoint now) {
  Look look(transport, std::move(options));
  co_return co_await look.all(std::move(server), now);
}

}  // namespace dynamo::doctor
