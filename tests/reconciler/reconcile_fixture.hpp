// Fixture: one controller with an in-memory API server. Tests run single reconciles on caches whose
// content they control.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kube/cache/store.hpp"
#include "kube/client/client.hpp"
#include "reconciler/engine/action_executor.hpp"
#include "reconciler/engine/fence.hpp"
#include "reconciler/engine/informer_cache.hpp"
#include "reconciler/engine/metrics.hpp"
#include "reconciler/engine/reconciler.hpp"
#include "reconciler/engine/write_tracker.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/recording_logger.hpp"

namespace dynamo::test {

// A cache for each resource that a controller watches. They contain the cluster's state at the last
// show().
class FakeCache final : public reconciler::CacheReader {
 public:
  FakeCache(const FakeCluster& cluster, const std::vector<reconciler::WatchSpec>& watched,
            runtime::Logger& logger)
      : cluster_(cluster) {
    std::map<std::string, reconciler::WatchSpec> merged;
    for (const reconciler::WatchSpec& each : watched) {
      const auto [at, is_new] = merged.try_emplace(std::string(each.resource.plural), each);
      if (!is_new) at->second = reconciler::merge_specs(at->second, each);
    }
    for (const auto& [plural, each] : merged) {
      by_plural_[plural] = std::make_unique<kube::Store>(each.resource, each.options, logger);
    }
    show();
  }

  void show() {
    if (shown_ == cluster_.version()) return;
    for (const auto& [plural, store] : by_plural_) store->replace(cluster_.all(store->resource()));
    shown_ = cluster_.version();
  }
  void show(const kube::Resource& resource) {
    by_plural_.at(std::string(resource.plural))->replace(cluster_.all(resource));
  }
  // A snapshot of the caches, to be restored later.
  using Picture = std::map<std::string, std::vector<kube::Object>>;
  Picture picture() const {
    Picture picture;
    for (const auto& [plural, store] : by_plural_) {
      for (const kube::ObjectKey& key : store->keys()) {
        picture[plural].push_back(store->find(key).value());
      }
    }
    return picture;
  }
  void show_again(const Picture& picture) {
    shown_.reset();
    for (const auto& [plural, store] : by_plural_) {
      const auto found = picture.find(plural);
      store->replace(found == picture.end() ? std::vector<kube::Object>() : found->second);
    }
  }
  const kube::Store& at(const kube::Resource& resource) const override {
    const auto found = by_plural_.find(std::string(resource.plural));
    if (found == by_plural_.end()) throw std::logic_error("it is not watched");
    return *found->second;
  }
  bool serves(const kube::Resource& resource) const override {
    return !missing.contains(std::string(resource.plural));
  }

  std::string list_error(const kube::Resource& resource) const override {
    const auto found = list_errors.find(std::string(resource.plural));
    return found == list_errors.end() ? std::string() : found->second;
  }

  std::map<std::string, std::string> list_errors;  // by plural
  std::set<std::string> missing;                   // by plural: the definition is not installed

 private:
  const FakeCluster& cluster_;
  std::map<std::string, std::unique_ptr<kube::Store>> by_plural_;
  std::optional<std::uint64_t> shown_;  // all caches show this version of the cluster
};

class FakeReconcileContext final : public reconciler::ReconcileContext {
 public:
  // All arguments must outlive it.
  FakeReconcileContext(const reconciler::CacheReader& cache, kube::Client& client,
                       const FakeClock& clock, runtime::Logger& logger)
      : cache_(cache), client_(client), clock_(clock), logger_(logger) {}

  // Starts the next reconcile, after the previous one has ended.
  void begin() { tracker_.end_reconcile(permit_.key()); }

