// Follows the names of the objects that rules look up, and publishes them to the threads that
// judge.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aio/task.hpp"
#include "aio/task_group.hpp"
#include "api/cluster_objects.hpp"
#include "cluster/object_names.hpp"
#include "cluster/paced_publisher.hpp"
#include "kube/client.hpp"
#include "kube/informer.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/published.hpp"

namespace dynamo::cluster {

// What is asked for to learn the names of that kind.
const kube::Resource& resource_of(api::LookedUp kind);

// The kinds of these resources, named as in roles ("secrets"); "all" is all of them.
std::vector<api::LookedUp> looked_up_kinds(std::span<const std::string> resources);

struct LookupOptions {
  std::vector<api::LookedUp> kinds;
  std::string namespace_name = {};  // empty: all
  std::chrono::milliseconds pace{100};
  // Names that nobody has told us of for so long are forgotten: to warn of what is there is worse
  // than to say nothing.
  std::chrono::milliseconds longest_blindness{30'000};
  // Of one kind. Where there are more nothing is known of it, until a list has no more than that.
  std::size_t most_names = 500'000;
  std::chrono::milliseconds look_every{5'000};  // how often that is looked at
  std::chrono::milliseconds first_pause{500};   // of the informers
};

// Everything on the loop's thread. Of the objects only the metadata is asked for, and of that only
// the names are kept: a tenth of what a kube::Store keeps of an object (ADR 36).
class LookupWatch {
 public:
  using Published = runtime::Published<api::ClusterObjects>;

  // Everything given must outlive it.
  LookupWatch(boost::asio::io_context& loop, kube::Client& client, LookupOptions options,
              Published& published, const runtime::Clock& clock, runtime::Logger& logger);
  ~LookupWatch();
  LookupWatch(const LookupWatch&) = delete;
  LookupWatch& operator=(const LookupWatch&) = delete;

  // Begins to follow; `tasks` must end before this does. Once.
  void spawn(aio::TaskGroup& tasks);

  // How many objects of that kind there are; nothing while that is not known.
  std::optional<std::size_t> size(api::LookedUp kind) const;
  // How often the watch of that kind had to begin again; nothing where it is not followed.
  std::optional<std::uint64_t> restarts(api::LookedUp kind) const;

 private:
  class Followed;

  std::unique_ptr<const api::ClusterObjects> make();
  aio::Task<> look_for_blindness();
  const Followed* find(api::LookedUp kind) const;

  const LookupOptions options_;
  std::vector<std::unique_ptr<Followed>> followed_;
  PacedPublisher<api::ClusterObjects> publisher_;
  boost::asio::steady_timer next_look_;
};

}  // namespace dynamo::cluster
