// Builds the OpenSSL context of the server: HTTP/1.1 by ALPN, no resumption, no renegotiation, AEAD
// ciphers by default; mTLS if a client CA is given.
#pragma once

#include <openssl/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "certs/certificate.hpp"
#include "certs/client_ca.hpp"
#include "certs/error.hpp"
#include "certs/tls_version.hpp"

namespace dynamo::certs {

struct TlsOptions {
  TlsVersion min_version = TlsVersion::k1_2;
  // OpenSSL or IANA names, in order of preference. TLS 1.3 names replace the 1.3 suites, TLS 1.2
  // names the 1.2 ciphers; a version without names keeps its default.
  std::vector<std::string> ciphers;
};

// Returns an error of one line if a cipher is unknown, named twice or not usable with the minimum
// version. For the check of the flags at start-up.
Result<void> check_tls_options(const TlsOptions& options);

// A server context. `clients` is null if clients need no certificate; it is not kept by reference.
// The context is never changed afterwards, so threads may share it.
Result<std::shared_ptr<SSL_CTX>> build_tls_context(const KeyPair& pair, const TlsOptions& options,
                                                   const ClientVerification* clients);

}  // namespace dynamo::certs
