#include "tests/stub_controller/stub_controller.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "json/writer.hpp"
#include "kube/object/object_meta.hpp"
#include "runtime/clock.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/recording_logger.hpp"

namespace dynamo::test {
namespace {

using kube::HttpMethod;
using kube::kConfigMaps;
using kube::Object;
using std::chrono::milliseconds;

constexpr kube::Resource kNewEvents{"events.k8s.io", "v1", "events", "Event"};

kube::WorkQueueOptions quick() {
  kube::WorkQueueOptions options;
  options.first_backoff = milliseconds(2);
  options.longest_backoff = milliseconds(20);
  options.min_interval = milliseconds(1);
  options.retry_interval = milliseconds(1);
  return options;
}

class StubControllerTest : public ::testing::Test {
 protected:
  // One run of the process. Destroying it acts like a kill.
  struct Life {
    Life(StubControllerTest& test, kube::WorkQueueOptions queue)
        : connection(test.cluster_.connect("stub")),
          client(*connection, std::chrono::seconds(2)),
          controller(test.loop_, client, "ns", test.clock_, test.logger_, queue),
          tasks(test.loop_, test.logger_) {
      controller.start(tasks);
    }
    std::unique_ptr<kube::Transport> connection;
    kube::Client client;
    StubController controller;
    aio::TaskGroup tasks;  // last member: ends before the objects that its tasks use
  };

  void start(kube::WorkQueueOptions queue = quick()) {
    life_ = std::make_unique<Life>(*this, queue);
  }
  void put(const std::string& name, const std::string& value) {
    const bool is_new = !find(name);
    if (is_new) {
      cluster_.put(kConfigMaps,
                   R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
                       R"(","namespace":"ns","labels":{"stub.example/role":"source"}},)"
                       R"("data":{"key":")" +
                       value + R"("}})");
    } else {
      cluster_.merge(kConfigMaps, "ns", name, R"({"data":{"key":")" + value + R"("}})");
    }
  }
  std::optional<Object> find(const std::string& name) const {
    return cluster_.find(kConfigMaps, "ns", name);
  }
  // Whether the output has the source's data, and the source its finalizer and condition.
  bool is_whole(const std::string& name, const std::string& value) const {
    const auto source = find(name);
    const auto output = find(name + "-out");
    if (!source || !output) return false;
    const auto conditions =
        source->root()["metadata"]["annotations"]["stub.example/conditions"].string_or_empty();
    return output->root()["data"]["key"].string_or_empty() == value &&
           kube::is_owned_by(*output, source->uid()) && !kube::finalizers_of(*source).empty() &&
           conditions.find(R"("status":"True")") != std::string_view::npos;
  }
  bool until(const std::function<bool()>& condition) { return run_until(loop_, condition); }
  std::size_t writes() const {
    std::size_t count = 0;
    for (const Call& call : cluster_.calls()) {
      const bool is_event = call.target.find("/events") != std::string::npos;
      if (call.method != HttpMethod::kGet && !is_event && call.client == "stub") ++count;
    }
    return count;
  }

  boost::asio::io_context loop_;
  runtime::SystemClock clock_;
  RecordingLogger logger_;
  FakeCluster cluster_;
  std::unique_ptr<Life> life_;
};

TEST_F(StubControllerTest, CreatesOutputWithOwnerFinalizerConditionAndEvent) {
  put("a", "x");
  start();
  ASSERT_TRUE(until([this] { return is_whole("a", "X"); }));
  ASSERT_TRUE(until([this] { return !cluster_.all(kNewEvents).empty(); }));
  EXPECT_EQ(cluster_.all(kNewEvents)[0].root()["reason"].string(), "OutputMade");
  put("a", "y");
  ASSERT_TRUE(until([this] { return is_whole("a", "Y"); }));
  EXPECT_EQ(life_->controller.counts().concurrent_reconciles, 0U);
}

TEST_F(StubControllerTest, RestartWritesNothing) {
  for (int i = 0; i < 20; ++i) put("o" + std::to_string(i), "x");
  start();
  ASSERT_TRUE(until([this] {
    for (int i = 0; i < 20; ++i) {
      if (!is_whole("o" + std::to_string(i), "X")) return false;
    }
    return true;
  }));
  life_.reset();
  cluster_.clear_calls();
  start();
  ASSERT_TRUE(until([this] { return life_->controller.workers().reconciles() >= 20; }));
  EXPECT_EQ(writes(), 0U);
}

TEST_F(StubControllerTest, ChangedOrDeletedOutputIsRestored) {
  put("a", "x");
  start();
  ASSERT_TRUE(until([this] { return is_whole("a", "X"); }));
  cluster_.merge(kConfigMaps, "ns", "a-out", R"({"data":{"key":"wrong"}})");
  ASSERT_TRUE(until([this] { return is_whole("a", "X"); }));
  cluster_.erase(kConfigMaps, "ns", "a-out");
  ASSERT_TRUE(until([this] { return is_whole("a", "X"); }));
}

