// Managed certificates as a whole: a CA and a leaf that this server makes, keeps in a Secret,
// renews and rotates, together with all other replicas; and the caBundles that vouch for them.
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
#include "kube/client.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::certs::managed {

// On the loop's thread, or on any while the loop stands still.
class Certificates {
 public:
  // `handover_changed` is called when `handover` has another certificate: poll the source then.
  // Everything else that is given must outlive this. Nothing is asked of the cluster before
  // start().
  Certificates(boost::asio::io_context& loop, kube::Client& client, Settings settings,
               std::shared_ptr<Handover> handover, const runtime::Clock& clock,
               runtime::Logger& logger, std::function<void()> handover_changed);
  ~Certificates();
  Certificates(const Certificates&) = delete;
  Certificates& operator=(const Certificates&) = delete;

  // Spawns what runs until the group is stopped. The group must be stopped before this goes.
  void start(aio::TaskGroup& tasks);

  // The leader alone writes caBundles and moves rotations on; one of the replicas should be it.
  void set_leader(bool is_leader);

  // Nothing once this replica may take requests: a certificate is served, the other replicas know
  // which, and every caBundle that is ours to keep verifies it (or there is none to keep). Stays so
  // from then on: a caBundle that is wiped later is mended, and taking this replica out of service
  // would help nobody.
  std::optional<std::string> not_ready();

  // After the group was stopped and nothing is served any more: tells the others that this replica
  // is gone.
  aio::Task<> withdraw();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dynamo::certs::managed
