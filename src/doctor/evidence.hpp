// Evidence that the doctor read from a cluster, before any check: each value is present, or has the
// reason why it is missing.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/context.hpp"
#include "cluster/lease_trust.hpp"
#include "kube/http/peer_certificates.hpp"
#include "kube/object/object.hpp"

namespace dynamo::doctor {

using TimePoint = std::chrono::system_clock::time_point;

// The result of a lookup. `problem` is one line; if it is empty, `value` is the result.
template <typename T>
struct Lookup {
  T value{};
  std::string problem;

  bool has_value() const { return problem.empty(); }
  void set(T what) {
    value = std::move(what);
    problem.clear();
  }
};

inline constexpr std::string_view kNoTime = "there was no time to check";

// A lookup that has not happened yet; final if time runs out.
template <typename T>
Lookup<T> pending_lookup() {
  return {{}, std::string(kNoTime)};
}

// One webhook of a configuration; views into its object.
struct WebhookEntry {
  kube::Object configuration;
  json::Value entry;  // of the configuration's list `webhooks`
  bool mutating = false;

  // "ValidatingWebhookConfiguration/NAME webhook ENTRY"
  std::string subject() const;
  std::string_view name() const { return entry["name"].string_or_empty(); }
  // Decoded; empty if there is none, nullopt if it is not base64.
  std::optional<std::string> ca_bundle() const;
  // Empty if it calls a Service.
  std::string_view url() const { return entry["clientConfig"]["url"].string_or_empty(); }
  // The path of the Service or the URL, without a query.
  std::string_view path() const;
};

// "CustomResourceDefinition/NAME"
std::string definition_subject(const kube::Object& definition);

// A ready endpoint of a Service, and the result of its TLS handshake.
struct ServiceEndpoint {
  std::string host;  // an address
  std::string port;
  std::string pod;  // empty: the EndpointSlice names none
  bool was_asked = false;
  bool is_there = false;          // the connection was accepted
  Lookup<kube::ProbedPeer> peer;  // set for probed endpoints; has a value after a handshake
  // Its clock minus ours; nullopt if it did not report the time.
  std::optional<std::chrono::system_clock::duration> ahead;

  // "10.0.0.3:9443 (pod webhook-a)"
  std::string label() const;
};

// The Service port if a webhook names none.
inline constexpr std::int64_t kDefaultPort = 443;

// A Service that webhooks call.
struct ServiceEvidence {
  std::string namespace_name;
  std::string name;
  std::int64_t port = kDefaultPort;  // as the webhooks call it
  Lookup<kube::Object> service = pending_lookup<kube::Object>();
  bool is_missing = false;  // the lookup found that it does not exist
  Lookup<std::vector<kube::Object>> endpoint_slices = pending_lookup<std::vector<kube::Object>>();
  std::vector<ServiceEndpoint> endpoints;  // the ready ones, one per pod
  // If no endpoint is reachable: the certificate chain of the named Secret, leaf first.
  Lookup<std::string> secret_pem;
  std::string secret;  // "NS/NAME"; empty: none was read

