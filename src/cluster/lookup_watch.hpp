// Watches the names of the objects that rules look up, and publishes them to the threads that
// evaluate requests.
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
#include "kube/cache/informer.hpp"
#include "kube/client/client.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/rcu_cell.hpp"

namespace dynamo::cluster {

// The resource to list for the names of that kind.
const kube::Resource& resource_of(api::LookupKind kind);

// The kinds of these resources, named as in roles ("secrets"); "all" means all that have a
// namespace.
std::vector<api::LookupKind> looked_up_kinds(std::span<const std::string> resources);

struct LookupOptions {
  std::vector<api::LookupKind> kinds;
  std::string namespace_name = {};  // empty: all
  std::chrono::milliseconds pace{100};
  // Names are forgotten after this time without an update: a warning about an object that exists is
  // worse than no warning.
  std::chrono::milliseconds max_staleness{30'000};
  // Limit per kind. If there are more names, nothing is known of the kind until a list fits again.
  std::size_t most_names = 500'000;
  std::chrono::milliseconds check_interval{5'000};  // how often max_staleness is checked
  std::chrono::milliseconds first_pause{500};       // of the informers
};

// On the loop's thread. Requests metadata only, and keeps only the names: a tenth of the memory
// that kube::Store needs per object (ADR 25). Of bindings it requests all and keeps the domains.
class LookupWatch {
 public:
  using RcuCell = runtime::RcuCell<api::ClusterObjects>;

  // Everything given must outlive it.
  LookupWatch(boost::asio::io_context& loop, kube::Client& client, LookupOptions options,
              RcuCell& published, const runtime::Clock& clock, runtime::Logger& logger);
  ~LookupWatch();
  LookupWatch(const LookupWatch&) = delete;
  LookupWatch& operator=(const LookupWatch&) = delete;

  // Starts the watches; `tasks` must end before this object. Call it once.
  void spawn(aio::TaskGroup& tasks);

  // Number of objects of that kind; nullopt if it is not known.
  std::optional<std::size_t> size(api::LookupKind kind) const;
  // How often the watch of that kind restarted; nullopt if the kind is not watched.
  std::optional<std::uint64_t> restarts(api::LookupKind kind) const;

 private:
  class KindWatch;

  std::unique_ptr<const api::ClusterObjects> make();
  aio::Task<> check_staleness();
  const KindWatch* find(api::LookupKind kind) const;

  const LookupOptions options_;
  std::vector<std::unique_ptr<KindWatch>> watches_;
  PacedPublisher<api::ClusterObjects> publisher_;
  boost::asio::steady_timer next_check_;
};

}  // namespace dynamo::cluster
