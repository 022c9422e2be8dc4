// Holds the TLS context that new connections get, and rebuilds it when the certificate or the
// client CA changes. Connections that live keep the context they began with; whether their clients
// are still welcome is the server's business.
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

namespace boost::asio {
class io_context;
}

namespace dynamo::certs {

struct TlsProviderOptions {
  TlsOptions tls;
  aio::FollowerOptions follower = {};
  // Called by whoever polls, after each context that is published.
  std::function<void()> published = {};
};

// poll(), start() and stop() belong to the control loop's thread, or to any while that loop does
// not run; the const functions to any thread at any time.
class TlsProvider {
 public:
  // `client_ca` is null when clients need no certificate. `clock` and `logger` must outlive this.
  TlsProvider(std::unique_ptr<Source> source, std::unique_ptr<ClientCa> client_ca,
              TlsProviderOptions options, const runtime::Clock& clock, runtime::Logger& logger);
  ~TlsProvider();  // stops
  TlsProvider(const TlsProvider&) = delete;
  TlsProvider& operator=(const TlsProvider&) = delete;

  // Looks at once, then on `loop` at each change and each interval until stop(). `loop` must
  // outlive that. A missing certificate is no error: not_ready() tells of it.
  void start(boost::asio::io_context& loop);
  void stop();

  // Looks now. What start() does again and again; tests call it themselves.
  void poll();

  // For the next new connection. Null as long as there is no certificate, or no client CA though
  // one was asked for: then no connection can be served.
  std::shared_ptr<SSL_CTX> context() const;

  // Why no client could be served at the clock's time, one line; nullopt when ready.
  std::optional<std::string> not_ready() const;

  // When the served certificate expires; nullopt if there is none.
  std::optional<TimePoint> not_after() const;

  // Contents refused so far: certificates, client CAs, contexts that OpenSSL would not build.
  std::uint64_t reload_errors() const;

 private:
  // What readers see, replaced as a whole.
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
  ReloadState build_state_;
  std::unique_ptr<aio::FileFollower> follower_;

  // Held for the copy of one pointer, once for a connection, a probe or a scrape; std::atomic of
  // a shared_ptr would hold a lock of its own in libstdc++.
  mutable std::mutex mutex_;
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace dynamo::certs
