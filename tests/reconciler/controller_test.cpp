// The checks around each reconcile: leadership, scope, own writes, time limits, defects, conflicts.
#include "reconciler/engine/controller.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "aio/pause.hpp"
#include "kube/client/writes.hpp"
#include "tests/reconciler/controller_fixture.hpp"

namespace dynamo::reconciler {
namespace {

using kube::kConfigMaps;
using kube::ObjectKey;
using kube::ReconcileResult;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(ControllerTest, ObjectsAreReconciledAtStartAndOnChange) {
  put("ns", "a");
  put("ns", "b");
  start();
  until([this] { return reconciles() >= 2; });
  EXPECT_THAT(reconciler_.reconciles, ElementsAre("ns/a", "ns/b"));
  put("ns", "b", "y");
  until([this] { return reconciles() >= 3; });
  EXPECT_EQ(reconciler_.reconciles.back(), "ns/b");
}

TEST_F(ControllerTest, NothingIsReconciledWhileInactive) {
  is_active_ = false;
  put("ns", "a");
  start();
  until([this] { return controller_->is_synced(); });
  put("ns", "b");
  until([this] { return controller_->keys().size() == 2; });
  EXPECT_THAT(reconciler_.reconciles, IsEmpty());
  is_active_ = true;
  controller_->enqueue_all(kube::Priority::kResync);
  until([this] { return reconciles() == 2; });
}

TEST_F(ControllerTest, ReconcileWaitsForAllRequiredLists) {
  options_.unlisted_patience = milliseconds(50);
  watch_secrets();
  cluster_.forbid("list", "secrets");
  put("ns", "a");
  start();
  until([this] {
    return cache_->is_complete(kConfigMaps) && !cache_->list_error(kube::kSecrets).empty() &&
           controller_->stats().adds > 0;
  });
  loop_.run_for(2 * options_.unlisted_patience);
  loop_.restart();
  EXPECT_THAT(reconciler_.reconciles, IsEmpty());
  EXPECT_EQ(controller_->stats().waiting + controller_->stats().ready, 0U) << "no further request";
  controller_->enqueue_deferred();
  EXPECT_EQ(controller_->stats().ready, 0U);
}

TEST_F(ControllerTest, ReconcileStartsWithoutOptionalList) {
  options_.unlisted_patience = milliseconds(50);
  watch_secrets();
  reconciler_.spec.watches.back().is_optional = true;
  cluster_.forbid("list", "secrets");
  put("ns", "a");
  start();
  until([this] {
    return cache_->is_complete(kConfigMaps) && !cache_->list_error(kube::kSecrets).empty() &&
           controller_->stats().adds > 0;
  });
  EXPECT_THAT(reconciler_.reconciles, IsEmpty());
  until([this] {
    controller_->enqueue_deferred();
    return reconciles() == 1;
  });
  EXPECT_FALSE(cache_->list_error(kube::kSecrets).empty());
  cluster_.allow_all();
  until([this] { return reconciles() == 2; });
  EXPECT_TRUE(controller_->is_synced()) << "what was passed without is looked at again";
}

class SharedObjectTest : public ControllerTest {
 protected:
  std::size_t reconciled_ = 0;
  std::size_t refused_ = 0;
  std::vector<std::string> found_;  // label of the object, each time that a reconcile found it
};

// Two reconciles create the same name, and neither saw the object before. All reconciles share a
// field manager, so the API server would let the second overwrite the object of the first.
TEST_F(SharedObjectTest, ObjectBeingCreatedElsewhereIsNotOverwritten) {
  watch_secrets();
  put("ns", "a");
  put("ns", "b");
  reconciler_.body = [this](ObjectKey key,
                            ReconcileContext& context) -> aio::Task<ReconcileResult> {
    const auto secret = context.cache().at(kube::kSecrets).find({"ns", "child"});
    if (secret) {
      found_.emplace_back(secret->root()["metadata"]["labels"]["of"].string_or_empty());
      co_return ReconcileResult::done();
    }
    ++reconciled_;
    std::vector<Action> actions{
        apply({.resource = kube::kSecrets, .namespace_name = "ns", .name = "child"},
              R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"child","labels":{"of":")" +
                  key.name + R"("}}})")};
    const auto ended = co_await context.act(std::move(actions));
    if (ended) ++refused_;
    co_return ended.value_or(ReconcileResult::requeue_after(milliseconds(1)));
  };
  start();
  until([this] { return found_.size() >= 2; });
  EXPECT_GE(reconciled_, 2U);
  EXPECT_GE(refused_, 1U);
  EXPECT_EQ(found_.front(), found_.back());
}

// Objects without an owner, such as the checkpoint of two graphs, outlive the one that created
// them.
TEST_F(SharedObjectTest, DeletedObjectIsCreatedByAnotherKey) {
  watch_secrets();
  put("ns", "a");
  reconciler_.body = [this](ObjectKey key,
                            ReconcileContext& context) -> aio::Task<ReconcileResult> {
    std::vector<Action> actions{
        apply({.resource = kube::kSecrets, .namespace_name = "ns", .name = "child"},
              R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"child","labels":{"of":")" +
                  key.name + R"("}}})")};
    const auto ended = co_await context.act(std::move(actions));
    if (ended) ++refused_;
    co_return ended.value_or(ReconcileResult::done());
  };
  start();
  const auto is_shown = [this] {
    return std::as_const(*cache_).at(kube::kSecrets).contains(ObjectKey{"ns", "child"});
  };
  until(is_shown);
  cluster_.erase(kube::kSecrets, "ns", "child");
  until([&] { return !is_shown(); });
  put("ns", "b");
  until(is_shown);
  EXPECT_EQ(refused_, 0U);
  const auto child = cluster_.find(kube::kSecrets, "ns", "child");
  EXPECT_EQ(child->root()["metadata"]["labels"]["of"].string_or_empty(), "b");
}

