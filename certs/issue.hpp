// Makes certificates: a CA, and leaves that it signs. Serves self-signed mode and the fixtures of
// tests; every knob a test needs to make a bad certificate is here.
#pragma once

#include <string>
#include <vector>

#include "certs/certificate.hpp"
#include "certs/error.hpp"

namespace dynamo::certs {

enum class Usage { kServer, kClient, kServerAndClient };

struct LeafRequest {
  // Subject alternative names: an address literal becomes an IP name, a text with "://" a URI, the
  // rest DNS names. Empty: the leaf has none.
  std::vector<std::string> names;
  TimePoint not_before;
  TimePoint not_after;
  Usage usage = Usage::kServer;
  std::string common_name = "dynamo-webhook";
  unsigned rsa_bits = 0;  // 0: a P-256 key
};

struct Issued {
  KeyPair pair;
  std::string ca_pem;  // the certificate of the CA that signed it, for clients to trust
};

// A self-signed CA with a new P-256 key. Any thread; fails only on bad input or when OpenSSL does.
Result<KeyPair> make_ca(const std::string& common_name, TimePoint not_before, TimePoint not_after);

// A leaf with a new key, signed by `ca` as make_ca() returned it.
Result<Issued> issue(const KeyPair& ca, const LeafRequest& request);

}  // namespace dynamo::certs
