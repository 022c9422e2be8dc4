// The whole webhook server, put together from its options: certificates, endpoint, probes, metrics.
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

// What a webhook takes from outside; all of it outlives the webhook.
struct WebhookSurroundings {
  runtime::Log& log;
  const runtime::Clock& clock;
  process::Connect connect = {};  // empty: no connection to a cluster
  // For --cert-mode managed, which needs a connection: see managed_settings().
  std::optional<certs::managed::Settings> managed = {};
  // Ends the process with that exit code, without destroying anything: asked for when a shutdown is
  // stuck. Empty: a shutdown that is stuck lasts for ever.
  std::function<void(int)> end_process = {};
  std::chrono::milliseconds last_resort_grace = process::LastResort::kGrace;
  server::HandlerFactory handlers = {};  // in place of those that judge, for tests
};

// What the flags' table cannot know of their values, because it takes the TLS library: one line
// that names the flag, or nothing. To be asked before a Webhook is made.
std::optional<std::string> unusable_options(const Options& options);

class Webhook {
 public:
  Webhook(const Options& options, const WebhookSurroundings& surroundings);
  // Stops without delay when stop() was not called.
  ~Webhook();
  Webhook(const Webhook&) = delete;
  Webhook& operator=(const Webhook&) = delete;

  // Binds the three addresses and serves. An error is one line for the user, which names the flag.
  runtime::Result<void> start();

  // Blocks until SIGTERM or SIGINT, and answers 0; a second signal ends the shutdown delay that
  // follows, and the process when a loop does not turn; a third ends the process. Or until the
  // server must not go on, which the log tells: 1 when its marker lease could not be renewed;
  // or until stop() has ended.
  int wait();

  // Unready at once, serves for the shutdown delay, finishes what runs, closes, and gives the
  // marker lease back. Returns when done. When an event loop is stuck, or when all this takes
  // longer than shutdown delay, drain timeout and grace, the process is ended with exit code 3.
  void stop();

  std::uint16_t port() const;
  std::uint16_t probe_port() const;
  std::uint16_t metrics_port() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dynamo::webhook
