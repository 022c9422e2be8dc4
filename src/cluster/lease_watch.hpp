// Watches the marker Leases of all namespaces, and publishes them to the threads that evaluate
// requests.
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
#include "kube/cache/informer.hpp"
#include "kube/cache/store_follower.hpp"
#include "runtime/log.hpp"
#include "runtime/rcu_cell.hpp"

namespace dynamo::cluster {

// Options for an informer of these Leases: in all namespaces, only the marker's name.
kube::InformerOptions lease_informer_options();

// On the loop's thread. The published table stays valid when the informer loses its watch: a Lease
// counts until it expires.
class LeaseWatch final : public kube::StoreFollower {
 public:
  using RcuCell = runtime::RcuCell<admission::NamespaceLeases>;
  static constexpr std::chrono::milliseconds kPace{100};

  // Size limit of the cached Leases, about 150,000 of the usual size. Requests of namespaces beyond
  // the limit are evaluated, and an error is logged.
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;

  // Publishes changes immediately, but at most once per `pace`; a list is published before
  // replace() returns. Everything given must outlive this.
  LeaseWatch(boost::asio::io_context& loop, RcuCell& published, runtime::Logger& logger,
             std::chrono::milliseconds pace = kPace, LeaseTrust trust = {});

  // `noticed` is called with the namespace of each new or changed Lease.
  void set_listener(std::function<void(const std::string&, const LeaseRecord&)> noticed) {
    noticed_ = std::move(noticed);
  }

  // Publishes the changes from upsert() and remove() until it is cancelled. Spawn it once.
  aio::Task<> run() { return publisher_.run(); }

  std::size_t size() const { return records_.size(); }
  const LeaseRecords& records() const { return records_; }
  // Number of Leases that are live at `now`; counts them on each call.
  std::size_t live(std::chrono::system_clock::time_point now) const;
  // Number of Leases that look live but are rejected for that reason.
  std::size_t count_rejected(admission::LeaseRejection rejection,
                             std::chrono::system_clock::time_point now) const;
  std::uint64_t publications() const { return publisher_.publications(); }

 private:
  void changed(const kube::StoreChange& change) override;
  void applied(Batch what) override;

  const LeaseTrust trust_;
  std::function<void(const std::string&, const LeaseRecord&)> noticed_;
  LeaseRecords records_;
  PacedPublisher<admission::NamespaceLeases> publisher_;
};

}  // namespace dynamo::cluster
