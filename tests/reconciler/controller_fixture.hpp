// Fixture: a runner with an in-memory API server and a scripted controller.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reconciler/engine/controller.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/recording_logger.hpp"

namespace dynamo::reconciler {

// The spec and body that the test supplies, and the calls that the reconciler receives.
struct ReconcilerScript {
  using Body = std::function<aio::Task<kube::ReconcileResult>(kube::ObjectKey, ReconcileContext&)>;

  // Read by start().
  ReconcilerSpec spec = {.name = "test",
                         .resource = kube::kConfigMaps,
                         .watches = {WatchSpec{.resource = kube::kConfigMaps}}};
  // Its captures must outlive the body of the test: TearDown() runs the loop until all tasks have
  // ended, and queued keys may still be reconciled in that time.
  Body body = [](kube::ObjectKey, ReconcileContext&) -> aio::Task<kube::ReconcileResult> {
    co_return kube::ReconcileResult::done();
  };
  std::vector<std::string> reconciles = {};
};

class TestReconciler final : public Reconciler {
 public:
  // `script` must outlive it.
  explicit TestReconciler(ReconcilerScript& script) : Reconciler(script.spec), script_(script) {}

  aio::Task<kube::ReconcileResult> reconcile(kube::ObjectKey key,
                                             ReconcileContext& context) override {
    script_.reconciles.push_back(to_string(key));
    co_return co_await script_.body(std::move(key), context);
  }

 private:
  ReconcilerScript& script_;
};

class ControllerTest : public ::testing::Test {
 protected:
  ControllerTest()
      : connection_(cluster_.connect()), client_(*connection_, std::chrono::milliseconds(500)) {
    options_.workers = 2;
    options_.queue.min_interval = std::chrono::milliseconds(1);
    options_.queue.first_backoff = std::chrono::milliseconds(1);
    options_.queue.longest_backoff = std::chrono::milliseconds(5);
    options_.queue.retry_interval = std::chrono::milliseconds(1);
  }
  // Tasks end before the members of derived fixtures, which they may use.
  void TearDown() override { tasks_.reset(); }

  void put(const std::string& namespace_name, const std::string& name,
           const std::string& value = "x") {
    cluster_.put(kube::kConfigMaps,
                 R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
                     R"(","namespace":")" + namespace_name + R"("},"data":{"key":")" + value +
                     R"("}})");
  }

  void watch_secrets() { reconciler_.spec.watches.push_back({.resource = kube::kSecrets}); }
  void start() {
    scripted_ = std::make_unique<TestReconciler>(reconciler_);
    cache_ =
        std::make_unique<InformerCache>(client_, "", scripted_->spec().watches, clock_, logger_);
    controller_ = std::make_unique<Controller>(
        *scripted_,
        Controller::Dependencies{
            .loop = loop_,
            .client = client_,
            .cache = *cache_,
            .scope = scope_,
            .cluster_state = cluster_state_,
            .metrics = metrics_,
            .clock = clock_,
            .logger = logger_,
            .is_active = [this] { return is_active_; },
            .can_act =
                [this] {
                  ++asked_;
                  return asked_ <= acts_allowed_;
                },
            .record = [this](const kube::Event& event) { events_.push_back(event.reason); },
            .print = print_},
        options_);
    tasks_ = std::make_unique<aio::TaskGroup>(loop_, logger_);
    cache_->start(*tasks_);
    controller_->start(*tasks_);
  }

  using Actions = std::vector<Action>;
  // Starts with a body that acts on what `plan` returns, and is done.
  void start_acting(std::function<Actions(ReconcileContext&)> plan) {
    reconciler_.body = [plan = std::move(plan)](
                           kube::ObjectKey,
                           ReconcileContext& context) -> aio::Task<kube::ReconcileResult> {
      const auto ended = co_await context.act(plan(context));
      co_return ended.value_or(kube::ReconcileResult::done());
    };
    start();
  }

  // Runs the loop until the condition holds; limited, so that a failing test ends. The condition
  // may depend on the time, so it is evaluated once after each run.
  void until(const std::function<bool()>& is_so) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    bool holds = is_so();
    while (!holds && std::chrono::steady_clock::now() < end) {
      loop_.run_for(std::chrono::milliseconds(1));
      loop_.restart();
      holds = is_so();
    }
    ASSERT_TRUE(holds);
  }
  std::size_t reconciles() const { return reconciler_.reconciles.size(); }

  MergePatch write(const std::string& name, const std::string& value) const {
    const auto seen = cluster_.find(kube::kConfigMaps, "ns", name);
    return merge_patch({.resource = kube::kConfigMaps, .namespace_name = "ns", .name = name},
                       R"({"metadata":{"uid":")" + std::string(seen->uid()) +
                           R"("},"data":{"key":")" + value + R"("}})");
  }
  // The cache contains the cluster's version of the object.
  bool shows(const std::string& name) const {
    return std::as_const(*cache_).at(kube::kConfigMaps).version_of(kube::ObjectKey{"ns", name}) ==
           cluster_.find(kube::kConfigMaps, "ns", name)->resource_version();
  }
  std::string value_of(const std::string& name) const {
    return std::string(
        cluster_.find(kube::kConfigMaps, "ns", name)->root()["data"]["key"].string_or_empty());
  }

  boost::asio::io_context loop_{1};
  test::LeapingClock clock_;
  test::RecordingLogger logger_;
  test::FakeCluster cluster_;
  std::unique_ptr<kube::Transport> connection_;
  kube::Client client_;
  Scope scope_;
  ClusterState cluster_state_{clock_};
  runtime::MetricsRegistry registry_;
  ReconcilerMetrics metrics_{registry_};
  ControllerOptions options_;
  ReconcilerScript reconciler_;
  bool is_active_ = true;
  int asked_ = 0;
  int acts_allowed_ = 1'000;
  std::vector<std::string> events_;
  std::vector<std::string> missed_;  // keys, by tests that record missed changes
  std::string printed_;
  std::function<void(const std::string&)> print_;
  std::unique_ptr<TestReconciler> scripted_;  // after start()
  std::unique_ptr<InformerCache> cache_;
  std::unique_ptr<Controller> controller_;
  std::unique_ptr<aio::TaskGroup> tasks_;
};

}  // namespace dynamo::reconciler
