#include "kube/controller/event_series.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>

namespace dynamo::kube {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

const EventAggregator::Time kNow = EventAggregator::Time(std::chrono::hours(1));
const EventAggregator::WallTime kWall = std::chrono::system_clock::from_time_t(1'770'091'506);

Event event(const std::string& note, const std::string& name = "a") {
  return {.regarding = {.api_version = "v1",
                        .kind = "ConfigMap",
                        .namespace_name = "ns",
                        .name = name,
                        .uid = "uid-" + name},
          .is_warning = true,
          .reason = "Failed",
          .action = "Reconcile",
          .note = note};
}

class EventAggregatorTest : public ::testing::Test {
 protected:
  bool note(const Event& what) { return aggregator_.note(what, now_, kWall + (now_ - kNow)); }
  // Makes all due calls and returns their number.
  int drain() {
    int calls = 0;
    while (const auto call = aggregator_.next(now_)) {
      last_ = call;
      aggregator_.finished(*call, true);
      ++calls;
    }
    return calls;
  }

  EventAggregator aggregator_{EventSeriesOptions(), "salt"};
  EventAggregator::Time now_ = kNow;
  std::optional<EventAggregator::Call> last_;
};

TEST_F(EventAggregatorTest, FirstTwoAreSentThenHeartbeats) {
  note(event("x"));
  EXPECT_EQ(drain(), 1);
  EXPECT_TRUE(last_->is_new);
  note(event("x"));
  EXPECT_EQ(drain(), 1);
  EXPECT_FALSE(last_->is_new);
  EXPECT_EQ(last_->series.count, 2U);
  for (int i = 0; i < 100; ++i) note(event("x"));
  EXPECT_EQ(drain(), 0);
  now_ += minutes(5);
  EXPECT_EQ(drain(), 1);
  EXPECT_EQ(last_->series.count, 102U);
}

TEST_F(EventAggregatorTest, ChangedTextIsNewEvent) {
  note(event("x"));
  note(event("y"));
  EXPECT_EQ(drain(), 2);
}

TEST_F(EventAggregatorTest, ThousandFailuresCauseAtMost26Calls) {
  int calls = 0;
  for (int i = 0; i < 1'000; ++i) {
    note(event("text " + std::to_string(i)));
    calls += drain();
  }
  EXPECT_LE(calls, 26);
  EXPECT_GE(aggregator_.dropped(), 974U);
  int same = 0;
  for (int i = 0; i < 1'000; ++i) {
    note(event("same", "b"));
    same += drain();
  }
  EXPECT_EQ(same, 2) << "another object has a ration of its own";
}

TEST_F(EventAggregatorTest, EventsBeyondRateLimitAreDropped) {
  for (int i = 0; i < 100; ++i) note(event(std::to_string(i)));
  EXPECT_EQ(drain(), 25);
  now_ += std::chrono::hours(1);
  EXPECT_EQ(drain(), 0);
  note(event("now"));
  EXPECT_EQ(drain(), 1);
}

TEST_F(EventAggregatorTest, NewEventStartsAfterPause) {
  note(event("x"));
  drain();
  const std::string name = last_->series.name;
  now_ += minutes(10);
  note(event("x"));
  EXPECT_EQ(drain(), 1);
  EXPECT_TRUE(last_->is_new);
  EXPECT_EQ(last_->series.count, 1U);
  EXPECT_NE(last_->series.name, name);
}

TEST_F(EventAggregatorTest, RefusedEventIsForgottenAndLostRecreated) {
  note(event("x"));
  const auto refused = aggregator_.next(now_);
  ASSERT_TRUE(refused);
  aggregator_.finished(*refused, false);
  EXPECT_EQ(aggregator_.dropped(), 1U);
  EXPECT_EQ(drain(), 0);
  note(event("y"));
  drain();
  note(event("y"));
  const auto lost = aggregator_.next(now_);
  ASSERT_FALSE(lost->is_new);
  aggregator_.recreate(*lost);
  const auto again = aggregator_.next(now_);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->is_new);
  EXPECT_EQ(again->series.count, 2U);
}

TEST_F(EventAggregatorTest, CallsAreConcurrentButOnePerSeries) {
  note(event("x"));
  note(event("y"));
  const auto first = aggregator_.next(now_);
  const auto second = aggregator_.next(now_);
  ASSERT_TRUE(first && second);
  note(event("x"));
  EXPECT_FALSE(aggregator_.next(now_));
  EXPECT_EQ(aggregator_.under_way(), 2U);
  aggregator_.abandon(*second);
  aggregator_.finished(*first, true);
  EXPECT_EQ(aggregator_.under_way(), 0U);
  const auto again = aggregator_.next(now_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->series.name, first->series.name);
  EXPECT_EQ(again->series.count, 2U);
  EXPECT_FALSE(again->is_new);
  EXPECT_EQ(aggregator_.next(now_)->series.name, second->series.name);
}

TEST_F(EventAggregatorTest, WaitingIsBoundedAndDropsAreCounted) {
  for (int i = 0; i < 1'200; ++i) note(event("x", "object-" + std::to_string(i)));
  EXPECT_EQ(aggregator_.waiting(), 1'000U);
  EXPECT_EQ(aggregator_.dropped(), 200U);
  EXPECT_EQ(drain(), 1'000);
  EXPECT_EQ(aggregator_.waiting(), 0U);
}

TEST_F(EventAggregatorTest, EverythingIsDueAfterHurry) {
  note(event("x"));
  drain();
  note(event("x"));
  drain();
  note(event("x"));
  EXPECT_EQ(drain(), 0);
  aggregator_.hurry();
  EXPECT_EQ(drain(), 1);
}

TEST_F(EventAggregatorTest, ObjectStaysWithinRateLimitInRandomRuns) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    EventAggregator aggregator(EventSeriesOptions(), "salt");
    EventAggregator::Time now = kNow;
    std::uint64_t calls = 0;
    for (int i = 0; i < 2'000; ++i) {
      const auto any = random();
      if (any % 4 == 0) now += seconds(random() % 40);
      aggregator.note(event(std::to_string(random() % 40)), now, kWall + (now - kNow));
      while (any % 3 == 0) {
        const auto call = aggregator.next(now);
        if (!call) break;
        if (any % 7 == 0) {
          aggregator.abandon(*call);
          break;
        }
        aggregator.finished(*call, any % 5 != 0);
        ++calls;
      }
      ASSERT_LE(aggregator.waiting(), 1'000U);
    }
    const auto passed = std::chrono::duration_cast<seconds>(now - kNow);
    EXPECT_LE(calls, 26U + static_cast<std::uint64_t>(passed / minutes(5)));
  }
}

TEST(EventTextTest, EventHasEventsK8sIoFormat) {
  const EventSeries one{
      .event = event("bad \n text"), .name = "a.1", .first = kWall, .last = kWall, .count = 1};
  EXPECT_EQ(event_body(one, "dynamo", "pod-1"),
            R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":"a.1",)"
            R"("namespace":"ns"},"regarding":{"apiVersion":"v1","kind":"ConfigMap",)"
            R"("namespace":"ns","name":"a","uid":"uid-a"},"reason":"Failed","note":"bad   text",)"
            R"("type":"Warning","action":"Reconcile","eventTime":"2026-02-03T04:05:06.000000Z",)"
            R"("reportingController":"dynamo","reportingInstance":"pod-1"})");
  EventSeries many = one;
  many.count = 7;
  many.last = kWall + seconds(1);
  EXPECT_EQ(event_patch(many),
            R"({"series":{"count":7,"lastObservedTime":"2026-02-03T04:05:07.000000Z"}})");
}

TEST(EventTextTest, LongTextsAreCutAndNamesSanitized) {
  std::string long_note;
  for (int i = 0; i < 600; ++i) long_note += "é";
  Event long_event = event(long_note, "System:Role." + std::string(400, 'n'));
  long_event.regarding.namespace_name.clear();
  EventAggregator aggregator(EventSeriesOptions(), "salt");
  ASSERT_TRUE(aggregator.note(long_event, kNow, kWall));
  const auto call = aggregator.next(kNow);
  ASSERT_TRUE(call);
  EXPECT_LE(call->series.name.size(), 253U);
  EXPECT_THAT(call->series.name, MatchesRegex("ystem-.ole.n+[.][0-9a-f]+"));
  const std::string body = event_body(call->series, "c", "i");
  EXPECT_THAT(body, HasSubstr(R"("namespace":"default")"));
  const auto parsed = Object::parse(body);
  ASSERT_TRUE(parsed);
  EXPECT_LE(parsed->root()["note"].string_or_empty().size(), 1'024U);
  EXPECT_THAT(std::string(parsed->root()["note"].string_or_empty()), HasSubstr("é…"));
}

}  // namespace
}  // namespace dynamo::kube
