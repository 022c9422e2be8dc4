// Failures of watches, queues and throwing code, in real time with an in-memory API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kube/cache/informer.hpp"
#include "kube/object/object_meta.hpp"
#include "reconciler/engine/controller.hpp"
#include "reconciler/engine/metrics.hpp"
#include "tests/reconciler/fault_injection/fault_injection_fixture.hpp"

namespace dynamo::reconciler {
namespace {

using kube::kConfigMaps;
using kube::ObjectKey;
using kube::ReconcileResult;
using std::chrono::milliseconds;

// --- Lists and watches that break at each event.

class RemovalRecorder final : public kube::StoreHandler {
 public:
  void changed(const kube::StoreChange& change) override {
    if (change.now != nullptr) return;
    ASSERT_NE(change.before, nullptr) << "passed with its last state";
    removed.emplace_back(change.before->name());
  }
  std::vector<std::string> removed;
};

TEST(FaultInjection, BrokenWatchesCatchUp) {
  constexpr int kEvents = 8;
  enum class Break { kEnd, kReset, kHalfLine, kExpired, kCompacted, kGarbage };
  for (const Break how : {Break::kEnd, Break::kReset, Break::kHalfLine, Break::kExpired,
                          Break::kCompacted, Break::kGarbage}) {
    for (int at = 0; at < kEvents; ++at) {
      SCOPED_TRACE("way " + std::to_string(static_cast<int>(how)) + " at event " +
                   std::to_string(at));
      boost::asio::io_context loop;
      test::FakeCluster cluster;
      test::RecordingLogger logger;
      const auto connection = cluster.connect();
      kube::Client client(*connection, milliseconds(500));
      kube::Store store(kConfigMaps, {}, logger);
      RemovalRecorder removals;
      store.subscribe(removals);
      kube::InformerOptions options;
      options.longest_pause = milliseconds(10);
      kube::Informer informer(client, kConfigMaps, options, store, logger);
      aio::TaskGroup tasks(loop, logger);
      const auto put = [&](int number) {
        cluster.put(kConfigMaps, R"({"metadata":{"name":"c)" + std::to_string(number % 5) +
                                     R"(","namespace":"ns"},"data":{"n":")" +
                                     std::to_string(number) + R"("}})");
      };
      put(0);
      put(1);
      tasks.spawn("informer", [&] { return informer.run(); });
      ASSERT_TRUE(
          test::run_until(loop, [&] { return store.is_synced() && cluster.watches() == 1; }));
      std::vector<std::string> expected;
      for (int i = 0; i < kEvents; ++i) {
        if (i == 3) {
          cluster.erase(kConfigMaps, "ns", "c1");
          expected.emplace_back("c1");
        } else {
          put(i + 1);
        }
        if (i != at) continue;
        if (how == Break::kEnd) cluster.cut_watches(test::Cut::kEnd);
        if (how == Break::kReset) cluster.cut_watches(test::Cut::kReset);
        if (how == Break::kHalfLine) cluster.cut_watches(test::Cut::kHalfLine);
        if (how == Break::kExpired) cluster.expire_watches();
        if (how == Break::kGarbage) cluster.send_line("no JSON");
        if (how == Break::kCompacted) {
          cluster.cut_watches(test::Cut::kReset);
          cluster.compact();
        }
      }
      const auto equal = [&] {
        const auto all = cluster.all(kConfigMaps);
        return store.size() == all.size() &&
               std::ranges::all_of(all, [&](const kube::Object& each) {
                 return store.version_of(kube::key_of(each)) == each.resource_version();
               });
      };
      EXPECT_TRUE(test::run_until(loop, equal));
      EXPECT_EQ(removals.removed, expected);
      tasks.stop();
    }
  }
}

// --- Queues.

// Always fails for the key "bad", or throws.
class FailingReconciler final : public Reconciler {
 public:
  FailingReconciler()
      : Reconciler({.name = "clerk",
                    .resource = kConfigMaps,
                    .watches = {WatchSpec{.resource = kConfigMaps}}}) {}

