// What surrounds each pass: leadership, scope, own writes, time, defects, conflicts.
#include "reconciler/runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "aio/pause.hpp"
#include "kube/writes.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/recording_logger.hpp"

namespace dynamo::reconciler {
namespace {

using kube::kConfigMaps;
using kube::ObjectKey;
using kube::PassResult;
using std::chrono::milliseconds;
using test::FakeCluster;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Does what a test says.
class TestController final : public Controller {
 public:
  using Body = std::function<aio::Task<PassResult>(ObjectKey, Pass&)>;

  std::string_view name() const override { return "test"; }
  const kube::Resource& resource() const override { return kConfigMaps; }
  std::vector<Watched> watches() const override {
    Watched own;
    own.resource = kConfigMaps;
    if (!watches_secrets) return {own};
    Watched secrets;
    secrets.resource = kube::kSecrets;
    return {own, secrets};
  }
  aio::Task<PassResult> reconcile(ObjectKey key, Pass& pass) override {
    passes.push_back(to_string(key));
    co_return co_await body(std::move(key), pass);
  }

  bool does_without(const kube::Resource& of) const override {
    return does_without_secrets && of.plural == kube::kSecrets.plural;
  }
  bool looks_at_own_writes() const override { return looks_at_own; }
  void missed(const ObjectKey& key) override { missed_keys.push_back(to_string(key)); }

  bool looks_at_own = true;
  bool watches_secrets = false;
  bool does_without_secrets = false;
  std::vector<std::string> passes;
  std::vector<std::string> missed_keys;
  Body body = [](ObjectKey, Pass&) -> aio::Task<PassResult> { co_return PassResult::done(); };
};

class RunnerTest : public ::testing::Test {
 protected:
  RunnerTest() : connection_(cluster_.connect()), client_(*connection_, milliseconds(500)) {
    options_.workers = 2;
    options_.queue.rest = milliseconds(1);
    options_.queue.first_backoff = milliseconds(1);
    options_.queue.longest_backoff = milliseconds(5);
    options_.queue.retry_interval = milliseconds(1);
  }

  void put(const std::string& namespace_name, const std::string& name,
           const std::string& value = "x") {
    cluster_.put(kConfigMaps, R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" +
                                  name + R"(","namespace":")" + namespace_name +
                                  R"("},"data":{"key":")" + value + R"("}})");
  }

  void start() {
    stores_ = std::make_unique<StoreSet>(client_, "", controller_.watches(), clock_, logger_);
    runner_ = std::make_unique<Runner>(
        controller_,
        Runner::Surroundings{
            .loop = loop_,
            .client = client_,
            .stores = *stores_,
            .scope = scope_,
            .world = world_,
            .metrics = metrics_,
            .clock = clock_,
            .logger = logger_,
            .is_active = [this] { return is_active_; },
            .may_act =
                [this] {
                  ++asked_;
                  return asked_ <= acts_allowed_;
                },
            .record = [this](const kube::Event& event) { events_.push_back(event.reason); },
            .print = print_},
        options_);
    tasks_ = std::make_unique<aio::TaskGroup>(loop_, logger_);
    stores_->start(*tasks_);
    runner_->start(*tasks_);
  }

  // Turns the loop until that is so; bounded, for a test that would fail.
  void until(const std::function<bool()>& is_so) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!is_so() && std::chrono::steady_clock::now() < end) {
      loop_.run_for(milliseconds(1));
      loop_.restart();
    }
    ASSERT_TRUE(is_so());
  }
  std::size_t passes() const { return controller_.passes.size(); }

  Action write(const std::string& name, const std::string& value) const {
    const auto seen = cluster_.find(kConfigMaps, "ns", name);
    return merge_patch({.resource = kConfigMaps, .namespace_name = "ns", .name = name},
                       R"({"metadata":{"uid":")" + std::string(seen->uid()) +
                           R"("},"data":{"key":")" + value + R"("}})");
  }
  // The store has come to what the cluster holds.
  bool shows(const std::string& name) const {
    return std::as_const(*stores_).at(kConfigMaps).version_of(ObjectKey{"ns", name}) ==
           cluster_.find(kConfigMaps, "ns", name)->resource_version();
  }
  std::string value_of(const std::string& name) const {
    return std::string(
        cluster_.find(kConfigMaps, "ns", name)->root()["data"]["key"].string_or_empty());
  }

  boost::asio::io_context loop_{1};
  test::LeapingClock clock_;
  test::RecordingLogger logger_;
  FakeCluster cluster_;
  std::unique_ptr<kube::Transport> connection_;
  kube::Client client_;
  Scope scope_;
  World world_{clock_};
  runtime::MetricsRegistry registry_;
  ReconcilerMetrics metrics_{registry_};
  RunnerOptions options_;
  TestController controller_;
  bool is_active_ = true;
  int asked_ = 0;
  int acts_allowed_ = 1'000;
  std::vector<std::string> events_;
  std::function<void(const std::string&)> print_;
  std::unique_ptr<StoreSet> stores_;
  std::unique_ptr<Runner> runner_;
  std::unique_ptr<aio::TaskGroup> tasks_;
};

