#include "cluster/lease_watch.hpp"

#include <algorithm>
#include <memory>
#include <string>

namespace dynamo::cluster {
namespace {

kube::StoreOptions store_options() {
  kube::StoreOptions options;
  options.most_bytes = LeaseWatch::kMaxBytes;
  return options;
}

}  // namespace

kube::InformerOptions lease_informer_options() {
  kube::InformerOptions options;
  options.field_selector = "metadata.name=" + std::string(admission::kNamespaceScopeLease);
  // Leases live for 30 s and are renewed every 10 s. A silently broken connection must be detected
  // and replaced before a live Lease counts as expired. The silence may start nearly 10 s after the
  // last renewal of a Lease, because renewals of others keep the watch busy.
  options.server_timeout = std::chrono::seconds(15);
  options.longest_silence = std::chrono::seconds(16);
  return options;
}

LeaseWatch::LeaseWatch(boost::asio::io_context& loop, RcuCell& published, runtime::Logger& logger,
                       std::chrono::milliseconds pace, LeaseTrust trust)
    : StoreFollower(kube::kLeases, store_options(), logger),
      trust_(std::move(trust)),
      publisher_(loop, published, pace,
                 [this] { return std::make_unique<const LeaseTable>(records_); }) {}

void LeaseWatch::changed(const kube::StoreChange& change) {
  const std::string& namespace_name = change.key.namespace_name;
  if (change.key.name != admission::kNamespaceScopeLease || namespace_name.empty()) return;
  if (change.now == nullptr) {
    records_.erase(namespace_name);
    publisher_.changed();
    return;
  }
  LeaseRecord next = read_lease(change.now->root()["spec"]);
  next.uid = change.now->uid();
  next.rejection = trust_.rejection(namespace_name, next);
  const auto [at, is_new] = records_.try_emplace(namespace_name);
  if (!is_new && at->second.uid == next.uid) {
    const auto before = std::max(end_of(at->second.view()), at->second.earlier_end);
    if (before > end_of(next.view())) next.earlier_end = before;
  }
  if (!is_new && at->second == next) return;
  at->second = std::move(next);
  publisher_.changed();
  if (noticed_) noticed_(at->first, at->second);
}

void LeaseWatch::applied(Batch what) {
  if (what == Batch::kList) publisher_.publish();
}

std::size_t LeaseWatch::live(std::chrono::system_clock::time_point now) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      records_, [&](const auto& entry) { return admission::is_live(entry.second.view(), now); }));
}

std::size_t LeaseWatch::count_rejected(admission::LeaseRejection rejection,
                                       std::chrono::system_clock::time_point now) const {
  return static_cast<std::size_t>(std::ranges::count_if(records_, [&](const auto& entry) {
    return admission::rejection_of(entry.second.view(), now) == rejection;
  }));
}

}  // namespace dynamo::cluster
