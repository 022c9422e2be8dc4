// Settings of managed certificates: the Service in their names, the Secret that stores them, and
// their renewal times.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "certs/certificate.hpp"

namespace dynamo::certs::managed {

// The tasks of this process. Processes of all roles can share one Secret.
enum class Role : std::uint8_t {
  kAll,     // serves, and maintains the Secret and the caBundles
  kServer,  // serves the Secret's content; reads that Secret and writes only its report
  kKeeper,  // maintains the Secret and the caBundles; serves nothing
};

struct Settings {
  Role role = Role::kAll;
  std::string namespace_name;  // of the Service, the Secret and the Leases
  std::string service = "dynamo-webhook";
  std::string secret = "dynamo-webhook-cert";
  std::string cluster_domain = "cluster.local";  // empty: no name with it
  // Label selector of the managed configurations and CRDs.
  std::string injection_label = "nvidia.com/dynamo-webhook-inject-ca=true";
  // also conversion webhooks of labelled CRDs, which requires more rights
  bool inject_crds = false;
  std::string identity;  // unique among live replicas

  std::chrono::seconds leaf_lifetime = std::chrono::hours(24 * 90);
  std::chrono::seconds ca_lifetime = std::chrono::hours(24 * 3650);
  // How long a state must have been observed in the cluster before we rely on it: API servers
  // receive a new caBundle through their own watches.
  std::chrono::seconds settle{15};
  // The same if no object is labelled: an administrator must copy ca.crt to the clients.
  std::chrono::seconds settle_unlabelled = std::chrono::hours(24);
  // Validity of a replica's report, which is renewed five times as often.
  std::chrono::seconds report_lifetime = std::chrono::minutes(10);
  // A replica whose report has not changed for this time counts as gone. The default is a day: a
  // replica cut off from the API server may still serve clients that trust its CA. Only the end of
  // a rotation and the removal of the report wait for it.
  std::chrono::seconds silence_until_gone = std::chrono::hours(24);

  // Pauses in real time, also with a fake clock.
  std::chrono::milliseconds tick{5000};        // maximum interval between checks of everything
  std::chrono::milliseconds first_pause{250};  // after a failure; doubled up to the longest
  std::chrono::milliseconds longest_pause{30'000};
  // Time limit for a write of a caBundle or an Event before it yields to waiting ones.
  std::chrono::milliseconds patience{2'000};
};

// A certificate starts this long before its creation, for clients whose clocks are behind.
inline constexpr std::chrono::minutes kBackDate{10};

// SERVICE, SERVICE.NAMESPACE, SERVICE.NAMESPACE.svc and SERVICE.NAMESPACE.svc.DOMAIN.
std::vector<std::string> server_names(const Settings& settings);

// The name that API servers use.
std::string api_server_name(const Settings& settings);

inline bool is_server(const Settings& settings) {
  return settings.role != Role::kKeeper;
}
inline bool is_keeper(const Settings& settings) {
  return settings.role != Role::kServer;
}
// Whether the report is in the Lease shared by servers and keepers instead of an own one: then the
// right to patch that one Lease suffices.
inline bool shares_report(const Settings& settings) {
  return settings.role != Role::kAll;
}

// "NAMESPACE/SECRET", for messages.
std::string secret_name(const Settings& settings);

// When this replica renews the leaf: after two thirds of its lifetime plus up to a fiftieth,
// depending on the replica's identity, so that one replica is first.
TimePoint renew_leaf_at(const CertificateFacts& leaf, const Settings& settings);

// When the CA rotation starts: after four fifths of its lifetime, years before its end.
TimePoint rotate_ca_at(const CertificateFacts& ca);

}  // namespace dynamo::certs::managed
