// Makes an OpenSSL context ask each client for a certificate and judge it; part of tls_context.
#pragma once

#include <openssl/types.h>

#include "certs/client_ca.hpp"
#include "certs/error.hpp"

namespace dynamo::certs {

// Copies what it needs of `clients` into `context`, which frees it when it goes. Changes nothing
// but who may connect: no version, cipher or other option.
Result<void> require_client_certificate(SSL_CTX* context, const ClientVerification& clients);

}  // namespace dynamo::certs
