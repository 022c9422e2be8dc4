// CA bundles as API servers trust them: which certificates one holds, and whether it vouches for a
// leaf.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "certs/certificate.hpp"

namespace dynamo::certs::managed {

struct CaCertificate {
  std::string pem;  // written anew from the certificate: nothing else that stood beside it
  CertificateFacts facts;
};

// The certificates of `pem` in its order, each once. Empty when it is none or does not parse: an
// API server trusts nothing by it then.
std::vector<CaCertificate> split_bundle(std::string_view pem);

std::string join_bundle(const std::vector<CaCertificate>& certificates);

bool holds(const std::vector<CaCertificate>& bundle, std::string_view fingerprint);

// True if the first certificate of `pem` names the host as API servers want it: in a subject
// alternative name, of which the first label may be "*". The common name does not count.
bool names_host(std::string_view pem, const std::string& host);

// True if a client that trusts the certificates of `bundle_pem`, and nothing else, accepts the leaf
// for each of `names`. What follows the leaf in its PEM is served with it: the client may use it on
// its way to a certificate it trusts. Every certificate on that way must be valid at `at`; without
// it time does not count, for callers that judge validity elsewhere.
bool verifies(std::string_view bundle_pem, const KeyPair& leaf,
              const std::vector<std::string>& names,
              const std::optional<TimePoint>& at = std::nullopt);

}  // namespace dynamo::certs::managed