  bool should_reconcile(const kube::StoreChange& change) const override {
    if (throws && change.key.name == "ugly") throw std::runtime_error("of a watch");
    return true;
  }
  aio::Task<ReconcileResult> reconcile(ObjectKey key, ReconcileContext&) override {
    ++reconciles[key.name];
    if (key.name != "bad") co_return ReconcileResult::done();
    if (throws) throw std::runtime_error("of a plan");
    co_return ReconcileResult::retry("it always fails");
  }

  bool throws = false;
  std::map<std::string, int> reconciles;
};

class FailingReconcilerTest : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& value = "x") {
    cluster_.put(kConfigMaps, R"({"metadata":{"name":")" + name +
                                  R"(","namespace":"ns"},"data":{"k":")" + value + R"("}})");
  }
  void start() {
    cache_.emplace(client_, "", reconciler_.spec().watches, clock_, logger_);
    controller_.emplace(reconciler_,
                        Controller::Dependencies{.loop = loop_,
                                                 .client = client_,
                                                 .cache = *cache_,
                                                 .scope = scope_,
                                                 .cluster_state = cluster_state_,
                                                 .metrics = metrics_,
                                                 .clock = clock_,
                                                 .logger = logger_,
                                                 .is_active = [] { return true; },
                                                 .can_act = [] { return true; },
                                                 .record = [](const kube::Event&) {}},
                        ControllerOptions{});
    tasks_.emplace(loop_, logger_);
    cache_->start(*tasks_);
    controller_->start(*tasks_);
  }
  bool wait_until(const std::function<bool()>& condition) {
    return test::run_until(loop_, condition);
  }

  boost::asio::io_context loop_{1};
  runtime::SystemClock clock_;
  test::RecordingLogger logger_;
  test::FakeCluster cluster_;
  std::unique_ptr<kube::Transport> connection_ = cluster_.connect();
  kube::Client client_{*connection_, milliseconds(5'000)};
  Scope scope_;
  ClusterState cluster_state_{clock_};
  runtime::MetricsRegistry registry_;
  ReconcilerMetrics metrics_{registry_};
  FailingReconciler reconciler_;
  std::optional<InformerCache> cache_;
  std::optional<Controller> controller_;
  std::optional<aio::TaskGroup> tasks_;
};

TEST_F(FailingReconcilerTest, FloodDoesNotDelayEdits) {
  constexpr int kMany = 5'000;
  put("bad");
  for (int i = 0; i < kMany; ++i) put("c" + std::to_string(i));
  start();
  ASSERT_TRUE(wait_until([this] { return reconciler_.reconciles.size() > kMany / 10; }));
  // During the flood a client changes an object at the end of the queue.
  const std::string edited = "c4999";
  const int before = reconciler_.reconciles[edited];
  const auto began = std::chrono::steady_clock::now();
  put(edited, "edited");
  ASSERT_TRUE(wait_until([&] { return reconciler_.reconciles[edited] > before; }));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(1));
  ASSERT_TRUE(wait_until([this] { return reconciler_.reconciles.size() > kMany; }));
  const auto took = std::chrono::steady_clock::now() - began;
  EXPECT_LE(reconciler_.reconciles["bad"], 2 + took / milliseconds(500))
      << "a try for each back-off";
}

TEST_F(FailingReconcilerTest, ExceptionsAffectOnlyTheirKey) {
  reconciler_.throws = true;
  put("bad");
  put("good");
  start();
  ASSERT_TRUE(wait_until(
      [this] { return controller_->defects() >= 1 && reconciler_.reconciles["good"] == 1; }));
  put("ugly");
  put("good", "changed");
  ASSERT_TRUE(wait_until([this] { return reconciler_.reconciles["good"] == 2; }));
  EXPECT_GE(controller_->defects(), 1U);
  EXPECT_LE(reconciler_.reconciles["bad"], 3) << "a try for each back-off";
  reconciler_.throws = false;
  put("ugly", "changed");
  EXPECT_TRUE(wait_until([this] { return reconciler_.reconciles["ugly"] == 1; }));
  const auto began = std::chrono::steady_clock::now();
  tasks_->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
}

}  // namespace
}  // namespace dynamo::reconciler
