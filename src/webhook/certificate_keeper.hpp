// The process of `--role keeper`: maintains managed certificates and caBundles, and serves no
// webhook. Only it needs the rights to write them, so processes that parse requests do not have
// these.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "certs/managed/settings.hpp"
#include "process/cluster_connection.hpp"
#include "process/last_resort.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/result.hpp"
#include "webhook/options.hpp"

namespace dynamo::webhook {

class CertificateKeeper {
 public:
  // Everything here outlives the keeper.
  struct Dependencies {
    runtime::Log& log;
    const runtime::Clock& clock;
    process::TransportFactory connect;
    certs::managed::Settings managed;
    // See WebhookDependencies.
    std::function<void(int)> end_process = {};
    std::chrono::milliseconds last_resort_grace = process::LastResort::kGrace;
  };

  CertificateKeeper(const Options& options, Dependencies dependencies);
  // Stops if stop() was not called.
  ~CertificateKeeper();
  CertificateKeeper(const CertificateKeeper&) = delete;
  CertificateKeeper& operator=(const CertificateKeeper&) = delete;

  // Binds the addresses of probes and metrics, and starts. An error is one line for the user that
  // names the flag.
  runtime::Result<void> start();

  // Blocks until SIGTERM or SIGINT, or until stop() has ended. A second signal ends the process.
  void wait();

  // Ends the running tasks and withdraws the replica's report, within ten seconds.
  void stop();

  std::uint16_t probe_port() const;
  std::uint16_t metrics_port() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dynamo::webhook
