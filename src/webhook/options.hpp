// The options of the server. The flags set them, see flags.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "admission/answer.hpp"
#include "api/context.hpp"
#include "certs/tls_version.hpp"
#include "runtime/flag_values.hpp"
#include "runtime/log.hpp"

namespace dynamo::webhook {

enum class CertMode : std::uint8_t { kFiles, kManaged, kSelfSigned };
enum class Role : std::uint8_t { kAll, kServer, kKeeper };
enum class ConnectMode : std::uint8_t { kAuto, kNone };

// One member per flag, with the flag's name. The zeros below are not defaults: those are in the
// table, and default_options() returns them.
struct Options {
  runtime::Address bind_address;
  runtime::Address health_probe_bind_address;
  runtime::Address metrics_bind_address;

  CertMode cert_mode{};
  Role role{};
  std::string cert_dir;        // empty only with self-signed: ca.crt is not written
  std::string client_ca_file;  // empty: clients need no certificate
  std::vector<std::string> client_allowed_names;  // empty: any name that the CA has signed
  std::string own_namespace;  // `--namespace`; empty: the namespace of the service account
  std::string service;
  std::string cert_secret;
  std::string cluster_domain;
  std::string injection_label;
  bool inject_crds{};
  std::chrono::nanoseconds leaf_lifetime{};
  std::chrono::nanoseconds ca_lifetime{};
  certs::TlsVersion tls_min_version{};
  std::vector<std::string> tls_ciphers;  // empty: the built-in list

  admission::Enforcement enforcement{};
  std::string policy;                // empty: none
  std::string restricted_namespace;  // empty: the whole cluster
  std::string operator_version;
  std::optional<api::ServiceAccount> operator_service_account;
  // in addition to the one of each namespace
  std::vector<api::ServiceAccount> planner_service_accounts;

  ConnectMode cluster_connection{};
  std::string kubeconfig;                                     // empty: none
  std::string kube_context;                                   // empty: the file's current one
  std::chrono::nanoseconds namespace_scope_lease_duration{};  // whole seconds
  std::chrono::nanoseconds namespace_scope_lease_renew_interval{};
  std::vector<std::string> lease_namespaces;      // globs; empty: any
  std::vector<std::string> lease_holders;         // globs; empty: any
  std::chrono::nanoseconds lease_max_duration{};  // whole seconds
  api::OperatorGeneration operator_generation{};
  bool operator_replaced = false;
  api::Fact discovery_backend{};             // whether it is Kubernetes
  std::vector<std::string> cluster_lookups;  // values of api::is_lookup(); empty: none

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
  runtime::Level log_level{};
  runtime::LogFormat log_format{};
  bool log_allowed{};
};

}  // namespace dynamo::webhook