TEST_F(RunnerTest, LooksAtEachObjectAndAtWhatChanges) {
  put("ns", "a");
  put("ns", "b");
  start();
  until([this] { return passes() >= 2; });
  EXPECT_THAT(controller_.passes, ElementsAre("ns/a", "ns/b"));
  put("ns", "b", "y");
  until([this] { return passes() >= 3; });
  EXPECT_EQ(controller_.passes.back(), "ns/b");
}

TEST_F(RunnerTest, BeginsNoPassWhileItIsNotActive) {
  is_active_ = false;
  put("ns", "a");
  start();
  until([this] { return runner_->is_synced(); });
  put("ns", "b");
  until([this] { return runner_->keys().size() == 2; });
  EXPECT_THAT(controller_.passes, IsEmpty());
  is_active_ = true;
  runner_->look_at_all(kube::Urgency::kFirstList);
  until([this] { return passes() == 2; });
}

TEST_F(RunnerTest, APassWaitsForEveryListUnlessItsControllerDoesWithout) {
  options_.unlisted_patience = milliseconds(50);
  controller_.watches_secrets = true;
  cluster_.forbid("list", "secrets");
  put("ns", "a");
  start();
  until([this] {
    return stores_->is_complete(kConfigMaps) && !stores_->unlisted(kube::kSecrets).empty() &&
           runner_->figures().adds > 0;
  });
  loop_.run_for(2 * options_.unlisted_patience);
  loop_.restart();
  EXPECT_THAT(controller_.passes, IsEmpty());
  EXPECT_EQ(runner_->figures().waiting + runner_->figures().ready, 0U) << "nobody asks again";
  runner_->take_up_turned_away();
  EXPECT_EQ(runner_->figures().ready, 0U);
  controller_.does_without_secrets = true;
  until([this] {
    runner_->take_up_turned_away();
    return passes() == 1;
  });
  EXPECT_FALSE(stores_->unlisted(kube::kSecrets).empty());
  cluster_.allow_all();
  until([this] { return passes() == 2; });
  EXPECT_TRUE(runner_->is_synced()) << "what was passed without is looked at again";
}

// Two want one name, and neither saw it when it looked: all passes write under one manager, so the
// API server would give to the second what the first has made.
TEST_F(RunnerTest, WhatAnotherPassHasBegunToMakeIsNotTaken) {
  controller_.watches_secrets = true;
  put("ns", "a");
  put("ns", "b");
  std::size_t looked = 0;
  std::size_t refused = 0;
  std::vector<std::string> found;
  controller_.body = [&](ObjectKey key, Pass& pass) -> aio::Task<PassResult> {
    const auto child = pass.stores().at(kube::kSecrets).find({"ns", "child"});
    if (child) {
      found.emplace_back(child->root()["metadata"]["labels"]["of"].string_or_empty());
      co_return PassResult::done();
    }
    ++looked;
    std::vector<Action> actions{
        apply({.resource = kube::kSecrets, .namespace_name = "ns", .name = "child"},
              R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"child","labels":{"of":")" +
                  key.name + R"("}}})")};
    const auto ended = co_await pass.act(std::move(actions));
    if (ended) ++refused;
    co_return ended.value_or(PassResult::wait(milliseconds(1)));
  };
  start();
  until([&] { return found.size() >= 2; });
  EXPECT_GE(looked, 2U);
  EXPECT_GE(refused, 1U);
  EXPECT_EQ(found.front(), found.back());
}

