// The command line of the server: what can be set, and how it is read, explained and documented.
// Names, defaults, bounds and help stand in one table, in flag_table.cpp.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/flag_values.hpp"
#include "runtime/log.hpp"

namespace dynamo::runtime {

enum class CertMode : std::uint8_t { kFiles, kManaged, kSelfSigned };
enum class TlsVersion : std::uint8_t { k1_2, k1_3 };
enum class Enforcement : std::uint8_t { kDeny, kAudit };
enum class ClusterConnection : std::uint8_t { kAuto, kNone };
enum class OperatorGeneration : std::uint8_t { kUnknown, kFirst, kLater };
enum class DiscoveryBackend : std::uint8_t { kUnknown, kKubernetes, kEtcd };

// What --cluster-lookups may name, as kubectl and roles call it.
inline constexpr std::array<std::string_view, 4> kLookupResources{
    "dynamographdeployments", "persistentvolumeclaims", "configmaps", "secrets"};
// Is that one of them, or "all"?
bool is_lookup(std::string_view word);

// One member per flag, under the flag's name. The zeros below are no defaults: those are in the
// table, and parse_flags({}) or default_options() gives them.
struct Options {
  Address bind_address;
  Address health_probe_bind_address;
  Address metrics_bind_address;

  CertMode cert_mode{};
  std::string cert_dir;        // empty only with self-signed: ca.crt is written nowhere
  std::string client_ca_file;  // empty: clients need no certificate
  std::vector<std::string> client_allowed_names;  // empty: any name the CA vouches for
  std::string own_namespace;  // `--namespace`; empty: that of the service account
  std::string service;
  std::string cert_secret;
  std::string cluster_domain;
  std::string injection_label;
  bool inject_crds{};
  std::chrono::nanoseconds leaf_lifetime{};
  std::chrono::nanoseconds ca_lifetime{};
  TlsVersion tls_min_version{};
  std::vector<std::string> tls_ciphers;  // empty: the built-in list

  Enforcement enforcement{};
  std::string policy;                // empty: none
  std::string restricted_namespace;  // empty: the whole cluster
  std::string operator_version;
  std::optional<ServiceAccount> operator_service_account;
  std::vector<ServiceAccount> planner_service_accounts;  // beside that of each namespace

  ClusterConnection cluster_connection{};
  std::string kubeconfig;                                     // empty: none
  std::string kube_context;                                   // empty: the file's current one
  std::chrono::nanoseconds namespace_scope_lease_duration{};  // whole seconds
  std::chrono::nanoseconds namespace_scope_lease_renew_interval{};
  std::vector<std::string> lease_namespaces;      // globs; empty: any
  std::vector<std::string> lease_holders;         // globs; empty: anybody
  std::chrono::nanoseconds lease_max_duration{};  // whole seconds
  OperatorGeneration operator_generation{};
  DiscoveryBackend discovery_backend{};
  std::vector<std::string> cluster_lookups;  // of kLookupResources, or "all"; empty: none

  std::size_t max_body_bytes{};
  std::size_t max_json_depth{};
  std::size_t max_connections{};
  std::size_t max_in_flight{};
  std::size_t max_body_memory{};
  std::size_t max_connections_per_address{};  // 0: no quota
  std::size_t max_connections_per_client{};   // 0: no quota

  std::chrono::nanoseconds handshake_timeout{};
  std::chrono::nanoseconds header_timeout{};
  std::chrono::nanoseconds body_timeout{};
  std::chrono::nanoseconds idle_timeout{};
  std::chrono::nanoseconds shutdown_delay{};
  std::chrono::nanoseconds drain_timeout{};

  unsigned threads{};  // 0: as many as the CPU quota allows, see cpu_quota.hpp
  Level log_level{};
  LogFormat log_format{};
  bool log_allowed{};
};

// What the program must print and exit with instead of serving: code 0 with the text for standard
// output (--help, --version), code 2 with one line for standard error. The text ends with a
// newline.
struct EarlyExit {
  int code = 0;
  std::string text;
};

// Reads the arguments after the program's name: `--flag value` or `--flag=value`, the last of equal
// flags wins. Reads nothing else: no environment, no file. The first mistake ends it.
std::variant<Options, EarlyExit> parse_flags(std::span<const char* const> arguments);

// What parse_flags({}) gives.
Options default_options();

// The text of --help, at most 100 columns wide.
std::string flags_help();

// docs/flags.md.
std::string flags_markdown();

}  // namespace dynamo::runtime
