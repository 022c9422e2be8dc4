// Follows the marker Leases of all namespaces and publishes them to the threads that judge.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "admission/namespace_lease.hpp"
#include "aio/task.hpp"
#include "cluster/lease_record.hpp"
#include "cluster/lease_table.hpp"
#include "cluster/lease_trust.hpp"
#include "cluster/paced_publisher.hpp"
#include "kube/informer.hpp"
#include "kube/store_follower.hpp"
#include "runtime/log.hpp"
#include "runtime/published.hpp"

namespace dynamo::cluster {

// What an informer over these Leases is asked for: in all namespaces, only the marker's name.
kube::InformerOptions lease_informer_options();

// Everything on the loop's thread. What is published stays when the informer loses its watch: a
// Lease counts until it expires.
class LeaseWatch final : public kube::StoreFollower {
 public:
  using Published = runtime::Published<admission::NamespaceLeases>;
  static constexpr std::chrono::milliseconds kPace{100};

  // Of all Leases as they are kept, some 150,000 of the usual size. Namespaces of what is beyond
  // are judged, and the log says so.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20U;

  // Publishes changes at once, but not more often than once per `pace`; a list before replace()
  // returns. What is given must outlive this.
  LeaseWatch(boost::asio::io_context& loop, Published& published, runtime::Logger& logger,
             std::chrono::milliseconds pace = kPace, LeaseTrust trust = {});

  // `noticed` is called with the namespace of each Lease that is new or was changed.
  void set_listener(std::function<void(const std::string&, const LeaseRecord&)> noticed) {
    noticed_ = std::move(noticed);
  }

  // Publishes what upsert() and remove() changed, until it is cancelled. Spawn it once.
  aio::Task<> run() { return publisher_.run(); }

  std::size_t size() const { return records_.size(); }
  const LeaseRecords& records() const { return records_; }
  // How many of the Leases live at that moment. Counts them.
  std::size_t live(std::chrono::system_clock::time_point now) const;
  // How many say so and are not believed for that reason.
  std::size_t doubted(admission::LeaseDoubt doubt, std::chrono::system_clock::time_point now) const;
  std::uint64_t publications() const { return publisher_.publications(); }

 private:
  void changed(const kube::StoreChange& change) override;
  void told(Told what) override;

  const LeaseTrust trust_;
  std::function<void(const std::string&, const LeaseRecord&)> noticed_;
  LeaseRecords records_;
  PacedPublisher<admission::NamespaceLeases> publisher_;
};

}  // namespace dynamo::cluster
