// Builds the OpenSSL context by which the server speaks TLS: HTTP/1.1 by ALPN, no resumption, no
// renegotiation, AEAD ciphers unless told otherwise; with mTLS when a client CA is given.
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
  // OpenSSL or IANA names, in the order of preference. Those of TLS 1.3 replace its suites, those
  // of TLS 1.2 its ciphers; a version for which none is named keeps its default.
  std::vector<std::string> ciphers;
};

// An error, one line, when a cipher is unknown, named twice or cannot be used with the least
// version. For the check of the flags at start-up.
Result<void> check_tls_options(const TlsOptions& options);

// A server context. `clients` is null when clients need no certificate; nothing of it is kept by
// reference. What is built is not changed any more, so threads may share it.
Result<std::shared_ptr<SSL_CTX>> build_tls_context(const KeyPair& pair, const TlsOptions& options,
                                                   const ClientVerification* clients);

}  // namespace dynamo::certs
