// The whole webhook server, built from its options: certificates, endpoint, probes, metrics.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "certs/managed/settings.hpp"
#include "process/cluster_connection.hpp"
#include "process/last_resort.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/result.hpp"
#include "server/handler.hpp"
#include "webhook/options.hpp"

namespace dynamo::webhook {

// Dependencies of a webhook; all of them outlive the webhook.
struct WebhookDependencies {
  runtime::Log& log;
  const runtime::Clock& clock;
  process::TransportFactory connect = {};  // empty: no connection to a cluster
  // For --cert-mode managed, which needs a connection: see managed_settings().
  std::optional<certs::managed::Settings> managed = {};
  // Ends the process with that exit code without running destructors, when a shutdown is stuck.
  // Empty: a stuck shutdown never ends.
  std::function<void(int)> end_process = {};
  std::chrono::milliseconds last_resort_grace = process::LastResort::kGrace;
  server::HandlerFactory handlers = {};  // replaces the production handlers, for tests
};

// Checks flag values that need the TLS library, which the flags' table does not use: returns one
// line that names the flag, or nullopt. Call it before constructing a Webhook.
std::optional<std::string> unusable_options(const Options& options);

class Webhook {
 public:
  Webhook(const Options& options, const WebhookDependencies& dependencies);
  // Stops without delay if stop() was not called.
  ~Webhook();
  Webhook(const Webhook&) = delete;
  Webhook& operator=(const Webhook&) = delete;

  // Binds the three addresses and serves. An error is one line for the user that names the flag.
  runtime::Result<void> start();

  // Blocks until SIGTERM or SIGINT and returns 0. A second signal ends the shutdown delay that
  // follows, or the process if a loop is stuck. A third signal ends the process. Also returns 0
  // when stop() has ended, and 1 when the marker lease could not be renewed, which is logged.
  int wait();

  // Becomes unready immediately, serves for the shutdown delay, finishes running requests, closes,
  // and releases the marker lease. Returns when done. If an event loop is stuck, or if all this
  // takes longer than shutdown delay, drain timeout and grace period, the process ends with exit
  // code 3.
  void stop();

  std::uint16_t port() const;
  std::uint16_t probe_port() const;
  std::uint16_t metrics_port() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dynamo::webhook
