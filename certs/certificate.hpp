// A certificate chain with its private key, checked as one unit: what may be served, and what the
// logs and the probes say about it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "certs/error.hpp"

namespace dynamo::certs {

using TimePoint = std::chrono::system_clock::time_point;

// PEM text. The private key is wiped when the pair goes.
struct KeyPair {
  std::string certificate_pem;  // the leaf first, its chain after it
  std::string key_pem;

  KeyPair() = default;
  KeyPair(std::string certificate, std::string key);
  KeyPair(const KeyPair&) = default;
  KeyPair(KeyPair&&) noexcept = default;
  KeyPair& operator=(const KeyPair&) = default;
  KeyPair& operator=(KeyPair&&) noexcept = default;
  ~KeyPair();
};

// What a certificate says of itself; public, fit for logs.
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

// How messages call the two parts, for example "/certs/tls.crt" and "/certs/tls.key".
struct PairNames {
  std::string_view certificate = "the certificate";
  std::string_view key = "the key";
};

// Checks everything that does not change with time: both parse, the key fits the leaf and is of
// a kind that API servers shake hands with, the leaf carries a subject alternative name (the API
// server ignores the common name) and may serve TLS. Pure, any thread.
Result<CheckedPair> check_pair(KeyPair pair, const PairNames& names);

// What is wrong with a validity period at `now`: "expired 3m ago (at 2026-01-02T03:04:05Z)" or
// "is not valid before …"; empty when nothing is.
std::string validity_problem(const CertificateFacts& facts, TimePoint now);

// Every certificate of a PEM bundle, in its order. An error when there is none or one does not
// parse; other PEM blocks are skipped. `name` is how messages call the bundle.
Result<std::vector<CertificateFacts>> read_bundle(std::string_view pem, std::string_view name);

// A duration rounded down to one or two units, as people say it: "42s", "3m", "2h5m", "3d4h".
std::string format_age(std::chrono::system_clock::duration age);

}  // namespace dynamo::certs
