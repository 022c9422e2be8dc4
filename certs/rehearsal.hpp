// A TLS handshake of the process with itself. OpenSSL initialises parts of itself during the first
// handshake, and never repeats a part that has failed, for example because an allocation failed.
#pragma once

#include "certs/error.hpp"
#include "runtime/clock.hpp"

namespace dynamo::certs {

// Completes a handshake in memory, with a certificate that is created for it and verified at the
// time of `clock`, and sends data in both directions; then the same with TLS 1.2, if OpenSSL's
// configuration allows that. Takes a few milliseconds. Any thread; call it before the first client
// arrives. An error means that TLS cannot be served: OpenSSL's reason in one line.
Result<void> rehearse_handshake(const runtime::Clock& clock);

}  // namespace dynamo::certs
