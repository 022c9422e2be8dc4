// Creates certificates: a CA, and leaves that it signs. Used for self-signed mode and test
// fixtures; it has every option that a test needs to create a bad certificate.
#pragma once

#include <string>
#include <vector>

#include "certs/certificate.hpp"
#include "certs/error.hpp"

namespace dynamo::certs {

enum class Usage { kServer, kClient, kServerAndClient };

struct LeafRequest {
  // Subject alternative names: an address literal becomes an IP name, a text with "://" a URI,
  // everything else a DNS name. Empty: the leaf has none.
  std::vector<std::string> names;
  TimePoint not_before;
  TimePoint not_after;
  Usage usage = Usage::kServer;
  std::string common_name = "dynamo-webhook";
  unsigned rsa_bits = 0;  // 0: a P-256 key
};

struct IssuedCertificate {
  KeyPair pair;
  std::string ca_pem;  // the certificate of the signing CA, for clients to trust
};

// A self-signed CA with a new P-256 key. Any thread. Fails only for invalid input or if OpenSSL
// fails.
Result<KeyPair> make_ca(const std::string& common_name, TimePoint not_before, TimePoint not_after);

// A leaf with a new key, signed by `ca`, a result of make_ca().
Result<IssuedCertificate> issue(const KeyPair& ca, const LeafRequest& request);

}  // namespace dynamo::certs
