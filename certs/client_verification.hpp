// Configures an OpenSSL context to request and verify client certificates; part of tls_context.
#pragma once

#include <openssl/types.h>

#include <optional>

#include "certs/certificate.hpp"
#include "certs/client_ca.hpp"
#include "certs/error.hpp"

namespace dynamo::certs {

// Copies what it needs from `clients` into `context`, which frees it. Changes only client
// verification: no version, cipher or other option.
Result<void> require_client_certificate(SSL_CTX* context, const ClientVerification& clients);

// The earliest expiry in the certificate chain that was verified for the client of `connection`;
// TimePoint::max() if no certificate was requested. After the handshake.
TimePoint verified_until(const SSL* connection);

// The same for the chain that `context` would accept now for that client; nullopt if it would
// refuse the client. Does not check whether certificates have expired.
std::optional<TimePoint> would_be_verified_until(SSL_CTX* context, SSL* connection);

}  // namespace dynamo::certs