TEST_F(ControllerTest, LostLeadershipSendsNothingAndKeepsKeys) {
  put("ns", "a");
  acts_allowed_ = 1;
  reconciler_.body = [this](ObjectKey, ReconcileContext& context) -> aio::Task<ReconcileResult> {
    std::vector<Action> actions{write("a", "first"), write("a", "second")};
    const auto ended = co_await context.act(std::move(actions));
    co_return ended.value_or(ReconcileResult::retry("it was not fenced"));
  };
  start();
  until([this] { return reconciles() >= 1 && value_of("a") == "first"; });
  until([this] { return reconciles() >= 2; });
  EXPECT_EQ(value_of("a"), "first");
  EXPECT_EQ(controller_->failures(), 0U);
  // The Lease was renewed late, but never held by another replica.
  acts_allowed_ = 1'000;
  until([this] { return value_of("a") == "second"; });
}

TEST_F(ControllerTest, RefusedOrPastTermReconcileSendsNothing) {
  put("ns", "a");
  reconciler_.body = [this](ObjectKey, ReconcileContext& context) -> aio::Task<ReconcileResult> {
    const std::size_t number = reconciles();
    const bool can_first = context.can_act();
    if (number == 1) controller_->set_paused(true);
    if (number == 2) controller_->begin_term();
    std::vector<Action> actions{write("a", std::to_string(number))};
    const auto ended = co_await context.act(std::move(actions));
    EXPECT_TRUE(can_first);
    EXPECT_EQ(context.can_act(), number > 2);
    co_return ended.value_or(ReconcileResult::done());
  };
  start();
  until([this] { return reconciles() == 1 && controller_->stats().running == 0; });
  EXPECT_EQ(value_of("a"), "x");
  controller_->set_paused(false);
  controller_->enqueue_all(kube::Priority::kResync);
  until([this] { return reconciles() > 2 && value_of("a") != "x"; });
  EXPECT_NE(value_of("a"), "2") << "of a term that is over";
}

TEST_F(ControllerTest, OtherNamespacesAreSkipped) {
  scope_.restricted_namespace = "ns";
  put("other", "a");
  put("ns", "b");
  start();
  until([this] { return reconciles() >= 1 && controller_->stats().ready == 0; });
  EXPECT_THAT(reconciler_.reconciles, ElementsAre("ns/b"));
}

TEST_F(ControllerTest, ExceptionAffectsOnlyItsKey) {
  put("ns", "bad");
  put("ns", "good");
  reconciler_.body = [](ObjectKey key, ReconcileContext&) -> aio::Task<ReconcileResult> {
    if (key.name == "bad") throw std::runtime_error("a defect");
    co_return ReconcileResult::done();
  };
  start();
  until([this] { return controller_->defects() >= 2; });
  EXPECT_EQ(std::ranges::count(reconciler_.reconciles, "ns/good"), 1);
  EXPECT_GE(metrics_.errors.value({"ConfigMap", "ns", "internal"}), 2U);
}

