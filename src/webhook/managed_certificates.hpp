// Server side of --cert-mode managed: the certificates that it maintains in its cluster, and the
// leader election of the replicas.
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

// Settings from the flags, completed from the pod's environment; nullopt for another --cert-mode.
// Returns an error of one line if neither specifies the namespace, or without a connection
// (`connected`). The identity differs from call to call.
runtime::Result<std::optional<certs::managed::Settings>> managed_settings(
    const Options& options, const process::ClusterEnvironment& environment, bool connected);

// Unless stated otherwise, members may be called on the loop's thread, or while the loop does not
// run.
class ManagedCertificates {
 public:
  struct Dependencies {
    boost::asio::io_context& loop;
    process::ClusterConnection& cluster;
    const runtime::Clock& clock;
    runtime::Logger& logger;
    // Called on the loop's thread after each change of the handover.
    std::function<void()> handover_changed;
  };

  // `dependencies` and everything it refers to must outlive this.
  ManagedCertificates(certs::managed::Settings settings,
                      std::shared_ptr<certs::managed::Handover> handover,
                      Dependencies dependencies);
  // The connection's tasks must have ended.
  ~ManagedCertificates();
  ManagedCertificates(const ManagedCertificates&) = delete;
  ManagedCertificates& operator=(const ManagedCertificates&) = delete;

  // Spawns into the connection's tasks.
  void start();

  // For a clean stop, after these tasks have ended and no request is served: informs the other
  // replicas that this one has stopped, within five seconds. Not on the loop's thread; the loop
  // must run.
  void withdraw();

  // Why this replica must not receive traffic yet. After the first nullopt it always returns
  // nullopt.
  std::optional<std::string> not_ready();

  bool is_leader() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dynamo::webhook
