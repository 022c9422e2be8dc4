// Managed certificates: a CA and a leaf that this server creates, stores in a Secret, renews and
// rotates together with all other replicas, and the caBundles that verify them.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "aio/task.hpp"
#include "aio/task_group.hpp"
#include "certs/managed/managed_source.hpp"
#include "certs/managed/settings.hpp"
#include "kube/client/client.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::certs::managed {

// On the loop's thread, or on any thread while the loop does not run.
class Certificates {
 public:
  // `handover_changed` is called when `handover` has a new certificate: poll the source then.
  // Everything else must outlive this. No request is sent before start().
  Certificates(boost::asio::io_context& loop, kube::Client& client, Settings settings,
               std::shared_ptr<Handover> handover, const runtime::Clock& clock,
               runtime::Logger& logger, std::function<void()> handover_changed);
  ~Certificates();
  Certificates(const Certificates&) = delete;
  Certificates& operator=(const Certificates&) = delete;

  // Spawns tasks that run until the group is stopped. Stop the group before destroying this.
  void start(aio::TaskGroup& tasks);

  // Only the leader writes caBundles and advances rotations; one replica should be the leader.
  void set_leader(bool is_leader);

  // Returns nullopt once this replica may receive requests: a certificate is served, its report is
  // written, and every managed caBundle verifies the certificate (or there is none). It stays
  // nullopt from then on: a caBundle that is wiped later is repaired, and making this replica
  // unready would not help.
  std::optional<std::string> not_ready();

  // After the group was stopped and no request is served: informs the other replicas that this one
  // has stopped.
  aio::Task<> withdraw();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dynamo::certs::managed