TEST_F(ControllerTest, SlowReconcileIsCancelledAndRetried) {
  options_.reconcile_timeout = milliseconds(20);
  put("ns", "a");
  reconciler_.body = [](ObjectKey, ReconcileContext&) -> aio::Task<ReconcileResult> {
    static_cast<void>(co_await aio::pause(std::chrono::hours(1)));
    co_return ReconcileResult::done();
  };
  start();
  until([this] { return controller_->timeouts() >= 2; });
  EXPECT_GE(metrics_.errors.value({"ConfigMap", "ns", "timeout"}), 1U);
}

TEST_F(ControllerTest, StopCancelsRunningReconcile) {
  put("ns", "a");
  reconciler_.body = [](ObjectKey, ReconcileContext&) -> aio::Task<ReconcileResult> {
    static_cast<void>(co_await aio::pause(std::chrono::hours(1)));
    co_return ReconcileResult::done();
  };
  start();
  until([this] { return reconciles() == 1; });
  tasks_->stop();
  EXPECT_EQ(controller_->timeouts(), 0U);
  EXPECT_EQ(controller_->defects(), 0U);
}

TEST_F(ControllerTest, ConflictIsRequeuedWithoutBackOff) {
  put("ns", "a");
  cluster_.fail({.method = kube::HttpMethod::kPatch},
                {.kind = test::Fault::Kind::kStatus, .status = 409, .reason = "Conflict"}, 2);
  start_acting([this](ReconcileContext&) { return Actions{write("a", "written")}; });
  until([this] { return value_of("a") == "written"; });
  EXPECT_EQ(controller_->failures(), 0U);
}

TEST_F(ControllerTest, FailedAwaitedKeyIsCounted) {
  options_.once = true;
  put("ns", "a");
  reconciler_.body = [](ObjectKey, ReconcileContext&) -> aio::Task<ReconcileResult> {
    co_return ReconcileResult::retry("it fails");
  };
  start();
  until([this] { return controller_->is_synced(); });
  controller_->await_all();
  while (controller_->awaited() > 0) loop_.run_one();
  EXPECT_EQ(controller_->awaited_failures(), 1U);
}

TEST_F(ControllerTest, RepeatedConflictsCountAsFailures) {
  put("ns", "a");
  cluster_.fail({.method = kube::HttpMethod::kPatch},
                {.kind = test::Fault::Kind::kStatus, .status = 409, .reason = "Conflict"}, 1'000);
  start_acting([this](ReconcileContext&) { return Actions{write("a", "written")}; });
  until([this] { return controller_->failures() >= 1; });
  EXPECT_GE(metrics_.errors.value({"ConfigMap", "ns", "conflict"}), 1U);
}

TEST_F(ControllerTest, FailedActionStopsTheFollowingOnes) {
  put("ns", "a");
  cluster_.fail({.method = kube::HttpMethod::kPatch},
                {.kind = test::Fault::Kind::kStatus, .status = 422, .reason = "Invalid"});
  start_acting([this](ReconcileContext&) {
    const Target target{.resource = kConfigMaps, .namespace_name = "ns", .name = "a"};
    return Actions{write("a", "written"), event(target, true, "Reported", "why")};
  });
  until([this] { return controller_->failures() == 1; });
  EXPECT_THAT(events_, IsEmpty());
  EXPECT_EQ(metrics_.errors.value({"ConfigMap", "ns", "validation"}), 1U);
  EXPECT_EQ(metrics_.writes.value({"test", "patch", "failed"}), 1U);
}

TEST_F(ControllerTest, DryRunPrintsAndSendsNothing) {
  print_ = [this](const std::string& text) { printed_ += text; };
  put("ns", "a");
  start_acting([this](ReconcileContext&) { return Actions{write("a", "written")}; });
  until([this] { return !printed_.empty(); });
  EXPECT_EQ(value_of("a"), "x");
  EXPECT_EQ(printed_.find("---\naction: patch\n"), 0U) << printed_;
}

TEST_F(ControllerTest, DeleteWithoutUidIsNotSent) {
  put("ns", "a");
  start_acting([](ReconcileContext&) {
    const Target target{.resource = kConfigMaps, .namespace_name = "ns", .name = "a"};
    return Actions{remove(target)};
  });
  until([this] { return controller_->failures() >= 1; });
  EXPECT_TRUE(cluster_.find(kConfigMaps, "ns", "a").has_value());
}

TEST_F(ControllerTest, ReconcileWaitsForItsOwnWrite) {
  put("ns", "a");
  start_acting([this](ReconcileContext&) {
    Actions actions{write("a", "written")};
    if (value_of("a") == "written") actions.clear();
    return actions;
  });
  until([this] { return reconciles() >= 2; });
  EXPECT_EQ(value_of("a"), "written");
  until([this] { return controller_->stats().ready == 0 && controller_->stats().running == 0; });
  EXPECT_EQ(reconciles(), 2U) << "the write, and the look at what came of it";
}

// A reconcile has written, and the watches do not show it.
class UnseenWriteTest : public ControllerTest {
 protected:
  void write_unseen() {
    watch_secrets();
    put("ns", "a");
    is_active_ = false;
    start_acting([this](ReconcileContext& context) {
      shown_.push_back(context.cache().at(kube::kSecrets).contains(ObjectKey{"ns", "child"}));
      Actions actions{apply({.resource = kube::kSecrets, .namespace_name = "ns", .name = "child"},
                            R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"child"}})")};
      if (shown_.back()) actions.clear();
      return actions;
    });
    until([this] { return controller_->is_synced() && cluster_.watches() == 2; });
    cluster_.silence_watches();
    is_active_ = true;
    enqueue();
    until([this] { return reconciles() == 1 && writes() == 1; });
    cluster_.clear_calls();
  }
  void enqueue() { controller_->enqueue({"ns", "a"}, kube::Priority::kChange); }
  std::size_t writes() const { return cluster_.count({.method = kube::HttpMethod::kPatch}); }
  std::size_t lists(const std::string& plural) const {
    const auto count = std::ranges::count_if(cluster_.calls(), [&plural](const test::Call& call) {
      return call.target.find("/" + plural + "?limit=") != std::string::npos;
    });
    return static_cast<std::size_t>(count);
  }

  std::vector<bool> shown_;  // whether each reconcile saw the owned object
};

