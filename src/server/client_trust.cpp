#include "server/client_trust.hpp"

#include <openssl/ssl.h>

#include "certs/client_verification.hpp"

namespace dynamo::server {

bool ServedTrust::asks_clients() const {
  return context != nullptr && (SSL_CTX_get_verify_mode(context.get()) & SSL_VERIFY_PEER) != 0;
}

void ClientTrust::begin(SSL* connection) {
  until_ = certs::verified_until(connection);
}

std::optional<DistrustReason> ClientTrust::check(SSL* connection, const ServedTrust& now_served,
                                                 WallTime now, int& verifications) {
  if (checked_ != now_served.generation) {
    if (SSL_get_SSL_CTX(connection) == now_served.context.get()) {
      // Its handshake verified it with this context, regardless of checks against older ones.
      checked_ = now_served.generation;
      is_trusted_ = true;
      until_ = certs::verified_until(connection);
    } else if (verifications > 0) {
      --verifications;
      checked_ = now_served.generation;
      const auto until = certs::would_be_verified_until(now_served.context.get(), connection);
      is_trusted_ = until.has_value();
      until_ = until.value_or(until_);
    }
  }
  if (!is_trusted_) return DistrustReason::kUntrusted;
  if (now > until_) return DistrustReason::kExpired;
  return std::nullopt;
}

}  // namespace dynamo::server