  const reconciler::CacheReader& cache() const override { return cache_; }
  aio::Task<std::optional<kube::ReconcileResult>> act(
      std::vector<reconciler::Action> actions) override {
    // An executor per call; its memory is kept outside of it.
    reconciler::ActionExecutor executor(executor_dependencies());
    reconciler::ActionResult result = co_await executor.act(std::move(actions), field_manager);
    if (result.outcome == reconciler::ActionResult::Outcome::kDone) co_return std::nullopt;
    if (result.outcome == reconciler::ActionResult::Outcome::kNotLeading)
      co_return kube::ReconcileResult::done();
    co_return failed(result.error);
  }
  aio::Task<kube::Result<kube::Object>> read(kube::Resource resource,
                                             kube::ObjectKey key) override {
    co_return co_await client_.get(resource, key.namespace_name, key.name);
  }
  aio::Task<kube::Result<kube::List>> list(kube::Resource resource, std::string namespace_name,
                                           kube::ListOptions options) override {
    co_return co_await client_.list(resource, namespace_name, options);
  }
  kube::ReconcileResult failed(const kube::Error& error) override {
    const bool was_old = error.is("Conflict") || error.is("NotFound");
    if (was_old) return kube::ReconcileResult::requeue_after(std::chrono::milliseconds(0));
    kube::ReconcileResult result = kube::ReconcileResult::retry(error.text);
    result.http_status = error.http_status;
    return result;
  }
  reconciler::MissedChanges take_missed_changes() override { return std::exchange(missed, {}); }
  void enqueue(const kube::ObjectKey& key) override { enqueued.push_back(key); }
  bool can_act() const override { return leads; }
  bool is_timer_wakeup() const override { return timer_wakeup; }
  bool is_dry_run() const override { return dry_run; }
  const runtime::Clock& clock() const override { return clock_; }
  runtime::Logger& logger() const override { return logger_; }

  std::string field_manager = "dynamo-reconciler-test";
  bool leads = true;
  bool timer_wakeup = false;
  reconciler::MissedChanges missed;
  // The process stops after this many actions; nullopt: it does not.
  std::optional<std::size_t> actions_left;
  bool dry_run = false;
  std::string printed;
  std::vector<std::string> events;  // "Normal Scaled on KIND/NAME"
  std::vector<std::string> notes;   // the note of each event
  std::vector<kube::ObjectKey> enqueued;

 private:
  using Print = std::function<void(const std::string&)>;

  bool can_begin() {
    if (actions_left && *actions_left == 0) leads = false;
    if (actions_left && *actions_left > 0) --*actions_left;
    return leads;
  }
  reconciler::ActionExecutor::Dependencies executor_dependencies() {
    return {
        .client = client_,
        .permit = permit_,
        .tracker = tracker_,
        .metrics = metrics_,
        .controller = "test",
        .record = [this](const kube::Event& event) { note(event); },
        .print = dry_run ? Print([this](const std::string& yaml) { printed += yaml; }) : Print()};
  }
  void note(const kube::Event& event) {
    events.push_back((event.is_warning ? "Warning " : "Normal ") + event.reason + " on " +
                     event.regarding.kind + "/" + event.regarding.name);
    notes.push_back(event.note);
  }

  const reconciler::CacheReader& cache_;
  kube::Client& client_;
  const FakeClock& clock_;
  runtime::Logger& logger_;
  const reconciler::Scope scope_ = {};
  const reconciler::ClusterState cluster_state_{clock_};
  reconciler::Fence fence_{{.scope = scope_,
                            .cluster_state = cluster_state_,
                            .is_active = [this] { return leads; },
                            .can_act = [this] { return can_begin(); }}};
  const reconciler::Permit permit_{fence_, {}};
  runtime::MetricsRegistry registry_;
  reconciler::ReconcilerMetrics metrics_{registry_};
  // Watches nothing: the test decides when the caches show a write.
  const reconciler::ReconcilerSpec spec_ = {};
  reconciler::InformerCache no_informers_{client_, "", {}, clock_, logger_};
  reconciler::WriteTracker tracker_{spec_, no_informers_, clock_};
};

class ReconcileTest : public ::testing::Test {
 protected:
  // Call once, after the initial objects were created.
  void watch(const reconciler::Reconciler& reconciler) {
    cache_.emplace(cluster_, reconciler.spec().watches, logger_);
    context_.emplace(*cache_, client_, clock_, logger_);
  }
  // Reconciles with the present content of the caches.
  kube::ReconcileResult reconcile(reconciler::Reconciler& reconciler, const kube::ObjectKey& key) {
    context_->begin();
    return run(loop_, reconciler.reconcile(key, *context_));
  }
  std::vector<std::string> take_events() { return std::exchange(context_->events, {}); }
  std::size_t writes() const {
    return cluster_.count({.method = kube::HttpMethod::kPatch}) +
           cluster_.count({.method = kube::HttpMethod::kPost}) +
           cluster_.count({.method = kube::HttpMethod::kPut}) +
           cluster_.count({.method = kube::HttpMethod::kDelete});
  }

  boost::asio::io_context loop_;
  FakeClock clock_;
  FakeCluster cluster_{&clock_};
  std::unique_ptr<kube::Transport> connection_ = cluster_.connect("reconciler");
  kube::Client client_{*connection_, std::chrono::seconds(2)};
  RecordingLogger logger_;
  std::optional<FakeCache> cache_;
  std::optional<FakeReconcileContext> context_;
};

}  // namespace dynamo::test