TEST_F(RunnerTest, SendsNothingWhileItDoesNotLeadAndLosesNoKey) {
  put("ns", "a");
  acts_allowed_ = 1;
  controller_.body = [this](ObjectKey, Pass& pass) -> aio::Task<PassResult> {
    std::vector<Action> actions{write("a", "first"), write("a", "second")};
    const auto ended = co_await pass.act(std::move(actions));
    co_return ended.value_or(PassResult::retry("it was not fenced"));
  };
  start();
  until([this] { return passes() >= 1 && value_of("a") == "first"; });
  until([this] { return passes() >= 2; });
  EXPECT_EQ(value_of("a"), "first");
  EXPECT_EQ(runner_->failures(), 0U);
  // Its lease was renewed late, and was never another's.
  acts_allowed_ = 1'000;
  until([this] { return value_of("a") == "second"; });
}

TEST_F(RunnerTest, APassThatOutlivesItsControllersRightOrItsTermSendsNothingMore) {
  put("ns", "a");
  controller_.body = [this](ObjectKey, Pass& pass) -> aio::Task<PassResult> {
    const std::size_t number = passes();
    const bool may_first = pass.may_act();
    if (number == 1) runner_->refuse(true);
    if (number == 2) runner_->begin_term();
    std::vector<Action> actions{write("a", std::to_string(number))};
    const auto ended = co_await pass.act(std::move(actions));
    EXPECT_TRUE(may_first);
    EXPECT_EQ(pass.may_act(), number > 2);
    co_return ended.value_or(PassResult::done());
  };
  start();
  until([this] { return passes() == 1 && runner_->figures().running == 0; });
  EXPECT_EQ(value_of("a"), "x");
  runner_->refuse(false);
  runner_->look_at_all(kube::Urgency::kFirstList);
  until([this] { return passes() > 2 && value_of("a") != "x"; });
  EXPECT_NE(value_of("a"), "2") << "of a term that is over";
}

TEST_F(RunnerTest, PassesOverNamespacesThatAreNotItsOwn) {
  scope_.restricted_namespace = "ns";
  put("other", "a");
  put("ns", "b");
  start();
  until([this] { return passes() >= 1 && runner_->figures().ready == 0; });
  EXPECT_THAT(controller_.passes, ElementsAre("ns/b"));
}

TEST_F(RunnerTest, AThrowingPassIsAnErrorOfThatKeyOnly) {
  put("ns", "bad");
  put("ns", "good");
  controller_.body = [](ObjectKey key, Pass&) -> aio::Task<PassResult> {
    if (key.name == "bad") throw std::runtime_error("a defect");
    co_return PassResult::done();
  };
  start();
  until([this] { return runner_->defects() >= 2; });
  EXPECT_EQ(std::ranges::count(controller_.passes, "ns/good"), 1);
  EXPECT_GE(metrics_.errors.value({"ConfigMap", "ns", "internal"}), 2U);
}

TEST_F(RunnerTest, APassThatTakesTooLongIsCancelledAndTriedAgain) {
  options_.pass_budget = milliseconds(20);
  put("ns", "a");
  controller_.body = [](ObjectKey, Pass&) -> aio::Task<PassResult> {
    static_cast<void>(co_await aio::pause(std::chrono::hours(1)));
    co_return PassResult::done();
  };
  start();
  until([this] { return runner_->timeouts() >= 2; });
  EXPECT_GE(metrics_.errors.value({"ConfigMap", "ns", "timeout"}), 1U);
}

TEST_F(RunnerTest, IsStoppedInTheMiddleOfAPass) {
  put("ns", "a");
  controller_.body = [](ObjectKey, Pass&) -> aio::Task<PassResult> {
    static_cast<void>(co_await aio::pause(std::chrono::hours(1)));
    co_return PassResult::done();
  };
  start();
  until([this] { return passes() == 1; });
  tasks_->stop();
  EXPECT_EQ(runner_->timeouts(), 0U);
  EXPECT_EQ(runner_->defects(), 0U);
}

