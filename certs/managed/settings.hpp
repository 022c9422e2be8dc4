// What managed certificates are made for: the Service that they name, the Secret that keeps them,
// and the times by which they are renewed.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "certs/certificate.hpp"

namespace dynamo::certs::managed {

// What this process does of the work. Processes of all roles can share one Secret.
enum class Role : std::uint8_t {
  kAll,     // serves, and keeps the Secret and the caBundles
  kServer,  // serves what the Secret holds; reads that Secret, writes its report and nothing else
  kKeeper,  // keeps the Secret and the caBundles; serves nothing
};

struct Settings {
  Role role = Role::kAll;
  std::string namespace_name;  // of the Service, the Secret and the Leases
  std::string service = "dynamo-webhook";
  std::string secret = "dynamo-webhook-cert";
  std::string cluster_domain = "cluster.local";  // empty: no name with it
  // Which configurations and CRDs are looked after: a label selector.
  std::string injection_label = "nvidia.com/dynamo-webhook-inject-ca=true";
  bool inject_crds = false;  // conversion webhooks of labelled CRDs too, which takes more rights
  std::string identity;      // of this replica; no other one that lives has it

  std::chrono::seconds leaf_lifetime = std::chrono::hours(24 * 90);
  std::chrono::seconds ca_lifetime = std::chrono::hours(24 * 3650);
  // How long something must have been seen in the cluster before we rely on it: API servers hear of
  // a new caBundle through watches of their own.
  std::chrono::seconds settle{15};
  // The same when nothing is labelled: somebody has to carry ca.crt to the clients by hand.
  std::chrono::seconds settle_unlabelled = std::chrono::hours(24);
  // What a replica's report promises: it is renewed five times as often.
  std::chrono::seconds report_lifetime = std::chrono::minutes(10);
  // A replica whose report did not change for this long is gone. A day, because it may only be cut
  // off from the API server and serve all the same, called by those who trust its CA; and because
  // the only things that wait for it are the end of a rotation and the removal of the report.
  std::chrono::seconds silence_until_gone = std::chrono::hours(24);

  // Pauses in real time, also under a fake clock.
  std::chrono::milliseconds tick{5000};        // everything is looked at again at least this often
  std::chrono::milliseconds first_pause{250};  // after a failure; doubled up to the longest
  std::chrono::milliseconds longest_pause{30'000};
  // What is not answered so soon, a write of a caBundle or an Event, makes way for what waits.
  std::chrono::milliseconds patience{2'000};
};

// A certificate begins this much before it is made, for clients whose clocks are behind.
inline constexpr std::chrono::minutes kBackDate{10};

// SERVICE, SERVICE.NAMESPACE, SERVICE.NAMESPACE.svc and SERVICE.NAMESPACE.svc.DOMAIN.
std::vector<std::string> server_names(const Settings& settings);

// The one of them that API servers ask for.
std::string asked_name(const Settings& settings);

inline bool serves(const Settings& settings) {
  return settings.role != Role::kKeeper;
}
inline bool keeps(const Settings& settings) {
  return settings.role != Role::kServer;
}
// Whether the report stands in the Lease that servers and keepers share, instead of one of its own:
// then the right to patch that one Lease is enough.
inline bool shares_report(const Settings& settings) {
  return settings.role != Role::kAll;
}

// "NAMESPACE/SECRET", for messages.
std::string secret_name(const Settings& settings);

// When this replica renews the leaf: at two thirds of its life, and up to a fiftieth later, by the
// replica's identity, so that one of them comes first.
TimePoint renew_leaf_at(const CertificateFacts& leaf, const Settings& settings);

// When the rotation of the CA begins: at four fifths of its life, years before its end.
TimePoint rotate_ca_at(const CertificateFacts& ca);

}  // namespace dynamo::certs::managed