TEST_F(StubControllerTest, SourceIsDeletedAfterItsOutput) {
  put("a", "x");
  start();
  ASSERT_TRUE(until([this] { return is_whole("a", "X"); }));
  cluster_.erase(kConfigMaps, "ns", "a");
  ASSERT_TRUE(until([this] { return !find("a") && !find("a-out"); }));
}

TEST_F(StubControllerTest, RestartConvergesAfterKillAtAnyWrite) {
  for (std::size_t written = 0; written < 6; ++written) {
    for (const auto kind : {Fault::Kind::kLostAnswer, Fault::Kind::kRefused}) {
      SCOPED_TRACE("killed at write " + std::to_string(written));
      const std::string name =
          "a" + std::to_string(written) + (kind == Fault::Kind::kRefused ? "r" : "l");
      put(name, "x");
      start();
      const std::size_t before = writes();
      ASSERT_TRUE(until([&] { return writes() >= before + std::min<std::size_t>(written, 3); }));
      cluster_.fail({.method = HttpMethod::kPatch, .path = "/configmaps/"}, {.kind = kind});
      if (written >= 3) {
        cluster_.erase(kConfigMaps, "ns", name);
        ASSERT_TRUE(until([&] { return writes() >= before + written || !find(name); }));
      }
      life_.reset();
      start();
      if (written >= 3) {
        EXPECT_TRUE(until([&] { return !find(name) && !find(name + "-out"); }));
      } else {
        EXPECT_TRUE(until([&] { return is_whole(name, "X"); }));
      }
      EXPECT_EQ(life_->controller.counts().concurrent_reconciles, 0U);
      life_.reset();
    }
  }
}

TEST_F(StubControllerTest, AllObjectsAreReconciledDespiteFullQueue) {
  constexpr int kObjects = 300;
  for (int i = 0; i < kObjects; ++i) put("o" + std::to_string(i), "x");
  kube::WorkQueueOptions small = quick();
  small.max_keys = 40;
  start(small);
  // Evaluated after each event-loop iteration, so objects that are done are not checked again.
  int done = 0;
  EXPECT_TRUE(until([&] {
    while (done < kObjects && is_whole("o" + std::to_string(done), "X")) ++done;
    return done == kObjects;
  }));
  for (int i = 0; i < kObjects; ++i) EXPECT_TRUE(is_whole("o" + std::to_string(i), "X")) << i;
  EXPECT_EQ(life_->controller.counts().concurrent_reconciles, 0U);
}

TEST_F(StubControllerTest, ConflictStormConvergesToDesiredState) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::string name = "a" + std::to_string(seed);
    cluster_.interleave(seed);
    put(name, "x0");
    start();
    // Changes the source between each read and the write that follows.
    for (int i = 1; i <= 25; ++i) {
      const std::string value = "x" + std::to_string(i);
      bool was_changed = false;
      cluster_.before(
          {.method = HttpMethod::kPatch, .path = "/configmaps/" + name, .client = "stub"}, [&] {
            put(name, value);
            was_changed = true;
          });
      if (i == 1 || is_whole(name, "X" + std::to_string(i - 1))) {
        put(name, "again" + std::to_string(i));
      }
      ASSERT_TRUE(until([&] { return was_changed; }));
    }
    EXPECT_TRUE(until([&] { return is_whole(name, "X25"); }));
    EXPECT_EQ(life_->controller.counts().concurrent_reconciles, 0U);
    life_.reset();
    cluster_.interleave(std::nullopt);
  }
}

TEST_F(StubControllerTest, CutWatchesExpiredVersionsAndOutagesLoseNothing) {
  put("a", "x");
  start();
  ASSERT_TRUE(until([this] { return is_whole("a", "X"); }));
  for (const Cut how : {Cut::kEnd, Cut::kReset, Cut::kHalfLine}) {
    cluster_.cut_watches(how);
    put("a", "cut" + std::to_string(static_cast<int>(how)));
    EXPECT_TRUE(
        until([&] { return is_whole("a", "CUT" + std::to_string(static_cast<int>(how))); }));
  }
  cluster_.set_reachable(false);
  put("a", "y");
  put("b", "z");
  cluster_.compact();
  cluster_.set_reachable(true);
  EXPECT_TRUE(until([this] { return is_whole("a", "Y") && is_whole("b", "Z"); }));
}

TEST_F(StubControllerTest, RecreatedSourceGetsNewOutput) {
  put("a", "x");
  start();
  ASSERT_TRUE(until([this] { return is_whole("a", "X"); }));
  const std::string uid(find("a")->uid());
  cluster_.erase(kConfigMaps, "ns", "a");
  ASSERT_TRUE(until([this] { return !find("a"); }));
  put("a", "y");
  ASSERT_TRUE(until([this] { return is_whole("a", "Y"); }));
  EXPECT_NE(find("a")->uid(), uid);
}

}  // namespace
}  // namespace dynamo::test
