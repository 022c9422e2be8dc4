#include "cluster/lease_watch.hpp"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <string>

namespace dynamo::cluster {
namespace {

// Replaced tables that a reader still holds; beyond it the next one waits.
constexpr std::size_t kMostRetired = 4;

bool is_marker(const kube::Object& object) {
  return object.name() == admission::kNamespaceScopeLease && !object.namespace_name().empty();
}

// Ends early, without saying so, when the timer or the coroutine is cancelled; of the latter the
// next co_await tells.
kube::Task<> wait(boost::asio::steady_timer& timer, std::chrono::milliseconds duration) {
  boost::system::error_code cancelled;
  timer.expires_after(duration);
  co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, cancelled));
}

}  // namespace

kube::InformerOptions lease_informer_options() {
  kube::InformerOptions options;
  options.field_selector = "metadata.name=" + std::string(admission::kNamespaceScopeLease);
  // Leases live for 30 s and are renewed every 10: a connection that died without a word must be
  // noticed before a live lease that we no longer hear of counts as expired.
  options.server_timeout = std::chrono::seconds(15);
  options.longest_silence = std::chrono::seconds(20);
  return options;
}

LeaseWatch::LeaseWatch(boost::asio::io_context& loop, Published& published,
                       std::chrono::milliseconds pace)
    : published_(published), pace_(pace), change_(loop), pause_(loop) {}

bool LeaseWatch::store(const kube::Object& object) {
  if (!is_marker(object)) return false;
  LeaseRecord next = read_lease(object.root()["spec"]);
  const auto [at, is_new] = records_.try_emplace(std::string(object.namespace_name()));
  if (!is_new && at->second == next) return false;
  at->second = std::move(next);
  return true;
}

void LeaseWatch::replace(std::span<const kube::Object> objects) {
  records_.clear();
  for (const kube::Object& object : objects) store(object);
  publish();
}

void LeaseWatch::upsert(const kube::Object& object) {
  if (store(object)) changed();
}

void LeaseWatch::remove(const kube::Object& object) {
  if (is_marker(object) && records_.erase(std::string(object.namespace_name())) > 0) changed();
}

void LeaseWatch::changed() {
  is_changed_ = true;
  change_.cancel();
}

void LeaseWatch::publish() {
  is_changed_ = false;
  published_.publish(std::make_unique<const LeaseTable>(records_));
  ++publications_;
}

kube::Task<> LeaseWatch::run() {
  for (;;) {
    published_.collect();
    const bool is_crowded = published_.retired() >= kMostRetired;
    if (is_changed_ && !is_crowded) {
      publish();
      co_await wait(pause_, pace_);
    } else if (is_crowded) {
      co_await wait(pause_, pace_);
    } else {
      // A table that a reader held at the last look is freed at the next one.
      co_await wait(change_, published_.retired() > 0 ? pace_ : std::chrono::hours(1));
    }
  }
}

std::size_t LeaseWatch::live(std::chrono::system_clock::time_point now) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      records_, [&](const auto& entry) { return admission::is_live(entry.second.view(), now); }));
}

}  // namespace dynamo::cluster
