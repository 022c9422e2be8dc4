#include "cluster/lease_watch.hpp"

#include <algorithm>
#include <memory>
#include <string>

namespace dynamo::cluster {
namespace {

bool is_marker(const kube::Object& object) {
  return object.name() == admission::kNamespaceScopeLease && !object.namespace_name().empty();
}

}  // namespace

kube::InformerOptions lease_informer_options() {
  kube::InformerOptions options;
  options.field_selector = "metadata.name=" + std::string(admission::kNamespaceScopeLease);
  // Leases live for 30 s and are renewed every 10: a connection that died without a word must be
  // noticed, and another one made, before a live lease that we no longer hear of counts as expired.
  // That can begin nearly 10 s after its last renewal, when others were renewed meanwhile.
  options.server_timeout = std::chrono::seconds(15);
  options.longest_silence = std::chrono::seconds(16);
  return options;
}

LeaseWatch::LeaseWatch(boost::asio::io_context& loop, Published& published,
                       std::chrono::milliseconds pace, LeaseTrust trust)
    : trust_(std::move(trust)), publisher_(loop, published, pace, [this] {
        return std::make_unique<const LeaseTable>(records_);
      }) {}

bool LeaseWatch::store(const kube::Object& object) {
  if (!is_marker(object)) return false;
  LeaseRecord next = read_lease(object.root()["spec"]);
  next.uid = object.uid();
  next.doubt = trust_.doubt(object.namespace_name(), next);
  const auto [at, is_new] = records_.try_emplace(std::string(object.namespace_name()));
  if (!is_new && at->second == next) return false;
  at->second = std::move(next);
  if (noticed_) noticed_(at->first, at->second);
  return true;
}

void LeaseWatch::replace(std::span<const kube::Object> objects) {
  records_.clear();
  for (const kube::Object& object : objects) store(object);
  publisher_.publish();
}

void LeaseWatch::upsert(const kube::Object& object) {
  if (store(object)) publisher_.changed();
}

void LeaseWatch::remove(const kube::Object& object) {
  if (is_marker(object) && records_.erase(std::string(object.namespace_name())) > 0) {
    publisher_.changed();
  }
}

std::size_t LeaseWatch::live(std::chrono::system_clock::time_point now) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      records_, [&](const auto& entry) { return admission::is_live(entry.second.view(), now); }));
}

std::size_t LeaseWatch::doubted(admission::LeaseDoubt doubt,
                                std::chrono::system_clock::time_point now) const {
  return static_cast<std::size_t>(std::ranges::count_if(records_, [&](const auto& entry) {
    return admission::doubt_of(entry.second.view(), now) == doubt;
  }));
}

}  // namespace dynamo::cluster
