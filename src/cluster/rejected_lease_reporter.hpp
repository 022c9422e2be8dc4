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
#include "kube/client/client.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::cluster {

struct RejectedLeaseReporterOptions {
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
class RejectedLeaseReporter {
 public:
  // Everything given must outlive this; `clock` is the clock of the cluster.
  RejectedLeaseReporter(boost::asio::io_context& loop, kube::Client client,
                        const LeaseRecords& records, const runtime::Clock& clock,
                        runtime::Logger& logger, RejectedLeaseReporterOptions options = {});

  // Checks a new or changed Lease; a rejection is reported even if the Lease is deleted soon.
  void notice(const std::string& namespace_name, const LeaseRecord& lease);

  // Periodically checks all Leases and reports rejections, until it is cancelled. Spawn it once.
  aio::Task<> run();

  std::size_t waiting() const { return waiting_.size(); }

 private:
  using Key = std::pair<std::string, admission::LeaseRejection>;  // namespace and reason
  struct RejectedLease {
    std::string namespace_name;
    LeaseRecord lease;
    admission::LeaseRejection rejection;
    int tries = 0;
  };

  void check_all_leases();
  void forget_old();
  aio::Task<> report(RejectedLease rejected);
  std::string text(const RejectedLease& rejected) const;
  std::string event(const RejectedLease& rejected) const;
  void log(const RejectedLease& rejected) const;
  aio::Task<> wait(boost::asio::steady_timer& timer, std::chrono::milliseconds duration);

  boost::asio::steady_timer notice_;  // cancelled when a report is waiting
  boost::asio::steady_timer pause_;
  kube::Client client_;
  const LeaseRecords& records_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  const RejectedLeaseReporterOptions options_;

  std::deque<RejectedLease> waiting_;
  // When a report was sent or queued.
  std::map<Key, std::chrono::steady_clock::time_point> reported_;
  bool events_fail_ = false;
};

}  // namespace dynamo::cluster
