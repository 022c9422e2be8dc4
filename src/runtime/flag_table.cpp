#include "runtime/flag_table.hpp"

#include <array>

namespace dynamo::runtime {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;

// Each list stands in the order of its enum.
constexpr std::array<std::string_view, 3> kCertModes{"files", "managed", "self-signed"};
constexpr std::array<std::string_view, 2> kTlsVersions{"1.2", "1.3"};
constexpr std::array<std::string_view, 2> kEnforcements{"deny", "audit"};
constexpr std::array<std::string_view, 2> kConnections{"auto", "none"};
constexpr std::array<std::string_view, 3> kGenerations{"unknown", "first", "later"};
constexpr std::array<std::string_view, 3> kBackends{"unknown", "kubernetes", "etcd"};
constexpr std::array<std::string_view, 4> kLogLevels{"debug", "info", "warning", "error"};
constexpr std::array<std::string_view, 2> kLogFormats{"json", "text"};

template <auto Member>
ChoiceValue choice(std::span<const std::string_view> names) {
  return {names, [](Options& options, std::size_t chosen) {
            using Enum = std::remove_reference_t<decltype(options.*Member)>;
            options.*Member = static_cast<Enum>(chosen);
          }};
}

const auto kAddresses = std::to_array<FlagRow>({
    {"bind-address", AddressValue{&Options::bind_address}, "0.0.0.0:9443",
     "Where the API server reaches the webhooks, over TLS."},
    {"health-probe-bind-address", AddressValue{&Options::health_probe_bind_address}, ":8081",
     "Where /healthz and /readyz are served, over plain HTTP."},
    {"metrics-bind-address", AddressValue{&Options::metrics_bind_address}, ":8080",
     "Where /metrics is served, over plain HTTP."},
});

const auto kTls = std::to_array<FlagRow>({
    {"cert-mode", choice<&Options::cert_mode>(kCertModes), "files",
     "Where the serving certificate comes from: `files` reads a mounted Secret and follows its "
     "changes; `managed` makes a CA and certificates, keeps them in a Secret, renews them, and "
     "writes them into webhook configurations; `self-signed` makes a new one at every start, for "
     "development."},
    {"cert-dir", PathValue{&Options::cert_dir}, "/etc/dynamo-webhook/certs",
     "Directory with tls.crt (chain, leaf first) and tls.key. With `--cert-mode self-signed` and "
     "only if given: where ca.crt is written."},
    {"client-ca-file", PathValue{&Options::client_ca_file}, "",
     "PEM bundle; when set, clients must show a certificate it vouches for. Changes are followed: "
     "open connections of those it vouches for no more are closed within a minute."},
    {"client-allowed-names", ListValue{&Options::client_allowed_names}, "",
     "Clients must carry one of these as common name or as DNS or URI subject alternative name. "
     "Needs --client-ca-file."},
    {"tls-min-version", choice<&Options::tls_min_version>(kTlsVersions), "1.2",
     "The oldest TLS version that is spoken."},
    {"tls-ciphers", ListValue{&Options::tls_ciphers}, "",
     "Cipher suites by OpenSSL or IANA name. Not set: suites with forward secrecy and "
     "authenticated "
     "encryption only."},
});

const auto kManaged = std::to_array<FlagRow>({
    {"namespace", NamespaceValue{&Options::own_namespace}, "",
     "Where the server runs: the namespace of its Service, of the Secret and of the Leases. Not "
     "set: that of its service account."},
    {"service", DnsNameValue{&Options::service, true}, "dynamo-webhook",
     "The Service by which API servers reach it: the certificate's name."},
    {"cert-secret", DnsNameValue{&Options::cert_secret}, "dynamo-webhook-cert",
     "The Secret that keeps the CA, the certificate and their keys. Made if there is none."},
    {"cluster-domain", DnsNameValue{&Options::cluster_domain}, "cluster.local",
     "Ends the last of the certificate's names."},
    {"injection-label", TextValue{&Options::injection_label},
     "nvidia.com/dynamo-webhook-inject-ca=true",
     "Label of the webhook configurations whose caBundle is written, where they call the Service."},
    {"inject-crds", SwitchValue{&Options::inject_crds}, "false",
     "Write the caBundle of conversion webhooks into labelled CRDs, too, which takes the right to "
     "patch them."},
    {"leaf-lifetime", DurationValue{&Options::leaf_lifetime, 1h, 8760h}, "2160h",
     "Of a certificate; it is renewed when two thirds are over."},
    {"ca-lifetime", DurationValue{&Options::ca_lifetime, 24h, 876000h}, "87600h",
     "Of the CA, at least five times that of a certificate; it is rotated when four fifths are "
     "over."},
});

const auto kAdmission = std::to_array<FlagRow>({
    {"enforcement", choice<&Options::enforcement>(kEnforcements), "deny",
     "`deny` refuses what breaks a rule; `audit` lets it pass with warnings and counts it."},
    {"policy", PathValue{&Options::policy}, "",
     "YAML file with severities by rule, exemptions with an expiry and parameters of rules; "
     "docs/operations.md shows one. Changes are followed; a bad one is logged and counted, and the "
     "policy before it stays."},
    {"restricted-namespace", NamespaceValue{&Options::restricted_namespace}, "",
     "Judge only objects of this namespace. Not set: the whole cluster."},
    {"operator-version", TextValue{&Options::operator_version}, "0.0.0-unknown",
     "Version of the Dynamo operator that runs beside, recorded on new graph deployments."},
    {"operator-service-account", ServiceAccountValue{&Options::operator_service_account}, "",
     "The one account that may scale what a scaling adapter owns, beside the planner. Not set: any "
     "account whose name ends in -dynamo-operator-controller-manager, a name that whoever may "
     "create service accounts can choose."},
    {"planner-service-accounts", ServiceAccountsValue{&Options::planner_service_accounts}, "",
     "Planners that may scale in every namespace. The account planner-serviceaccount of the "
     "graph's own namespace may always, and, without --operator-service-account, those there "
     "whose name ends so."},
});

const auto kCluster = std::to_array<FlagRow>({
    {"cluster-connection", choice<&Options::cluster_connection>(kConnections), "auto",
     "`auto` talks to the API server of --kubeconfig, else to that of the cluster it runs in, if "
     "any; `none` to no API server. Without one nothing is known of the cluster, and no namespace "
     "lease is honoured or kept."},
    {"kubeconfig", PathValue{&Options::kubeconfig}, "",
     "Kubeconfig file that says how to reach the API server. Not set: as pods are told."},
    {"kube-context", TextValue{&Options::kube_context}, "",
     "Context of --kubeconfig. Not set: its current one."},
    {"namespace-scope-lease-duration",
     DurationValue{&Options::namespace_scope_lease_duration, 1s, 1h}, "30s",
     "With --restricted-namespace: how long others leave that namespace alone after the last sign "
     "of life, in whole seconds."},
    {"namespace-scope-lease-renew-interval",
     DurationValue{&Options::namespace_scope_lease_renew_interval, 100ms, 1h}, "10s",
     "How often that lease is renewed. Below its duration; after duration / interval - 1 failures "
     "in a row, at least one, the server ends."},
    {"lease-namespaces", ListValue{&Options::lease_namespaces}, "",
     "Namespaces, `*` and `?` as wildcards, whose lease dynamo-operator-namespace-scope is "
     "believed. "
     "Not set: all, so that whoever may write Leases in a namespace keeps it from being judged."},
    {"lease-holders", ListValue{&Options::lease_holders}, "",
     "Holders, in the same way, of whom such a lease is believed, as "
     "`namespace-restricted-operator-*`. Not set: all. A holder is what the lease's writer says it "
     "is: keep others from writing with deploy/policies."},
    {"lease-max-duration", DurationValue{&Options::lease_max_duration, 1s, 24h}, "5m",
     "Such a lease that is to live longer without a renewal is not believed, in whole seconds."},
    {"operator-generation", choice<&Options::operator_generation>(kGenerations), "unknown",
     "Which Dynamo operator reconciles the objects: `first` as released with v1alpha1 alone, until "
     "the spring of 2026, or a `later` one. Rules that depend on it warn while it is unknown."},
    {"discovery-backend", choice<&Options::discovery_backend>(kBackends), "unknown",
     "How services of a graph that says nothing find each other, as the operator is set up. Rules "
     "that depend on it warn while it is unknown."},
    {"cluster-lookups", ListValue{&Options::cluster_lookups}, "",
     "Warn of names that lead nowhere: `all`, or some of dynamographdeployments, "
     "persistentvolumeclaims, configmaps and secrets, whose names are then kept in memory. Needs "
     "the right to list and watch them, which for secrets is the right to read them."},
});

const auto kLimits = std::to_array<FlagRow>({
    {"max-body-bytes", SizeValue{&Options::max_body_bytes, 64 * kKiB, 64 * kMiB}, "7MiB",
     "A larger request is answered 413 before it is read. An update carries the object twice."},
    {"max-json-depth", CountValue{&Options::max_json_depth, 32, 1024}, "128",
     "A request nested deeper is answered 400."},
    {"max-connections", CountValue{&Options::max_connections, 1, 65'535}, "1024",
     "Beyond it the oldest connection of whoever has most is closed for the new one: one that was "
     "never answered before one that rests, and none that is being answered. The new one is closed "
     "when there is no other."},
    {"max-in-flight", CountValue{&Options::max_in_flight, 1, 65'535}, "256",
     "Complete requests beyond it are answered 503; the API server tries again. A request whose "
     "body "
     "is still to come does not count, see --max-body-memory."},
    {"max-body-memory", SizeValue{&Options::max_body_memory, 8 * kMiB, 64 * 1024 * kMiB}, "256MiB",
     "What bodies that are not complete may take together. Beyond it a stalled one of whoever has "
     "most of it is answered 503, or the oldest when none has stalled. Each event loop may always "
     "have one body."},
    {"max-connections-per-address", CountValue{&Options::max_connections_per_address, 0, 65'535},
     "0",
     "While three quarters of --max-connections are in use: a peer address, or IPv6 network of 64 "
     "bits, that has more loses its oldest until it has so many. 0: no quota; whoever has most "
     "gives way when all are in use."},
    {"max-connections-per-client", CountValue{&Options::max_connections_per_client, 0, 65'535}, "0",
     "The same for the key of a verified client certificate (--client-ca-file), whose connections "
     "do not count for their address."},
});

const auto kTimes = std::to_array<FlagRow>({
    {"handshake-timeout", DurationValue{&Options::handshake_timeout, 100ms, 1min}, "10s",
     "From the connection to the end of the TLS handshake."},
    {"header-timeout", DurationValue{&Options::header_timeout, 100ms, 1min}, "10s",
     "From the first byte of a request to the end of its header; also from the TLS handshake to "
     "the "
     "first byte."},
    {"body-timeout", DurationValue{&Options::body_timeout, 100ms, 5min}, "30s",
     "From the end of the header to the end of the body. The API server waits 30s at most."},
    {"idle-timeout", DurationValue{&Options::idle_timeout, 91s, 1h}, "2m",
     "How long a connection may rest between requests. Always above the 90s after which the API "
     "server drops idle connections itself, so that it never sends into one that we just closed."},
    {"shutdown-delay", DurationValue{&Options::shutdown_delay, 0s, 5min}, "10s",
     "On SIGTERM: how long to keep serving while unready, until every API server has heard of it."},
    {"drain-timeout", DurationValue{&Options::drain_timeout, 0s, 5min}, "15s",
     "After the shutdown delay: how long running requests may take to finish. Keep the sum of both "
     "below the "
     "pod's terminationGracePeriodSeconds."},
});

const auto kProcess = std::to_array<FlagRow>({
    {"threads", CountValue{&Options::threads, 0, 256}, "0",
     "Event loops; 0 means one per CPU of the quota (cgroup limit and affinity)."},
    {"log-level", choice<&Options::log_level>(kLogLevels), "info",
     "The least severe lines that are written, to standard error."},
    {"log-format", choice<&Options::log_format>(kLogFormats), "json",
     "One JSON object or one line of text per event."},
    {"log-allowed", SwitchValue{&Options::log_allowed}, "false",
     "Write a line for each allowed request too, not only for denials."},
});

const auto kExits = std::to_array<FlagRow>({
    {"version", ExitValue{}, "", "Print name, version and API group, and exit."},
    {"help", ExitValue{}, "", "Print this text and exit."},
});

const std::array<FlagSection, 9> kSections{{{"Addresses", kAddresses},
                                            {"Certificates and TLS", kTls},
                                            {"With --cert-mode managed", kManaged},
                                            {"Admission", kAdmission},
                                            {"Cluster", kCluster},
                                            {"Limits", kLimits},
                                            {"Times", kTimes},
                                            {"Process and log", kProcess},
                                            {"Information", kExits}}};

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

std::string join(std::span<const std::string_view> words, std::string_view separator) {
  std::string joined;
  for (const std::string_view word : words) {
    if (!joined.empty()) joined += separator;
    joined += word;
  }
  return joined;
}

bool is_printable(std::string_view text) {
  for (const char c : text) {
    if (c <= ' ' || c > '~') return false;
  }
  return true;
}

// Every stretch between commas must be a word.
bool set_list(std::vector<std::string>& list, std::string_view text) {
  std::vector<std::string> words;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    if (word.empty() || !is_printable(word)) return false;
    words.emplace_back(word);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  list = std::move(words);
  return true;
}

template <class Parsed, class Member>
bool assign(const std::optional<Parsed>& parsed, Member& member) {
  if (!parsed) return false;
  member = *parsed;
  return true;
}

bool in_bounds(const auto& parsed, auto minimum, auto maximum) {
  return parsed && *parsed >= minimum && *parsed <= maximum;
}

}  // namespace

std::span<const FlagSection> flag_sections() {
  return kSections;
}

std::string value_word(const FlagRow& row) {
  return std::visit(Overloaded{
                        [](const AddressValue&) { return std::string("ADDRESS"); },
                        [](const PathValue&) { return std::string("PATH"); },
                        [](const ListValue&) { return std::string("NAME,…"); },
                        [](const NamespaceValue&) { return std::string("NAMESPACE"); },
                        [](const DnsNameValue&) { return std::string("NAME"); },
                        [](const TextValue&) { return std::string("TEXT"); },
                        [](const ServiceAccountValue&) { return std::string("NAMESPACE/NAME"); },
                        [](const ServiceAccountsValue&) { return std::string("NAMESPACE/NAME,…"); },
                        [](const SizeValue&) { return std::string("SIZE"); },
                        [](const CountValue&) { return std::string("NUMBER"); },
                        [](const DurationValue&) { return std::string("DURATION"); },
                        [](const ChoiceValue& choice) { return join(choice.names, "|"); },
                        [](const SwitchValue&) { return std::string(); },
                        [](const ExitValue&) { return std::string(); },
                    },
                    row.value);
}

std::string value_bounds(const FlagRow& row) {
  return std::visit(
      Overloaded{
          [](const SizeValue& size) {
            return format_size(size.minimum) + " to " + format_size(size.maximum);
          },
          [](const CountValue& count) {
            return std::to_string(count.minimum) + " to " + std::to_string(count.maximum);
          },
          [](const DurationValue& duration) {
            return format_duration(duration.minimum) + " to " + format_duration(duration.maximum);
          },
          [](const auto&) { return std::string(); },
      },
      row.value);
}

std::string accepted_values(const FlagRow& row) {
  const std::string bounds = value_bounds(row);
  return std::visit(
      Overloaded{
          [](const AddressValue&) {
            return std::string("an address such as 0.0.0.0:9443, :9443 or [::1]:9443");
          },
          [](const PathValue&) { return std::string("a path of at most 4096 bytes"); },
          [](const ListValue&) {
            return std::string("names without blanks, separated by single commas");
          },
          [](const NamespaceValue&) {
            return std::string(
                "a namespace: at most 63 lower-case letters, digits and inner hyphens");
          },
          [](const DnsNameValue& name) {
            return std::string(
                name.is_label ? "a name: at most 63 lower-case letters, digits and inner hyphens"
                              : "a DNS name: at most 253 lower-case letters, digits, inner hyphens "
                                "and inner dots");
          },
          [](const TextValue&) {
            return std::string("1 to 128 printable ASCII characters without blanks");
          },
          [](const ServiceAccountValue&) {
            return std::string("a service account written NAMESPACE/NAME");
          },
          [](const ServiceAccountsValue&) {
            return std::string(
                "service accounts written NAMESPACE/NAME or system:serviceaccount:NAMESPACE:NAME, "
                "separated by single commas");
          },
          [&](const SizeValue&) {
            return "a size in bytes from " + bounds + ", such as 7MiB or 7340032";
          },
          [&](const CountValue&) { return "a whole number from " + bounds; },
          [&](const DurationValue&) {
            return "a duration from " + bounds + ", such as 500ms, 10s or 1m30s";
          },
          [](const ChoiceValue& choice) { return "one of " + join(choice.names, ", "); },
          [](const SwitchValue&) { return std::string("true or false"); },
          [](const ExitValue&) { return std::string("given without a value"); },
      },
      row.value);
}

bool set_flag(const FlagRow& row, std::string_view text, Options& options) {
  constexpr std::size_t kMaxPathBytes = 4096;
  constexpr std::size_t kMaxTextBytes = 128;
  return std::visit(
      Overloaded{
          [&](const AddressValue& value) {
            return assign(parse_address(text), options.*value.member);
          },
          [&](const PathValue& value) {
            if (text.empty() || text.size() > kMaxPathBytes) return false;
            options.*value.member = text;
            return true;
          },
          [&](const ListValue& value) { return set_list(options.*value.member, text); },
          [&](const NamespaceValue& value) {
            if (!is_namespace_name(text)) return false;
            options.*value.member = text;
            return true;
          },
          [&](const DnsNameValue& value) {
            if (!(value.is_label ? is_namespace_name(text) : is_dns_name(text))) return false;
            options.*value.member = text;
            return true;
          },
          [&](const TextValue& value) {
            if (text.empty() || text.size() > kMaxTextBytes || !is_printable(text)) return false;
            options.*value.member = text;
            return true;
          },
          [&](const ServiceAccountValue& value) {
            return assign(parse_service_account(text), options.*value.member);
          },
          [&](const ServiceAccountsValue& value) {
            return assign(parse_service_accounts(text), options.*value.member);
          },
          [&](const SizeValue& value) {
            const auto size = parse_size(text);
            if (!in_bounds(size, value.minimum, value.maximum)) return false;
            options.*value.member = static_cast<std::size_t>(*size);
            return true;
          },
          [&](const CountValue& value) {
            const auto count = parse_count(text);
            if (!in_bounds(count, value.minimum, value.maximum)) return false;
            std::visit(
                [&](auto member) {
                  using Number = std::remove_reference_t<decltype(options.*member)>;
                  options.*member = static_cast<Number>(*count);
                },
                value.member);
            return true;
          },
          [&](const DurationValue& value) {
            const auto duration = parse_duration(text);
            if (!in_bounds(duration, value.minimum, value.maximum)) return false;
            options.*value.member = *duration;
            return true;
          },
          [&](const ChoiceValue& value) {
            for (std::size_t i = 0; i < value.names.size(); ++i) {
              if (value.names[i] != text) continue;
              value.set(options, i);
              return true;
            }
            return false;
          },
          [&](const SwitchValue& value) {
            if (text != "true" && text != "false") return false;
            options.*value.member = text == "true";
            return true;
          },
          [](const ExitValue&) { return false; },
      },
      row.value);
}

}  // namespace dynamo::runtime