TEST_F(UnseenWriteTest, ResourceIsRelistedAfterAMinute) {
  write_unseen();
  clock_.leap(std::chrono::seconds(61));
  enqueue();
  until([this] { return reconciles() == 2; });
  EXPECT_THAT(shown_, ElementsAre(false, true));
  EXPECT_EQ(writes(), 0U);
  EXPECT_EQ(lists("secrets"), 1U);
  EXPECT_EQ(cluster_.count({.path = "/secrets?limit=250&resourceVersion"}), 0U) << "the newest";
  EXPECT_EQ(lists("configmaps"), 0U) << "nothing of it was waited for";
}

// A reconcile in between does not restart the minute.
TEST_F(UnseenWriteTest, MinuteStartsWithTheWrite) {
  write_unseen();
  clock_.leap(milliseconds(59'500));
  enqueue();
  until([this] { return reconciles() == 2; });
  EXPECT_THAT(shown_, ElementsAre(false, true));
}

TEST_F(UnseenWriteTest, UnlistableResourceDoesNotBlockForever) {
  write_unseen();
  cluster_.forbid("list", "secrets");
  clock_.leap(std::chrono::seconds(61));
  enqueue();
  until([this] { return lists("secrets") >= 1 && controller_->stats().running == 0; });
  EXPECT_EQ(reconciles(), 1U);
  clock_.leap(std::chrono::seconds(5));
  enqueue();
  until([this] { return reconciles() == 2; });
  EXPECT_EQ(cluster_.count({.path = "/configmaps/a"}), 1U) << "the object of the key is read";
}

// The cached version is stale, and only the refusal reveals it.
TEST_F(ControllerTest, StaleWriteWaitsForNewerVersion) {
  put("ns", "a");
  is_active_ = false;
  start_acting([](ReconcileContext& context) {
    const kube::Object seen = context.cache().at(kConfigMaps).find(ObjectKey{"ns", "a"}).value();
    const std::string version(seen.resource_version());
    Actions actions{merge_patch(
        {.resource = kConfigMaps, .namespace_name = "ns", .name = "a", .resource_version = version},
        R"({"metadata":{"resourceVersion":")" + version + R"("},"data":{"key":"written"}})")};
    if (seen.root()["data"]["key"].string_or_empty() == "written") actions.clear();
    return actions;
  });
  until([this] { return controller_->is_synced() && cluster_.watches() == 1; });
  cluster_.silence_watches();
  put("ns", "a", "of another");
  is_active_ = true;
  const auto writes = [this] { return cluster_.count({.method = kube::HttpMethod::kPatch}); };
  for (int looks = 0; looks < 5; ++looks) {
    controller_->enqueue({"ns", "a"}, kube::Priority::kChange);
    until([&] { return writes() >= 1; });
    // Dequeued and postponed again.
    until([this] { return controller_->stats().ready + controller_->stats().running == 0; });
  }
  EXPECT_EQ(writes(), 1U);
  EXPECT_EQ(reconciles(), 1U);
  clock_.leap(std::chrono::seconds(61));
  controller_->enqueue({"ns", "a"}, kube::Priority::kChange);
  until([this] { return value_of("a") == "written"; });
  EXPECT_EQ(writes(), 2U);
  EXPECT_EQ(controller_->failures(), 0U);
}

TEST_F(ControllerTest, OwnVersionedWriteTriggersNoReconcile) {
  put("ns", "a");
  reconciler_.spec.skips_own_changes = true;
  start_acting([this](ReconcileContext& context) {
    const kube::Object seen = context.cache().at(kConfigMaps).find(ObjectKey{"ns", "a"}).value();
    MergePatch patch = write("a", "written");
    patch.target.resource_version = seen.resource_version();
    return Actions{patch};
  });
  until([this] { return reconciles() == 1 && value_of("a") == "written" && shows("a"); });
  until([this] { return controller_->stats().running == 0; });
  EXPECT_EQ(controller_->stats().ready + controller_->stats().waiting, 0U);
  EXPECT_EQ(reconciles(), 1U);
  put("ns", "a", "of another");
  until([this] { return reconciles() == 2; });
}

// The write may include changes of another client.
TEST_F(ControllerTest, UnversionedWriteTriggersAReconcile) {
  put("ns", "a");
  reconciler_.spec.skips_own_changes = true;
  start_acting([this](ReconcileContext&) {
    Actions actions{write("a", "written")};
    if (value_of("a") == "written") actions.clear();
    return actions;
  });
  until([this] { return reconciles() == 2; });
}

TEST_F(ControllerTest, ChangeDuringReconcileTriggersAnother) {
  put("ns", "a");
  reconciler_.spec.skips_own_changes = true;
  reconciler_.body = [this](ObjectKey, ReconcileContext&) -> aio::Task<ReconcileResult> {
    if (reconciles() == 1) {
      put("ns", "a", "meanwhile");
      while (!shows("a")) {
        const bool waited = co_await aio::pause(milliseconds(1));
        if (!waited) break;
      }
    }
    co_return ReconcileResult::done();
  };
  start();
  until([this] { return reconciles() == 2; });
}

TEST_F(ControllerTest, MissedChangesAreReported) {
  put("ns", "a");
  put("ns", "b");
  reconciler_.body = [this](ObjectKey, ReconcileContext& context) -> aio::Task<ReconcileResult> {
    for (const ObjectKey& each : context.take_missed_changes().keys) {
      missed_.push_back(to_string(each));
    }
    co_return ReconcileResult::done();
  };
  start();
  until([this] { return reconciles() == 2 && controller_->stats().running == 0; });
  EXPECT_THAT(missed_, IsEmpty());
  is_active_ = false;
  put("ns", "a", "of another");
  until([this] { return shows("a"); });
  EXPECT_EQ(reconciles(), 2U);
  is_active_ = true;
  controller_->enqueue({"ns", "b"}, kube::Priority::kChange);
  until([this] { return reconciles() == 3 && controller_->stats().running == 0; });
  EXPECT_THAT(missed_, ElementsAre("ns/a")) << "before the first reconcile of any key";
  controller_->enqueue({"ns", "a"}, kube::Priority::kChange);
  until([this] { return reconciles() == 4 && controller_->stats().running == 0; });
  EXPECT_THAT(missed_, ElementsAre("ns/a")) << "reported once";
}

TEST_F(ControllerTest, KeyOutsideOfScopeIsReportedAsMissed) {
  scope_.restricted_namespace = "ns";
  put("ns", "a");
  reconciler_.body = [this](ObjectKey, ReconcileContext& context) -> aio::Task<ReconcileResult> {
    for (const ObjectKey& each : context.take_missed_changes().keys) {
      missed_.push_back(to_string(each));
    }
    co_return ReconcileResult::done();
  };
  start();
  until([this] { return reconciles() == 1 && controller_->stats().running == 0; });
  controller_->enqueue({"other", "b"}, kube::Priority::kChange);
  until([this] {
    const kube::WorkQueue::Stats stats = controller_->stats();
    return stats.ready + stats.waiting + stats.running == 0;
  });
  EXPECT_THAT(reconciler_.reconciles, ElementsAre("ns/a"));
  controller_->enqueue({"ns", "a"}, kube::Priority::kChange);
  until([this] { return reconciles() == 2; });
  EXPECT_THAT(missed_, ElementsAre("other/b"));
}

}  // namespace
}  // namespace dynamo::reconciler
