#include "kube/controller/event_recorder.hpp"

#include <optional>
#include <string>

#include "aio/task_group.hpp"
#include "tests/kube/kube_fixture.hpp"
#include "tests/support/fake_clock.hpp"

namespace dynamo::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using test::Fault;

const test::Match kPosts{.method = HttpMethod::kPost, .path = "/events"};
const test::Match kPatches{.method = HttpMethod::kPatch, .path = "/events/"};

// Longer than any test.
constexpr milliseconds kLong{10'000};

class EventRecorderTest : public KubeTest {
 protected:
  static EventRecorderOptions quick() {
    EventRecorderOptions options;
    options.controller = "stub";
    options.instance = "pod-1";
    options.first_pause = milliseconds(1);
    options.longest_pause = milliseconds(2);
    options.tick = milliseconds(2);
    options.poll_interval = milliseconds(1);
    return options;
  }
  EventRecorderOptions fenced() {
    EventRecorderOptions options = quick();
    options.can_send = [this] { return leads_; };
    return options;
  }
  Event event(const std::string& note) {
    return {.regarding = {.api_version = "v1",
                          .kind = "ConfigMap",
                          .namespace_name = "ns",
                          .name = "a",
                          .uid = "u"},
            .is_warning = false,
            .reason = "Done",
            .action = "Reconcile",
            .note = note};
  }
  void start() { recorder_.start(group_); }
  bool until(const std::function<bool()>& condition) { return test::run_until(loop_, condition); }

  test::FakeClock clock_;
  bool leads_ = true;
  EventRecorder recorder_{loop_.get_executor(), client_, clock_, logger_, fenced()};
  aio::TaskGroup group_{loop_, logger_};
};

TEST_F(EventRecorderTest, EqualEventsBecomeOneWithCount) {
  start();
  recorder_.record(event("x"));
  ASSERT_TRUE(until([this] { return recorder_.written() == 1; }));
  for (int i = 0; i < 1'000; ++i) recorder_.record(event("x"));
  ASSERT_TRUE(until([this] { return recorder_.written() == 2; }));
  clock_.tick(minutes(5));
  recorder_.record(event("x"));
  ASSERT_TRUE(until([this] { return recorder_.written() == 3; }));
  const auto all = cluster_.all(kEvents);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].root()["series"]["count"].integer(), 1'002);
  EXPECT_EQ(all[0].root()["regarding"]["name"].string(), "a");
  EXPECT_EQ(cluster_.count(kPosts), 1U);
  EXPECT_EQ(cluster_.count(kPatches), 2U);
}

TEST_F(EventRecorderTest, LostAnswerCreatesNoSecondEvent) {
  cluster_.fail(kPosts, {.kind = Fault::Kind::kLostAnswer});
  start();
  recorder_.record(event("x"));
  ASSERT_TRUE(until([this] { return recorder_.written() == 1; }));
  EXPECT_EQ(cluster_.all(kEvents).size(), 1U);
  EXPECT_EQ(cluster_.count(kPosts), 2U);
}

// The next leader reports the same, perhaps in other words.
TEST_F(EventRecorderTest, OccasionHasOneEventFromSeveralReporters) {
  EventRecorderOptions other = quick();
  other.instance = "pod-2";
  EventRecorder next(loop_.get_executor(), client_, clock_, logger_, other);
  Event first = event("x");
  first.occasion = "generation 3";
  start();
  next.start(group_);
  recorder_.record(first);
  ASSERT_TRUE(until([this] { return recorder_.pending() == 0; }));
  clock_.tick(minutes(1));
  first.note = "in other words";
  next.record(first);
  ASSERT_TRUE(until([&next] { return next.pending() == 0; }));
  EXPECT_EQ(cluster_.all(kEvents).size(), 1U);
  EXPECT_EQ(next.written() + next.dropped(), 1U);
  first.occasion = "generation 4";
  next.record(first);
  ASSERT_TRUE(until([&next] { return next.pending() == 0; }));
  EXPECT_EQ(cluster_.all(kEvents).size(), 2U);
  group_.stop();
}

// Events are actions as well: what waits when the Lease is lost is sent only if the Lease is
// regained.
TEST_F(EventRecorderTest, FormerLeaderSendsNoEvents) {
  cluster_.before(kPosts, [this] { leads_ = false; });
  cluster_.fail(kPosts, {.kind = Fault::Kind::kRefused});
  start();
  recorder_.record(event("x"));
  ASSERT_TRUE(until([this] { return !leads_; }));
  recorder_.record(event("y"));
  loop_.run_for(milliseconds(50));
  loop_.restart();
  EXPECT_EQ(cluster_.count(kPosts), 1U) << "the first try, which failed";
  leads_ = true;
  ASSERT_TRUE(until([this] { return recorder_.written() == 2; }));
  EXPECT_EQ(recorder_.dropped(), 0U);
}

TEST_F(EventRecorderTest, FormerLeaderSendsNoEventsAtShutdown) {
  start();
  recorder_.record(event("x"));
  leads_ = false;
  const auto began = std::chrono::steady_clock::now();
  test::run(loop_, recorder_.flush(kLong));
  EXPECT_LT(std::chrono::steady_clock::now() - began, kLong) << "the caller does not wait";
  EXPECT_EQ(cluster_.count(kPosts), 0U);
}

TEST_F(EventRecorderTest, UnreachableServerIsTriedTwelveTimes) {
  cluster_.fail(kPosts, {.kind = Fault::Kind::kRefused}, 1'000);
  start();
  recorder_.record(event("x"));
  ASSERT_TRUE(until([this] { return recorder_.dropped() == 1; }));
  EXPECT_EQ(cluster_.count(kPosts), 12U);
}

TEST_F(EventRecorderTest, ForbiddenEventIsNotRetried) {
  cluster_.forbid("create", "events");
  start();
  recorder_.record(event("x"));
  ASSERT_TRUE(until([this] { return recorder_.dropped() == 1; }));
  EXPECT_EQ(cluster_.count(kPosts), 1U);
  cluster_.allow_all();
  recorder_.record(event("y"));
  EXPECT_TRUE(until([this] { return recorder_.written() == 1; }));
}

TEST_F(EventRecorderTest, FirstEventStaysWithoutRightToPatch) {
  cluster_.forbid("patch", "events");
  start();
  recorder_.record(event("x"));
  ASSERT_TRUE(until([this] { return recorder_.written() == 1; }));
  for (int i = 0; i < 9; ++i) recorder_.record(event("x"));
  ASSERT_TRUE(until([this] { return cluster_.count(kPatches) == 1; }));
  recorder_.record(event("y"));
  ASSERT_TRUE(until([this] { return recorder_.written() == 2; }));
  EXPECT_EQ(recorder_.dropped(), 0U);
  EXPECT_EQ(cluster_.all(kEvents).size(), 2U);
}

TEST_F(EventRecorderTest, ExpiredEventIsRecreated) {
  start();
  recorder_.record(event("x"));
  ASSERT_TRUE(until([this] { return recorder_.written() == 1; }));
  cluster_.erase(kEvents, "ns", cluster_.all(kEvents)[0].name());
  recorder_.record(event("x"));
  ASSERT_TRUE(until([this] { return recorder_.written() == 2; }));
  const auto all = cluster_.all(kEvents);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].root()["series"]["count"].integer(), 2);
}

