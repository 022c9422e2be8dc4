// A process's connection to the API server, and the tasks that use it during the life of the
// process.
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
#include "kube/client/client.hpp"
#include "kube/http/transport.hpp"
#include "kube/object/error.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/rcu_cell.hpp"

namespace dynamo::process {

// The environment variables of a pod; the program reads them, libraries do not.
struct ClusterEnvironment {
  std::string service_host;  // KUBERNETES_SERVICE_HOST; empty: not in a cluster
  std::string service_port;  // KUBERNETES_SERVICE_PORT
  std::string service_account_directory;
};

// Creates the transport to the API server, for the loop that will run it.
using TransportFactory = std::function<std::unique_ptr<kube::Transport>(boost::asio::io_context&)>;

// Cluster settings of a process, from its flags.
struct ClusterSettings {
  std::string program;  // its user agent and field manager
  // --cluster-connection auto: connect if a kubeconfig is named, or in a pod.
  bool is_wanted = true;
  std::string kubeconfig = {};
  std::string kube_context = {};
  // False: start() sends no requests; the connection is only for other tasks.
  bool is_reloaded = true;
  std::size_t connections = 2;  // concurrent calls
  cluster::ConfiguredFacts facts = {};
  cluster::LeaseTrust lease_trust = {};
  // The namespace of a restricted process; otherwise empty.
  std::string restricted_namespace = {};
  // The marker lease of a restricted process.
  cluster::MarkerLeaseOptions marker = {};
  // Objects that rules look up in the cluster; empty: none.
  std::vector<api::LookupKind> lookups = {};
};

// Returns an empty function if there is no connection, and an error of kind kConfig if the settings
// are unusable: one line with file and field. Reads files and sends no requests. Logs which
// connection it uses. `clock` and `logger` must outlive the transports that the function creates.
kube::Result<TransportFactory> cluster_connect(const ClusterSettings& settings,
                                               const ClusterEnvironment& environment,
                                               const runtime::Clock& clock,
                                               runtime::Logger& logger);

// Cluster state as requests read it.
struct ClusterView {
  // Both must outlive this.
  ClusterView(const runtime::Clock& own_clock, runtime::Logger& logger)
      : clock(own_clock, logger) {}

  cluster::ClusterClock clock;  // for leases and certificates
  runtime::RcuCell<api::ClusterFacts> facts;
  runtime::RcuCell<admission::NamespaceLeases> leases{
      std::make_unique<const admission::NoNamespaceLeases>()};
  // Empty unless --cluster-lookups is set.
  runtime::RcuCell<api::ClusterObjects> objects{std::make_unique<const cluster::ObjectNames>()};
};

// Publishes what needs no connection: the facts from the settings.
void publish_configured_facts(const ClusterSettings& settings, ClusterView& view);

// Unless stated otherwise, members may be called on the loop's thread, or while the loop does not
// run.
class ClusterConnection {
 public:
  struct Dependencies {
    boost::asio::io_context& loop;
    ClusterView& view;
    const runtime::Clock& clock;
    runtime::Logger& logger;
    // The server must exit: see cluster::MarkerLease. Called on the loop's thread, once.
    std::function<void(const cluster::MarkerLeaseLoss&)> must_end;
  };

  // `dependencies` and everything it refers to must outlive this.
  ClusterConnection(const ClusterSettings& settings, const TransportFactory& connect,
                    Dependencies dependencies);
  ~ClusterConnection();  // end()
  ClusterConnection(const ClusterConnection&) = delete;
  ClusterConnection& operator=(const ClusterConnection&) = delete;

  // Starts to watch the cluster: leases of all namespaces, or the marker lease of the restricted
  // one; the facts; and the objects that rules look up. Never fails: failed requests are retried.
  // Any thread.
  void start();

  // Ends all tasks within five seconds; idempotent. Not on the loop's thread.
  void end();

  // For a clean stop: calls end(), and releases the marker lease, within five seconds. Not on the
  // loop's thread; the loop must run.
  void release();

  // Why requests must not be evaluated yet: the leases were never listed, or the holder of the
  // marker lease is unknown. After the first nullopt it always returns nullopt, regardless of the
  // connection.
  std::optional<std::string> not_ready() const;

  kube::Client& client();
  kube::Transport& transport();
  // Tasks spawned into it end before the connection.
  aio::TaskGroup& tasks();

  // For metrics; nullopt if not applicable.
  std::optional<double> live_leases() const;
  std::optional<double> rejected_leases(admission::LeaseRejection rejection) const;
  std::optional<double> watch_is_open() const;
  std::optional<double> watch_restarts() const;
  std::optional<double> marker_is_held() const;
  std::optional<double> marker_failures() const;
  std::optional<double> marker_conflicts() const;
  std::optional<double> looked_up(api::LookupKind kind) const;
  std::optional<double> lookup_restarts(api::LookupKind kind) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dynamo::process