TEST_F(RunnerTest, AConflictIsLookedAtAgainWithoutABackOff) {
  put("ns", "a");
  cluster_.fail({.verb = kube::Verb::kPatch},
                {.kind = test::Fault::Kind::kStatus, .status = 409, .reason = "Conflict"}, 2);
  controller_.body = [this](ObjectKey, Pass& pass) -> aio::Task<PassResult> {
    std::vector<Action> actions{write("a", "written")};
    const auto ended = co_await pass.act(std::move(actions));
    co_return ended.value_or(PassResult::done());
  };
  start();
  until([this] { return value_of("a") == "written"; });
  EXPECT_EQ(runner_->failures(), 0U);
}

TEST_F(RunnerTest, AKeyThatIsAwaitedNoMoreAsItFailedIsCounted) {
  options_.once = true;
  put("ns", "a");
  controller_.body = [](ObjectKey, Pass&) -> aio::Task<PassResult> {
    co_return PassResult::retry("it fails");
  };
  start();
  until([this] { return runner_->is_synced(); });
  runner_->await_all();
  while (runner_->awaited() > 0) loop_.run_one();
  EXPECT_EQ(runner_->awaited_in_vain(), 1U);
}

TEST_F(RunnerTest, ConflictsWithoutEndAreFailures) {
  put("ns", "a");
  cluster_.fail({.verb = kube::Verb::kPatch},
                {.kind = test::Fault::Kind::kStatus, .status = 409, .reason = "Conflict"}, 1'000);
  controller_.body = [this](ObjectKey, Pass& pass) -> aio::Task<PassResult> {
    std::vector<Action> actions{write("a", "written")};
    const auto ended = co_await pass.act(std::move(actions));
    co_return ended.value_or(PassResult::done());
  };
  start();
  until([this] { return runner_->failures() >= 1; });
  EXPECT_GE(metrics_.errors.value({"ConfigMap", "ns", "conflict"}), 1U);
}

TEST_F(RunnerTest, WhatFailsKeepsWhatComesAfterItFromBeingDone) {
  put("ns", "a");
  cluster_.fail({.verb = kube::Verb::kPatch},
                {.kind = test::Fault::Kind::kStatus, .status = 422, .reason = "Invalid"});
  controller_.body = [this](ObjectKey, Pass& pass) -> aio::Task<PassResult> {
    const Target target{.resource = kConfigMaps, .namespace_name = "ns", .name = "a"};
    std::vector<Action> actions{write("a", "written"), event(target, true, "Told", "why")};
    const auto ended = co_await pass.act(std::move(actions));
    co_return ended.value_or(PassResult::done());
  };
  start();
  until([this] { return runner_->failures() == 1; });
  EXPECT_THAT(events_, IsEmpty());
  EXPECT_EQ(metrics_.errors.value({"ConfigMap", "ns", "validation"}), 1U);
  EXPECT_EQ(metrics_.writes.value({"test", "patch", "failed"}), 1U);
}

TEST_F(RunnerTest, ADryRunPrintsAndSendsNothing) {
  std::string printed;
  print_ = [&printed](const std::string& text) { printed += text; };
  put("ns", "a");
  controller_.body = [this](ObjectKey, Pass& pass) -> aio::Task<PassResult> {
    std::vector<Action> actions{write("a", "written")};
    const auto ended = co_await pass.act(std::move(actions));
    co_return ended.value_or(PassResult::done());
  };
  start();
  until([&printed] { return !printed.empty(); });
  EXPECT_EQ(value_of("a"), "x");
  EXPECT_EQ(printed.find("---\naction: patch\n"), 0U) << printed;
}

TEST_F(RunnerTest, ADeleteWithoutUidIsNotSent) {
  put("ns", "a");
  controller_.body = [](ObjectKey, Pass& pass) -> aio::Task<PassResult> {
    const Target target{.resource = kConfigMaps, .namespace_name = "ns", .name = "a"};
    std::vector<Action> actions{remove(target)};
    const auto ended = co_await pass.act(std::move(actions));
    co_return ended.value_or(PassResult::done());
  };
  start();
  until([this] { return runner_->failures() >= 1; });
  EXPECT_TRUE(cluster_.find(kConfigMaps, "ns", "a").has_value());
}

TEST_F(RunnerTest, APassWaitsUntilItsOwnWriteIsSeen) {
  put("ns", "a");
  controller_.body = [this](ObjectKey, Pass& pass) -> aio::Task<PassResult> {
    std::vector<Action> actions{write("a", "written")};
    if (value_of("a") == "written") actions.clear();
    const auto ended = co_await pass.act(std::move(actions));
    co_return ended.value_or(PassResult::done());
  };
  start();
  until([this] { return passes() >= 2; });
  EXPECT_EQ(value_of("a"), "written");
  until([this] { return runner_->figures().ready == 0 && runner_->figures().running == 0; });
  EXPECT_EQ(passes(), 2U) << "the write, and the look at what came of it";
}

// A pass that has written, and watches that tell nothing of it.
class UnseenWriteTest : public RunnerTest {
 protected:
  void write_unseen() {
    controller_.watches_secrets = true;
    put("ns", "a");
    is_active_ = false;
    controller_.body = [this](ObjectKey, Pass& pass) -> aio::Task<PassResult> {
      shown_.push_back(pass.stores().at(kube::kSecrets).contains(ObjectKey{"ns", "child"}));
      std::vector<Action> actions{
          apply({.resource = kube::kSecrets, .namespace_name = "ns", .name = "child"},
                R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"child"}})")};
      if (shown_.back()) actions.clear();
      const auto ended = co_await pass.act(std::move(actions));
      co_return ended.value_or(PassResult::done());
    };
    start();
    until([this] { return runner_->is_synced() && cluster_.watches() == 2; });
    cluster_.silence_watches();
    is_active_ = true;
    look();
    until([this] { return passes() == 1 && writes() == 1; });
    cluster_.clear_calls();
  }
  void look() { runner_->look_at({"ns", "a"}, kube::Urgency::kChange); }
  std::size_t writes() const { return cluster_.count({.verb = kube::Verb::kPatch}); }
  std::size_t lists(const std::string& plural) const {
    const auto count = std::ranges::count_if(cluster_.calls(), [&plural](const test::Call& call) {
      return call.target.find("/" + plural + "?limit=") != std::string::npos;
    });
    return static_cast<std::size_t>(count);
  }

  std::vector<bool> shown_;  // the child, in each pass
};

