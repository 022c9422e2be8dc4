// A certificate chain with its private key, checked as one unit, and the facts about it for logs
// and probes.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "certs/error.hpp"

namespace dynamo::certs {

using TimePoint = std::chrono::system_clock::time_point;

// PEM text. The private key is wiped on destruction.
struct KeyPair {
  std::string certificate_pem;  // the leaf first, followed by its chain
  std::string key_pem;

  KeyPair() = default;
  KeyPair(std::string certificate, std::string key);
  KeyPair(const KeyPair&) = default;
  KeyPair(KeyPair&&) noexcept = default;
  KeyPair& operator=(const KeyPair&) = default;
  KeyPair& operator=(KeyPair&&) noexcept = default;
  ~KeyPair();
};

// Public data of a certificate, fit for logs.
struct CertificateFacts {
  std::string subject;             // "CN=webhook,O=example"
  std::vector<std::string> names;  // subject alternative names: DNS names, addresses, URIs
  TimePoint not_before;
  TimePoint not_after;
  std::string fingerprint;  // SHA-256 of the DER form, lower-case hex
};

// A pair that passed check_pair().
struct CheckedPair {
  KeyPair pair;
  CertificateFacts leaf;
};

// The names of the two parts in messages, for example "/certs/tls.crt" and "/certs/tls.key".
struct PairNames {
  std::string_view certificate = "the certificate";
  std::string_view key = "the key";
};

// Checks everything that does not depend on the time. Both parts parse. The key fits the leaf and
// has a type that API servers accept. The leaf has a subject alternative name (the API server
// ignores the common name) and may be used for TLS servers. Pure, any thread.
Result<CheckedPair> check_pair(KeyPair pair, const PairNames& names);

// The problem with a validity period at `now`: "expired 3m ago (at 2026-01-02T03:04:05Z)" or "is
// not valid before …"; empty if there is none.
std::string validity_problem(const CertificateFacts& facts, TimePoint now);

// Every certificate of a PEM bundle, in order; other PEM blocks are skipped. An error if there is
// none or one does not parse. `name` is the bundle's name in messages.
Result<std::vector<CertificateFacts>> read_bundle(std::string_view pem, std::string_view name);

}  // namespace dynamo::certs
