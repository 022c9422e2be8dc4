// The server's side of --cert-mode managed: the certificates that it keeps in its cluster, and the
// election of the replica that leads.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "certs/managed/managed_source.hpp"
#include "certs/managed/settings.hpp"
#include "process/cluster_connection.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/result.hpp"
#include "webhook/options.hpp"

namespace dynamo::webhook {

// From the flags, and for what they leave open from what a pod is told. Nothing for another
// --cert-mode. An error, one line, when the namespace is told by neither, or when there is no
// connection (`connected`). The identity differs from call to call.
runtime::Result<std::optional<certs::managed::Settings>> managed_settings(
    const Options& options, const process::ClusterEnvironment& environment, bool connected);

// Members may be called on the loop's thread, or while the loop does not run, if nothing else is
// said.
class ManagedCertificates {
 public:
  struct Surroundings {
    boost::asio::io_context& loop;
    process::ClusterConnection& cluster;
    const runtime::Clock& clock;
    runtime::Logger& logger;
    // After each change of the handover. On the loop's thread.
    std::function<void()> handover_changed;
  };

  // `surroundings` and what it refers to must outlive this.
  ManagedCertificates(certs::managed::Settings settings,
                      std::shared_ptr<certs::managed::Handover> handover,
                      Surroundings surroundings);
  // The connection's tasks must have ended.
  ~ManagedCertificates();
  ManagedCertificates(const ManagedCertificates&) = delete;
  ManagedCertificates& operator=(const ManagedCertificates&) = delete;

  // Spawns into the connection's tasks.
  void start();

  // For a clean stop, when these tasks have ended and nobody is served any more: tells the other
  // replicas that this one is gone, within five seconds. Not on the loop's thread, which must run.
  void withdraw();

  // Why nobody should be sent here yet; once it was nothing it stays nothing.
  std::optional<std::string> not_ready();

  bool leads() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dynamo::webhook
