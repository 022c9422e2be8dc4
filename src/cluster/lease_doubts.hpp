// Tells of marker Leases that say that they live and are not believed: in the log, and as Events on
// the Lease, where those who may write it look.
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
  std::chrono::seconds longest = std::chrono::minutes(5);  // as LeaseTrust has it, for the words
  std::chrono::milliseconds sweep = std::chrono::seconds(10);  // from look to look at all Leases
  std::chrono::milliseconds pace = std::chrono::seconds(1);    // between two batches that are told
  std::chrono::seconds repeat = std::chrono::hours(1);  // until the same is told again, if it is so
  std::size_t batch = 5;
  std::size_t most_waiting = 10'000;  // beyond it the next look at all Leases finds them again
};

// Everything on the loop's thread. Of each namespace and reason it tells once per `repeat`,
// whatever becomes of the Lease meanwhile; the replicas of a server write one Event together.
class LeaseDoubts {
 public:
  // All of them must outlive this; `clock` is that of the cluster.
  LeaseDoubts(boost::asio::io_context& loop, kube::Client client, const LeaseRecords& records,
              const runtime::Clock& clock, runtime::Logger& logger,
              LeaseDoubtsOptions options = {});

  // A Lease that is new or was changed: what is doubted now is told, even if it is gone soon.
  void notice(const std::string& namespace_name, const LeaseRecord& lease);

  // Looks at all of them again and again, and tells; until it is cancelled. Spawn it once.
  aio::Task<> run();

  std::size_t waiting() const { return waiting_.size(); }

 private:
  using Key = std::pair<std::string, admission::LeaseDoubt>;  // of a namespace
  struct Doubted {
    std::string namespace_name;
    LeaseRecord lease;
    admission::LeaseDoubt doubt;
    int tries = 0;
  };

  void look_at_all();
  void forget_old();
  aio::Task<> tell(Doubted doubted);
  std::string text(const Doubted& doubted) const;
  std::string event(const Doubted& doubted) const;
  void log(const Doubted& doubted) const;
  aio::Task<> wait(boost::asio::steady_timer& timer, std::chrono::milliseconds duration);

  boost::asio::steady_timer notice_;  // cancelled to say that something waits
  boost::asio::steady_timer pause_;
  kube::Client client_;
  const LeaseRecords& records_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  const LeaseDoubtsOptions options_;

  std::deque<Doubted> waiting_;
  // When something was told, or taken to be told.
  std::map<Key, std::chrono::steady_clock::time_point> told_;
  bool events_fail_ = false;
};

}  // namespace dynamo::cluster
