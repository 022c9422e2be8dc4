#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "process/shared_flags.hpp"
#include "runtime/build_info.hpp"
#include "webhook/flags.hpp"

namespace dynamo::webhook {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

using runtime::AddressForm;
using runtime::Choice;
using runtime::ChoiceForm;
using runtime::CountForm;
using runtime::DnsLabelForm;
using runtime::DnsNameForm;
using runtime::DurationForm;
using runtime::into;
using runtime::NamesForm;
using runtime::NamespaceForm;
using runtime::PathForm;
using runtime::SizeForm;
using runtime::SwitchForm;
using runtime::TextForm;

using Row = runtime::Flag<Options>;

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;

constexpr std::array<Choice<CertMode>, 3> kCertModes{{{"files", CertMode::kFiles},
                                                      {"managed", CertMode::kManaged},
                                                      {"self-signed", CertMode::kSelfSigned}}};
constexpr std::array<Choice<Role>, 3> kRoles{
    {{"all", Role::kAll}, {"server", Role::kServer}, {"keeper", Role::kKeeper}}};
constexpr std::array<Choice<certs::TlsVersion>, 2> kTlsVersions{
    {{"1.2", certs::TlsVersion::k1_2}, {"1.3", certs::TlsVersion::k1_3}}};
constexpr std::array<Choice<admission::Enforcement>, 2> kEnforcements{
    {{"deny", admission::Enforcement::kDeny}, {"audit", admission::Enforcement::kAudit}}};
constexpr std::array<Choice<ConnectMode>, 2> kConnections{
    {{"auto", ConnectMode::kAuto}, {"none", ConnectMode::kNone}}};

constexpr std::array<runtime::UsageExample, 3> kExamples{{
    {"in a pod, with a Secret mounted at /certs",
     "dynamo-webhook --cert-dir /certs --operator-version 1.2.0"},
    {"on your machine; probes and metrics still listen on every address",
     "dynamo-webhook --bind-address 127.0.0.1:9443 --cert-mode self-signed --log-format text"},
    {"see what would be refused, refuse nothing",
     "dynamo-webhook --enforcement audit --log-allowed"},
}};

constexpr std::array<runtime::UsageExample, 1> kCommands{{
    {"Reports the state of an installation and its problems. In the image, so that a pod without a "
     "shell can run it; `kubectl-dynamo doctor --help` lists its options.",
     "kubectl-dynamo doctor"},
}};

constexpr std::array<runtime::EnvironmentVariable, 2> kEnvironment{{
    {"KUBERNETES_SERVICE_HOST",
     "Address of the API server, unless --kubeconfig sets it. Every pod has it; without it and "
     "without --kubeconfig there is no connection to a cluster."},
    {"KUBERNETES_SERVICE_PORT", "The port of that API server."},
}};

Row shared(std::string_view name, std::string_view own_help = {}) {
  static const process::SharedFlags<Options> flags({.restricted_namespace = "restricted-namespace",
                                                    .operator_version = "0.0.0-unknown",
                                                    .shortest_renew_interval = 100ms,
                                                    .drain_timeout = "15s"});
  return flags.row(name, own_help);
}

std::vector<Row> addresses() {
  return {
      {"bind-address", into(&Options::bind_address, AddressForm{}), ":9443",
       "Where the API server reaches the webhooks, over TLS."},
      shared("health-probe-bind-address",
             "Where /healthz and /readyz are served, over plain HTTP."),
      shared("metrics-bind-address", "Where /metrics is served, over plain HTTP."),
  };
}

std::vector<Row> tls() {
  return {
      {"cert-mode", into(&Options::cert_mode, ChoiceForm{kCertModes}), "files",
       "Where the serving certificate comes from: `files` reads a mounted Secret and follows its "
       "changes; `managed` creates a CA and certificates, keeps them in a Secret, renews them, and "
       "writes them into webhook configurations; `self-signed` creates a new one at every start, "
       "for development."},
      {"cert-dir", into(&Options::cert_dir, PathForm{}), "/etc/dynamo-webhook/certs",
       "Directory with tls.crt (chain, leaf first) and tls.key. With `--cert-mode self-signed`, "
       "ca.crt is written here if the flag is given; the directory is created if missing."},
      {"client-ca-file", into(&Options::client_ca_file, PathForm{}), "",
       "PEM bundle; when set, clients must present a certificate signed by one of its CAs. "
       "Changes take effect without a restart: open connections of clients that it no longer "
       "verifies are closed within a minute."},
      {"client-allowed-names", into(&Options::client_allowed_names, NamesForm{}), "",
       "Clients must carry one of these as common name or as DNS or URI subject alternative name. "
       "Needs --client-ca-file."},
      {"tls-min-version", into(&Options::tls_min_version, ChoiceForm{kTlsVersions}), "1.2",
       "Oldest TLS version that the server accepts."},
      {"tls-ciphers", into(&Options::tls_ciphers, NamesForm{}), "",
       "Cipher suites by OpenSSL or IANA name. Not set: suites with forward secrecy and "
       "authenticated encryption only."},
  };
}

std::vector<Row> managed() {
  return {
      {"role", into(&Options::role, ChoiceForm{kRoles}), "all",
       "With `--cert-mode managed`: `keeper` keeps the Secret and every caBundle, and serves no "
       "webhook; `server` serves what the Secret holds, with the right to read that Secret and to "
       "patch the Lease SERVICE-replicas; `all` does both in one process."},
      {"namespace", into(&Options::own_namespace, NamespaceForm{}), "",
       "Where the server runs: the namespace of its Service, of the Secret and of the Leases. Not "
       "set: that of its service account."},
      {"service", into(&Options::service, DnsLabelForm{}), "dynamo-webhook",
       "The Service through which API servers call the webhooks; the certificate is issued for "
       "its DNS names."},
      {"cert-secret", into(&Options::cert_secret, DnsNameForm{}), "dynamo-webhook-cert",
       "The Secret that keeps the CA, the certificate and their keys. Created if it does not "
       "exist."},
      {"cluster-domain", into(&Options::cluster_domain, DnsNameForm{}), "cluster.local",
       "DNS suffix of the cluster; part of the certificate's longest name."},
      {"injection-label", into(&Options::injection_label, TextForm{}),
       "nvidia.com/dynamo-webhook-inject-ca=true",
       "Label of the webhook configurations into which the caBundle is written; only their "
       "webhooks that call the Service get it."},
      {"inject-crds", into(&Options::inject_crds, SwitchForm{}), "false",
       "Also write the caBundle of conversion webhooks into labelled CRDs. Needs the right to "
       "patch CRDs."},
      {"leaf-lifetime", into(&Options::leaf_lifetime, DurationForm{1h, 8760h}), "2160h",
       "Lifetime of a certificate. It is renewed after two thirds of its lifetime."},
      {"ca-lifetime", into(&Options::ca_lifetime, DurationForm{24h, 876000h}), "87600h",
       "Lifetime of the CA, at least five times that of a certificate. The CA is rotated after "
       "four fifths of its lifetime."},
  };
}

std::vector<Row> admission_flags() {
  return {
      {"enforcement", into(&Options::enforcement, ChoiceForm{kEnforcements}), "deny",
       "`deny` refuses what breaks a rule; `audit` lets it pass with warnings and counts it. The "
       "start-up log and the metric dynamo_webhook_enforcement show the mode."},
      shared(
          "policy",
          "YAML file with severities by rule, exemptions with an expiry and parameters of rules; "
          "docs/operations/policy.md shows one. Changes take effect without a restart; an "
          "invalid change is logged and counted, and the previous policy stays in force."),
      shared("restricted-namespace",
             "Validate only objects of this namespace. Not set: the whole cluster."),
      shared("operator-version",
             "Version of the cluster's Dynamo operator, recorded on new graph deployments."),
      shared("operator-service-account"),
      shared("planner-service-accounts"),
  };
}

std::vector<Row> cluster_flags() {
  return {
      {"cluster-connection", into(&Options::cluster_connection, ChoiceForm{kConnections}), "auto",
       "`auto` connects to the API server of --kubeconfig, else to that of the cluster in which "
       "it runs, if there is one. `none` does not connect to any. Without a connection cluster "
       "facts are unknown, and no namespace lease is honoured or kept."},
      shared("kubeconfig"),
      shared("kube-context"),
      shared(
          "namespace-scope-lease-duration",
          "With --restricted-namespace: how long other operators leave that namespace alone after "
          "the last renewal, in whole seconds."),
      shared("namespace-scope-lease-renew-interval",
             "How often that lease is renewed. Must be shorter than its duration. The server "
             "exits after duration / interval - 1 failures in a row (at least one)."),
      shared("lease-namespaces",
             "Namespaces whose lease dynamo-operator-namespace-scope is trusted, with `*` and `?` "
             "as wildcards. Not set: all; then every account that may write Leases in a namespace "
             "can exclude it from validation."),
      shared("lease-holders"),
      shared("lease-max-duration"),
      shared("operator-generation"),
      {"operator-replaced", into(&Options::operator_replaced, SwitchForm{}), "false",
       "dynamo-reconciler runs graphs in the place of that operator. Where the two render "
       "differently, such as in service labels, the rules follow dynamo-reconciler."},
      {"unserved-kinds", into(&Options::unserved_kinds, NamesForm{}), "",
       "Kinds for which dynamo-reconciler runs no controller, of DynamoGraphDeploymentRequest and "
       "DynamoCheckpoint: a warning says that nothing will happen."},
      shared("discovery-backend"),
      shared("operator-checkpoints"),
      shared("operator-gpu-discovery"),
      shared("dgdr-default-image"),
      {"cluster-lookups", into(&Options::cluster_lookups, NamesForm{}), "",
       "Warn of references to objects that do not exist: `all`, or some of "
       "dynamographdeployments, persistentvolumeclaims, configmaps and secrets. Their names are "
       "then kept in memory. Needs the right to list and watch these kinds; for secrets, this "
       "includes the right to read them. Without --client-ca-file secrets are left out, since "
       "every client that reaches the port could find out which exist. With "
       "clustertopologybindings, which `all` leaves out, new graphs of later operators on Grove "
       "are denied if they name a topology or a domain that does not exist."},
  };
}

std::vector<Row> limits() {
  return {
      {"max-body-bytes", into(&Options::max_body_bytes, SizeForm{64 * kKiB, 64 * kMiB}), "7MiB",
       "A larger request is answered 413 before it is read. An update carries the object twice."},
      {"max-json-depth", into(&Options::max_json_depth, CountForm{32, 1024}), "128",
       "A request nested deeper is answered 400."},
      {"max-connections", into(&Options::max_connections, CountForm{1, 65'535}), "1024",
       "At this limit a new connection replaces one of the client with the most connections. "
       "The webhook closes that client's oldest connection without an answered request, else its "
       "oldest idle connection. The webhook never closes a connection with a request in "
       "progress. If the client has only such connections, the webhook tries the next client. If "
       "no client has another one, the webhook closes the new connection."},
      {"max-in-flight", into(&Options::max_in_flight, CountForm{1, 65'535}), "256",
       "Complete requests above this limit are answered 503; the API server tries again. A "
       "request with an incomplete body does not count; see --max-body-memory."},
      {"max-body-memory", into(&Options::max_body_memory, SizeForm{8 * kMiB, 64 * 1024 * kMiB}),
       "256MiB",
       "Memory of all incomplete bodies and of answers that wait for their clients. Above this "
       "limit the webhook first evicts a stalled body of the client with the most memory. Then "
       "the webhook evicts the oldest answer and closes its connection. Then the webhook evicts "
       "the oldest body and answers 503. Each event loop may always have one body or answer."},
      {"max-connections-per-address",
       into(&Options::max_connections_per_address, CountForm{0, 65'535}), "0",
       "While three quarters of --max-connections are in use: a peer address (or an IPv6 /64 "
       "network) with more connections than this loses its oldest connections until it is within "
       "the quota. 0: no quota; the client with the most connections loses one when all are in "
       "use."},
      {"max-connections-per-client",
       into(&Options::max_connections_per_client, CountForm{0, 65'535}), "0",
       "The same for the key of a verified client certificate (--client-ca-file), whose "
       "connections do not count for their address."},
  };
}

std::vector<Row> times() {
  return {
      {"handshake-timeout", into(&Options::handshake_timeout, DurationForm{100ms, 1min}), "10s",
       "From the connection to the end of the TLS handshake."},
      {"header-timeout", into(&Options::header_timeout, DurationForm{100ms, 1min}), "10s",
       "From the first byte of a request to the end of its header; also from the TLS handshake to "
       "the first byte."},
      {"body-timeout", into(&Options::body_timeout, DurationForm{100ms, 5min}), "30s",
       "From the end of the header to the end of the body. The API server waits 30s at most."},
      {"idle-timeout", into(&Options::idle_timeout, DurationForm{91s, 1h}), "2m",
       "How long a connection may be idle between requests. Always above the 90s after which the "
       "API server drops idle connections itself, so that it never sends a request on one that "
       "we just closed."},
      {"shutdown-delay", into(&Options::shutdown_delay, DurationForm{0s, 5min}), "10s",
       "On SIGTERM: how long to keep serving while unready, until every API server has noticed."},
      shared(
          "drain-timeout",
          "After the shutdown delay: how long running requests may take to finish. Keep the sum of "
          "both below the pod's terminationGracePeriodSeconds."),
  };
}

std::vector<Row> process() {
  return {
      {"threads", into(&Options::threads, CountForm{0, 256}), "0",
       "Event loops; 0 means one per CPU of the quota (cgroup limit and affinity)."},
      shared("log-level"),
      shared("log-format"),
      {"log-allowed", into(&Options::log_allowed, SwitchForm{}), "false",
       "Write a line for each allowed request too, not only for denials."},
  };
}

}  // namespace

const runtime::FlagTable<Options>& flag_table() {
  static const runtime::FlagTable<Options> table(
      {.name = runtime::kProgramName,
       .purpose = "admission webhooks for the resources of NVIDIA Dynamo, v1alpha1 and v1beta1",
       .examples = kExamples,
       .table = "src/webhook/flag_table.cpp",
       .commands = kCommands,
       .environment = kEnvironment,
       .api_versions = runtime::kApiGroupVersions},
      {{"Addresses", addresses()},
       {"Certificates and TLS", tls()},
       {"With --cert-mode managed", managed()},
       {"Admission", admission_flags()},
       {"Cluster", cluster_flags()},
       {"Limits", limits()},
       {"Times", times()},
       {"Process and log", process()}},
      &check_together);
  return table;
}

}  // namespace dynamo::webhook
