// Reconciles of all controllers that interleave at random, while each cache follows the cluster at
// its own pace. The same seed gives the same order.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <random>
#include <set>
#include <utility>

#include "tests/reconciler/fault_injection/fault_injection_fixture.hpp"

namespace dynamo::reconciler {

class InterleavedReconciles {
 public:
  // The fixture, whose process has started, must outlive it.
  InterleavedReconciles(FaultInjectionFixture& fixture, std::uint64_t seed)
      : random_(seed), fixture_(fixture) {
    fixture_.cluster.interleave(seed);
  }

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  bool coin() { return below(2) == 0; }
  void run_handlers(std::size_t handlers) {
    fixture_.loop.restart();
    for (std::size_t i = 0; i < handlers; ++i) fixture_.loop.poll_one();
  }
  // Updates some caches, or all: watches progress independently.
  void refresh_caches() {
    for (const auto& reconciler : fixture_.process->reconcilers) {
      if (coin()) fixture_.process->cache->show(reconciler->spec().resource);
    }
    if (coin()) fixture_.process->cache->show();
  }

  void start_reconciles() {
    for (std::size_t i = 0; i < fixture_.process->reconcilers.size(); ++i) {
      const auto& reconciler = fixture_.process->reconcilers[i];
      for (const kube::ObjectKey& key :
           fixture_.process->cache->at(reconciler->spec().resource).keys()) {
        const std::pair<const Reconciler*, kube::ObjectKey> work(reconciler.get(), key);
        if (coin() || busy_.contains(work)) continue;
        // A reconcile sees the writes of the previous one of its key.
        fixture_.process->cache->show();
        busy_.insert(work);
        boost::asio::co_spawn(
            fixture_.loop,
            discard_result(reconciler->reconcile(key, *fixture_.process->contexts[i])),
            [this, work](const std::exception_ptr& thrown) {
              busy_.erase(work);
              if (thrown) has_thrown_ = true;
            });
      }
    }
  }

  // Waits for the reconciles in progress, and answers calls in order from now on. Returns false if
  // they do not end, or one has thrown.
  bool finish() {
    const bool is_idle = test::run_until(fixture_.loop, [this] { return busy_.empty(); });
    fixture_.cluster.interleave(std::nullopt);
    return is_idle && !has_thrown_;
  }

 private:
  static aio::Task<> discard_result(aio::Task<kube::ReconcileResult> task) {
    co_await std::move(task);
  }

  std::mt19937_64 random_;
  FaultInjectionFixture& fixture_;
  std::set<std::pair<const Reconciler*, kube::ObjectKey>> busy_;
  bool has_thrown_ = false;
};

}  // namespace dynamo::reconciler
