// Who may connect when clients must show a certificate (mTLS): a bundle of CAs in a file, read
// again when it changes, and the names that are allowed. Off unless --client-ca-file is given.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "certs/certificate.hpp"
#include "certs/reload_state.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::certs {

// What a TLS context needs to judge a client's certificate.
struct ClientVerification {
  std::string
      ca_pem;  // any certificate in it is trusted as an issuer, roots and intermediates alike
  // A common name, DNS name or URI of the client's certificate must be equal to one of them; empty:
  // each client with a good certificate is welcome.
  std::vector<std::string> allowed_names;
  TimePoint not_after;  // when the last of the CAs expires
};

// Everything but errors() belongs to the control loop's thread.
class ClientCa {
 public:
  static constexpr std::size_t kMaxBytes = 1024 * 1024;

  // Reads nothing yet. `clock` and `logger` must outlive this.
  ClientCa(std::string file, std::vector<std::string> allowed_names, const runtime::Clock& clock,
           runtime::Logger& logger);

  // Looks again. True if current() is another one than before. A bad bundle is refused, logged once
  // and counted, and the one before it stays.
  bool poll();

  // The newest good bundle; null until there was one: then no client may connect.
  std::shared_ptr<const ClientVerification> current() const { return current_; }

  // Why the newest content is not in use; empty when it is.
  const std::string& problem() const { return state_.problem(); }

  // The directory that holds the file.
  std::string directory() const;

  // Contents refused so far. Any thread.
  std::uint64_t errors() const { return state_.errors(); }

 private:
  Result<ClientVerification> check(std::string pem) const;

  const std::string file_;
  const std::vector<std::string> allowed_names_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  ReloadState state_;
  std::shared_ptr<const ClientVerification> current_;
};

}  // namespace dynamo::certs