  // "NS/NAME"
  std::string label() const { return namespace_name + '/' + name; }
  // The DNS name that the API server expects in the certificate: "NAME.NS.svc".
  std::string dns_name() const { return name + '.' + namespace_name + ".svc"; }
};

// The result of a SelfSubjectAccessReview or SubjectAccessReview.
struct RightEvidence {
  std::string account;  // NAMESPACE/NAME of the keeper's account; empty: the server's
  std::string verb;
  std::string group;
  std::string resource;
  std::string namespace_name;    // empty: in all
  std::string name;              // empty: any
  bool name_is_guessed = false;  // guessed, not configured: a missing permission then means little
  std::string needed_for;
  bool optional = false;
  Lookup<bool> allowed = pending_lookup<bool>();
};

// DynamoGraphDeploymentRequests and DynamoCheckpoints, whose controllers may not run.
inline constexpr std::size_t kServableKinds = 2;

// The objects of one of these kinds in the namespaces that the server covers.
struct KindEvidence {
  std::size_t count = 0;
  // "NS/NAME" of those that no controller serves.
  Lookup<std::vector<std::string>> unserved = pending_lookup<std::vector<std::string>>();
};

// Graphs and Grove, in the namespaces that the server covers.
struct GroveEvidence {
  bool is_served = false;  // the cluster serves grove.io
  std::size_t graphs = 0;  // that it runs, or will run
  // If it is not served: "NS/NAME" of the graphs that it ran, as their status says.
  std::vector<std::string> abandoned;
  // If the cluster serves KAI, too: "NS/NAME" of the graphs by the queue that they name and that
  // does not exist.
  std::map<std::string, std::vector<std::string>> without_queue;
  std::string unread_queues;  // why the queues are unknown; empty: they are known, or not needed
};

enum class DryRunOutcome : std::uint8_t {
  kNotTried,
  kDenied,      // by a webhook, as expected
  kAdmitted,    // no webhook denied it
  kCallFailed,  // the API server could not call a webhook, or timed out
  kRefused,     // by another check, before any webhook was called
};

struct DryRunEvidence {
  DryRunOutcome outcome = DryRunOutcome::kNotTried;
  std::string namespace_name;
  bool has_explicit_namespace = false;  // chosen by the caller
  std::string text;                     // the API server's message
};

struct Evidence {
  std::string server;   // "https://10.96.0.1:443"
  std::string version;  // of the API server, "v1.35.0"
  TimePoint now;
  // All lookups are complete. Otherwise time ran out, and missing values have kNoTime as problem.
  bool is_complete = false;
  // The namespace to which the server is restricted; empty: it covers the whole cluster.
  std::string restricted_namespace;
  Lookup<TimePoint> server_time = pending_lookup<TimePoint>();
  // The webhooks that call us. If one of the two lists could not be read, only those of the other.
  Lookup<std::vector<WebhookEntry>> webhooks = pending_lookup<std::vector<WebhookEntry>>();
  // The Services they call, each once.
  std::vector<ServiceEvidence> services;
  // The CustomResourceDefinitions of our kinds that have two versions or more, and the Services
  // that convert for them, unless a webhook calls these, too.
  Lookup<std::vector<kube::Object>> definitions = pending_lookup<std::vector<kube::Object>>();
  std::vector<ServiceEvidence> conversion_services;
  // The Deployments of Dynamo operators in all namespaces.
  Lookup<std::vector<kube::Object>> operators = pending_lookup<std::vector<kube::Object>>();
  // The server's --operator-generation; kUnknown: not stated.
  api::OperatorGeneration operator_generation = api::OperatorGeneration::kUnknown;
  // kube-system, and the namespaces of the Services and of the dry run.
  Lookup<std::vector<kube::Object>> namespaces = pending_lookup<std::vector<kube::Object>>();
  // Marker Leases, and which holders the server trusts. For a restricted server its own Leases
  // only.
  cluster::LeaseTrust lease_trust;
  Lookup<std::vector<kube::Object>> leases = pending_lookup<std::vector<kube::Object>>();
  // Leader Leases of the operator and of dynamo-reconciler, in the namespaces that the server
  // covers and in those where cluster-wide operators elect their leader.
  Lookup<std::vector<kube::Object>> leader_leases = pending_lookup<std::vector<kube::Object>>();
  // Reconciler Leases were also looked up by label, which requires permission to list all Leases.
  bool lists_leases = false;
  // NAMESPACE/NAME of the Lease that belongs to the operator regardless of its name; empty: none.
  std::string operator_lease;
  std::vector<RightEvidence> rights;
  // The server manages its certificates, and `rights` includes the permissions for that; the
  // problem is why it does not, or why that is unknown.
  Lookup<bool> managed = pending_lookup<bool>();
  // True: permissions "of the service account NS/NAME"; false: those of the caller.
  bool rights_of_server = false;
  // The namespace of the server's account, and so of the server; empty: unknown.
  std::string account_namespace;
  DryRunEvidence dry_run;
  std::array<KindEvidence, kServableKinds> kinds;  // as kServable
  Lookup<GroveEvidence> grove = pending_lookup<GroveEvidence>();

  // The Service of a clientConfig; null if it calls another one or a URL.
  const ServiceEvidence* service_of(json::Value client_config) const;

  // The labels of a namespace, a map; absent if the namespace was not found.
  json::Value labels_of(std::string_view namespace_name) const;
};

}  // namespace dynamo::doctor
