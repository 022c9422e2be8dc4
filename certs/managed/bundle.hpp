// CA bundles as API servers trust them: the certificates in a bundle, and whether it verifies a
// leaf.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "certs/certificate.hpp"

namespace dynamo::certs::managed {

struct CaCertificate {
  std::string pem;  // re-encoded from the certificate, without any other text of the bundle
  CertificateFacts facts;
};

// The certificates of `pem` in order, without duplicates. Empty if it is not a bundle or does not
// parse: then an API server trusts none of it.
std::vector<CaCertificate> split_bundle(std::string_view pem);

std::string join_bundle(const std::vector<CaCertificate>& certificates);

bool holds(const std::vector<CaCertificate>& bundle, std::string_view fingerprint);

// True if the first certificate of `pem` is valid for the host by the rules of API servers: in a
// subject alternative name, whose first label may be "*". The common name is ignored.
bool names_host(std::string_view pem, const std::string& host);

// True if a client that trusts only the certificates of `bundle_pem` accepts the leaf for each of
// `names`. The server sends the certificates after the leaf in its PEM, and the client may use them
// to build the chain. Every certificate of the chain must be valid at `at`; without `at` validity
// is not checked, for callers that do it elsewhere.
bool verifies(std::string_view bundle_pem, const KeyPair& leaf,
              const std::vector<std::string>& names,
              const std::optional<TimePoint>& at = std::nullopt);

}  // namespace dynamo::certs::managed
