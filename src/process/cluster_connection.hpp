// A process's side of its cluster: one connection to the API server, and what runs over it for as
// long as the process does.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admission/namespace_lease.hpp"
#include "aio/task_group.hpp"
#include "api/cluster_objects.hpp"
#include "api/context.hpp"
#include "cluster/cluster_clock.hpp"
#include "cluster/facts.hpp"
#include "cluster/lease_trust.hpp"
#include "cluster/marker_lease.hpp"
#include "cluster/object_names.hpp"
#include "kube/client.hpp"
#include "kube/error.hpp"
#include "kube/transport.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/published.hpp"

namespace dynamo::process {

// What a pod is told by environment variables; read by the program, not by libraries.
struct ClusterEnvironment {
  std::string service_host;  // KUBERNETES_SERVICE_HOST; empty: not in a cluster
  std::string service_port;  // KUBERNETES_SERVICE_PORT
  std::string service_account_directory;
};

// Makes the way to the API server, for the loop that will run it.
using Connect = std::function<std::unique_ptr<kube::Transport>(boost::asio::io_context&)>;

// What a process says of its cluster, out of its flags.
struct ClusterSettings {
  std::string program;  // who it is to the API server, and whose what it writes is
  // --cluster-connection auto: there is one when a kubeconfig is named, or in a pod.
  bool is_wanted = true;
  std::string kubeconfig = {};
  std::string kube_context = {};
  // False: start() asks nothing of the cluster, whose connection is for other tasks alone.
  bool is_followed = true;
  std::size_t connections = 2;  // calls at once
  cluster::ConfiguredFacts facts = {};
  cluster::LeaseTrust lease_trust = {};
  // Of a process that is restricted to one namespace; else empty.
  std::string restricted_namespace = {};
  // Of a restricted one: its lease there.
  cluster::MarkerLeaseOptions marker = {};
  // What rules look up in the cluster; empty: nothing.
  std::vector<api::LookedUp> lookups = {};
};

// From the settings: an empty function when there is to be
// no connection, an error of kind kConfig when what they name cannot be used: one line with file
// and field. Reads files and asks nobody. Logs which connection it is. `clock` and `logger` must
// outlive what the function makes.
kube::Result<Connect> cluster_connect(const ClusterSettings& settings,
                                      const ClusterEnvironment& environment,
                                      const runtime::Clock& clock, runtime::Logger& logger);

// What is known of the cluster, as requests read it.
struct ClusterView {
  // Both must outlive this.
  ClusterView(const runtime::Clock& own_clock, runtime::Logger& logger)
      : clock(own_clock, logger) {}

  cluster::ClusterClock clock;  // by which leases and certificates are judged
  runtime::Published<api::ClusterFacts> facts;
  runtime::Published<admission::NamespaceLeases> leases{
      std::make_unique<const admission::NoNamespaceLeases>()};
  // Nothing is known unless --cluster-lookups asks for it.
  runtime::Published<api::ClusterObjects> objects{std::make_unique<const cluster::ObjectNames>()};
};

// What does not need a connection: the facts that the settings say.
void publish_configured_facts(const ClusterSettings& settings, ClusterView& view);

// Members may be called on the loop's thread, or while the loop does not run, if nothing else is
// said.
class ClusterConnection {
 public:
  struct Surroundings {
    boost::asio::io_context& loop;
    ClusterView& view;
    const runtime::Clock& clock;
    runtime::Logger& logger;
    // The server must not go on: see cluster::MarkerLease. Called on the loop's thread, once.
    std::function<void(const cluster::MarkerEnd&)> must_end;
  };

  // `surroundings` and what it refers to must outlive this.
  ClusterConnection(const ClusterSettings& settings, const Connect& connect,
                    Surroundings surroundings);
  ~ClusterConnection();  // end()
  ClusterConnection(const ClusterConnection&) = delete;
  ClusterConnection& operator=(const ClusterConnection&) = delete;

  // Begins to follow the cluster: leases of all namespaces, or the marker lease of the restricted
  // one; the facts; and what rules look up. Never fails: what cannot be reached is tried again. Any
  // thread.
  void start();

  // Ends what runs, within five seconds; idempotent. Not on the loop's thread.
  void end();

  // For a clean stop: end(), and gives the marker lease back, within five seconds. Not on
  // the loop's thread, which must run.
  void release();

  // Why requests must not be judged yet: the leases were never listed, or nobody has said whose the
  // marker lease is. Once it was nothing it stays nothing, whatever becomes of the connection.
  std::optional<std::string> not_ready() const;

  kube::Client& client();
  kube::Transport& transport();
  // What is spawned into it ends before the connection does.
  aio::TaskGroup& tasks();

  // For metrics; nothing where there is no such thing.
  std::optional<double> live_leases() const;
  std::optional<double> doubted_leases(admission::LeaseDoubt doubt) const;
  std::optional<double> watch_is_open() const;
  std::optional<double> watch_restarts() const;
  std::optional<double> marker_is_held() const;
  std::optional<double> marker_failures() const;
  std::optional<double> marker_contests() const;
  std::optional<double> looked_up(api::LookedUp kind) const;
  std::optional<double> lookup_restarts(api::LookedUp kind) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dynamo::process
