// What the doctor found in a cluster, before it judges: each piece is there, or says why it is not.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/lease_trust.hpp"
#include "kube/object.hpp"
#include "kube/peer_certificates.hpp"

namespace dynamo::doctor {

using TimePoint = std::chrono::system_clock::time_point;

// Something that was looked for. `problem` is one line, empty when `value` is what there is.
template <typename T>
struct Looked {
  T value{};
  std::string problem;

  bool found() const { return problem.empty(); }
  void set(T what) {
    value = std::move(what);
    problem.clear();
  }
};

inline constexpr std::string_view kNoTime = "there was no time to look";

// What has not been looked for, and is not when time is over.
template <typename T>
Looked<T> not_yet() {
  return {{}, std::string(kNoTime)};
}

// One webhook of a configuration; views into its object.
struct Webhook {
  kube::Object configuration;
  json::Value entry;  // of its list `webhooks`
  bool mutating = false;

  // "ValidatingWebhookConfiguration/NAME webhook ENTRY"
  std::string subject() const;
  std::string_view name() const { return entry["name"].string_or_empty(); }
  // Decoded; empty when there is none, nothing when it is no base64.
  std::optional<std::string> ca_bundle() const;
  // Empty when it calls a Service.
  std::string_view url() const { return entry["clientConfig"]["url"].string_or_empty(); }
  // Of the Service or the URL, without a query.
  std::string_view path() const;
};

// A ready endpoint of a Service, and what it shows to whoever shakes hands with it.
struct Endpoint {
  std::string host;  // an address
  std::string port;
  std::string pod;  // empty: the EndpointSlice names none
  bool was_asked = false;
  bool is_there = false;    // somebody accepted the connection
  Looked<kube::Peer> peer;  // of those that were asked; found when it shook hands
  // Its clock against ours; nothing when it did not tell the time.
  std::optional<std::chrono::system_clock::duration> ahead;

  // "10.0.0.3:9443 (pod webhook-a)"
  std::string label() const;
};

// Of a Service, where a webhook names none.
inline constexpr std::int64_t kDefaultPort = 443;

// A Service that webhooks call.
struct ServiceEvidence {
  std::string namespace_name;
  std::string name;
  std::int64_t port = kDefaultPort;  // as the webhooks call it
  Looked<kube::Object> service = not_yet<kube::Object>();
  bool is_missing = false;  // it was looked for, and is not there
  Looked<std::vector<kube::Object>> endpoint_slices = not_yet<std::vector<kube::Object>>();
  std::vector<Endpoint> endpoints;  // the ready ones, each pod once
  // When no endpoint could be reached: the chain in the Secret that was named, leaf first.
  Looked<std::string> secret_pem;
  std::string secret;  // "NS/NAME"; empty: none was looked at

  // "NS/NAME"
  std::string label() const { return namespace_name + '/' + name; }
  // The name that the API server asks the certificate for: "NAME.NS.svc".
  std::string dns_name() const { return name + '.' + namespace_name + ".svc"; }
};

// An answer of a SelfSubjectAccessReview or SubjectAccessReview.
struct RightEvidence {
  std::string account;  // NAMESPACE/NAME of the keeper's; empty: the server's
  std::string verb;
  std::string group;
  std::string resource;
  std::string namespace_name;    // empty: in all
  std::string name;              // empty: any
  bool name_is_guessed = false;  // nobody named it: that it is not allowed says little
  std::string needed_for;
  bool optional = false;
  Looked<bool> allowed = not_yet<bool>();
};

enum class DryRun : std::uint8_t {
  kNotTried,
  kDenied,      // by a webhook, as it must be
  kAdmitted,    // nobody objected
  kCallFailed,  // the API server could not call a webhook, or waited for it for too long
  kRefused,     // by something else, before webhooks were asked
};

struct DryRunEvidence {
  DryRun outcome = DryRun::kNotTried;
  std::string namespace_name;
  bool namespace_is_told = false;  // by whoever asks
  std::string text;                // what the API server said
};

struct Evidence {
  std::string server;   // "https://10.96.0.1:443"
  std::string version;  // of the API server, "v1.35.0"
  TimePoint now;
  // Everything was looked at; else time was over, and what was not reached says so.
  bool is_complete = false;
  // The namespace to which the server is restricted; empty: it judges the whole cluster.
  std::string restricted_namespace;
  Looked<TimePoint> server_time = not_yet<TimePoint>();
  // Those that call us. When a list could not be had, those of the other one.
  Looked<std::vector<Webhook>> webhooks = not_yet<std::vector<Webhook>>();
  // That they call, each once.
  std::vector<ServiceEvidence> services;
  // kube-system, the services', the dry run's.
  Looked<std::vector<kube::Object>> namespaces = not_yet<std::vector<kube::Object>>();
  // Marker leases, and whose the server believes; of a restricted server its own only.
  cluster::LeaseTrust lease_trust;
  Looked<std::vector<kube::Object>> leases = not_yet<std::vector<kube::Object>>();
  // By which the leaders of the operator and of dynamo-reconciler are elected, in the namespaces
  // that the server judges and where operators of the whole cluster do it.
  Looked<std::vector<kube::Object>> leader_leases = not_yet<std::vector<kube::Object>>();
  // Reconcilers' Leases were looked for by their label, too, which takes the right to list all.
  bool lists_leases = false;
  // NAMESPACE/NAME of one among them that is the operator's whatever its name; empty: none.
  std::string operator_lease;
  std::vector<RightEvidence> rights;
  // Certificates are managed by the server, whose rights to do so are among `rights`; the problem
  // is why that is not so, or not known.
  Looked<bool> managed = not_yet<bool>();
  // Whose they are: "of the service account NS/NAME", or whoever asks.
  bool rights_of_server = false;
  // Where the server's account is, and with it the server; empty: not known.
  std::string account_namespace;
  DryRunEvidence dry_run;

  // Of a namespace, a map; nothing for one that was not found.
  json::Value labels_of(std::string_view namespace_name) const;
};

}  // namespace dynamo::doctor
