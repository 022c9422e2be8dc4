// Makes an OpenSSL context ask each client for a certificate and judge it; part of tls_context.
#pragma once

#include <openssl/types.h>

#include <optional>

#include "certs/certificate.hpp"
#include "certs/client_ca.hpp"
#include "certs/error.hpp"

namespace dynamo::certs {

// Copies what it needs of `clients` into `context`, which frees it when it goes. Changes nothing
// but who may connect: no version, cipher or other option.
Result<void> require_client_certificate(SSL_CTX* context, const ClientVerification& clients);

// When the first certificate expires of the chain by which the client of `connection` was let in;
// TimePoint::max() if it was not asked for one. After the handshake.
TimePoint verified_until(const SSL* connection);

// The same of the chain by which `context`, as it is now, would let that client in; nothing if it
// would not. Whether certificates have expired is not looked at.
std::optional<TimePoint> would_be_verified_until(SSL_CTX* context, SSL* connection);

}  // namespace dynamo::certs
