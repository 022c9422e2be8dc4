// The options of the server. The flags set them, see flags.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "admission/answer.hpp"
#include "certs/tls_version.hpp"
#include "process/cluster_options.hpp"
#include "runtime/flag_values.hpp"

namespace dynamo::webhook {

enum class CertMode : std::uint8_t { kFiles, kManaged, kSelfSigned };
enum class Role : std::uint8_t { kAll, kServer, kKeeper };
enum class ConnectMode : std::uint8_t { kAuto, kNone };

// One member per flag, with the flag's name. The zeros below are not defaults: those are in the
// table, and default_options() returns them. The durations of Leases are whole seconds.
struct Options : process::ClusterOptions {
  runtime::Address bind_address;

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

  ConnectMode cluster_connection{};
  bool operator_replaced = false;
  std::vector<std::string> unserved_kinds;   // names of kinds; empty: none
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

  unsigned threads{};  // 0: as many as the CPU quota allows, see cpu_quota.hpp
  bool log_allowed{};
};

}  // namespace dynamo::webhook
