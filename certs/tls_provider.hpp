// Holds the TLS context for new connections, and rebuilds it when the certificate or the client CA
// changes. Open connections keep their original context; the server re-checks their clients.
#pragma once

#include <openssl/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "aio/file_follower.hpp"
#include "certs/client_ca.hpp"
#include "certs/source.hpp"
#include "certs/tls_context.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/reload_state.hpp"

namespace boost::asio {
class io_context;
}

namespace dynamo::certs {

struct TlsProviderOptions {
  TlsOptions tls;
  aio::FollowerOptions follower = {};
  // Called on the polling thread after each published context.
  std::function<void()> published = {};
};

// poll(), start() and stop() belong to the control loop's thread, or to any thread while that loop
// does not run. Any thread may call the const functions at any time.
class TlsProvider {
 public:
  // `client_ca` is null if clients need no certificate. `clock` and `logger` must outlive this.
  TlsProvider(std::unique_ptr<Source> source, std::unique_ptr<ClientCa> client_ca,
              TlsProviderOptions options, const runtime::Clock& clock, runtime::Logger& logger);
  ~TlsProvider();  // stops
  TlsProvider(const TlsProvider&) = delete;
  TlsProvider& operator=(const TlsProvider&) = delete;

  // Polls immediately, then on `loop` at each change and interval until stop(). `loop` must outlive
  // that. A missing certificate is not an error: not_ready() reports it.
  void start(boost::asio::io_context& loop);
  void stop();

  // Checks the sources now. start() calls it repeatedly; tests call it directly.
  void poll();

  // For the next new connection. Null if there is no certificate, or no client CA although one is
  // required: then no connection can be served.
  std::shared_ptr<SSL_CTX> context() const;

  // Why no client can be served now, one line; nullopt if ready.
  std::optional<std::string> not_ready() const;

  // Expiry of the served certificate; nullopt if there is none.
  std::optional<TimePoint> not_after() const;

  // Number of refused contents so far: certificates, client CAs, contexts that OpenSSL could not
  // build.
  std::uint64_t reload_errors() const;

 private:
  // The state that readers see; replaced as a whole.
  struct Snapshot {
    std::shared_ptr<SSL_CTX> context;
    CertificateFacts leaf;
    std::optional<TimePoint> client_ca_not_after;
    std::string problem;  // why there is no context
  };

  std::shared_ptr<const Snapshot> snapshot() const;
  void publish(Snapshot snapshot);
  void rebuild();

  const std::unique_ptr<Source> source_;
  const std::unique_ptr<ClientCa> client_ca_;
  const TlsProviderOptions options_;
  const runtime::Clock& clock_;
  runtime::ReloadState build_state_;
  std::unique_ptr<aio::FileFollower> follower_;

  // Held to copy one pointer, once per connection, probe or scrape. std::atomic of a shared_ptr
  // would use a lock of its own in libstdc++.
  mutable std::mutex mutex_;
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace dynamo::certs
