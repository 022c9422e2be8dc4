// The schedule of admission records, and the admitted state known until a record is written.
#include "reconciler/validation/pending_records.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace dynamo::reconciler::validation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const kube::ObjectKey kA{.namespace_name = "ns", .name = "a"};
const kube::ObjectKey kB{.namespace_name = "ns", .name = "b"};

class PendingRecordsTest : public ::testing::Test {
 protected:
  std::shared_ptr<RecordPace> pace_ = std::make_shared<RecordPace>(milliseconds(20));
  PendingRecords graphs_{pace_};
  PendingRecords models_{pace_};
  RecordPace::Time now_{std::chrono::hours(1)};
};

TEST_F(PendingRecordsTest, RecordsOfAllKindsShareTheSlots) {
  EXPECT_EQ(graphs_.postpone(kA, "u", "{}", now_), milliseconds(1'000));
  EXPECT_EQ(models_.postpone(kA, "v", "{}", now_), milliseconds(1'020));
  EXPECT_EQ(graphs_.postpone(kB, "w", "{}", now_), milliseconds(1'040));
  now_ += milliseconds(1'020);
  EXPECT_TRUE(graphs_.is_due(kA, "u", now_));
  EXPECT_TRUE(models_.is_due(kA, "v", now_));
  EXPECT_FALSE(graphs_.is_due(kB, "w", now_));
}

TEST_F(PendingRecordsTest, EarlyReconcileKeepsTheSlot) {
  graphs_.postpone(kA, "u", "{}", now_);
  now_ += milliseconds(400);
  EXPECT_EQ(graphs_.postpone(kA, "u", R"({"x":1})", now_), milliseconds(600));
  EXPECT_EQ(graphs_.admitted(kA, "u"), R"({"x":1})");
}

TEST_F(PendingRecordsTest, VerdictsDelayRecordsForLimitedTime) {
  graphs_.postpone(kA, "u", "{}", now_);
  const auto end = now_ + PendingRecords::kLongestWait;
  while (now_ < end) {
    now_ += milliseconds(500);
    graphs_.note_verdict(now_);
    if (now_ < end) {
      EXPECT_FALSE(graphs_.is_due(kA, "u", now_));
    }
    if (!graphs_.is_due(kA, "u", now_)) graphs_.postpone(kA, "u", "{}", now_);
  }
  now_ += seconds(2);
  graphs_.note_verdict(now_);
  EXPECT_TRUE(graphs_.is_due(kA, "u", now_));
}

TEST_F(PendingRecordsTest, DelayedRecordsMoveToTheLastSlot) {
  EXPECT_FALSE(graphs_.is_held_up(kA, "u", now_)) << "nothing is pending";
  graphs_.postpone(kA, "u", R"({"x":1})", now_);
  graphs_.postpone(kB, "v", "{}", now_);
  now_ += seconds(1);
  EXPECT_FALSE(graphs_.is_held_up(kA, "u", now_)) << "its turn has come";
  graphs_.note_verdict(now_);
  EXPECT_TRUE(graphs_.is_held_up(kA, "u", now_));
  EXPECT_FALSE(graphs_.is_held_up(kA, "v", now_)) << "another object of that name";
  EXPECT_EQ(graphs_.postpone_again(kA, now_), seconds(1));
  EXPECT_EQ(graphs_.postpone_again(kB, now_), milliseconds(20)) << "its turn is still to come";
  EXPECT_EQ(graphs_.admitted(kA, "u"), R"({"x":1})");
  now_ += seconds(1);
  EXPECT_FALSE(graphs_.is_held_up(kA, "u", now_));
}

TEST_F(PendingRecordsTest, RecreatedObjectHasNoPendingRecord) {
  graphs_.postpone(kA, "u", R"({"x":1})", now_);
  now_ += seconds(5);
  EXPECT_EQ(graphs_.admitted(kA, "v"), "");
  EXPECT_FALSE(graphs_.is_due(kA, "v", now_));
  graphs_.postpone(kA, "v", R"({"x":2})", now_);
  EXPECT_EQ(graphs_.admitted(kA, "u"), "");
  EXPECT_EQ(graphs_.admitted(kA, "v"), R"({"x":2})");
  graphs_.forget(kA);
  EXPECT_EQ(graphs_.admitted(kA, "v"), "");
}

TEST_F(PendingRecordsTest, RecordsAboveTheLimitAreDueImmediately) {
  graphs_.postpone(kA, "u", std::string(PendingRecords::kMaxBytes, 'x'), now_);
  EXPECT_TRUE(graphs_.is_due(kB, "v", now_));
  EXPECT_FALSE(models_.is_due(kB, "v", now_));
  graphs_.forget(kA);
  EXPECT_FALSE(graphs_.is_due(kB, "v", now_));
}

TEST_F(PendingRecordsTest, RecordsWithoutPaceAreDueImmediately) {
  const PendingRecords unpaced(std::make_shared<RecordPace>(milliseconds(0)));
  EXPECT_TRUE(unpaced.is_due(kA, "u", now_));
}

}  // namespace
}  // namespace dynamo::reconciler::validation