TEST_F(UnseenWriteTest, AfterAMinuteWhatWasWrittenIsListedAnew) {
  write_unseen();
  clock_.leap(std::chrono::seconds(61));
  look();
  until([this] { return passes() == 2; });
  EXPECT_THAT(shown_, ElementsAre(false, true));
  EXPECT_EQ(writes(), 0U);
  EXPECT_EQ(lists("secrets"), 1U);
  EXPECT_EQ(cluster_.count({.path = "/secrets?limit=250&resourceVersion"}), 0U) << "the newest";
  EXPECT_EQ(lists("configmaps"), 0U) << "nothing of it was waited for";
}

// A look at it meanwhile does not put that off.
TEST_F(UnseenWriteTest, TheMinuteIsThatOfTheWrite) {
  write_unseen();
  clock_.leap(milliseconds(59'500));
  look();
  until([this] { return passes() == 2; });
  EXPECT_THAT(shown_, ElementsAre(false, true));
}

TEST_F(UnseenWriteTest, WhatCannotBeListedHoldsUpNoPassForEver) {
  write_unseen();
  cluster_.forbid("list", "secrets");
  clock_.leap(std::chrono::seconds(61));
  look();
  until([this] { return lists("secrets") >= 1 && runner_->figures().running == 0; });
  EXPECT_EQ(passes(), 1U);
  clock_.leap(std::chrono::seconds(5));
  look();
  until([this] { return passes() == 2; });
  EXPECT_EQ(cluster_.count({.path = "/configmaps/a"}), 1U) << "the object of the key is read";
}

// What it saw is old, and it has no way to know it but by being refused.
TEST_F(RunnerTest, WhatIsRefusedAsOldIsNotSentAgainBeforeSomethingNewerIsSeen) {
  put("ns", "a");
  is_active_ = false;
  controller_.body = [](ObjectKey, Pass& pass) -> aio::Task<PassResult> {
    const kube::Object seen = pass.stores().at(kConfigMaps).find(ObjectKey{"ns", "a"}).value();
    const std::string version(seen.resource_version());
    std::vector<Action> actions{merge_patch(
        {.resource = kConfigMaps, .namespace_name = "ns", .name = "a", .resource_version = version},
        R"({"metadata":{"resourceVersion":")" + version + R"("},"data":{"key":"written"}})")};
    if (seen.root()["data"]["key"].string_or_empty() == "written") actions.clear();
    const auto ended = co_await pass.act(std::move(actions));
    co_return ended.value_or(PassResult::done());
  };
  start();
  until([this] { return runner_->is_synced() && cluster_.watches() == 1; });
  cluster_.silence_watches();
  put("ns", "a", "of another");
  is_active_ = true;
  const auto writes = [this] { return cluster_.count({.verb = kube::Verb::kPatch}); };
  for (int looks = 0; looks < 5; ++looks) {
    runner_->look_at({"ns", "a"}, kube::Urgency::kChange);
    until([&] { return writes() >= 1; });
    // Taken up, and put down again.
    until([this] { return runner_->figures().ready + runner_->figures().running == 0; });
  }
  EXPECT_EQ(writes(), 1U);
  EXPECT_EQ(passes(), 1U);
  clock_.leap(std::chrono::seconds(61));
  runner_->look_at({"ns", "a"}, kube::Urgency::kChange);
  until([this] { return value_of("a") == "written"; });
  EXPECT_EQ(writes(), 2U);
  EXPECT_EQ(runner_->failures(), 0U);
}

TEST_F(RunnerTest, AWriteWithTheVersionThatWasSeenIsNotLookedAt) {
  put("ns", "a");
  controller_.looks_at_own = false;
  controller_.body = [this](ObjectKey, Pass& pass) -> aio::Task<PassResult> {
    std::vector<Action> actions{write("a", "written")};
    const kube::Object seen = pass.stores().at(kConfigMaps).find(ObjectKey{"ns", "a"}).value();
    actions[0].resource_version = seen.resource_version();
    const auto ended = co_await pass.act(std::move(actions));
    co_return ended.value_or(PassResult::done());
  };
  start();
  until([this] { return passes() == 1 && value_of("a") == "written" && shows("a"); });
  until([this] { return runner_->figures().running == 0; });
  EXPECT_EQ(runner_->figures().ready + runner_->figures().waiting, 0U);
  EXPECT_EQ(passes(), 1U);
  put("ns", "a", "of another");
  until([this] { return passes() == 2; });
}

// It may hold what somebody else wrote in between.
TEST_F(RunnerTest, AWriteWithoutAVersionIsLookedAt) {
  put("ns", "a");
  controller_.looks_at_own = false;
  controller_.body = [this](ObjectKey, Pass& pass) -> aio::Task<PassResult> {
    std::vector<Action> actions{write("a", "written")};
    if (value_of("a") == "written") actions.clear();
    const auto ended = co_await pass.act(std::move(actions));
    co_return ended.value_or(PassResult::done());
  };
  start();
  until([this] { return passes() == 2; });
}

TEST_F(RunnerTest, AChangeDuringAPassThatWritesNothingIsLookedAt) {
  put("ns", "a");
  controller_.looks_at_own = false;
  controller_.body = [this](ObjectKey, Pass&) -> aio::Task<PassResult> {
    if (passes() == 1) {
      put("ns", "a", "meanwhile");
      while (!shows("a")) {
        const bool waited = co_await aio::pause(milliseconds(1));
        if (!waited) break;
      }
    }
    co_return PassResult::done();
  };
  start();
  until([this] { return passes() == 2; });
}

TEST_F(RunnerTest, TellsOfChangesThatItDoesNotLookAt) {
  is_active_ = false;
  put("ns", "a");
  start();
  until([this] { return runner_->is_synced(); });
  put("ns", "a", "of another");
  until([this] { return shows("a"); });
  EXPECT_THAT(controller_.missed_keys, ::testing::Contains("ns/a"));
  EXPECT_THAT(controller_.passes, IsEmpty());
}

}  // namespace
}  // namespace dynamo::reconciler
