// Client authentication (mTLS): a bundle of CAs in a file, reloaded on change, and the allowed
// names. Off unless --client-ca-file is set.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "certs/certificate.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/reload_state.hpp"

namespace dynamo::certs {

// The data for verifying a client's certificate.
struct ClientVerification {
  std::string ca_pem;  // every certificate in it is a trusted issuer, roots and intermediates alike
  // A common name, DNS name or URI of the client's certificate must equal one of these; empty: any
  // client with a valid certificate is accepted.
  std::vector<std::string> allowed_names;
  TimePoint not_after;  // expiry of the last of the CAs
};

// Everything except errors() belongs to the control loop's thread.
class ClientCa {
 public:
  static constexpr std::size_t kMaxBytes = 1024 * 1024;

  // Reads nothing yet. `clock` and `logger` must outlive this.
  ClientCa(std::string file, std::vector<std::string> allowed_names, const runtime::Clock& clock,
           runtime::Logger& logger);

  // Reads the file again. Returns true if current() has changed. A bad bundle is refused, logged
  // once and counted, and the previous one stays in use.
  bool poll();

  // The newest good bundle; null before the first one: then no client may connect.
  std::shared_ptr<const ClientVerification> current() const { return current_; }

  // Why the newest content is not in use; empty if it is.
  const std::string& problem() const { return state_.problem(); }

  // The directory of the file.
  std::string directory() const;

  // Number of contents refused so far. Any thread.
  std::uint64_t errors() const { return state_.errors(); }

 private:
  Result<ClientVerification> check(std::string pem) const;

  const std::string file_;
  const std::vector<std::string> allowed_names_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  runtime::ReloadState state_;
  std::shared_ptr<const ClientVerification> current_;
};

}  // namespace dynamo::certs
