// Reports marker Leases that look live but are rejected: in the log, and as Events on the Lease,
// where its owners look.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "admission/namespace_lease.hpp"
#include "aio/task.hpp"
#include "cluster/lease_record.hpp"
#include "cluster/lease_table.hpp"
#include "kube/client.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::cluster {

struct LeaseDoubtsOptions {
  std::chrono::seconds longest = std::chrono::minutes(5);  // LeaseTrust::longest, for the message
  // interval between checks of all Leases
  std::chrono::milliseconds sweep = std::chrono::seconds(10);
  std::chrono::milliseconds pace = std::chrono::seconds(1);  // between two batches of reports
  // interval for repeating a report that still applies
  std::chrono::seconds repeat = std::chrono::hours(1);
  std::size_t batch = 5;
  std::size_t most_waiting = 10'000;  // more are found by the next check of all Leases
};

// On the loop's thread. Reports once per `repeat` for each namespace and reason, whatever happens
// to the Lease in between. All replicas of a server write one common Event.
class LeaseDoubts {
 public:
  // Everything given must outlive this; `clock` is the clock of the cluster.
  LeaseDoubts(boost::asio::io_context& loop, kube::Client client, const LeaseRecords& records,
              const runtime::Clock& clock, runtime::Logger& logger,
              LeaseDoubtsOptions options = {});

  // Checks a new or changed Lease; a rejection is reported even if the Lease is deleted soon.
  void notice(const std::string& namespace_name, const LeaseRecord& lease);

  // Periodically checks all Leases and reports rejections, until it is cancelled. Spawn it once.
  aio::Task<> run();

  std::size_t waiting() const { return waiting_.size(); }

 private:
  using Key = std::pair<std::string, admission::LeaseDoubt>;  // namespace and reason
  struct Doubted {
    std::string namespace_name;
    LeaseRecord lease;
    admission::LeaseDoubt doubt;
    int tries = 0;
  };

  void look_at_all();
  void forget_old();
  aio::Task<> report(Doubted doubted);
  std::string text(const Doubted& doubted) const;
  std::string event(const Doubted& doubted) const;
  void log(const Doubted& doubted) const;
  aio::Task<> wait(boost::asio::steady_timer& timer, std::chrono::milliseconds duration);

  boost::asio::steady_timer notice_;  // cancelled when a report is waiting
  boost::asio::steady_timer pause_;
  kube::Client client_;
  const LeaseRecords& records_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  const LeaseDoubtsOptions options_;

  std::deque<Doubted> waiting_;
  // When a report was sent or queued.
  std::map<Key, std::chrono::steady_clock::time_point> reported_;
  bool events_fail_ = false;
};

}  // namespace dynamo::cluster