TEST_F(EventRecorderTest, FlushRetriesUntilSentOrTimeout) {
  cluster_.fail(kPosts, {.kind = Fault::Kind::kRefused}, 3);
  start();
  recorder_.record(event("x"));
  recorder_.record(event("y"));
  test::run(loop_, recorder_.flush(kLong));
  EXPECT_EQ(cluster_.all(kEvents).size(), 2U);
  EXPECT_EQ(recorder_.pending(), 0U);
  cluster_.fail(kPosts, {.kind = Fault::Kind::kNever}, 1'000);
  for (int i = 0; i < 20; ++i) recorder_.record(event(std::to_string(i)));
  test::run(loop_, recorder_.flush(milliseconds(5)));
  EXPECT_EQ(cluster_.all(kEvents).size(), 2U);
  EXPECT_EQ(recorder_.pending(), 20U);
}

TEST_F(EventRecorderTest, FlushSendsAfterSendersHaveEnded) {
  start();
  group_.stop();
  for (int i = 0; i < 5; ++i) recorder_.record(event(std::to_string(i)));
  test::run(loop_, recorder_.flush(kLong));
  EXPECT_EQ(cluster_.all(kEvents).size(), 5U);
}

TEST_F(EventRecorderTest, HurrySendsCountWithoutHeartbeat) {
  start();
  for (std::uint64_t calls = 1; calls <= 2; ++calls) {
    recorder_.record(event("x"));
    ASSERT_TRUE(until([this, calls] { return recorder_.written() == calls; }));
  }
  recorder_.record(event("x"));
  EXPECT_EQ(recorder_.pending(), 1U);
  test::run(loop_, recorder_.flush(kLong));
  EXPECT_EQ(cluster_.all(kEvents)[0].root()["series"]["count"].integer(), 3);
}

TEST_F(EventRecorderTest, EightCallsRunConcurrently) {
  cluster_.fail(kPosts, {.kind = Fault::Kind::kNever}, 1'000);
  start();
  for (int i = 0; i < 10; ++i) recorder_.record(event(std::to_string(i)));
  ASSERT_TRUE(until([this] { return cluster_.count(kPosts) >= 8; }));
  loop_.run_for(milliseconds(20));
  loop_.restart();
  EXPECT_EQ(cluster_.count(kPosts), 8U);
  EXPECT_EQ(recorder_.waiting(), 2U);
}

TEST_F(EventRecorderTest, RecordingNeverWaitsAndStopIsImmediate) {
  cluster_.fail(kPosts, {.kind = Fault::Kind::kNever}, 1'000);
  start();
  for (int i = 0; i < 10; ++i) recorder_.record(event(std::to_string(i)));
  ASSERT_TRUE(until([this] { return cluster_.count(kPosts) >= 1; }));
  group_.stop();
  EXPECT_EQ(recorder_.waiting(), 10U) << "nothing is lost by the stop itself";
}

}  // namespace
}  // namespace dynamo::kube
